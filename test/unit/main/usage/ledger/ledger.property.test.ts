import { join } from 'node:path'
import { UsageStep } from '@shared/contract/usage'
import { noCounts, sumTokens, sumUsageCounts } from '@shared/usage-counts'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { Calendar } from '../../../../../src/main/usage/ledger/calendar'
import { type OpenLedger, openLedger } from '../../../../../src/main/usage/ledger/open-ledger'
import type { LedgerEntry, LedgerFilter } from '../../../../../src/main/usage/ports'
import { makeFolder } from '../../../support/folders'
import { NaiveLedger } from './naive-ledger'

vi.setConfig({ testTimeout: 60_000 })

const startMs = Date.parse('2025-03-01T00:00:00Z')
const spanMs = 45 * 86_400_000
const zones = ['Asia/Ho_Chi_Minh', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/New_York', 'Australia/Lord_Howe']

const zoneArbitrary = fc.constantFrom(...zones)
const arbitraryTime = fc
  .oneof(
    fc.integer({ min: 0, max: spanMs }),
    // Times that are close together and on quarter-hour boundaries.
    fc.integer({ min: 0, max: 30 }).map((n) => n * 450_000),
  )
  .map((ms) => startMs + ms)
const arbitraryOrUndefined = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 })
const tokens = arbitraryOrUndefined(fc.integer({ min: 0, max: 1000 }))
const planId = arbitraryOrUndefined(fc.constantFrom('plan-a', 'plan-b'))
const keyId = arbitraryOrUndefined(fc.constantFrom('key-a', 'key-b', 'key-c'))
const toolId = arbitraryOrUndefined(fc.constantFrom('claude-code', 'codex'))
const projectId = arbitraryOrUndefined(fc.constantFrom('1a/web', '2b/api'))
const modelCode = fc.constantFrom('small', "large'; DROP TABLE requests; --")

const entry: fc.Arbitrary<LedgerEntry> = fc
  .record({
    source: fc.constantFrom('relay', 'app', 'toolLog'),
    number: fc.integer({ min: 0, max: 7 }),
    isAnswered: fc.boolean(),
    fields: fc.record({
      at: arbitraryTime,
      planId,
      keyId,
      toolId,
      modelCode,
      projectId,
      error: arbitraryOrUndefined(fc.constantFrom('quota', 'cut')),
      inputTokens: tokens,
      outputTokens: tokens,
      cacheReadTokens: tokens,
      cacheWriteTokens: tokens,
    }),
  })
  .map(({ source, number, isAnswered, fields }) => {
    // Use different models for log entries without a response id, because the reference ledger cannot match those by
    // tokens.
    const modelCode = source === 'toolLog' && !isAnswered ? `log-${fields.modelCode}` : fields.modelCode
    // Only tool logs may report the same request again with another date.
    const day = source === 'toolLog' ? '' : new Date(fields.at).toISOString().slice(0, 10)
    return {
      ...fields,
      modelCode,
      projectId: source === 'toolLog' ? fields.projectId : undefined,
      source,
      id: `${source}-${number}${day}`,
      ...(isAnswered && { answerId: `answer-${number}` }),
    }
  })

const filter: fc.Arbitrary<LedgerFilter> = fc
  .record({
    scope: fc.constantFrom('machine', 'relay', 'toolLog', 'app'),
    ends: fc.tuple(arbitraryTime, arbitraryTime),
    of: fc.record({ planId, keyId, toolId, projectId, modelCode: arbitraryOrUndefined(modelCode) }),
  })
  .map(({ scope, ends: [a, b], of }) => ({
    // The reference implementation knows the project of log entries only.
    scope: of.projectId === undefined ? scope : ('toolLog' as const),
    from: Math.min(a, b),
    to: Math.max(a, b),
    ...of,
  }))

const change = fc.oneof(
  { weight: 6, arbitrary: fc.record({ add: fc.array(entry, { minLength: 1, maxLength: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ prune: arbitraryTime }) },
  { weight: 1, arbitrary: fc.record({ forget: fc.constantFrom('claude-code', 'codex') }) },
  { weight: 1, arbitrary: fc.record({ moveTo: zoneArbitrary }) },
)

const queryArbitrary = fc
  .record({
    filter,
    step: fc.constantFrom(...UsageStep.options),
    by: fc.constantFrom('model', 'tool', 'key', 'plan', 'project', 'source', 'error'),
    onlyErrors: fc.boolean(),
    limit: fc.integer({ min: 1, max: 9 }),
  })
  .map((query) =>
    query.by === 'project' ? { ...query, filter: { ...query.filter, scope: 'toolLog' as const } } : query,
  )

/**
 * Runs the same operations on the real ledger and on the reference implementation. A change of the time zone restarts
 * the ledger.
 */
class LedgerPair {
  readonly naive = new NaiveLedger()
  readonly #file = join(makeFolder(), 'usage.sqlite')
  real: OpenLedger

  constructor(public zone: string) {
    this.real = openLedger({ file: this.#file, zone })
  }

  do(change: { add?: readonly LedgerEntry[]; prune?: number; forget?: string; moveTo?: string }): void {
    const { add, prune, forget, moveTo } = change
    if (add) for (const ledger of [this.real, this.naive]) ledger.add(add)
    if (prune !== undefined) {
      this.naive.prune(prune)
      while (this.real.pruneSome(prune));
    }
    if (forget !== undefined) for (const ledger of [this.real, this.naive]) ledger.forgetLog(forget)
    if (moveTo === undefined) return
    this.zone = moveTo
    this.real.close()
    this.real = openLedger({ file: this.#file, zone: moveTo })
  }

  stacks({ filter, step, by = 'source', ids = [] }: Parameters<OpenLedger['stacks']>[0]) {
    const starts = new Calendar(this.zone).starts(step, filter.from, filter.to)
    return starts.map((start, index) => {
      const to = Math.min(starts[index + 1] ?? filter.to, filter.to)
      const shares = this.naive.shares({ ...filter, from: Math.max(start, filter.from), to }, by)
      return { start, all: sumUsageCounts([...shares.values()]), counts: ids.map((id) => shares.get(id) ?? noCounts) }
    })
  }

  pages(query: { filter: LedgerFilter; onlyErrors: boolean; limit: number }): readonly string[] {
    const entries: LedgerEntry[] = []
    let cursor: string | undefined
    do {
      if (entries.length > 1000) throw new Error('The pages have no end.')
      const page = this.real.requests({ ...query, before: cursor })
      entries.push(...page.entries)
      cursor = page.next
    } while (cursor !== undefined)
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).sort((a, b) => b - a))
    return entries.map(({ at, id }) => `${at} ${id}`).sort()
  }
}

it('matches a naive list, whatever was added, replaced, pruned or forgotten', () => {
  fc.assert(
    fc.property(
      zoneArbitrary,
      fc.array(change, { minLength: 1, maxLength: 12 }),
      fc.array(queryArbitrary, { minLength: 1, maxLength: 8 }),
      (startZone, changes, questions) => {
        const ledgerPair = new LedgerPair(startZone)
        for (const ledgerChange of changes) ledgerPair.do(ledgerChange)
        for (const { filter, step, by, onlyErrors, limit } of questions) {
          expect(ledgerPair.real.stacks({ filter, step })).toEqual(ledgerPair.stacks({ filter, step }))
          const shares = ledgerPair.real.shares({ filter, by, limit: 200 })
          expect(shares).toEqual(shares.toSorted((a, b) => b.requests - a.requests || sumTokens(b) - sumTokens(a)))
          expect(ledgerPair.real.shares({ filter, by, limit })).toEqual(shares.slice(0, limit))
          const counts = new Map(shares.map(({ id, ...rest }) => [id, rest]))
          expect(counts).toEqual(ledgerPair.naive.shares(filter, by))
          const ids = [...counts.keys()].slice(0, 3)
          expect(ledgerPair.real.stacks({ filter, step, by, ids })).toEqual(
            ledgerPair.stacks({ filter, step, by, ids }),
          )
          expect(ledgerPair.pages({ filter, onlyErrors, limit })).toEqual(ledgerPair.naive.requests(filter, onlyErrors))
        }
        ledgerPair.real.close()
      },
    ),
    { numRuns: 25 },
  )
})
