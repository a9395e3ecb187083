import type { UsageCounts, UsageStep } from '@shared/contract/usage'
import { dayMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { addUsageCounts, noCounts, sumTokens, sumUsageCounts } from '@shared/usage-counts'
import { limitConcurrency } from '../core/work-queue'
import type { UsageConsoleQuery } from '../plans/account/console-client'
import type { Calendar, Span } from './ledger/calendar'
import type { LedgerShare } from './ports'

export type ConsoleQuery = UsageConsoleQuery & { readonly connectionId: string }

/** Usage of a plan, as returned by the console (console contract, decision 3). */
interface ConsoleUsage {
  readonly totals: UsageCounts
  readonly series: readonly (UsageCounts & { readonly start: string })[]
  readonly models: readonly { readonly modelCode: string; readonly tokens: number; readonly requests: number }[]
}

export type QueryConsole = (question: ConsoleQuery) => Promise<ConsoleUsage>

export type ConsolePlan = Pick<ConsoleQuery, 'connectionId' | 'planId' | 'modelCode' | 'keyId'>

const maxParallelKeys = 8

/** The sandbox returns hourly data for at most 45 days per request. */
const maxSpanMs = 45 * dayMs

/** Usage for each step in local time. Queries the console by hour, because its days are in another time zone. */
export async function fetchConsoleSteps(
  askConsole: QueryConsole,
  plan: ConsolePlan,
  { step, calendar, ...span }: Span & { readonly step: UsageStep; readonly calendar: Calendar },
): Promise<(UsageCounts & { readonly start: number })[]> {
  const answers = await Promise.all(
    splitSpan(span).map((subspan) => askConsole({ ...plan, ...subspan, interval: 'hour' })),
  )
  const sums = new Map(calendar.starts(step, span.from, span.to).map((start) => [start, noCounts]))
  for (const { start, ...counts } of answers.flatMap(({ series }) => series)) {
    const stepStartMs = calendar.startOfStep(step, Date.parse(start))
    const sum = sums.get(stepStartMs)
    if (sum) sums.set(stepStartMs, addUsageCounts(sum, counts))
  }
  return [...sums].map(([start, counts]) => ({ start, ...counts }))
}

/** Usage by model, largest first. Omits unrequested models. */
export async function fetchConsoleModels(
  askConsole: QueryConsole,
  plan: ConsolePlan,
  span: Span,
): Promise<LedgerShare[]> {
  const usageQueries = splitSpan(span).map((subspan) => ({ ...plan, ...subspan, interval: 'day' }) as const)
  const answers = await Promise.all(usageQueries.map(askConsole))
  if (plan.modelCode !== undefined) return [{ id: plan.modelCode, ...sumTotals(answers) }]
  const usedModels = answers.flatMap(({ models }) => models.filter(({ tokens, requests }) => tokens + requests > 0))
  const codes = new Set(usedModels.map(({ modelCode }) => modelCode))
  const shares = await Promise.all(
    [...codes].map(async (modelCode) => {
      const modelUsage = await Promise.all(usageQueries.map((question) => askConsole({ ...question, modelCode })))
      return { id: modelCode, ...sumTotals(modelUsage) }
    }),
  )
  return shares.toSorted((a, b) => sumTokens(b) - sumTokens(a))
}

/** Usage of several keys, with one request per key and 45 days. Keys that the console has deleted have none. */
export async function fetchConsoleKeys(
  askConsole: QueryConsole,
  plan: Omit<ConsolePlan, 'keyId'>,
  { keyIds, ...span }: Span & { readonly keyIds: readonly string[] },
): Promise<ReadonlyMap<string, UsageCounts>> {
  const limiter = limitConcurrency(maxParallelKeys)
  const fetchCounts = async (keyId: string) => {
    const counts = await fetchConsoleTotals(askConsole, { ...plan, keyId }, span).catch((error: unknown) => {
      if (error instanceof AppError && ['api.notFound', 'key.notFound'].includes(error.failure.code)) return noCounts
      throw error
    })
    return [keyId, counts] as const
  }
  return new Map(await Promise.all(keyIds.map((keyId) => limiter(() => fetchCounts(keyId)))))
}

/** Usage of a plan, or of one key. */
export async function fetchConsoleTotals(ask: QueryConsole, plan: ConsolePlan, span: Span): Promise<UsageCounts> {
  const answers = splitSpan(span).map((subspan) => ask({ ...plan, ...subspan, interval: 'day' }))
  return sumTotals(await Promise.all(answers))
}

const sumTotals = (answers: readonly ConsoleUsage[]): UsageCounts => sumUsageCounts(answers.map(({ totals }) => totals))

function splitSpan({ from, to }: Span): { readonly from: string; readonly to: string }[] {
  const spans = []
  for (let start = from; start < to; start += maxSpanMs) {
    const end = new Date(Math.min(to, start + maxSpanMs))
    spans.push({ from: new Date(start).toISOString(), to: end.toISOString() })
  }
  return spans
}
