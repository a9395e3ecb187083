import { z } from 'zod'

/** What the MCP server does beside reading: `ask_model` costs quota, `memory_remember` writes. Off for a tool until it is switched on. */
export const McpPermission = z.enum(['ask_model', 'memory_remember'])
export type McpPermission = z.infer<typeof McpPermission>

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
