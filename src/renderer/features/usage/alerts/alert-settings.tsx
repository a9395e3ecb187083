import type { AlertSettings, AlertView, PlanQuota, PlanView, WebhookFormat, WebhookView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { formatDuration, formatRelative } from '../../../format'
import { callKey, useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { alertsPath } from '../../../paths'
import { RelativeTime, useNow } from '../../../relative-time'
import { useSettingAction } from '../../../toast-actions'
import { Button } from '../../../ui/button'
import { Chips } from '../../../ui/chips'
import { QuietCode } from '../../../ui/code'
import { Dialog } from '../../../ui/dialog'
import { Card, MoreLink, Section } from '../../../ui/page'
import { PasteBox } from '../../../ui/paste-box'
import { ControlRow, InlineDetails } from '../../../ui/rows'
import { Select, SelectField } from '../../../ui/select'
import { Switch, SwitchRow } from '../../../ui/switch'
import { Hint } from '../../../ui/text'
import { closeWithToast, toast } from '../../../ui/toast'
import { useQuota } from '../quota'

const t = i18next.getFixedT(null, ['alerts', 'common'])

/** Percentages of a used allowance at which the user can choose to be alerted. */
const selectableThresholds = [50, 80, 90, 95, 100] as const

interface PartProps {
  readonly view: AlertSettings
  readonly onChange: (changes: Partial<AlertSettings>) => void
}

function Thresholds({ view, onChange }: PartProps) {
  const allThresholds = [...new Set([...selectableThresholds, ...view.thresholds])].sort((a, b) => a - b)
  return (
    <ControlRow
      label={t('settings.thresholds')}
      hint={t('settings.thresholdsHint')}
      control={
        <Chips
          label={t('settings.thresholds')}
          chips={allThresholds.map((percent) => ({ value: String(percent), label: `${percent}%` }))}
          chosen={view.thresholds.map(String)}
          disabled={!view.enabled}
          onChange={(chosen) => onChange({ thresholds: chosen.map(Number) })}
        />
      }
    />
  )
}

function usePlanNames() {
  const { data: quota = [] } = useQuota()
  const { data: plans = [] } = useCall('plans.list', {})
  /** Name of a plan by its local id or the account's id. */
  const getName = (id: string): string =>
    quota.find(({ planId, origin }) => planId === id || origin?.planId === id)?.name ??
    plans.find((plan) => plan.id === id || plan.origin?.planId === id)?.name ??
    t('gonePlan')
  return { alerting: alertingPlans(quota, plans), getName }
}

function MutedPlans({ view, onChange }: PartProps) {
  const { alerting, getName } = usePlanNames()
  const { mutedPlans } = view
  const unmutedPlans = alerting.filter(({ id }) => !mutedPlans.includes(id))
  if (alerting.length === 0 && mutedPlans.length === 0) return null
  return (
    <ControlRow
      label={t('settings.muted')}
      hint={t('settings.mutedHint')}
      control={
        unmutedPlans.length === 0 ? null : (
          <Select
            key={mutedPlans.length}
            className="w-50"
            aria-label={t('settings.mute')}
            placeholder={t('settings.mute')}
            value={undefined}
            disabled={!view.enabled}
            onValueChange={(id) => onChange({ mutedPlans: [...mutedPlans, id] })}
            options={unmutedPlans.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )
      }
    >
      {mutedPlans.length === 0 ? null : (
        <ul className="flex flex-col" aria-label={t('settings.muted')}>
          {mutedPlans.map((id) => (
            <li key={id} className="flex min-h-8 items-center justify-between gap-3">
              <span className="truncate">{getName(id)}</span>
              <Button
                size="sm"
                variant="ghost"
                aria-label={t('settings.unmuteOf', { plan: getName(id) })}
                onClick={() => onChange({ mutedPlans: mutedPlans.filter((otherId) => otherId !== id) })}
              >
                {t('settings.unmute')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </ControlRow>
  )
}

function SnoozedAlerts(props: { readonly view: AlertSettings; readonly onWake: (snooze: SnoozedAlert) => void }) {
  const { view, onWake } = props
  const currentTime = useNow()
  const { getName } = usePlanNames()
  if (view.snoozed.length === 0) return null
  return (
    <ControlRow label={t('settings.snoozed')} hint={t('settings.snoozedHint')}>
      <ul className="flex flex-col" aria-label={t('settings.snoozed')}>
        {view.snoozed.map((snooze) => {
          const subjectText = formatSnooze(getName(snooze.planId), snooze.modelCode)
          const { short, exact } = formatRelative(snooze.until, currentTime)
          return (
            <li
              key={`${snooze.planId} ${snooze.modelCode ?? ''}`}
              className="flex min-h-8 items-center justify-between gap-3"
            >
              <span className="truncate">
                {subjectText}{' '}
                <span className="text-muted text-sm" title={exact}>
                  {t('snoozed', { when: short })}
                </span>
              </span>
              <Button
                size="sm"
                variant="ghost"
                aria-label={t('wakeOf', { what: subjectText })}
                onClick={() => onWake(snooze)}
              >
                {t('wake')}
              </Button>
            </li>
          )
        })}
      </ul>
    </ControlRow>
  )
}

export function AlertSection() {
  const [search] = useSearchParams()
  const sectionRef = useRef<HTMLDivElement>(null)
  const isRequested = search.get('part') === 'alerts'
  useEffect(() => {
    if (isRequested) sectionRef.current?.scrollIntoView({ block: 'start' })
  }, [isRequested])
  const { query, shown, change, wake } = useAlertSettings()
  return (
    <div ref={sectionRef}>
      <Section title={t('settings.title')} actions={<MoreLink to={alertsPath}>{t('settings.all')}</MoreLink>}>
        <Loaded query={query} rows={3}>
          {(savedSettings) => {
            const view = shown(savedSettings)
            const onChange = (changes: Partial<AlertSettings>): void => change(view, changes)
            return (
              <Card flush>
                <SwitchRow
                  checked={view.enabled}
                  onCheckedChange={(enabled) => onChange({ enabled })}
                  label={t('settings.enabled')}
                  hint={t('settings.hint')}
                />
                <Thresholds view={view} onChange={onChange} />
                {(['forecast', 'errorBursts'] as const).map((alertKind) => (
                  <SwitchRow
                    key={alertKind}
                    checked={view[alertKind]}
                    onCheckedChange={(on) => onChange({ [alertKind]: on })}
                    label={t(`settings.${alertKind}`)}
                    hint={t(`settings.${alertKind}Hint`)}
                    disabled={!view.enabled}
                  />
                ))}
                <MutedPlans view={view} onChange={onChange} />
                <SnoozedAlerts view={view} onWake={({ planId, modelCode }) => wake({ planId, modelCode })} />
              </Card>
            )
          }}
        </Loaded>
      </Section>
    </div>
  )
}

/** Plans that can cause alerts, without duplicates. Identified by local id, or else by the account's id. */
function alertingPlans(quota: readonly PlanQuota[], plans: readonly PlanView[]) {
  const knownPlans = quota.flatMap(({ planId, origin, name }) => {
    const id = planId ?? origin?.planId
    return id === undefined ? [] : [{ id, name }]
  })
  const otherPlans = plans
    .filter(({ id }) => !knownPlans.some((knownPlan) => knownPlan.id === id))
    .map(({ id, name }) => ({ id, name }))
  return [...knownPlans, ...otherPlans].toSorted((a, b) => a.name.localeCompare(b.name))
}

type SnoozedAlert = AlertSettings['snoozed'][number]

/** The snooze because of which another alert of this kind would not be shown now, or `muted`. */
export function findMuteReason(
  { planId, modelCode }: Pick<AlertView, 'planId' | 'modelCode'>,
  { snoozed, mutedPlans }: Pick<AlertSettings, 'snoozed' | 'mutedPlans'>,
  currentTime: Date,
): SnoozedAlert | 'muted' | undefined {
  if (mutedPlans.includes(planId)) return 'muted'
  return snoozed
    .filter((snooze) => snooze.planId === planId && (snooze.modelCode === undefined || snooze.modelCode === modelCode))
    .filter(({ until }) => Date.parse(until) > currentTime.getTime())
    .toSorted((a, b) => Date.parse(b.until) - Date.parse(a.until))[0]
}

export function useAlertSettings() {
  const queries = useQueryClient()
  const query = useCall('alerts.settings', {})
  const options = {
    onSuccess: (view: AlertSettings) => void queries.setQueryData(callKey('alerts.settings', {}), view),
  }
  const saveSettings = useSettingAction('alerts.setSettings', options)
  const { mutate: snooze } = useSettingAction('alerts.snooze', options)
  const { mutate: wake } = useSettingAction('alerts.wake', options)
  const withPendingChanges = (savedSettings: AlertSettings): AlertSettings =>
    saveSettings.isPending ? { ...savedSettings, ...saveSettings.variables } : savedSettings
  const change = (savedSettings: AlertSettings, changes: Partial<AlertSettings>): void => {
    const { snoozed, ...rest } = { ...savedSettings, ...changes }
    saveSettings.mutate(rest)
  }
  return { query, shown: withPendingChanges, change, snooze, wake }
}

/** Describes a snooze: one model of a plan, or the whole plan. */
export const formatSnooze = (plan: string, model: string | undefined): string =>
  model === undefined ? t('whole', { plan }) : t('modelOf', { model, plan })

const formats: readonly WebhookFormat[] = ['slack', 'teams', 'json']

/** Interval in ms at which the section polls, because no event announces a delivery. */
const refreshMs = 30_000

function PasteSecret(props: {
  readonly part: 'address' | 'token'
  readonly isKept: boolean | undefined
  readonly taking: ReturnType<typeof useAction<'alerts.takeWebhookSecret'>>
}) {
  const {
    part,
    isKept,
    taking: { data, isPending, mutate },
  } = props
  return (
    <PasteBox
      label={t(`webhook.form.${part}`)}
      masked={data?.masked}
      stored={isKept ? 'keychain' : undefined}
      how={t(data ? 'webhook.form.held' : isKept ? 'webhook.form.kept' : 'webhook.form.how')}
      busy={isPending}
      onTake={() => mutate({ part })}
    />
  )
}

function WebhookDialog({ webhook, onClose }: WebhookView & { readonly onClose: () => void }) {
  const [format, setFormat] = useState<WebhookFormat>(webhook?.format ?? 'slack')
  const [hasToken, setHasToken] = useState(webhook?.hasToken ?? false)
  const address = useAction('alerts.takeWebhookSecret')
  const token = useAction('alerts.takeWebhookSecret')
  const saving = useAction('alerts.setWebhook', {
    invalidates: ['alerts'],
    onSuccess: () => closeWithToast(onClose, t('webhook.saved')),
  })
  const [addressId, tokenId] = [address.data?.pendingId, token.data?.pendingId]
  const save = (): void => saving.mutate({ format, hasToken, addressId, tokenId: hasToken ? tokenId : undefined })
  const failure = (saving.error ?? address.error ?? token.error)?.failure
  const isReady = (webhook !== undefined || addressId !== undefined) && (!hasToken || !!tokenId || webhook?.hasToken)
  return (
    <Dialog
      busy={saving.isPending}
      onClose={onClose}
      title={t('webhook.title')}
      description={t('webhook.form.text')}
      action={{ label: t('webhook.form.save'), onSubmit: save, disabled: !isReady }}
    >
      <SelectField
        label={t('webhook.form.format')}
        value={format}
        onValueChange={setFormat}
        options={formats.map((value) => ({ value, label: t(`webhook.formats.${value}`) }))}
      />
      <PasteSecret part="address" isKept={webhook !== undefined} taking={address} />
      <Switch
        checked={hasToken}
        onCheckedChange={setHasToken}
        label={t('webhook.form.hasToken')}
        hint={t('webhook.form.hasTokenHint')}
      />
      {hasToken ? <PasteSecret part="token" isKept={webhook?.hasToken} taking={token} /> : null}
      <ExplainedFailure failure={failure} />
    </Dialog>
  )
}

function WebhookCard({ webhook }: WebhookView) {
  const [isEditing, setIsEditing] = useState(false)
  const removing = useAction('alerts.removeWebhook', {
    invalidates: ['alerts'],
    onSuccess: () => void toast(t('alerts:webhook.removed')),
  })
  const testing = useAction('alerts.testWebhook', {
    invalidates: ['alerts'],
    onSuccess: ({ durationMs }) => void toast(t('alerts:webhook.tested', { time: formatDuration(durationMs) })),
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
  const query = useCall('alerts.webhook', {}, { refetchInterval: refreshMs })
  return (
    <Section title={t('webhook.title')}>
      <Loaded query={query} rows={1}>
        {({ webhook }) => <WebhookCard webhook={webhook} />}
      </Loaded>
    </Section>
  )
}
