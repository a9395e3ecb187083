import type { UsageCounts, UsageStep } from '@shared/contract/usage'
import { dayMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import type { Calendar } from './ledger/calendar'
import { type Span, startOfStep } from './ledger/calendar'
import { noCounts, plus } from './ledger/sums'

export interface ConsoleQuestion {
  readonly connectionId: string
  readonly planId: string
  readonly from: string
  readonly to: string
  readonly interval: 'hour' | 'day'
  readonly modelCode?: string | undefined
  readonly keyId?: string | undefined
}

/** Usage of a plan, as returned by the console (console contract, decision 3). */
export interface ConsoleAnswer {
  readonly totals: UsageCounts
  readonly series: readonly (UsageCounts & { readonly start: string })[]
  readonly models: readonly { readonly modelCode: string; readonly tokens: number; readonly requests: number }[]
}

export type AskConsole = (question: ConsoleQuestion) => Promise<ConsoleAnswer>

export type ConsolePlan = Pick<ConsoleQuestion, 'connectionId' | 'planId' | 'modelCode' | 'keyId'>

type ModelShare = UsageCounts & { readonly id: string }

export type CountedStep = UsageCounts & { readonly start: number }

const maxParallelKeys = 8

/** The sandbox returns hourly data for at most 45 days per request. */
const maxSpanMs = 45 * dayMs

/**
 * Usage of a plan for each step in local time. Queries the console by hour, because its days are in another time
 * zone.
 */
export async function consoleSteps(
  askConsole: AskConsole,
  plan: ConsolePlan,
  { step, calendar, ...span }: Span & { readonly step: UsageStep; readonly calendar: Calendar },
): Promise<CountedStep[]> {
  const answers = await Promise.all(
    splitSpan(span).map((subspan) => askConsole({ ...plan, ...subspan, interval: 'hour' })),
  )
  const sums = new Map(calendar.starts(step, span.from, span.to).map((start) => [start, noCounts]))
  for (const { start, ...counts } of answers.flatMap(({ series }) => series)) {
    const stepStart = startOfStep(calendar, Date.parse(start), { step })
    const sum = sums.get(stepStart)
    if (sum) sums.set(stepStart, plus(sum, counts))
  }
  return [...sums].map(([start, counts]) => ({ start, ...counts }))
}

/** Usage by model, largest first. Omits unrequested models. */
export async function consoleModels(askConsole: AskConsole, plan: ConsolePlan, span: Span): Promise<ModelShare[]> {
  const questions = splitSpan(span).map((subspan) => ({ ...plan, ...subspan, interval: 'day' }) as const)
  const answers = await Promise.all(questions.map(askConsole))
  const codes = new Set(
    answers
      .flatMap(({ models }) => models)
      .flatMap(({ modelCode, tokens, requests }) => (tokens + requests > 0 ? [modelCode] : [])),
  )
  if (plan.modelCode !== undefined) return [{ id: plan.modelCode, ...addCounts(answers) }]
  const shares = await Promise.all(
    [...codes].map(async (modelCode) => {
      const modelUsage = await Promise.all(questions.map((question) => askConsole({ ...question, modelCode })))
      return { id: modelCode, ...addCounts(modelUsage) }
    }),
  )
  return shares.toSorted((a, b) => sumTokens(b) - sumTokens(a))
}

/**
 * Usage of several keys of a plan. Sends one request per key and 45 days, a few concurrently. Keys that the console
 * has deleted get no usage.
 */
export async function consoleKeys(
  askConsole: AskConsole,
  plan: Omit<ConsolePlan, 'keyId'>,
  { keyIds, ...span }: Span & { readonly keyIds: readonly string[] },
): Promise<ReadonlyMap<string, UsageCounts>> {
  const counts = new Map<string, UsageCounts>()
  for (let offset = 0; offset < keyIds.length; offset += maxParallelKeys) {
    const keyIdBatch = keyIds.slice(offset, offset + maxParallelKeys)
    const keyTotals = keyIdBatch.map((keyId) =>
      consoleTotals(askConsole, { ...plan, keyId }, span).catch(noneIfNotFound),
    )
    for (const [index, count] of (await Promise.all(keyTotals)).entries()) counts.set(keyIdBatch[index] ?? '', count)
  }
  return counts
}

function noneIfNotFound(error: unknown): UsageCounts {
  if (error instanceof AppError && ['api.notFound', 'key.notFound'].includes(error.failure.code)) return noCounts
  throw error
}

/** Usage of a plan, or of one key. */
export async function consoleTotals(askConsole: AskConsole, plan: ConsolePlan, span: Span): Promise<UsageCounts> {
  return addCounts(
    await Promise.all(splitSpan(span).map((subspan) => askConsole({ ...plan, ...subspan, interval: 'day' }))),
  )
}

/** Tokens consumed = input + output + cache (spec, "What the service does"). */
export const sumTokens = ({ inputTokens, outputTokens, cacheTokens }: UsageCounts): number =>
  inputTokens + outputTokens + cacheTokens

const addCounts = (answers: readonly ConsoleAnswer[]): UsageCounts =>
  answers.map(({ totals }) => toCounts(totals)).reduce((sum, counts) => plus(sum, counts), noCounts)

/** Copies only known fields of the console's counts. */
const toCounts = ({ requests, errors, inputTokens, outputTokens, cacheTokens }: UsageCounts): UsageCounts => ({
  requests,
  errors,
  inputTokens,
  outputTokens,
  cacheTokens,
})

function splitSpan({ from, to }: Span): { readonly from: string; readonly to: string }[] {
  const spanPieces = []
  for (let start = from; start < to; start += maxSpanMs) {
    spanPieces.push({
      from: new Date(start).toISOString(),
      to: new Date(Math.min(to, start + maxSpanMs)).toISOString(),
    })
  }
  return spanPieces
}
