import { z } from 'zod'
import { Failure } from '../failure'
import { Nothing } from './common'
import { method } from './define'
import { PreviewView } from './tools'

/** What the MCP server does beside reading: `ask_model` costs quota, `memory_remember` writes. Off for a tool until it is switched on. */
export const McpPermission = z.enum(['ask_model', 'memory_remember'])
export type McpPermission = z.infer<typeof McpPermission>

/** What the MCP server offers to coding tools, by name. */
export const McpToolName = z.enum([
  'plans',
  'quota',
  'usage',
  'models',
  'diagnose',
  'ask_model',
  'memory_search',
  'memory_records',
  'memory_remember',
])
export type McpToolName = z.infer<typeof McpToolName>

/** One call that a coding tool made to the MCP server; never what it said or was answered. */
export const McpCallView = z.strictObject({
  at: z.iso.datetime(),
  /** The coding tool by its id; absent where the server was not told. */
  toolId: z.string().optional(),
  /** The MCP tool that was called. */
  name: z.string(),
  durationMs: z.number(),
  outcome: z.enum(['ok', 'failed', 'cancelled', 'refused']),
})
export type McpCallView = z.infer<typeof McpCallView>

/** An MCP server in a coding tool's settings; never its arguments, variables or headers. */
export const McpServerView = z.strictObject({
  name: z.string(),
  kind: z.enum(['program', 'http', 'other']),
  /** The program's name, or the host. */
  runs: z.string().optional(),
  /** Ours, as this app would start it. */
  isOurs: z.boolean(),
})
export type McpServerView = z.infer<typeof McpServerView>

/** Whether something of ours is in a tool's settings; `modified`: changed since. */
const Presence = z.enum(['absent', 'added', 'modified', 'unreadable'])

/** A coding tool that speaks MCP. */
export const McpToolView = z.strictObject({
  toolId: z.string(),
  name: z.string(),
  file: z.string(),
  exists: z.boolean(),
  server: Presence,
  /** Our server was written as one over the relay. */
  isHttp: z.boolean(),
  problem: Failure.optional(),
  /** Where the tool has a status line that this app can set. */
  statusLine: Presence.optional(),
  servers: z.array(McpServerView),
  permissions: z.array(McpPermission),
})
export type McpToolView = z.infer<typeof McpToolView>

/** What is added to a tool, or removed from it. */
const McpChange = z.strictObject({
  toolId: z.string(),
  what: z.enum(['server', 'statusLine']),
  action: z.enum(['add', 'remove']),
  /** The server over the relay instead of as a program that the tool starts. */
  isHttp: z.boolean().optional(),
})
export type McpChange = z.infer<typeof McpChange>

/** An MCP tool of our server, as a client is told it. */
const McpOfferView = z.strictObject({
  name: McpToolName,
  isReadOnly: z.boolean(),
  /** The JSON schema of its input, as text. */
  schema: z.string(),
})

export const mcp = {
  'mcp.tools': method(Nothing, z.array(McpToolView)),
  /** What adding or removing would write. Fails with `tool.notFound`, `tool.notConfigured` or `file.*`. */
  'mcp.preview': method(McpChange, PreviewView),
  /** What would take out the server and the status line wherever this app added them and nobody changed them since. */
  'mcp.previewRemoveAll': method(Nothing, z.array(PreviewView)),
  /** Writes exactly what a preview showed. Fails with `file.changed` when a file is no longer as it was then. */
  'mcp.carryOut': method(z.strictObject({ previewId: z.string() }), z.array(McpToolView)),
  /** Switching on is confirmed by the person outside of the window. Fails with `input.declined`. */
  'mcp.setPermission': method(
    z.strictObject({ toolId: z.string(), permission: McpPermission, isOn: z.boolean() }),
    z.array(McpToolView),
  ),
  /** The latest calls, the newest first. */
  'mcp.calls': method(Nothing, z.array(McpCallView)),
  /** The MCP tools as a client is told them. */
  'mcp.offers': method(Nothing, z.array(McpOfferView)),
  /** Calls the server as a client would, with everything that costs or writes switched off. `callId` makes it cancellable. */
  'mcp.tryOut': method(
    z.strictObject({ callId: z.string().max(64), name: McpToolName, input: z.string().max(20_000) }),
    z.strictObject({ isError: z.boolean(), text: z.string() }),
  ),
}
