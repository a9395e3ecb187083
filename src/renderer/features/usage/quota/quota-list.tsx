import type { ModelQuota, PlanQuota } from '@shared/contract'
import type { ModelFacts } from '@shared/contract/plans'
import { defaultContextTokens, getContextTokens } from '@shared/model-facts'
import { isExhausted, listExhaustedModels } from '@shared/model-quota'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { ChartColumn, ChartLine, Gauge, PencilLine, RefreshCw, Search } from 'lucide-react'
import { memo, useEffect, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { CopyCode } from '../../../copy-text'
import { formatRelative, toSearchText } from '../../../format'
import { useLocaleChange } from '../../../i18n'
import { callKey, useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { burnDownPath, figuresPath, planPath } from '../../../paths'
import { useNow } from '../../../relative-time'
import { Badge } from '../../../ui/badge'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { IconButton } from '../../../ui/icon-button'
import { Card, EmptyState, Section, Toolbar } from '../../../ui/page'
import { toRowAttributes } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { SkeletonRows } from '../../../ui/skeleton'
import { Tooltip } from '../../../ui/tooltip'
import { VirtualRows } from '../../../ui/virtual-table'
import {
  allowanceKinds,
  allowanceTexts,
  formatPlanEnd,
  useAccountPlans,
  useConsole,
  useModelColour,
} from '../../connections/account'
import { AllowancesDialog } from './allowances-dialog'
import { QuotaGauge, tightestKind, toAllowance } from './gauge'

const t = i18next.getFixedT(null, 'quota')

const marks = {
  used: 'h-1.5 w-4.5 rounded-[3px] bg-meter',
  expected: joinClassNames(
    'h-1.5 w-4.5 rounded-[3px] text-meter',
    'bg-[linear-gradient(to_right,color-mix(in_srgb,currentColor_42%,#0000)_50%,#0000_50%),var(--background-image-hatched)]',
  ),
  pace: 'h-3 w-0.5 rounded-[1px] bg-text',
} as const

function Legend() {
  return (
    <ul
      className="flex flex-wrap gap-x-4 gap-y-1 text-muted text-sm *:inline-flex *:items-center *:gap-1.5"
      aria-hidden="true"
    >
      {(['used', 'expected', 'pace'] as const).map((mark) => (
        <li key={mark}>
          <span className={marks[mark]} />
          {t(`legend.${mark}`)}
        </li>
      ))}
    </ul>
  )
}

const sectionKey = ({ origin, planId }: PlanQuota): string =>
  JSON.stringify([origin?.connectionId, origin?.planId, planId])

/** Estimated heights in px before measuring. */
const defaultRowHeights = { head: 58, model: 97, gap: 24 } as const

const getSectionHeight = ({ models }: PlanQuota): number =>
  defaultRowHeights.head + Math.max(1, models.length) * defaultRowHeights.model

/** Number of plans above which a search field is shown. */
const searchMinPlans = 6

function Plans({ plans }: { readonly plans: readonly PlanQuota[] }) {
  const getColour = useModelColour()
  const { data: local } = useCall('plans.list', {})
  const [telling, setTelling] = useState<string>()
  const plan = local?.find(({ id }) => id === telling)
  const hasMachineFigures = ({ planId, origin }: PlanQuota): boolean | undefined =>
    origin === undefined && local?.some(({ id, source }) => id === planId && source !== 'sandbox')
  const [text, setText] = useState('')
  const matchingPlans = useMemo(() => {
    const searchText = toSearchText(text.trim())
    return plans.filter(({ name, label }) => toSearchText(label ?? name).includes(searchText))
  }, [plans, text])
  return (
    <>
      {plans.length > searchMinPlans ? (
        <Toolbar>
          <SearchField
            label={t('search')}
            value={text}
            onChange={setText}
            found={{ shown: matchingPlans.length, count: plans.length }}
            hasFindKey
          />
        </Toolbar>
      ) : null}
      {matchingPlans.length === 0 ? (
        <EmptyState icon={Search} title={t('noMatch', { text })} />
      ) : (
        <VirtualRows
          label={t('list')}
          items={matchingPlans}
          toKey={sectionKey}
          getHeight={getSectionHeight}
          gap={defaultRowHeights.gap}
          overscan={1}
        >
          {(rowPlan, place) => (
            <li key={sectionKey(rowPlan)} className="absolute inset-x-0 top-0" {...toRowAttributes(place)}>
              <PlanQuotaSection
                plan={rowPlan}
                colour={getColour}
                onTell={hasMachineFigures(rowPlan) ? setTelling : undefined}
              />
            </li>
          )}
        </VirtualRows>
      )}
      {plan ? <AllowancesDialog plan={plan} onClose={() => setTelling(undefined)} /> : null}
    </>
  )
}

/** Whether the active console has not responded. Refreshes the quotas when it does after the list was loaded. */
function useIsWaitingForConsole({ data, dataUpdatedAt }: ReturnType<typeof useQuota>): boolean {
  const console = useConsole()
  const { connectionId } = console
  const isMissing =
    data && !data.some((plan) => plan.source === 'console' && plan.origin?.connectionId === connectionId)
  const account = useAccountPlans(isMissing ? connectionId : undefined)
  const { mutate: refresh, isPending } = useRefreshQuota()
  const canRefresh = isMissing && !isPending && account.dataUpdatedAt > dataUpdatedAt && account.data?.length
  useEffect(() => {
    if (canRefresh) refresh({})
  }, [canRefresh, refresh])
  return account.isError
}

/** List of all plans with their quotas, tightest first. */
export function QuotaList() {
  const query = useQuota()
  const isWaiting = useIsWaitingForConsole(query)
  return (
    <>
      {query.data?.length === 0 ? null : (
        <div className="flex flex-wrap items-center justify-between gap-x-5 gap-y-1.5">
          <p className="text-muted">{t('intro')}</p>
          <Legend />
        </div>
      )}
      {isWaiting ? (
        <Callout tone="info" title={t('waiting')}>
          {t('waitingText')}
        </Callout>
      ) : null}
      <Loaded query={query} rows={4}>
        {(plans) =>
          plans.length === 0 && isWaiting ? (
            <SkeletonRows rows={4} />
          ) : plans.length === 0 ? (
            <EmptyState icon={Gauge} title={t('none')} next={{ to: '/plans/new', label: t('addPlan') }}>
              {t('noneText')}
            </EmptyState>
          ) : (
            <Plans plans={plans} />
          )
        }
      </Loaded>
    </>
  )
}

const toKey = ({ origin, planId, name }: PlanQuota): string => origin?.planId ?? planId ?? name

function CycleEndText({ plan }: { readonly plan: PlanQuota }) {
  const currentTime = useNow()
  if (!plan.cycle) return null
  const { to, autoRenew } = plan.cycle
  const serverTime = new Date(currentTime.getTime() + (plan.aheadMs ?? 0))
  const { short, exact } = formatPlanEnd({ expiresAt: to, isExpired: plan.isExpired }, serverTime)
  const expiryVerb = autoRenew === undefined ? 'cycleEnds' : autoRenew ? 'renews' : 'ends'
  return <span title={exact}>{t(expiryVerb, { when: short })}</span>
}

function Source({ plan }: { readonly plan: PlanQuota }) {
  const { short, exact } = formatRelative(plan.at, useNow())
  return (
    <Tooltip content={`${t('at', { when: short })} (${exact})`}>
      <span>{t(`source.${plan.source === 'machine' && plan.origin ? 'instead' : plan.source}`)}</span>
    </Tooltip>
  )
}

/** Path of the usage page for a plan or model in the current cycle, in the source that counts its quotas. */
export const toUsagePath = ({ origin, planId, source }: PlanQuota, modelCode?: string): string =>
  figuresPath({
    ...(source === 'console' && origin ? { scope: source, ...origin } : { scope: source, planId }),
    modelCode,
    span: 'cycle',
  })

/** Card of a plan. Memoized, so that it does not re-render while the list scrolls. */
const PlanQuotaSection = memo(function PlanQuotaSection(props: {
  readonly plan: PlanQuota
  readonly colour: (modelCode: string) => string
  /** Returns a function that opens the quota dialog of a plan, which needs the plan's local id. */
  readonly onTell: ((planId: string | undefined) => void) | undefined
}) {
  useLocaleChange()
  const { plan, colour, onTell } = props
  const name = plan.label ?? plan.name
  const hasQuotas = plan.models.some(({ tokens, requests }) => (tokens.quota ?? requests.quota) !== undefined)
  return (
    <Section
      title={
        <span className="inline-flex items-center gap-2 [&_a]:text-text">
          <Link to={planPath(toKey(plan))}>{name}</Link>
          {plan.isExpired ? <Badge tone="danger">{t('expired')}</Badge> : null}
        </span>
      }
      description={[plan.cycle && <CycleEndText key="end" plan={plan} />, <Source key="source" plan={plan} />]}
      actions={[
        onTell && {
          label: t(hasQuotas ? 'change' : 'tell'),
          variant: hasQuotas ? 'ghost' : 'secondary',
          icon: PencilLine,
          onClick: () => onTell(plan.planId),
        },
        { label: t('toUsage'), about: name, variant: 'ghost', icon: ChartColumn, to: toUsagePath(plan) },
      ]}
    >
      {plan.models.length === 0 ? (
        <Card>
          <p className="font-strong">{t('noModels')}</p>
          <p className="text-muted">{t('noModelsText')}</p>
        </Card>
      ) : (
        <ul className="rounded-lg border bg-surface" aria-label={t('models', { plan: name })}>
          {plan.models.map((model) => (
            <ModelQuotaRow
              key={model.modelCode}
              planKey={toKey(plan)}
              model={model}
              renews={plan.cycle?.autoRenew === true}
              colour={colour(model.modelCode)}
            />
          ))}
        </ul>
      )}
    </Section>
  )
})

/** Row with the quotas of a model. Its token and request quotas are independent. */
function ModelQuotaRow(props: {
  /** Id of the plan in links. */
  readonly planKey: string
  readonly model: ModelQuota
  /** Whether the plan has another cycle after the current one. */
  readonly renews: boolean
  readonly colour: string
}) {
  const { planKey, model, renews, colour } = props
  // Plans without an account only have model codes. Their models have no display name.
  const lacksDisplayName = model.displayName === model.modelCode
  return (
    <li
      className={joinClassNames(
        'grid grid-cols-[minmax(132px,190px)_minmax(0,1fr)_minmax(0,1fr)] gap-x-8 gap-y-3 border-t py-3.5',
        'pr-5 pl-4 first:border-t-0 max-[860px]:grid-cols-2',
      )}
    >
      <div
        className={joinClassNames(
          'flex min-w-0 flex-col items-start gap-0.5 *:max-w-full max-[860px]:col-span-full',
          'max-[860px]:flex-row max-[860px]:flex-wrap max-[860px]:items-center max-[860px]:gap-x-2.5',
        )}
      >
        <div className={lacksDisplayName ? 'flex items-center gap-2 [&>h3]:flex-none' : 'contents'}>
          <h3 className="flex items-baseline gap-2 wrap-anywhere">
            <span className="size-2.25 flex-none rounded-[2.5px]" style={{ background: colour }} aria-hidden="true" />
            <span className={lacksDisplayName ? 'sr-only' : undefined}>{model.displayName}</span>
          </h3>
          <CopyCode code={model.modelCode} />
        </div>
        <Link
          to={burnDownPath(planKey, model.modelCode)}
          className="inline-flex items-center gap-1.25 rounded-sm py-0.5 text-muted text-sm hover:text-text"
        >
          <ChartLine size={13} strokeWidth={1.9} aria-hidden="true" />
          {t('burnDown.title')}
          <span className="sr-only"> {model.displayName}</span>
        </Link>
      </div>
      {allowanceKinds.map((kind) => (
        <QuotaGauge key={kind} {...{ model, kind, renews }} />
      ))}
    </li>
  )
}

export function RefreshQuotaButton() {
  const quotaRefresh = useRefreshQuota()
  return (
    <IconButton
      icon={RefreshCw}
      label={t('refresh')}
      busy={quotaRefresh.isPending}
      onClick={() => quotaRefresh.mutate({})}
    />
  )
}

/** Reload interval in ms. Long, because forecasts change slowly and each plan requires a console request. */
const refreshIntervalMs = 5 * 60_000

export const useQuota = () => useCall('quota.list', {}, { staleTime: 60_000, refetchInterval: refreshIntervalMs })

/** Reloads all quotas from the consoles, without using the cache of one minute. */
function useRefreshQuota() {
  const queries = useQueryClient()
  return useAction('quota.refresh', {
    onSuccess: (plans) => void queries.setQueryData(callKey('quota.list', {}), plans),
  })
}

/** Quotas of a plan. `planId`: local id or the account's id. Undefined while loading. */
export function usePlanQuota(planId: string): PlanQuota | undefined {
  const { data } = useQuota()
  return data?.find((plan) => plan.origin?.planId === planId || plan.planId === planId)
}

export const findModel = (plan: PlanQuota | undefined, modelCode: string): ModelQuota | undefined =>
  plan?.models.find((model) => model.modelCode === modelCode)

/** Remaining quotas for model pickers and estimates. */
export function useModelQuotas() {
  const { data: quotas } = useQuota()
  const { data: plans } = useCall('plans.list', {})
  return useMemo(() => {
    const findCurrentModel = (planId: string, modelCode: string) =>
      findModel(
        quotas?.find((plan) => plan.planId === planId && !plan.isExpired),
        modelCode,
      )
    return {
      /** Remaining tokens of a model. Undefined if the quota is unknown. */
      getRemainingTokens: (planId: string, modelCode: string): number | undefined => {
        const { quota, used } = findCurrentModel(planId, modelCode)?.tokens ?? { used: 0 }
        return quota === undefined ? undefined : Math.max(0, quota - used)
      },
      /** Codes of a plan's models without remaining quota. `planId`: local id. */
      listExhausted: (planId: string): ReadonlySet<string> => listExhaustedModels(quotas ?? [], planId),
      /**
       * Known facts about a model, such as "64K context · 3.8M tokens left". Undefined without facts. `facts`: for a
       * model of a platform or local server, or newer than those of the plan.
       */
      describe: (planId: string, modelCode: string, facts?: ModelFacts): string | undefined => {
        const plan = plans?.find(({ id }) => id === planId)
        const { contextTokens = defaultContextTokens, modelFacts = [] } = plan ?? {}
        const known = facts ?? modelFacts.find((model) => model.modelCode === modelCode)
        const hasSize = known?.contextTokens !== undefined || contextTokens !== defaultContextTokens
        const size = getContextTokens({ contextTokens, modelFacts: known && [known] }, modelCode)
        const model = findCurrentModel(planId, modelCode)
        const remaining = model && findTightestAllowance(model)
        return (
          [hasSize && allowanceTexts.context(size), remaining && allowanceTexts.leftShort(remaining)]
            .filter(Boolean)
            .join(' · ') || undefined
        )
      },
    }
  }, [quotas, plans])
}

export type ModelQuotas = ReturnType<typeof useModelQuotas>

function findTightestAllowance(model: ModelQuota) {
  const kind = tightestKind(model)
  const allowance = toAllowance(model[kind], kind)
  // A quota of 0 means none.
  return allowance?.quota === 0 && !isExhausted(model) ? undefined : allowance
}
