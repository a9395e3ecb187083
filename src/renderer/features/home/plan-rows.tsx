import type { PlanView, SandboxView } from '@shared/contract'
import { isExhausted } from '@shared/model-quota'
import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatList, useFormats } from '../../format'
import { useFailureTexts } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { burnDownPath, planPath, toHost } from '../../paths'
import { toServerTime } from '../../relative-time'
import { Badge, StatusDot } from '../../ui/badge'
import { Code } from '../../ui/code'
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
  useAllowanceTexts,
  useConsole,
} from '../connections/account'
import { PlanTrend, type WeekPlan } from '../usage'
import { CompactGauges, findTightestModel, useForecastSummary, usePlanQuota } from '../usage/quota'

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

interface PlanProps {
  readonly mark: string
  readonly plan: PlanView
  readonly sandbox: SandboxView | undefined
  readonly currentTime: Date
}

/** Maximum age in ms of a check that counts as recent. */
const maxCheckAgeMs = 45_000

const isMissingKey = ({ keys }: PlanView): boolean => keys.length === 0 || keys.some(({ kept }) => kept === 'missing')

function PlanState({ plan, sandbox, currentTime }: Omit<PlanProps, 'mark'>): ReactNode {
  const { t } = useTranslation('home')
  const { relative } = useFormats()
  const { lastCheck } = plan
  if (isMissingKey(plan)) return <StatusDot tone="danger" label={t('plans.keyMissing')} />
  if (plan.source === 'sandbox' && sandbox && sandbox.state !== 'running') {
    return <StatusDot tone="neutral" label={t('plans.stopped')} />
  }
  if (!lastCheck) return <StatusDot tone="neutral" label={t('plans.unchecked')} />
  const { short, exact } = relative(lastCheck.at, currentTime)
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

function Expiry({ plan, currentTime }: { readonly plan: PlanView; readonly currentTime: Date }) {
  const { t } = useTranslation('home')
  const { relative } = useFormats()
  if (plan.expiresAt === undefined) return <span>{t('plans.noExpiry')}</span>
  const serverTime = toServerTime(currentTime, plan)
  const { short, exact } = relative(plan.expiresAt, serverTime)
  const isExpired = Date.parse(plan.expiresAt) <= serverTime.getTime()
  return (
    <Tooltip content={exact}>
      <span>{isExpired ? t('plans.expired', { when: short }) : t('plans.expires', { when: short })}</span>
    </Tooltip>
  )
}

function useModelTexts(): (models: readonly string[]) => string {
  const { t } = useTranslation('home')
  return ([firstModel, ...otherModels]) => {
    if (firstModel === undefined) return t('plans.noModels')
    return otherModels.length === 0
      ? firstModel
      : t('plans.moreModels', { first: firstModel, count: otherModels.length })
  }
}

/** The models without quota, and of the others the one with the lowest quota, which the gauges show. */
function useQuotaTexts() {
  const { t } = useTranslation('home')
  const { locale } = useFormats()
  return (usedUpNames: readonly string[], modelCount: number, lowest: { readonly displayName: string } | undefined) => {
    if (usedUpNames.length > 0 && usedUpNames.length === modelCount) return [t('plans.allUsedUp')]
    return [
      usedUpNames.length > 0 && t('plans.usedUp', { models: formatList(usedUpNames, locale) }),
      lowest && t('plans.tightest', { model: lowest.displayName }),
    ]
  }
}

const toNames = (models: readonly { readonly displayName: string }[]): readonly string[] =>
  models.map(({ displayName }) => displayName)

function PlanRow({ plan, mark, sandbox, currentTime }: PlanProps) {
  const { t } = useTranslation('home')
  const { t: tQuota } = useTranslation('quota')
  const modelTexts = useModelTexts()
  const formatQuota = useQuotaTexts()
  const getFailureTexts = useFailureTexts()
  const check = useAction('plans.check', { invalidates: ['plans', 'sandbox'] })
  const key = findDefaultKey(plan)
  const nameParts = useAllowanceTexts()
  const formatForecast = useForecastSummary()
  const quota = usePlanQuota(plan.id)
  const tightestQuota = quota && !quota.isExpired ? findTightestModel(quota) : undefined
  const canCheckPlan = !isMissingKey(plan) && (plan.source !== 'sandbox' || sandbox?.state === 'running')
  return (
    <Row
      to={`/plans/${plan.id}`}
      leading={<RowIcon>{mark}</RowIcon>}
      title={plan.label ?? plan.name}
      badge={plan.source === 'sandbox' ? <Badge>{t('plans.sandbox')}</Badge> : null}
      description={
        check.error ? (
          <span className="text-danger" role="alert">
            {getFailureTexts(check.error.failure, { plan: plan.name }).title}
          </span>
        ) : (
          <InlineDetails
            items={[
              toHost(plan.gatewayUrl),
              key ? (
                <Code quiet key="masked">
                  {key.masked}
                </Code>
              ) : null,
              ...(quota && tightestQuota
                ? formatQuota(toNames(quota.models.filter(isExhausted)), quota.models.length, tightestQuota)
                : [modelTexts(plan.models)]),
              formatForecast(tightestQuota),
            ]}
          />
        )
      }
      trailing={
        <>
          {tightestQuota ? (
            <Link to={burnDownPath(plan.id, tightestQuota.modelCode)} className="w-59">
              <CompactGauges model={tightestQuota} texts={nameParts} />
              <span className="sr-only">{tQuota('burnDown.titleOf', { model: tightestQuota.displayName })}</span>
            </Link>
          ) : null}
          <span className="inline-flex w-22 justify-end max-[980px]:hidden">
            <PlanTrend of={{ scope: 'machine', planId: plan.id }} />
          </span>
          <div className="flex min-w-36 flex-col items-end text-right text-sm">
            <PlanState plan={plan} sandbox={sandbox} currentTime={currentTime} />
            <span className="text-muted">
              <Expiry plan={plan} currentTime={currentTime} />
            </span>
          </div>
          <IconButton
            icon={RefreshCw}
            label={t('plans.check', { plan: plan.name })}
            disabled={!canCheckPlan}
            busy={check.isPending}
            onClick={() => check.mutate({ planId: plan.id })}
          />
        </>
      }
    />
  )
}

export function PlanRows({
  entries,
  sandbox,
  currentTime,
}: {
  readonly entries: readonly Entry[]
  readonly sandbox: SandboxView | undefined
  readonly currentTime: Date
}) {
  const { t } = useTranslation('home')
  const hasHandedOverPlans = entries.some(({ kind }) => kind === 'handed')
  const marks = buildPlanInitials(entries.map(({ plan }) => plan.name))
  return (
    <Rows label={t('plans.list')}>
      {entries.map((entry, index) =>
        entry.kind === 'account' ? (
          <AccountPlanRow
            key={entry.id}
            entry={entry}
            mark={marks[index] ?? ''}
            currentTime={currentTime}
            isBesideChecks={hasHandedOverPlans}
          />
        ) : (
          <PlanRow
            key={entry.id}
            plan={entry.plan}
            mark={marks[index] ?? ''}
            sandbox={sandbox}
            currentTime={currentTime}
          />
        ),
      )}
    </Rows>
  )
}

type AccountEntry = Extract<Entry, { readonly kind: 'account' }>

function PlanEndText({ entry, currentTime }: { readonly entry: AccountEntry; readonly currentTime: Date }) {
  const { t } = useTranslation('home')
  const formats = useFormats()
  const { expiresAt, autoRenew, renewal } = entry.plan
  const isExpired = getPlanStatus(entry, currentTime) === 'expired'
  const { short, exact } = formatPlanEnd(
    { expiresAt, isExpired: isExpired },
    formats,
    toServerTime(currentTime, entry.plan),
  )
  const expiryVerb = isExpired ? 'expired' : autoRenew && !renewal ? 'renews' : 'expires'
  return (
    <Tooltip content={exact}>
      <span className="text-muted">{t(`plans.${expiryVerb}`, { when: short })}</span>
    </Tooltip>
  )
}

/** Shows the remaining quota of the scarcest model. */
function AccountPlanRow({
  entry,
  mark,
  currentTime,
  isBesideChecks,
}: {
  readonly entry: AccountEntry
  readonly mark: string
  readonly currentTime: Date
  /** Whether other rows have a check button. This row then leaves the same space empty, so that columns are aligned. */
  readonly isBesideChecks: boolean
}) {
  const { t: tQuota } = useTranslation('quota')
  const { plan } = entry
  const console = useConsole()
  const connectionId = console.kind === 'there' ? console.connection.id : undefined
  const quota = usePlanQuota(plan.planId)
  const tightestQuota = quota && findTightestModel(quota)
  const model = tightestQuota ?? tightestUsableModel(plan.models)
  const planStatus = getPlanStatus(entry, currentTime)
  const nameParts = useAllowanceTexts()
  const formatForecast = useForecastSummary()
  const formatQuota = useQuotaTexts()
  const usedUpModels = plan.models.filter((planModel) => modelShare(planModel) === 0)
  return (
    <Row
      to={planPath(plan.planId)}
      leading={<RowIcon>{mark}</RowIcon>}
      title={plan.label ?? plan.name}
      description={
        <InlineDetails
          items={[
            plan.planType,
            ...(planStatus === 'expired'
              ? []
              : [...formatQuota(toNames(usedUpModels), plan.models.length, model), formatForecast(tightestQuota)]),
          ]}
        />
      }
      trailing={
        <>
          {planStatus === 'expired' ? null : (
            <div className="w-59">
              {tightestQuota ? (
                <Link to={burnDownPath(plan.planId, tightestQuota.modelCode)}>
                  <CompactGauges model={tightestQuota} texts={nameParts} />
                  <span className="sr-only">{tQuota('burnDown.titleOf', { model: tightestQuota.displayName })}</span>
                </Link>
              ) : (
                <AllowanceBars models={plan.models} texts={nameParts} />
              )}
            </div>
          )}
          <span className="inline-flex w-22 justify-end max-[980px]:hidden">
            <PlanTrend of={planUsage(entry, connectionId)} />
          </span>
          <div className="flex min-w-36 flex-col items-end text-right text-sm">
            <PlanStatusLabel standing={planStatus} />
            <PlanEndText entry={entry} currentTime={currentTime} />
          </div>
          {isBesideChecks ? <span className="w-control" /> : null}
        </>
      }
    />
  )
}
