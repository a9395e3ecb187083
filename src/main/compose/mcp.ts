import type { DoctorReport } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import { AppError } from '@shared/failure'
import { limitConcurrency } from '../core/work-queue'
import { CallLog } from '../mcp/call-log'
import type { McpServices } from '../mcp/services'
import { listMcpPermissions } from '../mcp/services'
import { Resources } from '../platform/resources/resources'
import { createHeldSecrets } from '../platform/resources/secret-store'
import { askOnce, type PromptBudgets } from '../playground/playground-inference'
import type { PlaygroundContext } from '../playground/runs'
import { ownTools } from '../usage/ports'
import type { Usage } from '../usage/usage'
import type { Core } from './compose'

interface McpParts {
  readonly quotas: () => Promise<readonly PlanQuota[]>
  readonly usage: () => Promise<Pick<Usage, 'series' | 'shares'>>
  readonly playground: () => Promise<Pick<PlaygroundContext, 'open' | 'runs' | 'store'>>
  /** Budgets that limit prompts. */
  readonly budgets?: PromptBudgets
}

/** Creates the services that MCP tools call. Each one loads its modules and opens its files on first use. */
export function createMcpServices(core: Core, { quotas, usage, playground, budgets }: McpParts): McpServices {
  const { dataDir, plans, connections, settings } = core
  const log = new CallLog(dataDir, () => settings.read().mcp.recordsArguments)
  return {
    plans: () => plans.list(),
    learnModels: (planId) => plans.learnModels(planId),
    quotas,
    usage: {
      shares: async (request) => (await usage()).shares(request),
      series: async (request) => (await usage()).series(request),
    },
    ask: async (question, watch) => askOnce(await playground(), budgets, question, watch),
    connection: () => connections.active(),
    platform: createPlatformService(core),
    diagnose: runOneAtATime(async (toolId, options) => (await core.loadTools()).tools.diagnose({ toolId, ...options })),
    async toolIds() {
      const { targets } = await import('../tools/targets')
      return [...targets.map(({ id }) => id), ...Object.keys(ownTools)]
    },
    prompts: async () => (await playground()).store.prompts(),
    prompt: async (id) => (await playground()).store.prompt(id),
    permissions: (toolId) => listMcpPermissions(settings, toolId),
    note: (call, callArguments) => log.add(call, callArguments),
  }
}

const diagnosisMs = 30_000

/** Concurrent calls share one diagnosis, which is cached for 30 s. */
function runOneAtATime(diagnose: McpServices['diagnose']): McpServices['diagnose'] {
  const runSerially = limitConcurrency(1)
  const reports = new Map<string, { readonly at: number; readonly report: DoctorReport }>()
  return (toolId, options) =>
    runSerially(async () => {
      const name = `${toolId} ${options.sendsRequest}`
      const cachedReport = reports.get(name)
      if (cachedReport !== undefined && Math.abs(Date.now() - cachedReport.at) < diagnosisMs) return cachedReport.report
      options.signal.throwIfAborted()
      const report = await diagnose(toolId, options)
      reports.set(name, { at: Date.now(), report })
      return report
    })
}

/** Platform operations for MCP tools. Responses contain masked secrets, and bodies cannot insert stored secrets. */
function createPlatformService({ connections, operations }: Core): McpServices['platform'] {
  const clock = (): Date => new Date()
  const noPending = (): never => {
    throw new AppError('input.invalid', 'Secrets from the clipboard cannot be used here.', { field: 'body' })
  }
  const pending = { get: noPending, forget: () => undefined }
  return new Resources({ held: createHeldSecrets(clock), pending, connections, operations })
}
