import { createLog } from '../log'
import type { Ledger } from '../usage/ports'
import type { CommandContext } from './context'
import type { UsageContext } from './usage-options'

/** A prompt does not wait longer for a console than this. */
const promptPatienceMs = 1500

/** Usage over the ledger of the data folder, opened when it is first asked for; `usagePath` is the built file of its thread. */
export function openUsage({ core, output }: CommandContext, usagePath: string): UsageContext {
  let ledger: Promise<Ledger> | undefined
  const openLedger = (): Promise<Ledger> => {
    ledger ??= import('../usage/ledger-client').then(async ({ createLedger }) =>
      createLedger({ dataDir: (await core.app()).dataDir, workerPath: usagePath }),
    )
    return ledger
  }
  const log = async () => createLog((await core.app()).dataDir)
  const quota = async () => {
    const { Quota } = await import('../features/quota')
    const { zoneHere: zone } = await import('../usage/steps')
    const { account, connections, plans, settings } = core
    const consoles = () => connections.list().flatMap(({ id, addresses }) => (addresses.consoleUrl ? [id] : []))
    const clock = (): Date => new Date()
    const aheadMsOf = (id: string): number => connections.aheadMsOf(id)
    const parts = { account, consoles, plans, settings, clock, aheadMsOf, zone, patienceMs: promptPatienceMs }
    return new Quota({ ...parts, ledger: await openLedger(), log: await log() })
  }
  return {
    core,
    output,
    async usage() {
      const { createUsage } = await import('../usage-features')
      const { openForeign } = await import('../sqlite')
      const known = await quota()
      return createUsage(core, {
        dataDir: (await core.app()).dataDir,
        ledger: await openLedger(),
        openForeign: async (path) => openForeign(path),
        log: await log(),
        cycleDaysOf: (planId) => known.cycleDaysOf(planId),
        onChanged: () => undefined,
      })
    },
    tightestLine: async () => (await quota()).tightestLine('en'),
    close: async () => (await ledger)?.close(),
  }
}
