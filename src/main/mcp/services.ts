import type {
  ConnectionView,
  DoctorReport,
  McpCallView,
  McpPermission,
  MethodInput,
  PlanView,
  PromptSummary,
  PromptView,
  ResourceAnswer,
  UsageSeries,
  UsageShare,
} from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import type { z } from 'zod'
import type { SettingsStore } from '../core/settings/settings'

type Json = z.core.util.JSONType

interface ModelRequest {
  readonly planId: string
  readonly modelCode: string
  readonly prompt: string
  readonly system: string
  readonly maxTokens: number
  /** The calling tool, which the request is recorded for and whose budgets apply. */
  readonly toolId: string | undefined
}

interface ModelResponse {
  readonly text: string
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly durationMs?: number | undefined
  readonly finishReason?: string | undefined
}

type PlatformCall = Omit<MethodInput<'resources.call'>, 'callId'>

/** Services of other domains. None returns secrets. */
export interface McpServices {
  readonly plans: () => readonly PlanView[]
  /** Reads the sizes of a plan's models, if unknown. */
  readonly learnModels: (planId: string) => Promise<void>
  readonly quotas: () => Promise<readonly PlanQuota[]>
  readonly usage: {
    shares(request: MethodInput<'usage.shares'>): Promise<readonly UsageShare[]>
    series(request: MethodInput<'usage.series'>): Promise<UsageSeries>
  }
  /** Calls a model. Passes chunks of the streamed answer to the listener. The usage is recorded. */
  readonly ask: (
    question: ModelRequest,
    watch: { readonly signal: AbortSignal; readonly onText: (chunk: string) => void },
  ) => Promise<ModelResponse>
  /** The active connection, whose memories the tools use. */
  readonly connection: () => Pick<ConnectionView, 'id' | 'name'> | undefined
  readonly platform: {
    call(request: PlatformCall, signal: AbortSignal): Promise<ResourceAnswer>
    /** All rows of a paged list. */
    every(request: Omit<PlatformCall, 'body'>, signal: AbortSignal): Promise<{ readonly rows: readonly Json[] }>
    /** All rows of an unpaged list. */
    rows(request: PlatformCall, signal: AbortSignal): Promise<readonly Json[]>
  }
  /** Runs one diagnosis at a time and caches the report for 30 s. */
  readonly diagnose: (
    toolId: string,
    options: { readonly signal: AbortSignal; readonly sendsRequest: boolean },
  ) => Promise<DoctorReport>
  /** Ids of all coding tools, including this app. */
  readonly toolIds: () => Promise<readonly string[]>
  readonly prompts: {
    list(): Promise<readonly PromptSummary[]>
    get(id: string): Promise<PromptView>
  }
  /** Permissions of a coding tool to call MCP tools that do more than read. */
  readonly permissions: (toolId: string | undefined) => readonly McpPermission[]
  /** Records each finished call. Stores arguments only if that is switched on. */
  readonly note: (call: McpCallView, callArguments: unknown) => void
}

export const listMcpPermissions = (settings: SettingsStore, toolId: string | undefined): readonly McpPermission[] =>
  settings.read().mcp.allowed.find((grant) => grant.toolId === toolId)?.permissions ?? []

/** Changes the permissions of a coding tool to call MCP tools that do more than read. Returns the new permissions. */
export function setMcpPermission(
  settings: SettingsStore,
  { toolId, permission, isOn }: { readonly toolId: string; readonly permission: McpPermission; readonly isOn: boolean },
): readonly McpPermission[] {
  let permissions: McpPermission[] = []
  settings.update(({ mcp }) => {
    const otherTools = mcp.allowed.filter((grant) => grant.toolId !== toolId)
    const grantedPermissions = mcp.allowed.find((grant) => grant.toolId === toolId)?.permissions ?? []
    permissions = [...grantedPermissions.filter((granted) => granted !== permission), ...(isOn ? [permission] : [])]
    return {
      mcp: { ...mcp, allowed: permissions.length === 0 ? otherTools : [...otherTools, { toolId, permissions }] },
    }
  })
  return permissions
}

export function revokeMcpAccess(settings: SettingsStore, toolId: string): void {
  if (listMcpPermissions(settings, toolId).length === 0) return
  settings.update(({ mcp }) => ({ mcp: { ...mcp, allowed: mcp.allowed.filter((grant) => grant.toolId !== toolId) } }))
}
