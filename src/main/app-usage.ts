import { join } from 'node:path'
import type { RelayView } from '@shared/contract'
import type { Core } from './core'
import type { Log } from './ports'
import { Quota } from './quota/quota'
import { openForeign } from './sqlite'
import { createLedger } from './usage/ledger-client'
import type { Ledger } from './usage/ports'
import { zoneHere } from './usage/time-buckets'
import type { Usage } from './usage/usage'
import { createUsage } from './usage-features'

/** The ledger of this machine and what is made of it. */
export interface AppUsage {
  readonly ledger: Ledger
  readonly quota: Quota
  readonly usage: Usage
}

/** The ledger of the app; its thread is started by the first call. */
export function openLedger({ dataDir, outDir }: { readonly dataDir: string; readonly outDir: string }): Ledger {
  return createLedger({ dataDir, workerPath: join(outDir, 'main/usage.cjs') })
}

interface Parts {
  readonly dataDir: string
  readonly ledger: Ledger
  readonly log: Log
  /** There are new figures. */
  readonly onChanged: () => void
}

/** Builds usage and quota for the app; nothing runs yet. */
export function createAppUsage(core: Core, { dataDir, ledger, log, onChanged }: Parts): AppUsage {
  const { account, connections, plans, settings } = core
  const consoles = (): string[] => connections.list().flatMap(({ id, addresses }) => (addresses.consoleUrl ? [id] : []))
  const clock = (): Date => new Date()
  const aheadMsOf = (id: string): number => connections.aheadMsOf(id)
  const quota = new Quota({ account, consoles, plans, ledger, settings, clock, aheadMsOf, log, zone: zoneHere })
  const usage = createUsage(core, {
    ...{ dataDir, ledger, log, onChanged },
    openForeign: async (path) => openForeign(path),
    cycleDaysOf: (planId) => quota.cycleDaysOf(planId),
  })
  return { ledger, quota, usage }
}

/** How long the relay's figures gather before the window asks again; they are in the ledger by then. */
const gatherMs = 1000

/** Tells a moment after the first of several calls, once for all of them. */
export function gathered(tell: () => void, ms: number = gatherMs): () => void {
  let timer: NodeJS.Timeout | undefined
  return () => {
    if (timer) return
    timer = setTimeout(() => {
      timer = undefined
      tell()
    }, ms)
  }
}

/** Tells that there are new figures when the relay has counted more than before, not more often than every second. */
export function relayedNews(tell: () => void): (view: RelayView) => void {
  let counted = 0
  const tellSoon = gathered(tell)
  return ({ tools }) => {
    const sum = tools.reduce((all, { requests }) => all + requests, 0)
    const isMore = sum !== counted && sum > 0
    counted = sum
    if (isMore) tellSoon()
  }
}

/** How old the tray's line of the tightest allowance gets. */
const lineMs = 5 * 60_000

/** The tightest allowance in words, looked up now and then. */
export interface QuotaLine {
  text(): string | undefined
  stop(): void
}

/** Looks at once and every five minutes; `show` is told when the line is another one. */
export function followQuotaLine(
  { quota, log }: { readonly quota: Quota; readonly log: Log },
  locale: () => 'en' | 'vi',
  show: () => void,
): QuotaLine {
  let text: string | undefined
  const look = async (): Promise<void> => {
    const found = await quota.tightestLine(locale())
    if (found === text) return
    text = found
    show()
  }
  const lookAndLog = (): void => void look().catch((error: unknown) => log.error('tray.quota', error))
  lookAndLog()
  const timer = setInterval(lookAndLog, lineMs)
  return { text: () => text, stop: () => clearInterval(timer) }
}
