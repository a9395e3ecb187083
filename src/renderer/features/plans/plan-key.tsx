import type { Delivery, KeyView, PendingKeyView, PlanView } from '@shared/contract'
import { Copy, KeyRound, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Dialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { Section } from '../../ui/page'
import { Facts, Row, RowMark, Rows } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import { rotateKeyPath } from '../rotation/paths'
import { rotatableKeys } from '../rotation/rotatable'
import { setupsOf } from '../tools/sites'
import { PasteKey } from './paste-key'
import styles from './plan.module.css'
import { useCopyKey } from './use-copy-key'

interface ReplaceKeyProps {
  readonly plan: PlanView
  readonly keyView: KeyView
  readonly onClose: () => void
  readonly onReplaced: () => void
}

/** Ways to the key that leave a copy of it with the tool. */
const leaveACopy: readonly Delivery[] = ['file', 'envFile', 'inTool', 'plain']

/** Names of the tools that hold a copy of this plan's key. */
function useCopies(plan: PlanView): readonly string[] {
  const { data = [] } = useCall('tools.list', {})
  return data
    .filter((tool) =>
      setupsOf(tool).some(({ applied }) => applied?.planId === plan.id && leaveACopy.includes(applied.delivery)),
    )
    .map(({ name }) => name)
}

function ReplaceKey({ plan, keyView, onClose, onReplaced }: ReplaceKeyProps) {
  const { t } = useTranslation('plans')
  const { t: common } = useTranslation('common')
  const [pending, setPending] = useState<PendingKeyView>()
  const copies = useCopies(plan)
  const { mutate, isPending, error } = useAction('plans.replaceKey', {
    invalidates: ['plans', 'tools'],
    onSuccess: () => {
      void toast(t('page.replaced', { plan: plan.name }))
      onReplaced()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('page.replaceTitle', { name: keyView.name })}
      description={t('page.replaceText', { masked: keyView.masked })}
      footer={
        <>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button
            variant="primary"
            busy={isPending}
            disabled={!pending}
            onClick={() => pending && mutate({ planId: plan.id, keyId: keyView.id, pendingId: pending.pendingId })}
          >
            {t('page.replace')}
          </Button>
        </>
      }
    >
      <div className={styles.dialog}>
        <PasteKey pending={pending} onTaken={setPending} autoFocus />
        {copies.length > 0 ? (
          <Callout tone="warning" title={t('page.replaceFile', { tools: copies.join(', ') })} />
        ) : null}
        {error ? <ExplainedFailure failure={error.failure} context={{ plan: plan.name }} /> : null}
      </div>
    </Dialog>
  )
}

interface PlanKeyProps {
  readonly plan: PlanView
  readonly isReplacing: boolean
  readonly setIsReplacing: (isReplacing: boolean) => void
  readonly onReplaced: () => void
}

/** The plan's keys, masked: copied by main, replaced from the clipboard. */
export function PlanKey({ plan, isReplacing, setIsReplacing, onReplaced }: PlanKeyProps) {
  const { t } = useTranslation('plans')
  const { t: rotation } = useTranslation('rotation')
  const copying = useCopyKey(plan.id)
  const [first] = plan.keys
  const rotatable = rotatableKeys([plan])
  return (
    <Section title={t('page.keys')} description={t('page.keysHint')}>
      <Rows label={t('page.keys')}>
        {plan.keys.map((key) => (
          <Row
            key={key.id}
            leading={
              <RowMark>
                <KeyRound size={14} strokeWidth={1.8} />
              </RowMark>
            }
            title={<code>{key.masked}</code>}
            badge={
              <Badge tone={key.kept === 'keychain' ? 'success' : key.kept === 'session' ? 'warning' : 'danger'}>
                {t(`kept.${key.kept}`)}
              </Badge>
            }
            description={
              key.kept === 'missing' ? (
                <span className={styles.missing}>{t('page.missingKey')}</span>
              ) : (
                <Facts items={[key.name, <RelativeTime key="at" at={key.addedAt} />]} />
              )
            }
            trailing={
              <>
                {key.kept === 'missing' ? null : (
                  <IconButton
                    icon={Copy}
                    label={t('page.copyKey', { name: key.name })}
                    busy={copying.isPending}
                    onClick={() => copying.mutate({ planId: plan.id, keyId: key.id })}
                  />
                )}
                {rotatable.some(({ keyId }) => keyId === key.id) ? (
                  <ButtonLink
                    size="sm"
                    icon={RotateCw}
                    to={rotateKeyPath({ planId: plan.id, keyId: key.id })}
                    aria-label={rotation('rotateNamed', { key: key.name })}
                  >
                    {rotation('rotateMenu')}
                  </ButtonLink>
                ) : null}
                <Button size="sm" onClick={() => setIsReplacing(true)}>
                  {t('page.replaceKey')}
                </Button>
              </>
            }
          />
        ))}
      </Rows>
      {isReplacing && first ? (
        <ReplaceKey
          plan={plan}
          keyView={first}
          onClose={() => setIsReplacing(false)}
          onReplaced={() => {
            setIsReplacing(false)
            onReplaced()
          }}
        />
      ) : null}
    </Section>
  )
}
