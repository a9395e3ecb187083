import type { PlanQuota } from '@shared/contract/quota'
import type { Ledger } from '../usage/ports'
import type { Usage } from '../usage/usage'
import type { ConnectionOption } from './options'
import type { CommandContext } from './output'

/** Maximum wait for a console in a shell prompt, in ms. */
const promptTimeoutMs = 1500

/** Opens the usage ledger of the data folder on first use, unless given `existingLedger`. */
export function openUsage(
  { core, output, workers }: Pick<CommandContext, 'core' | 'output' | 'workers'>,
  existingLedger?: Ledger,
) {
  const { dataDir, log } = core
  let ledger = existingLedger && Promise.resolve(existingLedger)
  const openLedger = (): Promise<Ledger> => {
    ledger ??= import('../usage/ledger-client').then(({ createLedger }) =>
      createLedger({ dataDir, workerPath: workers.usagePath }),
    )
    return ledger
  }
  /** `timeoutMs`: maximum wait for a console. `updatesStatusLine`: whether to save the quotas for status lines. */
  const quota = async (timeoutMs = promptTimeoutMs, updatesStatusLine = true) => {
    const { QuotaService } = await import('../usage/quota/quota')
    const { updateStatusLines } = await import('./statusline')
    const { timeZone: zone } = await import('../core/local-time')
    const { account, connections, plans, settings } = core
    return new QuotaService({
      account,
      consoles: () => connections.consoleIds(),
      plans,
      settings,
      clock: () => new Date(),
      getClockOffsetMs: (id) => connections.getClockOffsetMs(id),
      zone,
      timeoutMs,
      ledger: await openLedger(),
      log,
      onListed: (listed) => {
        if (updatesStatusLine) updateStatusLines(dataDir, listed, new Date())
      },
    })
  }
  return {
    core,
    output,
    async usage() {
      const { createUsage } = await import('../compose/usage')
      const knownQuotas = await quota()
      return createUsage(core, {
        ledger: await openLedger(),
        getCycleDays: (planId) => knownQuotas.getCycleDays(planId),
        onChanged: () => undefined,
      })
    },
    quota,
    async budgets() {
      const { Budgets } = await import('../relay/budgets/budgets')
      const { timeZone: zone } = await import('../core/local-time')
      const { targets } = await import('../tools/targets')
      const toolName = (toolId: string) => targets.find(({ id }) => id === toolId)?.name
      return new Budgets({ settings: core.settings, ledger: openLedger, clock: () => new Date(), zone, toolName })
    },
    ledger: openLedger,
    /** One line for the lowest allowance, optionally of one plan. Undefined if unknown. Fails with `plan.notFound`. */
    async tightestLine(plan?: string) {
      const planId = plan === undefined ? undefined : core.plans.find(plan).id
      return (await quota()).tightestLine('en', planId)
    },
    close: async (): Promise<void> => (await ledger)?.close(),
  }
}

/** Reads the quotas of all plans once. Writes nothing. Returns none if they can't be read. */
export function createQuotaReader(openSession: () => UsageSession): CommandContext['readQuotas'] {
  const read = async (): Promise<readonly PlanQuota[]> => {
    const session = openSession()
    try {
      return await (await session.quota(undefined, false)).list()
    } catch {
      return []
    } finally {
      await session.close().catch(() => undefined)
    }
  }
  let quotas: ReturnType<typeof read> | undefined
  return () => {
    quotas ??= read()
    return quotas
  }
}

export type UsageSession = ReturnType<typeof openUsage>

export interface UsageContext extends Pick<UsageSession, 'core' | 'output' | 'tightestLine' | 'close'> {
  readonly usage: () => Promise<Pick<Usage, 'series' | 'shares' | 'readToolLogs'>>
}

export interface UsageOptions extends ConnectionOption {
  readonly plan?: string
  readonly model?: string
  readonly tool?: string
  readonly key?: string
  readonly project?: string
  readonly from?: string
  readonly to?: string
  readonly by: (typeof steps)[number] | (typeof splits)[number]
  /** Source of the usage. Default: the console when the usage is split by holder, else this computer. */
  readonly source?: (typeof sources)[number]
  readonly csv?: boolean
  readonly line?: boolean
}

export const steps = ['hour', 'day', 'week', 'month'] as const
export const splits = ['model', 'tool', 'key', 'plan', 'project', 'holder'] as const
export const sources = ['machine', 'console', 'relay', 'tool-logs', 'app'] as const
