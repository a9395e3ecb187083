import type { ConnectionView, DoctorReport, McpCallView, McpPermission, PlanView } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import type { SettingsStore } from '../core/settings/settings'
import type { Resources } from '../platform/resources/resources'
import type { SinglePrompt } from '../playground/playground-inference'
import type { KeptRun } from '../playground/store/store'
import type { PlaygroundStore } from '../playground/store-client'
import type { Usage } from '../usage/usage'

/** Services of other domains. None returns secrets. */
export interface McpServices {
  readonly plans: () => readonly PlanView[]
  /** Reads the sizes of a plan's models, if unknown. */
  readonly learnModels: (planId: string) => Promise<void>
  readonly quotas: () => Promise<readonly PlanQuota[]>
  readonly usage: Pick<Usage, 'shares' | 'series'>
  /** Calls a model. Passes chunks of the streamed answer to the listener. The usage is recorded. */
  readonly ask: (
    question: SinglePrompt,
    watch: { readonly signal: AbortSignal; readonly onText: (chunk: string) => void },
  ) => Promise<Pick<KeptRun, 'run' | 'answer'>>
  /** The active connection, whose memories the tools use. */
  readonly connection: () => Pick<ConnectionView, 'id' | 'name'> | undefined
  readonly platform: Pick<Resources, 'call' | 'every' | 'rows'>
  /** Runs one diagnosis at a time and caches the report for 30 s. */
  readonly diagnose: (
    toolId: string,
    options: { readonly signal: AbortSignal; readonly sendsRequest: boolean },
  ) => Promise<DoctorReport>
  /** Ids of all coding tools, including this app. */
  readonly toolIds: () => Promise<readonly string[]>
  readonly prompts: PlaygroundStore['prompts']
  readonly prompt: PlaygroundStore['prompt']
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
