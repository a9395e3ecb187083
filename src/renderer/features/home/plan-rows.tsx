import type { ModelQuota, PlanView, SandboxView } from '@shared/contract'
import { isExhausted } from '@shared/model-quota'
import i18next from 'i18next'
import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { explainFailure } from '../../failures'
import { formatList, formatRelative } from '../../format'
import { useAction, useCall } from '../../ipc'
import { burnDownPath, planPath, toHost } from '../../paths'
import { toServerTime, useNow } from '../../relative-time'
import { Badge, StatusDot } from '../../ui/badge'
import { QuietCode } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { InlineDetails, Row, RowIcon, Rows } from '../../ui/rows'
import { Tooltip } from '../../ui/tooltip'
import {
  AllowanceBars,
  type Entry,
  findDefaultKey,
  formatPlanEnd,
  getPlanStatus,
  modelShare,
  PlanStatusLabel,
  tightestUsableModel,
  useConsole,
} from '../connections/account'
import { PlanTrend, type WeekPlan } from '../usage'
import { CompactGauges, findTightestModel, renderForecastSummary, usePlanQuota } from '../usage/quota'

const t = i18next.getFixedT(null, ['home', 'quota'])

export const planUsage = (entry: Entry, connectionId: string | undefined): WeekPlan['of'] =>
  entry.kind === 'account' && connectionId !== undefined
    ? { scope: 'console', connectionId, planId: entry.plan.planId }
    : { scope: 'machine', planId: entry.id }

/** Unique initials, for example "SP" and "SC" for sandbox-pro and sandbox-coder. */
function buildPlanInitials(names: readonly string[]): readonly string[] {
  const shownPlanIds = new Set<string>()
  return names.map((name) => {
    const nameParts = name.toLocaleUpperCase().match(/[\p{L}\p{N}]+/gu) ?? []
    const [firstLetter = '', ...otherLetters] = nameParts.join('')
    const initials = nameParts.map(([letter]) => letter).slice(1)
    const seconds = [...initials, ...otherLetters]
    const mark =
      seconds.map((second) => firstLetter + second).find((pair) => !shownPlanIds.has(pair)) ??
      firstLetter + (seconds[0] ?? '')
    shownPlanIds.add(mark)
    return mark
  })
}

/** Maximum age in ms of a check that counts as recent. */
const maxCheckAgeMs = 45_000

const isMissingKey = ({ keys }: PlanView): boolean => keys.length === 0 || keys.some(({ kept }) => kept === 'missing')

function PlanState({ plan, sandbox }: { readonly plan: PlanView; readonly sandbox: SandboxView | undefined }) {
  const currentTime = useNow()
  const { lastCheck } = plan
  if (isMissingKey(plan)) return <StatusDot tone="danger" label={t('plans.keyMissing')} />
  if (plan.source === 'sandbox' && sandbox && sandbox.state !== 'running') {
    return <StatusDot tone="neutral" label={t('plans.stopped')} />
  }
  if (!lastCheck) return <StatusDot tone="neutral" label={t('plans.unchecked')} />
  const { short, exact } = formatRelative(lastCheck.at, currentTime)
  const isCheckRecent = currentTime.getTime() - Date.parse(lastCheck.at) < maxCheckAgeMs
  const outcome = lastCheck.ok ? 'works' : 'failed'
  const label = isCheckRecent ? t(`plans.${outcome}Now`) : t(`plans.${outcome}`, { when: short })
  return (
    <Tooltip content={exact}>
      <span>
        <StatusDot tone={lastCheck.ok ? 'success' : 'danger'} label={label} />
      </span>
    </Tooltip>
  )
}

function PlanEndText({ entry }: { readonly entry: Entry }) {
  const currentTime = useNow()
  const { kind, plan } = entry
  const { expiresAt } = plan
  if (expiresAt === undefined) return <span className="text-muted">{t('plans.noExpiry')}</span>
  const isExpired = getPlanStatus(entry, currentTime) === 'expired'
  const { short, exact } = formatPlanEnd({ expiresAt, isExpired }, toServerTime(currentTime, plan))
  const renews = kind === 'account' && plan.autoRenew && !plan.renewal
  const expiryVerb = isExpired ? 'expired' : renews ? 'renews' : 'expires'
  return (
    <Tooltip content={exact}>
      <span className="text-muted">{t(`plans.${expiryVerb}`, { when: short })}</span>
    </Tooltip>
  )
}

/** The models without quota, and of the others the one with the lowest quota, which the gauges show. */
function formatQuota(
  usedUpModels: readonly { readonly displayName: string }[],
  modelCount: number,
  lowest: { readonly displayName: string } | undefined,
) {
  if (usedUpModels.length > 0 && usedUpModels.length === modelCount) return [t('plans.allUsedUp')]
  const names = usedUpModels.map(({ displayName }) => displayName)
  return [
    names.length > 0 && t('plans.usedUp', { models: formatList(names) }),
    lowest && t('plans.tightest', { model: lowest.displayName }),
  ]
}

interface RowLayoutProps {
  readonly entry: Entry
  readonly mark: string
  readonly badge?: ReactNode
  readonly description: ReactNode
  /** Model whose gauges are shown. They link to its forecast. */
  readonly tightestQuota: ModelQuota | undefined
  /** Shown in place of the gauges if the model is unknown. */
  readonly fallback?: ReactNode
  readonly state: ReactNode
  readonly action: ReactNode
}

/** Row of a plan with its gauges, the usage of the last week, its status and its end. */
function RowLayout(props: RowLayoutProps) {
  const { entry, mark, badge, description, tightestQuota, fallback, state, action } = props
  const { connectionId } = useConsole()
  return (
    <Row
      to={planPath(entry.id)}
      leading={<RowIcon>{mark}</RowIcon>}
      title={entry.plan.label ?? entry.plan.name}
      badge={badge}
      description={description}
      trailing={
        <>
          {tightestQuota ? (
            <Link to={burnDownPath(entry.id, tightestQuota.modelCode)} className="w-59">
              <CompactGauges model={tightestQuota} />
              <span className="sr-only">{t('quota:burnDown.titleOf', { model: tightestQuota.displayName })}</span>
            </Link>
          ) : (
            fallback
          )}
          <span className="inline-flex w-22 justify-end max-[980px]:hidden">
            <PlanTrend of={planUsage(entry, connectionId)} />
          </span>
          <div className="flex min-w-36 flex-col items-end text-right text-sm">
            {state}
            <PlanEndText entry={entry} />
          </div>
          {action}
        </>
      }
    />
  )
}

interface PlanRowProps extends Pick<RowLayoutProps, 'mark'> {
  readonly entry: Extract<Entry, { readonly kind: 'handed' }>
}

function PlanRow({ entry, mark }: PlanRowProps) {
  const { plan } = entry
  const { data: sandbox } = useCall('sandbox.get', {})
  const [firstModel, ...otherModels] = plan.models
  const modelsText =
    firstModel === undefined
      ? t('plans.noModels')
      : otherModels.length === 0
        ? firstModel
        : t('plans.moreModels', { first: firstModel, count: otherModels.length })
  const check = useAction('plans.check', { invalidates: ['plans', 'sandbox'] })
  const key = findDefaultKey(plan)
  const quota = usePlanQuota(plan.id)
  const tightestQuota = quota && !quota.isExpired ? findTightestModel(quota) : undefined
  const canCheckPlan = !isMissingKey(plan) && (plan.source !== 'sandbox' || sandbox?.state === 'running')
  return (
    <RowLayout
      {...{ entry, mark, tightestQuota }}
      badge={plan.source === 'sandbox' ? <Badge>{t('plans.sandbox')}</Badge> : null}
      description={
        check.error ? (
          <span className="text-danger" role="alert">
            {explainFailure(check.error.failure, { plan: plan.name }).title}
          </span>
        ) : (
          <InlineDetails
            items={[
              toHost(plan.gatewayUrl),
              key && <QuietCode key="masked">{key.masked}</QuietCode>,
              ...(quota && tightestQuota
                ? formatQuota(quota.models.filter(isExhausted), quota.models.length, tightestQuota)
                : [modelsText]),
              renderForecastSummary(tightestQuota),
            ]}
          />
        )
      }
      state={<PlanState plan={plan} sandbox={sandbox} />}
      action={
        <IconButton
          icon={RefreshCw}
          label={t('plans.check', { plan: plan.name })}
          disabled={!canCheckPlan}
          busy={check.isPending}
          onClick={() => check.mutate({ planId: plan.id })}
        />
      }
    />
  )
}

interface AccountPlanRowProps extends Pick<RowLayoutProps, 'mark'> {
  readonly entry: Extract<Entry, { readonly kind: 'account' }>
  /** Whether other rows have a check button. This row then leaves the same space empty, so that columns are aligned. */
  readonly isBesideChecks: boolean
}

/** Shows the remaining quota of the scarcest model. */
function AccountPlanRow({ entry, isBesideChecks, mark }: AccountPlanRowProps) {
  const { plan } = entry
  const quota = usePlanQuota(plan.planId)
  const planStatus = getPlanStatus(entry, useNow())
  const isExpired = planStatus === 'expired'
  const tightestQuota = quota && !isExpired ? findTightestModel(quota) : undefined
  const model = tightestQuota ?? tightestUsableModel(plan.models)
  const usedUpModels = plan.models.filter((planModel) => modelShare(planModel) === 0)
  return (
    <RowLayout
      {...{ entry, mark, tightestQuota }}
      description={[
        plan.planType,
        ...(isExpired
          ? []
          : [...formatQuota(usedUpModels, plan.models.length, model), renderForecastSummary(tightestQuota)]),
      ]}
      fallback={
        isExpired ? null : (
          <div className="w-59">
            <AllowanceBars models={plan.models} />
          </div>
        )
      }
      state={<PlanStatusLabel standing={planStatus} />}
      action={isBesideChecks ? <span className="w-control" /> : null}
    />
  )
}

export function PlanRows({ entries }: { readonly entries: readonly Entry[] }) {
  const hasHandedOverPlans = entries.some(({ kind }) => kind === 'handed')
  const marks = buildPlanInitials(entries.map(({ plan }) => plan.name))
  return (
    <Rows label={t('plans.list')}>
      {entries.map((entry, index) => {
        const mark = marks[index] ?? ''
        return entry.kind === 'account' ? (
          <AccountPlanRow key={entry.id} entry={entry} isBesideChecks={hasHandedOverPlans} mark={mark} />
        ) : (
          <PlanRow key={entry.id} entry={entry} mark={mark} />
        )
      })}
    </Rows>
  )
}
