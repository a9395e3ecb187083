import type { ModelQuota, PlanQuota, UsageFilter } from '@shared/contract'
import i18next from 'i18next'
import { ChartColumn, ChartLine } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { dateFormat, dayParts, formatCount, formatDate, formatNumber, getLocale } from '../../../format'
import { useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { quotaPath } from '../../../paths'
import { ChartCard, ChartLegend } from '../../../ui/chart-card'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { SegmentedControl } from '../../../ui/radio-cards'
import { Skeleton } from '../../../ui/skeleton'
import { type Column, Table } from '../../../ui/table'
import { useModelColour } from '../../connections/account'
import { ChartFigure } from '../chart-picture'
import { type BurnDown, type BurnKind, type BurnPoint, computeBurnDown, getEvenRemaining } from './burn-down'
import { formatForecast, formatForecastLine, QuotaGauge, tightestKind } from './gauge'
import { findModel, toUsagePath, usePlanQuota } from './quota-list'

const t = i18next.getFixedT(null, 'quota')

const Chart = lazy(async () => ({ default: (await import('./burn-down-chart')).BurnDownChart }))

/** Usage filter for a model in the plan's current cycle, in the source of the quota (console or this computer). */
function toFilter({ source, origin, planId, cycle }: PlanQuota, modelCode: string): UsageFilter | undefined {
  if (!cycle) return undefined
  const { from, to } = cycle
  if (source === 'console' && origin) {
    return { scope: 'console', connectionId: origin.connectionId, planId: origin.planId, modelCode, from, to }
  }
  return { scope: 'machine', ...(planId !== undefined && { planId }), modelCode, from, to }
}

function PointsTable({ of, caption }: { readonly of: BurnDown; readonly caption: string }) {
  const round = (value: number | undefined): string => (value === undefined ? '–' : formatNumber(Math.round(value)))
  const columns: readonly Column<BurnPoint>[] = [
    { id: 'at', header: t('burnDown.columns.at'), cell: ({ at }) => formatDate(new Date(at).toISOString()) },
    { id: 'used', header: t('burnDown.columns.used'), align: 'right', cell: ({ used }) => round(used) },
    {
      id: 'left',
      header: t('burnDown.left'),
      align: 'right',
      cell: ({ left, likely }) => (left === undefined ? t('burnDown.likely', { amount: round(likely) }) : round(left)),
    },
    {
      id: 'range',
      header: t('burnDown.columns.range'),
      align: 'right',
      cell: ({ left, range }) => (left !== undefined || !range ? '–' : range.map(round).join(' – ')),
    },
    { id: 'pace', header: t('legend.pace'), align: 'right', cell: ({ at }) => round(getEvenRemaining(of, at)) },
  ]
  return <Table caption={caption} columns={columns} rows={of.points} rowKey={({ at }) => at} />
}

function BurnDownFigure(props: {
  readonly of: BurnDown
  readonly title: string
  /** Summary of the chart as text, for screen readers. */
  readonly says: string
  readonly colour: string
}) {
  const { of, title, says, colour } = props
  const days = dateFormat(dayParts[getLocale()])
  const day = (timeMs: number): string => days.format(timeMs)
  const hasForecast = of.points.some(({ likely }) => likely !== undefined)
  return (
    <ChartCard label={title}>
      <ChartFigure
        title={title}
        heading="h2"
        icon={ChartLine}
        legend={
          <ChartLegend
            items={[
              { name: t('burnDown.left'), colour },
              ...(hasForecast ? [{ name: t('burnDown.forecast'), colour, isFaint: true }] : []),
              { name: t('legend.pace') },
            ]}
          />
        }
        table={<PointsTable of={of} caption={title} />}
        label={says}
      >
        <Suspense fallback={<Skeleton width="100%" height={280} />}>
          <Chart
            of={of}
            colour={colour}
            day={day}
            short={(value) => formatCount(value).short}
            texts={{
              currentTime: t('burnDown.now'),
              cycleEnd: t('burnDown.end'),
              runsOut: of.runsOutAt === undefined ? '' : t('burnDown.out', { day: day(of.runsOutAt) }),
            }}
          />
        </Suspense>
      </ChartFigure>
    </ChartCard>
  )
}

function BurnDownSection(props: { readonly plan: PlanQuota; readonly model: ModelQuota; readonly kind: BurnKind }) {
  const { plan, model, kind } = props
  const modelColour = useModelColour()(model.modelCode)
  const filter = toFilter(plan, model.modelCode)
  const gauge = model[kind]
  const isRenewing = plan.cycle?.autoRenew === true
  const hasChart = filter !== undefined && gauge.quota !== undefined
  const query = useCall('usage.series', hasChart ? { filter, step: 'day', compare: false } : undefined)
  const toQuota = { to: quotaPath, label: t('burnDown.toQuota') }
  if (plan.isExpired && !filter) return <EmptyState icon={ChartLine} title={t('burnDown.over')} next={toQuota} />
  if (!hasChart) {
    return (
      <EmptyState icon={ChartLine} title={t(`forecast.notEnough.${filter ? 'noAllowance' : 'noCycle'}`)} next={toQuota}>
        {t('burnDown.none')}
      </EmptyState>
    )
  }
  return (
    <>
      <div className="max-w-115">
        <QuotaGauge {...{ model, kind }} renews={isRenewing} />
      </div>
      <Loaded query={query} skeleton={<Skeleton width="100%" height={320} />}>
        {(series) => {
          const burnDown = computeBurnDown({ plan, gauge, kind, series })
          const summary = formatForecastLine(formatForecast(gauge.forecast, isRenewing))
          return burnDown ? (
            <BurnDownFigure of={burnDown} title={t(`burnDown.of.${kind}`)} says={summary} colour={modelColour} />
          ) : null
        }}
      </Loaded>
    </>
  )
}

const burnKinds = ['tokens', 'requests'] as const

export function BurnDownPage() {
  const [query, setQuery] = useSearchParams()
  const [planId, modelCode] = [query.get('plan') ?? '', query.get('model') ?? '']
  const quota = useCall('quota.list', {})
  const plan = usePlanQuota(planId)
  const model = findModel(plan, modelCode)
  const kind = burnKinds.find((candidate) => candidate === query.get('of')) ?? (model ? tightestKind(model) : 'tokens')
  const name = model?.displayName ?? modelCode
  return (
    <Page width="wide">
      <PageHeader
        title={name || t('burnDown.title')}
        breadcrumb={[{ label: t('burnDown.back'), to: quotaPath }]}
        state={[plan?.label ?? plan?.name, t('burnDown.state')]}
        actions={[plan && { label: t('toUsage'), icon: ChartColumn, to: toUsagePath(plan, modelCode) }]}
      />
      <Loaded query={quota} rows={3}>
        {() =>
          plan && model ? (
            <>
              <div>
                <SegmentedControl
                  label={t('burnDown.kind')}
                  value={kind}
                  onValueChange={(nextKind) =>
                    setQuery({ plan: planId, model: modelCode, of: nextKind }, { replace: true })
                  }
                  segments={burnKinds.map((value) => ({ value, label: t(value) }))}
                />
              </div>
              <BurnDownSection key={kind} plan={plan} model={model} kind={kind} />
            </>
          ) : (
            <EmptyState
              icon={ChartLine}
              title={t('burnDown.gone')}
              next={{ to: quotaPath, label: t('burnDown.toQuota') }}
            />
          )
        }
      </Loaded>
    </Page>
  )
}
