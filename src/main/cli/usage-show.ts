import type { UsageSources } from '@shared/contract'
import type { UsageCounts, UsageFilter, UsageSeries, UsageShare, UsageStep } from '@shared/contract/usage'
import { dayMs, hourMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { sumTokens } from '@shared/usage-counts'
import type { Core } from '../compose/compose'
import { timeZone } from '../core/local-time'
import { seriesText, sharesText } from '../usage/export-text'
import { Calendar, slotMs } from '../usage/ledger/calendar'
import { filterByProject } from '../usage/project'
import { requirePeriod, type Usage } from '../usage/usage'
import type { CommandContext } from './context'
import type { UsageOptions } from './lazy-commands'
import { findByIdOrName, findPlan, type PlanCandidates, readKnownPlans, splits, steps } from './options'
import { formatInteger, inputError, printOutput, table } from './output'

export interface UsageContext extends Pick<CommandContext, 'core' | 'output' | 'tightestLine' | 'close'> {
  readonly usage: () => Promise<Pick<Usage, 'series' | 'shares' | 'readToolLogs'>>
}

/** Prints usage as a time series or split by plan, model, key, tool or project. Reads new entries of tool logs first. */
export async function showUsage(context: UsageContext, options: UsageOptions): Promise<void> {
  const { core, output } = context
  const baseFilter = await buildFilter(core, options, { nowMs: Date.now(), zone: timeZone() })
  requirePeriod(baseFilter, steps.find((usageStep) => usageStep === options.by) ?? 'month')
  const usage = await context.usage()
  if (baseFilter.scope === 'machine' || baseFilter.scope === 'toolLog') {
    const { toolLogs } = await usage.readToolLogs()
    for (const line of unreadLogLines(toolLogs, baseFilter)) output.err(line)
  }
  const filter = options.project === undefined ? baseFilter : await filterByProject(usage, baseFilter, options.project)
  const step = steps.find((usageStep) => usageStep === options.by)
  if (step !== undefined) {
    const series = await usage.series({ filter, step, compare: false })
    if (options.csv) output.out(seriesText(series, { filter, format: 'csv', zone: timeZone() }))
    else printOutput(output, series, () => seriesLines(series, filter))
    return
  }
  const selectedSplit = splits.find((split) => split === options.by) ?? 'model'
  const shares = await usage.shares({ filter, by: selectedSplit })
  if (options.csv) output.out(sharesText(shares, filter, selectedSplit))
  else printOutput(output, shares, () => formatShareLines(shares, filter, selectedSplit))
}

/** Warns on standard error about logs of unknown format, so that CSV and JSON stay parseable. */
const unreadLogLines = (logs: UsageSources['toolLogs'], { toolId }: UsageFilter): readonly string[] =>
  logs
    .filter((log) => log.enabled && log.notUnderstood > 0 && (toolId === undefined || log.toolId === toolId))
    .map(({ toolName, requests, notUnderstood, folder }) =>
      requests === 0
        ? `The log format of ${toolName} is not understood, so its usage is missing (${folder}).\n`
        : `The log of ${toolName} has ${formatInteger(notUnderstood)} unreadable ${notUnderstood === 1 ? 'entry' : 'entries'}, whose usage is missing (${folder}).\n`,
    )

const sourceTexts: Readonly<Record<UsageFilter['scope'], string>> = {
  machine: 'counted on this computer by relay, tool logs and app, each request once',
  console: "counted by the platform's console",
  relay: 'counted by the relay',
  toolLog: "from the tools' own logs",
  app: 'requests of this app',
}

function seriesLines({ buckets, totals, step, knownFrom }: UsageSeries, filter: UsageFilter): string[] {
  // Omit hours without requests, which are most of a day.
  const shownBuckets = step === 'hour' ? buckets.filter(({ requests, errors }) => requests + errors > 0) : buckets
  if (shownBuckets.length === 0) return [emptyMessage(filter)]
  const rows = shownBuckets.map(({ start, ...counts }) => [toLabel(start, step), ...cells(counts)])
  return [...formatCountTable('FROM', rows, totals), ...formatFooter(filter, knownFrom)]
}

function formatShareLines(shares: readonly UsageShare[], filter: UsageFilter, by: string): string[] {
  if (shares.length === 0) return [emptyMessage(filter)]
  const unknownName = by === 'holder' ? '(no holder)' : '(unknown)'
  const toName = (id: string): string => (id === '' ? unknownName : `${id} (deleted)`)
  const rows = shares.map(({ id, name = toName(id), ...counts }) => [name, ...cells(counts)])
  return [...formatCountTable(by.toUpperCase(), rows), ...formatFooter(filter)]
}

const headings = ['REQUESTS', 'ERRORS', 'INPUT', 'OUTPUT', 'CACHE', 'TOKENS']

const cells = (counts: UsageCounts): string[] =>
  [counts.requests, counts.errors, counts.inputTokens, counts.outputTokens, counts.cacheTokens, sumTokens(counts)].map(
    formatInteger,
  )

/** Formats a table with right-aligned numbers. */
function formatCountTable(firstHeading: string, rows: readonly string[][], totals?: UsageCounts): string[] {
  const allRows = totals ? [...rows, ['TOTAL', ...cells(totals)]] : rows
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...allRows.map((row) => row[column + 1]?.length ?? 0)),
  )
  const alignRight = (row: readonly string[]) => row.map((cell, column) => cell.padStart(widths[column] ?? 0))
  return table(
    [firstHeading, ...alignRight(headings)],
    allRows.map(([label = '', ...figures]) => [label, ...alignRight(figures)]),
  )
}

function formatFooter({ scope, from, to }: UsageFilter, knownFrom?: string): string[] {
  const span = `${toLabel(from, 'hour')} to ${toLabel(to, 'hour')}, ${sourceTexts[scope]}.`
  const startsAfterFrom = knownFrom !== undefined && knownFrom > from
  return ['', startsAfterFrom ? `${span} No data before ${toLabel(knownFrom, 'hour')}.` : span]
}

function emptyMessage({ scope }: UsageFilter): string {
  if (scope === 'console') return 'The console has no requests in this period.'
  return 'No requests in this period on this computer. Usage is counted by the relay and from tool logs. "--source console" shows usage of the account.'
}

function toLabel(start: string, step: UsageStep): string {
  const startDate = new Date(start)
  const padTwoDigits = (number: number): string => String(number).padStart(2, '0')
  const month = `${startDate.getFullYear()}-${padTwoDigits(startDate.getMonth() + 1)}`
  if (step === 'month') return month
  const day = `${month}-${padTwoDigits(startDate.getDate())}`
  return step === 'hour' ? `${day} ${padTwoDigits(startDate.getHours())}:${padTwoDigits(startDate.getMinutes())}` : day
}

/** Converts options to the contract's filter. Fails with `plan.notFound`, `key.notFound` or `input.invalid`. */
async function buildFilter(core: Core, options: UsageOptions, present: TimeContext): Promise<UsageFilter> {
  const from = parseTime(options.from, 'from', present)
  const endMs = parseTime(options.to, 'to', present)
  if (from >= endMs) throw inputError('--from must be before --to.', 'from')
  const source = options.source ?? (options.by === 'holder' ? 'console' : 'machine')
  const scope = source === 'tool-logs' ? 'toolLog' : source
  return {
    scope,
    from: new Date(from).toISOString(),
    to: new Date(endMs).toISOString(),
    ...(options.model === undefined ? {} : { modelCode: options.model }),
    ...(options.tool === undefined ? {} : { toolId: options.tool }),
    ...(scope === 'console' ? await getAccountOwner(core, options) : getMachineOwner(core, options)),
  }
}

type UsageOwner = Pick<UsageFilter, 'planId' | 'keyId' | 'connectionId'>

async function getAccountOwner(core: Core, options: UsageOptions): Promise<UsageOwner> {
  const knownPlans = await readKnownPlans(core, options)
  const entry = options.plan === undefined ? requireSinglePlan(knownPlans) : findPlan(knownPlans, options.plan)
  if (entry.kind === 'local')
    throw inputError(`Plan ${entry.plan.name} was added by key, so the console has no usage for it.`, 'plan')
  const { connectionId, plan } = entry
  const planRef = { connectionId, planId: plan.planId }
  if (options.key === undefined) return planRef
  const keyIdsAndNames = (await core.account.keys(planRef)).map(({ keyId: id, name }) => ({ id, name }))
  return { ...planRef, keyId: findKeyId(keyIdsAndNames, options.key) }
}

function requireSinglePlan({ entries, failure }: PlanCandidates) {
  const plans = entries.filter(({ kind }) => kind === 'account')
  const [only] = plans
  if (only && plans.length === 1) return only
  if (failure) throw failure
  const names = plans.map(({ plan }) => plan.name).join(', ') || 'the account has none'
  throw inputError(`The console counts per plan. Choose one with --plan (${names}).`, 'plan')
}

function getMachineOwner({ plans }: Core, { plan: planNameOrId, key }: UsageOptions): UsageOwner {
  const plan = planNameOrId === undefined ? undefined : plans.find(planNameOrId)
  const owner = plan === undefined ? {} : { planId: plan.id }
  const keys = plan?.keys ?? plans.list().flatMap((localPlan) => localPlan.keys)
  return key === undefined ? owner : { ...owner, keyId: findKeyId(keys, key) }
}

function findKeyId(keys: readonly { readonly id: string; readonly name: string }[], keyNameOrId: string): string {
  const keyMatch = findByIdOrName(keys, keyNameOrId, { what: 'key' })
  if (keyMatch) return keyMatch.id
  const message = `Key ${keyNameOrId} not found. "companion key list PLAN" lists the keys of a plan.`
  throw new AppError('key.notFound', message)
}

/** Start or end of a time span. `from` is inclusive, `to` is exclusive. */
type RangeBoundary = 'from' | 'to'

interface TimeContext {
  readonly nowMs: number
  readonly zone: string
}

/**
 * Start or end of a span in ms. Accepts a day, an ISO 8601 time, `today`, `month` (the current one), or a relative time
 * (`7d` is the last seven days including today). Fails with `input.invalid`.
 */
export function parseTime(text: string, end: RangeBoundary, { nowMs, zone }: TimeContext): number {
  const calendar = new Calendar(zone)
  const word = text.trim().toLowerCase()
  if (word === 'now') return nowMs
  if (word === 'today' || word === 'month') {
    const step = word === 'today' ? 'day' : 'month'
    return end === 'from' ? calendar.startOfStep(step, nowMs) : calendar.endOfStep(step, nowMs)
  }
  const timeMs = parseRelativeTime(word, nowMs, calendar) ?? parseDate(text.trim(), end, calendar)
  if (timeMs !== undefined) return timeMs
  const message = `--${end} ${text}: use a day (2026-11-01), a time (2026-11-01T08:00Z), today, month, 24h, 7d or 2w.`
  throw inputError(message, end)
}

function parseRelativeTime(word: string, nowMs: number, calendar: Calendar): number | undefined {
  const [, count, unit] = /^(\d{1,3})([hdw])$/.exec(word) ?? []
  if (count === undefined) return undefined
  const stepsBack = Number(count) * (unit === 'w' ? 7 : 1) - 1
  if (stepsBack < 0) return undefined
  return unit === 'h'
    ? calendar.startOfStep('hour', nowMs - stepsBack * hourMs)
    : calendar.moveStep('day', nowMs, -stepsBack)
}

function parseDate(text: string, end: RangeBoundary, calendar: Calendar): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year !== undefined) {
    const utc = Date.UTC(Number(year), Number(month) - 1, Number(date))
    if (new Date(utc).toISOString().slice(0, 10) !== text) return undefined
    const start = calendar.firstSlot(utc / dayMs) * slotMs
    return end === 'from' ? start : calendar.endOfStep('day', start)
  }
  const timestampMs = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(timestampMs) ? undefined : timestampMs
}
