import type { McpPermission } from '@shared/contract/mcp'
import type { SettingsStore } from '../settings/settings'

/** What a coding tool may do through the MCP server beside reading. */
export const listMcpPermissions = (settings: SettingsStore, toolId: string | undefined): readonly McpPermission[] =>
  settings.read().mcp.allowed.find((one) => one.toolId === toolId)?.permissions ?? []

/** Switches on or off what a coding tool may do through the MCP server beside reading; gives what it may now. */
export function setMcpPermission(
  settings: SettingsStore,
  { toolId, permission, isOn }: { readonly toolId: string; readonly permission: McpPermission; readonly isOn: boolean },
): readonly McpPermission[] {
  let permissions: McpPermission[] = []
  settings.update(({ mcp }) => {
    const others = mcp.allowed.filter((one) => one.toolId !== toolId)
    const known = mcp.allowed.find((one) => one.toolId === toolId)?.permissions ?? []
    permissions = [...known.filter((one) => one !== permission), ...(isOn ? [permission] : [])]
    return { mcp: { ...mcp, allowed: permissions.length === 0 ? others : [...others, { toolId, permissions }] } }
  })
  return permissions
}

/** Switches off everything for a coding tool. */
export function revokeMcp(settings: SettingsStore, toolId: string): void {
  if (listMcpPermissions(settings, toolId).length === 0) return
  settings.update(({ mcp }) => ({ mcp: { ...mcp, allowed: mcp.allowed.filter((one) => one.toolId !== toolId) } }))
}
