import type { UsageCounts, UsageCycle, UsageScope, UsageSeries, UsageSplit, UsageStep } from '@shared/contract'
import { dayMs, hourMs } from '@shared/durations'
import { isUsageMoment } from '@shared/usage-words'

export const scopes = ['machine', 'console', 'relay', 'toolLog', 'app'] as const satisfies readonly UsageScope[]
export const spanKinds = ['today', '7d', '30d', 'cycle', 'custom'] as const
const steps = ['hour', 'day', 'week', 'month'] as const satisfies readonly UsageStep[]
/** Ways to split the bars of the token chart. `kind`: input, output and cache. */
const stackDimensions = ['kind', 'model', 'tool', 'key', 'project'] as const
const splits = [
  'model',
  'tool',
  'key',
  'plan',
  'project',
  'source',
  'error',
  'holder',
] as const satisfies readonly UsageSplit[]

export const listStackDimensions = (scope: UsageScope): readonly (typeof stackDimensions)[number][] =>
  scope === 'console' ? ['kind', 'model'] : stackDimensions

export const listSplits = (scope: UsageScope): readonly UsageSplit[] =>
  scope === 'console' ? ['model', 'holder'] : splits.filter((split) => split !== 'holder')

/** Whether the scope has single requests. The console has totals only. */
export const hasRequests = (scope: UsageScope): boolean => scope !== 'console'

const readChoice =
  <T extends string>(choices: readonly T[]) =>
  (value: string | null): T | undefined =>
    choices.find((choice) => choice === value)

/** First and last date that filters accept. */
export const [firstDay, lastDay] = ['2000-01-01', '2099-12-31']

export const isDay = (value: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) && value >= firstDay && value <= lastDay

const readText = (value: string | null): string | undefined => value || undefined
const readTime = (value: string | null): string | undefined =>
  value && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && isUsageMoment(Date.parse(value)) ? value : undefined
const readDay = (value: string | null): string | undefined => (value && isDay(value) ? value : undefined)
const isSet = (value: string | null): boolean => value === '1'

/** Name in the page address and parser of each field, in the order of the address. */
const parameters = {
  scope: ['scope', readChoice(scopes)],
  /** Id of the connection. Default: the active connection. */
  connectionId: ['connection', readText],
  planId: ['plan', readText],
  modelCode: ['model', readText],
  toolId: ['tool', readText],
  keyId: ['key', readText],
  projectId: ['project', readText],
  span: ['span', readChoice(spanKinds)],
  /** Start of the selected cycle as ISO time, if the period is `cycle`. Default: the current cycle. */
  cycle: ['cycle', readTime],
  /** First and last day, as `2026-11-21`, for `custom`. */
  from: ['from', readDay],
  to: ['to', readDay],
  step: ['step', readChoice(steps)],
  compare: ['compare', isSet],
  by: ['by', readChoice(splits)],
  stack: ['stack', readChoice(stackDimensions)],
  /** Time range of the selected bar, as ISO times. */
  since: ['since', readTime],
  until: ['until', readTime],
  onlyErrors: ['errors', isSet],
} as const satisfies Readonly<Record<string, readonly [name: string, read: (value: string | null) => unknown]>>

type ParameterValues = { readonly [Key in keyof typeof parameters]: ReturnType<(typeof parameters)[Key][1]> }

export const defaultUsageQuery = {
  span: '7d',
  compare: false,
  by: 'model',
  stack: 'kind',
  onlyErrors: false,
} as const satisfies Partial<ParameterValues>

/** Filter in the page address. Undefined fields use the page's default. */
export type UsageQuery = Partial<ParameterValues> & {
  readonly [Key in keyof typeof defaultUsageQuery]: NonNullable<ParameterValues[Key]>
}

/** Parses the filter in the page address. Ignores invalid values. */
export const readUsageQuery = (query: URLSearchParams): UsageQuery => ({
  ...defaultUsageQuery,
  ...Object.fromEntries(
    Object.entries(parameters).flatMap(([key, [name, read]]) => {
      const value = read(query.get(name))
      return value === undefined ? [] : [[key, value] as const]
    }),
  ),
})

/** Formats the filter for the page address. Omits default values. */
export function writeUsageQuery({ cycle, from, to, ...rest }: Partial<UsageQuery>): string {
  const { span } = rest
  const usageQuery: Partial<UsageQuery> = {
    ...rest,
    ...(span === 'cycle' && { cycle }),
    ...(span === 'custom' && { from, to }),
  }
  const defaults: Partial<UsageQuery> = defaultUsageQuery
  const query = new URLSearchParams()
  for (const [key, [name]] of Object.entries(parameters)) {
    const value = usageQuery[key as keyof UsageQuery]
    if (value !== undefined && value !== defaults[key as keyof UsageQuery])
      query.set(name, value === true ? '1' : String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}

const noSourceFilters = {
  planId: undefined,
  toolId: undefined,
  keyId: undefined,
  projectId: undefined,
  cycle: undefined,
}

/** Changes that reset all filters except source and period. */
export const noFilters: Partial<UsageQuery> = { ...noSourceFilters, modelCode: undefined }

/** Changes that select a source. Resets the filters that other sources do not have. */
export const toScope = (scope: UsageScope, planId: string | undefined): Partial<UsageQuery> => ({
  ...noSourceFilters,
  scope,
  planId,
  connectionId: undefined,
})

/** Half-open period `[from, to)`. */
export interface Span {
  readonly from: Date
  readonly to: Date
}

/** Period of this many whole days, of which today is the last. */
const lastDays = (currentTime: Date, count: number): Span => ({
  from: moveStep.day(currentTime, 1 - count),
  to: moveStep.day(currentTime, 1),
})

/** Local midnight at the start of a day such as `2026-11-21`. */
function toDate(text: string, daysLater = 0): Date {
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number)
  return new Date(year, month - 1, day + daysLater)
}

/** Period between two days, given in any order. The last seven days if one is missing. */
function toCustomSpan({ from, to }: Pick<UsageQuery, 'from' | 'to'>, currentTime: Date): Span {
  if (from === undefined || to === undefined) return lastDays(currentTime, 7)
  const [startDay, endDay] = from <= to ? [from, to] : [to, from]
  return { from: toDate(startDay), to: toDate(endDay, 1) }
}

/** The cycle in the page address, or else the current one, or else the newest. */
export function findRequestedCycle(cycles: readonly UsageCycle[], from: string | undefined): UsageCycle | undefined {
  return cycles.find((cycle) => cycle.from === from) ?? cycles.find(({ isCurrent }) => isCurrent) ?? cycles[0]
}

/** Resolves the period. Falls back to the last 30 days while cycles are unknown. */
export function resolveSpan(usageQuery: UsageQuery, cycles: readonly UsageCycle[], currentTime: Date): Span {
  const { span } = usageQuery
  if (span === 'custom') return toCustomSpan(usageQuery, currentTime)
  if (span !== 'cycle') return lastDays(currentTime, { today: 1, '7d': 7, '30d': 30 }[span])
  const cycle = findRequestedCycle(cycles, usageQuery.cycle)
  return cycle ? { from: new Date(cycle.from), to: new Date(cycle.to) } : lastDays(currentTime, 30)
}

/** Minimum and maximum period of each step in days. */
const stepDays: Readonly<Record<UsageStep, readonly [number, number]>> = {
  hour: [0, 8],
  day: [1.5, 400],
  week: [13, 1_500],
  month: [45, Number.POSITIVE_INFINITY],
}

const countDays = ({ from, to }: Span): number => (to.getTime() - from.getTime()) / dayMs

export function listPossibleSteps(span: Span): readonly UsageStep[] {
  const days = countDays(span)
  return steps.filter((step) => days >= stepDays[step][0] && days <= stepDays[step][1])
}

/** The requested step if the period supports it. Otherwise a step that gives at most about 45 bars. */
export function chooseStep(span: Span, requestedStep: UsageStep | undefined): UsageStep {
  if (requestedStep !== undefined && listPossibleSteps(span).includes(requestedStep)) return requestedStep
  const days = countDays(span)
  if (days <= 2) return 'hour'
  if (days <= 45) return 'day'
  return days <= 300 ? 'week' : 'month'
}

/** Start of the step `count` steps after a time. Hours are in UTC, other steps local. Weeks begin on Monday. */
const moveStep: Readonly<Record<UsageStep, (date: Date, count: number) => Date>> = {
  hour: (date, count) => new Date((Math.floor(date.getTime() / hourMs) + count) * hourMs),
  day: (date, count) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + count),
  week: (date, count) => moveStep.day(date, 7 * count - ((date.getDay() + 6) % 7)),
  month: (date, count) => new Date(date.getFullYear(), date.getMonth() + count, 1),
}

/** Start of the step that contains a time. */
export const getStepStart = (step: UsageStep, date: Date): Date => moveStep[step](date, 0)

export const nextStep = (step: UsageStep, date: Date): Date => moveStep[step](date, 1)

/** Width of the right margin of a chart in px. */
export const rightMarginPx = 10

/** Four or five round axis values from 0 to just above the highest value. */
export function valueTicks(highest: number): readonly number[] {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, highest / 4)))
  const step =
    [1, 2, 2.5, 5, 10]
      .map((candidate) => candidate * size)
      .find((candidate) => candidate % 1 === 0 && candidate * 4 >= highest) ?? size
  return Array.from({ length: Math.max(1, Math.ceil(highest / step)) + 1 }, (_, index) => index * step)
}

/** A time step of a chart. It has no counts if its state is `unknown` or `future`. */
export interface Point {
  readonly start: Date
  readonly end: Date
  readonly state: 'known' | 'unknown' | 'future'
  readonly counts?: UsageCounts
  /** Usage in the same step of the previous period. */
  readonly previous?: UsageCounts
}

/** Tokens consumed = input + output + cache (spec, "What the service does"). */
export const sumTokens = ({ inputTokens, outputTokens, cacheTokens }: UsageCounts): number =>
  inputTokens + outputTokens + cacheTokens

type Bucket = UsageSeries['buckets'][number]

const mapByStart = (step: UsageStep, buckets: readonly Bucket[]): ReadonlyMap<number, UsageCounts> =>
  new Map(buckets.map(({ start, ...counts }) => [getStepStart(step, new Date(start)).getTime(), counts]))

export function listStarts(step: UsageStep, { from, to }: Span): readonly Date[] {
  const starts: Date[] = []
  for (let start = getStepStart(step, from); start < to; start = nextStep(step, start)) starts.push(start)
  return starts
}

/** Points of a chart: one per step of the period, with the usage in the same step of the previous period. */
export function buildPoints(series: UsageSeries, span: Span): readonly Point[] {
  const { step, previous } = series
  const seriesTime = new Date(series.at)
  const counts = mapByStart(step, series.buckets)
  const previousStarts = previous ? listStarts(step, { from: new Date(previous.from), to: new Date(previous.to) }) : []
  const countsBefore = mapByStart(step, previous?.buckets ?? [])
  return listStarts(step, span).map((start, index): Point => {
    const existingCounts = counts.get(start.getTime())
    const previousCounts = countsBefore.get(previousStarts[index]?.getTime() ?? Number.NaN)
    // A step with counts is not in the future, even if the server clock is ahead of this computer's.
    const isFuture = start > seriesTime && !existingCounts
    return {
      start,
      end: nextStep(step, start),
      state: isFuture ? 'future' : existingCounts ? 'known' : 'unknown',
      ...(existingCounts && { counts: existingCounts }),
      ...(previousCounts && { previous: previousCounts }),
    }
  })
}

/** Sum of values, of which unknown ones count as 0. */
export const sumValues = (values: Iterable<number | undefined>): number =>
  [...values].reduce<number>((sum, value) => sum + (value ?? 0), 0)

/** Number of time steps at the start of the chart for which usage is unknown. */
export function countLeadingUnknown(points: readonly Pick<Point, 'state'>[]): number {
  const firstKnownIndex = points.findIndex(({ state }) => state !== 'unknown')
  return firstKnownIndex < 0 ? points.length : firstKnownIndex
}

/** Segments of the bars that show each measure over time, from bottom to top. Measures are in display order. */
export const usageMeasures = {
  tokens: [
    { id: 'input', field: 'inputTokens' },
    { id: 'output', field: 'outputTokens' },
    { id: 'cache', field: 'cacheTokens' },
  ],
  requests: [{ id: 'requests', field: 'requests' }],
  errors: [{ id: 'errors', field: 'errors' }],
} as const satisfies Readonly<Record<string, readonly { readonly id: string; readonly field: keyof UsageCounts }[]>>

export type UsageMeasure = keyof typeof usageMeasures

export const getTotal = (measure: UsageMeasure, counts: UsageCounts): number =>
  measure === 'tokens' ? sumTokens(counts) : counts[measure]
