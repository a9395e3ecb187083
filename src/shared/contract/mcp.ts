import { z } from 'zod'
import { Failure } from '../failure'
import { McpPermission, method } from './common'
import { BulkPreview, PreviewView } from './tools'

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

/** A call of our MCP server. Contains arguments only while recording is on, and never the response. */
export const McpCallView = z.strictObject({
  at: z.iso.datetime(),
  /** Id of the coding tool that called. Absent when unknown. */
  toolId: z.string().optional(),
  name: z.string(),
  durationMs: z.number(),
  outcome: z.enum(['ok', 'failed', 'cancelled', 'refused']),
  /** JSON arguments without secrets, truncated. */
  arguments: z.string().optional(),
})
export type McpCallView = z.infer<typeof McpCallView>

/** An MCP server in a coding tool's settings, without arguments, variables or headers. */
export const McpServerView = z.strictObject({
  name: z.string(),
  kind: z.enum(['program', 'http', 'sse']),
  /** Program name or host of the server. */
  runs: z.string().optional(),
  /** Whether the entry starts this app's MCP server and is unchanged since the app wrote it. */
  isOurs: z.boolean(),
  /** Whether the server is enabled. Always true if the tool cannot disable servers. */
  isOn: z.boolean(),
  canSwitch: z.boolean(),
  /** Names of the server's environment variables or headers. Their values may be secret and are omitted. */
  values: z.array(z.string()),
  /** Whether variables are stored in the keychain. This app then starts the server's program with them. */
  areValuesKept: z.boolean(),
})
export type McpServerView = z.infer<typeof McpServerView>

/** This app's entry in a tool's settings. `modified` means that it was changed after the app wrote it. */
const McpPresence = z.enum(['absent', 'added', 'modified', 'unreadable'])

export const McpToolView = z.strictObject({
  toolId: z.string(),
  name: z.string(),
  file: z.string(),
  exists: z.boolean(),
  server: McpPresence,
  /** Whether the tool reaches this app's MCP server by HTTP through the relay. */
  isHttp: z.boolean(),
  problem: Failure.optional(),
  /** This app's status line in the tool's settings. Absent for tools without a supported status line. */
  statusLine: McpPresence.optional(),
  servers: z.array(McpServerView),
  permissions: z.array(McpPermission),
})
export type McpToolView = z.infer<typeof McpToolView>

/** Template of the status line, with placeholders such as `{tokens}`. */
const StatusLineTemplate = z
  .string()
  .max(200)
  // Refuse a leading dash, which programs would parse as an option.
  .regex(/^(?!-)[^\p{Cc}]*$/u)

/** Adds or removes our MCP server or our status line in a tool's settings. */
const OwnServerChange = z.strictObject({
  what: z.enum(['server', 'statusLine']),
  toolId: z.string(),
  action: z.enum(['add', 'remove']),
  /** Whether to connect over the relay's HTTP instead of starting a child process. */
  isHttp: z.boolean().optional(),
  /** Template of the status line. Default: the app's standard template. */
  template: StatusLineTemplate.optional(),
})

/** Whether variables are omitted, stored in the keychain, or copied as plain text when a server is copied. */
const McpValueStorage = z.enum(['none', 'keychain', 'plain'])

const ServerChange = z.strictObject({
  what: z.literal('anyServer'),
  toolId: z.string(),
  name: z.string().min(1).max(200),
  action: z.enum(['copy', 'remove', 'switchOn', 'switchOff']),
  /** Target tools of a copy. */
  to: z.array(z.string()).max(50).readonly().optional(),
  /** Treatment of the values of variables and headers in a copy. Default: omitted. */
  values: McpValueStorage.optional(),
})

/** Restores the state before an earlier change from the history. */
const McpUndo = z.strictObject({ what: z.literal('rewind'), entryId: z.string() })

export const McpChange = z.discriminatedUnion('what', [OwnServerChange, ServerChange, McpUndo])
export type McpChange = z.infer<typeof McpChange>

const McpHistoryEntry = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  isUndone: z.boolean(),
  changes: z.array(
    z.strictObject({
      toolId: z.string(),
      toolName: z.string(),
      /** Name of the MCP server. Absent for a change of the status line. */
      server: z.string().optional(),
      kind: z.enum(['write', 'restore', 'rewind']),
    }),
  ),
})
export type McpHistoryEntry = z.infer<typeof McpHistoryEntry>

/** An MCP tool of our server, as announced to clients. */
const McpOfferView = z.strictObject({
  name: McpToolName,
  isReadOnly: z.boolean(),
  /** JSON schema of its input, as text. */
  schema: z.string(),
})

export const mcp = {
  'mcp.tools': method(z.array(McpToolView)),
  /** Previews a change. `left`: tools that can't be changed. Fails with `tool.*`, `input.*`, `history.*`, `file.*`. */
  'mcp.preview': method(BulkPreview, McpChange),
  /** Renders the status line of a tool with a template. */
  'mcp.statusLine': method(z.string(), { toolId: z.string(), template: StatusLineTemplate }),
  /** Changes of MCP servers and status lines, newest first. */
  'mcp.history': method(z.array(McpHistoryEntry)),
  /** Previews the removal of all entries that this app added, except those that others changed since. */
  'mcp.previewRemoveAll': method(z.array(PreviewView)),
  /**
   * Applies a preview. The user confirms new commands for other tools in a native dialog. Fails with `file.changed`
   * when a file changed since the preview, and with `input.declined`.
   */
  'mcp.carryOut': method(z.array(McpToolView), { previewId: z.string() }),
  /** Allows or forbids a kind of MCP calls. Allowing needs native confirmation. Fails with `input.declined`. */
  'mcp.setPermission': method(z.array(McpToolView), {
    toolId: z.string(),
    permission: McpPermission,
    isOn: z.boolean(),
  }),
  /** Calls of this app's MCP server, newest first. */
  'mcp.calls': method(z.array(McpCallView)),
  /** Whether the arguments of calls are stored with them. */
  'mcp.recordsArguments': method(z.boolean()),
  /**
   * Switches the recording of arguments on or off. Needs confirmation in a native dialog, because it makes prompts of
   * other tools readable in this app. Switching off deletes the records. Fails with `input.declined`.
   */
  'mcp.setRecordsArguments': method(z.boolean(), { isOn: z.boolean() }),
  'mcp.offers': method(z.array(McpOfferView)),
  /** Calls this app's MCP server like a client, with write and paid tools disabled. `callId` allows canceling. */
  'mcp.tryOut': method(z.strictObject({ isError: z.boolean(), text: z.string() }), {
    callId: z.string().max(64),
    name: McpToolName,
    input: z.string().max(20_000),
  }),
}
