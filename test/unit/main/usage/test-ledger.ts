import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openLedger } from '../../../../src/main/usage/ledger/open-ledger'
import type { Ledger } from '../../../../src/main/usage/ledger-client'
import type { LedgerFilter } from '../../../../src/main/usage/ports'
import { makeFolder } from '../../support/folders'

/** A ledger in the test's own thread, removed after the test. Its days are in the given time zone. */
export function createTestLedger(zone = 'UTC') {
  const ledger = openLedger({ file: join(makeFolder(), 'usage.sqlite'), zone })
  onTestFinished(() => ledger.close())
  const asyncCalls = Object.entries(ledger).map(([name, call]) => [
    name,
    async (...input: readonly unknown[]) => Reflect.apply(call, ledger, input),
  ])
  const prunedBeforeTimes: number[] = []
  return {
    ...(Object.fromEntries(asyncCalls) as Ledger),
    add: ledger.add,
    flush: async () => undefined,
    storage: async () => ({ bytes: 0, requests: ledger.contents().requests, state: 'ready' as const }),
    prune: async (cutoffMs: number) => void prunedBeforeTimes.push(cutoffMs),
    /** Arguments of all pruning calls: the time before which requests are deleted. */
    pruned: prunedBeforeTimes,
    /** All requests, newest first. */
    all: (scope: LedgerFilter['scope'] = 'machine') =>
      ledger.requests({
        filter: { scope, from: 0, to: Date.parse('2100-01-01') },
        onlyErrors: false,
        limit: 100_000,
      }).entries,
  }
}
