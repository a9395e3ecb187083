import type { UsageScope, UsageSplit, UsageStep } from '@shared/contract'

export const scopes = ['machine', 'console', 'relay', 'toolLog', 'app'] as const satisfies readonly UsageScope[]
export const spanKinds = ['today', '7d', '30d', 'cycle', 'custom'] as const
export const steps = ['hour', 'day', 'week', 'month'] as const satisfies readonly UsageStep[]
export const splits = ['model', 'tool', 'key', 'plan', 'source', 'error'] as const satisfies readonly UsageSplit[]

export type SpanKind = (typeof spanKinds)[number]

/** What a person looks at, as the address of the page holds it; what is absent is left to the page. */
export interface Wanted {
  readonly scope?: UsageScope | undefined
  /** The connection whose console is asked; the one in use when absent. */
  readonly connectionId?: string | undefined
  readonly planId?: string | undefined
  readonly modelCode?: string | undefined
  readonly toolId?: string | undefined
  readonly keyId?: string | undefined
  readonly span: SpanKind
  /** With the span `cycle`: when the cycle began, as an ISO time; the current one when absent. */
  readonly cycle?: string | undefined
  /** With the span `custom`: the first and the last day, as `2026-11-21`. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly step?: UsageStep | undefined
  readonly compare: boolean
  readonly by: UsageSplit
  /** One stretch within the span, as ISO times: a bar that was pressed. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly onlyErrors: boolean
}

/** What stands when the address says nothing. */
export const firstWanted: Wanted = { span: '7d', compare: false, by: 'model', onlyErrors: false }

const texts = {
  connectionId: 'connection',
  planId: 'plan',
  modelCode: 'model',
  toolId: 'tool',
  keyId: 'key',
} as const
const times = { cycle: 'cycle', since: 'since', until: 'until' } as const
const days = { from: 'from', to: 'to' } as const

const oneOf = <T extends string>(all: readonly T[], value: string | null): T | undefined =>
  all.find((one) => one === value)

function read<Key extends string>(
  names: Readonly<Record<Key, string>>,
  query: URLSearchParams,
  isGood: (value: string) => boolean,
): Partial<Record<Key, string>> {
  const found: Partial<Record<Key, string>> = {}
  for (const key in names) {
    const value = query.get(names[key])
    if (value !== null && isGood(value)) found[key] = value
  }
  return found
}

const isTime = (value: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))
const isDay = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))

/** What the address of the page asks for; what it cannot mean is as if it were not there. */
export const readWanted = (query: URLSearchParams): Wanted => ({
  ...read(texts, query, (value) => value !== ''),
  ...read(times, query, isTime),
  ...read(days, query, isDay),
  scope: oneOf(scopes, query.get('scope')),
  span: oneOf(spanKinds, query.get('span')) ?? firstWanted.span,
  step: oneOf(steps, query.get('step')),
  by: oneOf(splits, query.get('by')) ?? firstWanted.by,
  compare: query.get('compare') === '1',
  onlyErrors: query.get('errors') === '1',
})

/** The address's query for what is wanted, without what goes without saying. */
export function writeWanted(wanted: Partial<Wanted>): string {
  const { scope, span, step, by, compare, onlyErrors } = wanted
  const entries: readonly (readonly [string, string | undefined])[] = [
    ['scope', scope],
    ...Object.entries(texts).map(([key, name]) => [name, wanted[key as keyof typeof texts]] as const),
    ['span', span === firstWanted.span ? undefined : span],
    ['cycle', span === 'cycle' ? wanted.cycle : undefined],
    ['from', span === 'custom' ? wanted.from : undefined],
    ['to', span === 'custom' ? wanted.to : undefined],
    ['step', step],
    ['compare', compare ? '1' : undefined],
    ['by', by === firstWanted.by ? undefined : by],
    ['since', wanted.since],
    ['until', wanted.until],
    ['errors', onlyErrors ? '1' : undefined],
  ]
  const query = new URLSearchParams(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]])),
  ).toString()
  return query === '' ? '' : `?${query}`
}
