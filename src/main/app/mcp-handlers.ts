import type { DomainHandlers } from '@shared/contract'
import { previewStatusLine } from '../cli/statusline'
import { createMcpServices } from '../compose/mcp'
import { type Confirm, requireConsent } from '../core/consent/consent'
import { CallLog, setRecordsArguments } from '../mcp/call-log'
import { setMcpPermission } from '../mcp/services'
import { mcpTarget } from '../tools/targets/mcp-servers'
import { readStatusCache } from '../usage/quota/status-cache'
import { bind, type RunningCalls } from './bridge'
import type { AppCore } from './compose-app'

/** Id under which this app appears among the coding tools that call MCP tools. */
const ownId = 'platform-companion'

interface McpParts {
  readonly core: AppCore
  readonly confirm: Confirm
  readonly calls: RunningCalls
}

export function mcpHandlers({ core, confirm, calls }: McpParts): DomainHandlers<'mcp'> {
  const { dataDir, log, mcpServers, settings } = core
  return {
    ...bind('mcp', mcpServers),
    'mcp.tools': () => mcpServers.list(),
    'mcp.carryOut': async ({ previewId }) => {
      const consent = mcpServers.consentFor(previewId)
      if (consent) await requireConsent(confirm, { kind: 'copyMcp', ...consent })
      return mcpServers.carryOut(previewId)
    },
    'mcp.statusLine': async ({ toolId, template }) => {
      // The cached quotas may be from a time before the first plan was added. Query them if the cache has none.
      const isKnown = readStatusCache(dataDir)?.quotas.some(({ tokensPercent }) => tokensPercent !== undefined)
      if (!isKnown) await core.quota.list()
      return previewStatusLine(dataDir, toolId, template)
    },
    'mcp.setPermission': async ({ toolId, permission, isOn }) => {
      const { name: tool } = mcpTarget(toolId)
      if (isOn) await requireConsent(confirm, { kind: 'allowMcp', tool, permission })
      setMcpPermission(settings, { toolId, permission, isOn })
      return mcpServers.list()
    },
    'mcp.calls': () => new CallLog(dataDir).list(),
    'mcp.recordsArguments': () => settings.read().mcp.recordsArguments,
    'mcp.setRecordsArguments': async ({ isOn }) => {
      if (isOn) await requireConsent(confirm, { kind: 'recordMcp' })
      setRecordsArguments(settings, dataDir, isOn)
      return isOn
    },
    'mcp.offers': async () => (await import('../mcp/server')).mcpTools.map(({ offer }) => offer()),
    'mcp.tryOut': ({ callId, ...call }) =>
      calls.run(callId, async (signal) => {
        const { runTrialCall } = await import('../mcp/server')
        const services = createMcpServices(core, {
          quotas: () => core.quota.list(),
          usage: async () => core.usage,
          playground: async () => (await core.playground.load()).ground,
        })
        const note: typeof services.note = (callView, callArguments) =>
          services.note({ ...callView, toolId: ownId }, callArguments)
        // Test calls do not come from a coding tool, so calls that cost or write are rejected.
        const { version } = core
        const options = { version, services: { ...services, note }, toolId: undefined, log }
        return runTrialCall(options, call, signal)
      }),
  }
}
