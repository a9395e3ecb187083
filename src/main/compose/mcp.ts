import type { DoctorReport } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import { AppError } from '@shared/failure'
import { limitConcurrency } from '../core/work-queue'
import { CallLog } from '../mcp/call-log'
import type { McpServices } from '../mcp/services'
import { listMcpPermissions } from '../mcp/services'
import { Resources } from '../platform/resources/resources'
import { createHeldSecrets } from '../platform/resources/secret-store'
import type { SinglePrompts } from '../playground/playground-inference'
import type { PlaygroundContext } from '../playground/runs'
import { ownTools } from '../usage/ports'
import type { Usage } from '../usage/usage'
import type { Core } from './compose'

interface McpParts {
  readonly quotas: () => Promise<readonly PlanQuota[]>
  readonly usage: () => Promise<Pick<Usage, 'series' | 'shares'>>
  /** Playground services that run prompts. They report progress of a run to `prompts`. */
  readonly playground: () => Promise<Pick<PlaygroundContext, 'open' | 'clock' | 'runs' | 'store'>>
  readonly prompts: SinglePrompts
}

/** Creates the services that MCP tools call. Each one loads its modules and opens its files on first use. */
export function createMcpServices(core: Core, { quotas, usage, playground, prompts }: McpParts): McpServices {
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
    async ask({ planId, modelCode, prompt, system, maxTokens, toolId }, watch) {
      const target = { kind: 'plan', planId, standard: 'chat-completions', modelCode } as const
      const requestInput = { target, prompt, system, parameters: { maxTokens }, toolId }
      const { run, answer } = await prompts.ask(await playground(), requestInput, watch)
      const { inputTokens, outputTokens, durationMs, finishReason } = run
      return { text: answer.text, inputTokens, outputTokens, durationMs, finishReason }
    },
    connection: () => connections.active(),
    platform: createPlatformService(core),
    diagnose: runOneAtATime(async (toolId, options) => (await core.loadTools()).tools.diagnose({ toolId, ...options })),
    async toolIds() {
      const { targets } = await import('../tools/targets')
      return [...targets.map(({ id }) => id), ...Object.keys(ownTools)]
    },
    prompts: {
      list: async () => (await playground()).store.prompts(),
      get: async (id) => (await playground()).store.prompt(id),
    },
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
  const resources = new Resources({
    held: createHeldSecrets(clock),
    pending: { get: noPending, forget: () => undefined },
    connection: (id) => connections.find(id),
    getClient: (id) => connections.client(id),
    follow: (connectionId, followedOperation) => operations.follow(connectionId, followedOperation),
  })
  return {
    call: (request, signal) => resources.call(request, signal),
    every: (request, signal) => resources.every(request, signal),
    rows: async (request, signal) => (await resources.rows(request, signal)).rows.slice(0, maxRows),
  }
}

/** Maximum rows of an unpaged list. */
const maxRows = 1000
