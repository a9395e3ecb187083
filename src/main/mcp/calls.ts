import type { CallToolResult, McpServer, ServerContext, StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { McpCallView, McpPermission, McpToolName, MethodOutput } from '@shared/contract'
import { AppError } from '@shared/failure'
import { withoutHiddenInText } from '@shared/hidden-characters'
import { z } from 'zod'
import { withAbort } from '../core/net/deadline'
import type { Log } from '../core/ports'
import { redact } from '../core/secret'
import { limitConcurrency } from '../core/work-queue'
import type { McpServices } from './services'

export interface CallContext {
  readonly services: McpServices
  readonly toolId: string | undefined
  readonly signal: AbortSignal
  /** Sends progress to a client that requested it. */
  readonly progress: (doneCount: number, message: string) => void
}

interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: McpToolName
  readonly title: string
  readonly description: string
  readonly input: I
  readonly output: O
  /** Permission that the coding tool needs, for calls that do more than read. */
  readonly permission?: McpPermission
  /** Whether the call accesses other systems and not only data of this computer. */
  readonly isOpenWorld?: boolean
  /** Whether the result contains texts of a person or model. They are not masked: key-like text there is no secret. */
  readonly isForeignText?: boolean
  run(input: z.output<I>, context: CallContext): Promise<z.input<O>>
  /** Formats the result as text. Default: JSON. */
  text?(output: z.output<O>): string
}

type McpTool = {
  readonly name: string
  readonly permission: McpPermission | undefined
  readonly register: (server: McpServer, calls: Calls) => void
  readonly offer: () => MethodOutput<'mcp.offers'>[number]
}

/** Validates input and output by their schemas. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: ToolDefinition<I, O>): McpTool {
  const { name, title, description, input, output, permission, isOpenWorld = false } = tool
  const isReadOnly = permission === undefined
  const annotations = {
    title,
    readOnlyHint: isReadOnly,
    destructiveHint: false,
    idempotentHint: isReadOnly,
    openWorldHint: isOpenWorld,
  }
  const schemas: Record<'inputSchema' | 'outputSchema', StandardSchemaWithJSON> = {
    inputSchema: input,
    outputSchema: output,
  }
  const runTool = async (callArguments: unknown, context: CallContext): Promise<CallToolResult> => {
    const result = output.parse(await tool.run(input.parse(callArguments), context))
    return toCallResult(result, tool.text?.(result), tool.isForeignText === true)
  }
  return {
    name,
    permission,
    offer: () => ({
      name,
      isReadOnly,
      schema: JSON.stringify(z.toJSONSchema(input, { io: 'input' }), null, 2),
    }),
    register: (server, calls) =>
      server.registerTool(name, { title, description, ...schemas, annotations }, (callArguments, context) =>
        calls.run({ name, permission, given: callArguments, work: (item) => runTool(callArguments, item) }, context),
      ),
  }
}

/** Maximum characters of a result. */
const maxResultLength = 400_000

/** Formats a value as JSON for a model, without invisible characters. */
export const toCleanJson = (value: unknown): string =>
  JSON.stringify(value, (_key, nestedValue: unknown) => {
    if (typeof nestedValue === 'string') return withoutHiddenInText(nestedValue)
    if (typeof nestedValue !== 'object' || nestedValue === null || Array.isArray(nestedValue)) return nestedValue
    return Object.fromEntries(Object.entries(nestedValue).map(([name, item]) => [withoutHiddenInText(name), item]))
  })

function toCallResult(result: unknown, rawWords: string | undefined, isForeignText: boolean): CallToolResult {
  const json = toCleanJson(result)
  const message = rawWords === undefined ? undefined : withoutHiddenInText(rawWords)
  if (json.length > maxResultLength) {
    const message = `The result has ${json.length} characters, more than ${maxResultLength}. Ask for less: a smaller limit or a shorter period.`
    throw new AppError('input.invalid', message)
  }
  const resultText = isForeignText ? json : redact(json)
  const text = isForeignText || message === undefined ? (message ?? resultText) : redact(message)
  return {
    content: [{ type: 'text', text }],
    structuredContent: z.record(z.string(), z.unknown()).parse(JSON.parse(resultText)),
  }
}

/** Maximum number of concurrent calls. Further calls wait. */
const maxConcurrent = 8
/** Maximum number of running and waiting calls. Further calls are refused, to bound memory. */
const maxCalls = 128

interface Call {
  readonly name: string
  readonly permission: McpPermission | undefined
  readonly given: unknown
  readonly work: (context: CallContext) => Promise<CallToolResult>
}

/** Runs calls with permission check, queue, timeout and logging. */
export class Calls {
  readonly #turn = limitConcurrency(maxConcurrent)
  #count = 0

  constructor(
    private readonly deps: {
      readonly services: McpServices
      readonly toolId: string | undefined
      readonly log: Log
    },
  ) {}

  /** Runs a call. Never rejects: a failure is a result with its cause and fix. */
  async run(call: Call, request: ServerContext): Promise<CallToolResult> {
    const { services, toolId, log } = this.deps
    const startTime = new Date()
    const { signal } = request.mcpReq
    let outcome: McpCallView['outcome'] = 'ok'
    this.#count += 1
    try {
      if (this.#count > maxCalls)
        throw new AppError('input.invalid', `More than ${maxCalls} concurrent calls. Try again.`)
      requirePermission(call, services.permissions(toolId), toolId)
      const context = { services, toolId, signal, progress: createProgressSender(request) }
      // Stop waiting when the client is gone.
      return await withAbort(
        this.#turn(async () => {
          signal.throwIfAborted()
          return call.work(context)
        }),
        signal,
      )
    } catch (error) {
      outcome = signal.aborted ? 'cancelled' : error instanceof PermissionMissing ? 'refused' : 'failed'
      const failure = signal.aborted ? new AppError('net.cancelled', 'The call was cancelled.') : error
      const text = redact(withoutHiddenInText(toFailureText(failure, log)))
      return { content: [{ type: 'text', text }], isError: true }
    } finally {
      this.#count -= 1
      const durationMs = Math.max(0, Date.now() - startTime.getTime())
      const callRecord = {
        at: startTime.toISOString(),
        ...(toolId ? { toolId } : {}),
        name: call.name,
        durationMs,
        outcome,
      }
      services.note(callRecord, call.given)
    }
  }
}

class PermissionMissing extends AppError {}

function requirePermission(
  { name, permission }: Call,
  grantedPermissions: readonly McpPermission[],
  toolId: string | undefined,
) {
  if (permission === undefined || grantedPermissions.includes(permission)) return
  const permissionEffect = permission === 'ask_model' ? 'it uses quota of a plan' : 'it writes to a memory'
  const remedy =
    toolId === undefined
      ? 'The server was started without --tool, so nothing can be switched on for it. Add it with "companion mcp add TOOL"'
      : `Ask the user to switch it on in Platform Companion (Tools, MCP servers) or with "companion mcp allow ${toolId} ${permission}"`
  throw new PermissionMissing('input.declined', `${name} is switched off, because ${permissionEffect}. ${remedy}.`)
}

function toFailureText(error: unknown, log: Log): string {
  if (!(error instanceof AppError)) {
    log.error('mcp.call', error)
    return 'Something failed unexpectedly. See the log of the app.'
  }
  const { code, message, requestId, retryAfterMs } = error.failure
  const retry = retryAfterMs === undefined ? '' : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  return `${message}${retry} (${code}${requestId === undefined ? '' : `, request ${requestId}`})`
}

function createProgressSender({ mcpReq: { _meta, notify } }: ServerContext): CallContext['progress'] {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => undefined
  // Ignore a failed progress message to a disconnected client.
  return (progress, message) =>
    void notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message: withoutHiddenInText(message) },
    }).catch(() => undefined)
}

export const Page = {
  cursor: z.string().max(100).optional().describe('The "nextCursor" of the page before.'),
  limit: z.number().int().min(1).max(200).default(50),
}

/** A page from the cursor's position. Fails with `input.invalid` for an invalid cursor. */
export function slicePage<T>(
  allItems: readonly T[],
  cursor: string | undefined,
  limit: number,
): { readonly items: T[]; readonly nextCursor: string | undefined } {
  const offset = readCursor(cursor)
  const end = offset + limit
  return { items: allItems.slice(offset, end), nextCursor: end < allItems.length ? encodeCursor(end) : undefined }
}

/** Parses a page cursor to an offset. Fails with `input.invalid`. */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const [, offset] = /^from:(\d{1,7})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  if (offset !== undefined) return Number(offset)
  throw new AppError('input.invalid', 'This cursor is not from this server. Start without a cursor.', {
    field: 'cursor',
  })
}

export const encodeCursor = (offset: number): string => Buffer.from(`from:${offset}`).toString('base64url')
