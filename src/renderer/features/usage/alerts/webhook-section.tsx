import type { WebhookFormat, WebhookView } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { useFormats } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { RelativeTime } from '../../../relative-time'
import { QuietCode } from '../../../ui/code'
import { Dialog } from '../../../ui/dialog'
import { Card, Section } from '../../../ui/page'
import { PasteBox } from '../../../ui/paste-box'
import { ControlRow, InlineDetails } from '../../../ui/rows'
import { SelectField } from '../../../ui/select'
import { Switch } from '../../../ui/switch'
import { Hint } from '../../../ui/text'
import { closeWithToast, toast } from '../../../ui/toast'

const formats: readonly WebhookFormat[] = ['slack', 'teams', 'json']

/** Interval in ms at which the section polls, because no event announces a delivery. */
const refreshMs = 30_000

interface DialogProps {
  readonly webhook: WebhookView['webhook']
  readonly onClose: () => void
}

function PasteSecret({
  part,
  isKept,
  taking: { data, isPending, mutate },
}: {
  readonly part: 'address' | 'token'
  readonly isKept: boolean | undefined
  readonly taking: ReturnType<typeof useAction<'alerts.takeWebhookSecret'>>
}) {
  const { t } = useTranslation('alerts', { keyPrefix: 'webhook.form' })
  return (
    <PasteBox
      label={t(part)}
      masked={data?.masked}
      stored={isKept ? 'keychain' : undefined}
      how={t(data ? 'held' : isKept ? 'kept' : 'how')}
      busy={isPending}
      onTake={() => mutate({ part })}
    />
  )
}

function WebhookDialog({ webhook, onClose }: DialogProps) {
  const { t } = useTranslation('alerts', { keyPrefix: 'webhook' })
  const [format, setFormat] = useState<WebhookFormat>(webhook?.format ?? 'slack')
  const [hasToken, setHasToken] = useState(webhook?.hasToken ?? false)
  const address = useAction('alerts.takeWebhookSecret')
  const token = useAction('alerts.takeWebhookSecret')
  const saving = useAction('alerts.setWebhook', {
    invalidates: ['alerts'],
    onSuccess: () => closeWithToast(onClose, t('saved')),
  })
  const [addressId, tokenId] = [address.data?.pendingId, token.data?.pendingId]
  const save = (): void =>
    saving.mutate({ format, hasToken, ...(addressId && { addressId }), ...(hasToken && tokenId && { tokenId }) })
  const failure = (saving.error ?? address.error ?? token.error)?.failure
  const isReady = (webhook !== undefined || addressId !== undefined) && (!hasToken || !!tokenId || webhook?.hasToken)
  return (
    <Dialog
      busy={saving.isPending}
      onClose={onClose}
      title={t('title')}
      description={t('form.text')}
      action={{ label: t('form.save'), onSubmit: save, busy: saving.isPending, disabled: !isReady }}
    >
      <SelectField
        label={t('form.format')}
        value={format}
        onValueChange={setFormat}
        options={formats.map((value) => ({ value, label: t(`formats.${value}`) }))}
      />
      <PasteSecret part="address" isKept={webhook !== undefined} taking={address} />
      <Switch
        checked={hasToken}
        onCheckedChange={setHasToken}
        label={t('form.hasToken')}
        hint={t('form.hasTokenHint')}
      />
      {hasToken ? <PasteSecret part="token" isKept={webhook?.hasToken} taking={token} /> : null}
      <ExplainedFailure failure={failure} />
    </Dialog>
  )
}

function WebhookCard({ webhook }: WebhookView) {
  const { t } = useTranslation(['alerts', 'common'])
  const { duration } = useFormats()
  const [isEditing, setIsEditing] = useState(false)
  const removing = useAction('alerts.removeWebhook', {
    invalidates: ['alerts'],
    onSuccess: () => void toast(t('alerts:webhook.removed')),
  })
  const testing = useAction('alerts.testWebhook', {
    invalidates: ['alerts'],
    onSuccess: ({ durationMs }) => void toast(t('alerts:webhook.tested', { time: duration(durationMs) })),
  })
  const edit = (): void => {
    testing.reset()
    setIsEditing(true)
  }
  const { lastFailure, lastSentAt } = webhook ?? {}
  // The failed test is also the last failure, so show it once.
  const failure = testing.error?.failure ?? removing.error?.failure ?? lastFailure?.failure
  return (
    <Card flush>
      <ControlRow
        label={t('alerts:webhook.label')}
        hint={t('alerts:webhook.hint')}
        control={[
          webhook && {
            label: t('alerts:webhook.remove'),
            variant: 'ghost',
            busy: removing.isPending,
            onClick: () => removing.mutate({}),
          },
          webhook && { label: t('alerts:webhook.test'), busy: testing.isPending, onClick: () => testing.mutate({}) },
          { label: t(webhook ? 'common:edit' : 'alerts:webhook.setUp'), onClick: edit },
        ]}
      >
        {webhook ? (
          <div className="mb-2 flex flex-wrap items-center gap-2">
            <QuietCode>{webhook.origin}</QuietCode>
            <Hint as="div">
              <InlineDetails
                items={[
                  t(`alerts:webhook.formats.${webhook.format}`),
                  lastSentAt === undefined ? (
                    t('alerts:webhook.notSent')
                  ) : (
                    <span key="sent">
                      {t('alerts:webhook.lastSent')} <RelativeTime at={lastSentAt} />
                    </span>
                  ),
                  webhook.pendingCount > 0 && t('alerts:webhook.pending', { count: webhook.pendingCount }),
                ]}
              />
            </Hint>
          </div>
        ) : null}
        {lastFailure ? (
          <Hint as="div" className="mb-2">
            <InlineDetails items={[t('alerts:webhook.lastFailed'), <RelativeTime key="at" at={lastFailure.at} />]} />
          </Hint>
        ) : null}
        <ExplainedFailure failure={failure} />
        {isEditing ? <WebhookDialog webhook={webhook} onClose={() => setIsEditing(false)} /> : null}
      </ControlRow>
    </Card>
  )
}

/** Alerts for people who are not at this computer. */
export function WebhookSection() {
  const { t } = useTranslation('alerts', { keyPrefix: 'webhook' })
  const query = useCall('alerts.webhook', {}, { refetchInterval: refreshMs })
  return (
    <Section title={t('title')}>
      <Loaded query={query} rows={1}>
        {({ webhook }) => <WebhookCard webhook={webhook} />}
      </Loaded>
    </Section>
  )
}
