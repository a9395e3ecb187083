import type { UsageCounts, UsageFilter, UsageSeries, UsageShare, UsageStep } from '@shared/contract/usage'
import { tokensOf } from '../usage/console-usage'
import { seriesText, sharesText } from '../usage/export-text'
import { zoneHere } from '../usage/steps'
import { print, table } from './output'
import { figure } from './plan-words'
import { filterOf } from './usage-filter'
import { splits, steps, type UsageContext, type UsageOptions } from './usage-options'

/** Prints figures over time or by parts. What tools wrote down since the last time is read first. */
export async function showUsage(context: UsageContext, options: UsageOptions): Promise<void> {
  const { core, output } = context
  const filter = await filterOf(core, options, { now: Date.now(), zone: zoneHere() })
  const usage = await context.usage()
  if (filter.scope === 'machine' || filter.scope === 'toolLog') await usage.readToolLogs()
  const step = steps.find((one) => one === options.by)
  if (step !== undefined) {
    const series = await usage.series({ filter, step, compare: false })
    if (options.csv) output.out(seriesText(series, filter, 'csv'))
    else print(output, series, () => seriesLines(series, filter))
    return
  }
  const by = splits.find((one) => one === options.by) ?? 'model'
  const shares = await usage.shares({ filter, by })
  if (options.csv) output.out(sharesText(shares, filter, by))
  else print(output, shares, () => sharesLines(shares, filter, by))
}

const sourceWords: Readonly<Record<UsageFilter['scope'], string>> = {
  machine: "counted on this machine: the relay, tools' logs and this app, each request once",
  console: "counted by the platform's console",
  relay: 'counted by the relay',
  toolLog: "from the tools' own logs",
  app: 'what this app sent itself',
}

function seriesLines({ buckets, totals, step, knownFrom }: UsageSeries, filter: UsageFilter): string[] {
  // A day of hours is mostly silence.
  const shown = step === 'hour' ? buckets.filter(({ requests, errors }) => requests + errors > 0) : buckets
  if (shown.length === 0) return [nothing(filter)]
  const rows = shown.map(({ start, ...counts }) => [labelOf(start, step), ...cells(counts)])
  return [...counted('FROM', rows, totals), ...foot(filter, knownFrom)]
}

function sharesLines(shares: readonly UsageShare[], filter: UsageFilter, by: string): string[] {
  if (shares.length === 0) return [nothing(filter)]
  const rows = shares.map(({ id, name, ...counts }) => [name ?? unnamed(id), ...cells(counts)])
  return [...counted(by.toUpperCase(), rows), ...foot(filter)]
}

const unnamed = (id: string): string => (id === '' ? '(not known)' : `${id} (gone)`)

const headings = ['REQUESTS', 'ERRORS', 'INPUT', 'OUTPUT', 'CACHE', 'TOKENS']

const cells = (counts: UsageCounts): string[] =>
  [counts.requests, counts.errors, counts.inputTokens, counts.outputTokens, counts.cacheTokens, tokensOf(counts)].map(
    figure,
  )

/** Figures stand under each other by their last digit. */
function counted(first: string, rows: readonly string[][], totals?: UsageCounts): string[] {
  const all = totals ? [...rows, ['TOTAL', ...cells(totals)]] : rows
  const widths = headings.map((heading, at) => Math.max(heading.length, ...all.map((row) => row[at + 1]?.length ?? 0)))
  const right = (row: readonly string[]) => row.map((cell, at) => cell.padStart(widths[at] ?? 0))
  return table(
    [first, ...right(headings)],
    all.map(([label = '', ...figures]) => [label, ...right(figures)]),
  )
}

function foot({ scope, from, to }: UsageFilter, knownFrom?: string): string[] {
  const span = `${labelOf(from, 'hour')} to ${labelOf(to, 'hour')}, ${sourceWords[scope]}.`
  const isLate = knownFrom !== undefined && knownFrom > from
  return ['', isLate ? `${span} Nothing is known before ${labelOf(knownFrom, 'hour')}.` : span]
}

function nothing({ scope }: UsageFilter): string {
  if (scope === 'console') return 'The console counted nothing in that time.'
  return 'No request of that time is known on this machine. Tools are counted when they go through the relay or their logs are read; "--source console" asks the account.'
}

/** The beginning of a step by the clock on the wall. */
function labelOf(start: string, step: UsageStep): string {
  const at = new Date(start)
  const two = (part: number): string => String(part).padStart(2, '0')
  const month = `${at.getFullYear()}-${two(at.getMonth() + 1)}`
  if (step === 'month') return month
  const day = `${month}-${two(at.getDate())}`
  return step === 'hour' ? `${day} ${two(at.getHours())}:${two(at.getMinutes())}` : day
}
