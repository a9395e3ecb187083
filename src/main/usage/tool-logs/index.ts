import { createHash } from 'node:crypto'
import { ModelCode } from '@shared/contract/common'
import { minuteMs } from '@shared/durations'
import { z } from 'zod'
import { absolutePath, joinPath, type ToolEnvironment } from '../../core/environment'
import { toProjectId } from '../project'
import type {
  FileLog,
  LastResponse,
  LineLog,
  LineReaderState,
  LogReading,
  ParsedRow,
  ResponseUsage,
  RowLog,
  ToolLog,
} from './tool-log'

/** A token count. Invalid counts are treated as missing. */
const Count = z.number().nonnegative().transform(Math.round).optional().catch(undefined)

/** Whether a usage object contains any known count. If not, the tool has changed its format. */
function hasCounts(usage: Readonly<Record<string, unknown>>): boolean {
  return Object.values(usage).some((count) =>
    typeof count === 'object' && count !== null ? hasCounts({ ...count }) : count !== undefined,
  )
}

const Id = z.string().min(1).max(200)

const IsoTime = z
  .string()
  .transform((text) => Date.parse(text))
  .pipe(z.number())

const MillisecondTimestamp = z.number().positive().transform(Math.floor)

/** Tools write an empty text or null if the gateway sent no id. */
const OptionalId = z
  .string()
  .max(200)
  .nullish()
  .catch(undefined)
  .transform((id) => id ?? '')

/** Id of a project folder. Undefined for an invalid one, because the project is optional. */
const ProjectFolder = z
  .string()
  .max(4096)
  .optional()
  .catch(undefined)
  .transform((folder) => folder && toProjectId(folder))

const ClaudeLine = z.object({
  type: z.literal('assistant'),
  timestamp: IsoTime,
  requestId: OptionalId,
  sessionId: OptionalId,
  uuid: OptionalId,
  parentUuid: OptionalId,
  cwd: z.string().max(4096).optional().catch(undefined),
  message: z.object({
    id: OptionalId,
    model: ModelCode,
    usage: z
      .object({
        input_tokens: Count,
        output_tokens: Count,
        cache_read_input_tokens: Count,
        cache_creation_input_tokens: Count,
      })
      .refine(hasCounts),
  }),
})
const ClaudeKind = z.object({
  type: z.string(),
  isApiErrorMessage: z.unknown().optional(),
  message: z.object({ model: z.unknown().optional() }).optional().catch(undefined),
})

/** Model name of messages that Claude Code generates without a model, such as errors. */
const syntheticModel = '<synthetic>'

/** Maximum time in ms between two lines that belong to the same response. */
const maxResponseMs = 5 * minuteMs

/**
 * Claude Code sessions. A response has one line per part, and a resumed session copies lines with the same message and
 * request ids. Some gateways send no ids, or always the same ones.
 */
const claudeCodeLog: LineLog = {
  kind: 'lines',
  toolId: 'claude-code',
  folder: (env) => joinPath(env, env.vars.CLAUDE_CONFIG_DIR || joinPath(env, env.home, '.claude'), 'projects'),
  isLog: (path) => path.endsWith('.jsonl'),
  mark: '"assistant"',
  read(line, memory) {
    const kind = ClaudeKind.safeParse(line).data
    if (kind?.type !== 'assistant' || kind.isApiErrorMessage === true) return []
    if (kind.message?.model === syntheticModel) return []
    const parsedLine = ClaudeLine.safeParse(line).data
    if (!parsedLine) return undefined
    const { timestamp: at, message } = parsedLine
    const { model: modelCode, usage } = message
    return [
      {
        ...identifyClaudeLine(parsedLine, memory),
        at,
        modelCode,
        projectId: parsedLine.cwd && toProjectId(findClaudeProject(parsedLine.cwd, memory.folderName)),
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        cacheReadTokens: usage.cache_read_input_tokens,
        cacheWriteTokens: usage.cache_creation_input_tokens,
      },
    ]
  },
}

/**
 * Project folder of a session. The working directory of a line may be a subfolder of it. The session's log folder is
 * named after the project folder, with a hyphen for each special character.
 */
function findClaudeProject(workingDirectory: string, logFolderName: string): string {
  const length = logFolderName.length
  const isProjectFolder =
    /^[\\/]?$/.test(workingDirectory.slice(length, length + 1)) &&
    workingDirectory.slice(0, length).replaceAll(/[^a-z\d]/gi, '-') === logFolderName
  return isProjectFolder ? workingDirectory.slice(0, length) : workingDirectory
}

/** Identifies the response of a line. An id that recurs with another request or prompt is shared by several. */
function identifyClaudeLine(line: z.infer<typeof ClaudeLine>, memory: LineReaderState) {
  const { timestamp: at, requestId, uuid, message } = line
  const { id: messageId, usage } = message
  const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage
  const promptTokens = input_tokens + cache_read_input_tokens + cache_creation_input_tokens
  const response = { messageId, requestId, uuid, at, promptTokens }
  const { last, reusedIds } = memory
  const continuesResponse = last !== undefined && isSameResponse(last, response, line.parentUuid)
  if (last !== undefined && !continuesResponse && isReused(last, response)) {
    reusedIds.add(messageId)
    if (last.requestId === requestId) reusedIds.add(requestId)
  }
  const isUnique = messageId !== '' && !reusedIds.has(messageId)
  const hasOwnRequest = requestId !== '' && !reusedIds.has(requestId)
  const ids = [messageId, requestId].filter((id) => id !== '')
  const responseIds = hasOwnRequest || isUnique ? ids : [...ids, line.sessionId, at, promptTokens]
  const id = continuesResponse ? last.id : responseIds.join(':')
  memory.last = { id, ...response }
  return { id, ...(isUnique ? { answerId: messageId } : { isDistinct: true }) }
}

type LoggedResponse = Omit<LastResponse, 'id'>

function isSameResponse(last: LoggedResponse, next: LoggedResponse, parentUuid: string): boolean {
  if (last.messageId !== next.messageId || last.requestId !== next.requestId) return false
  if (last.uuid !== '' && last.uuid === parentUuid) return true
  if (next.requestId === '') return next.messageId !== '' && isNearInTime(last, next)
  // The first lines of a response may not count its prompt yet.
  return last.promptTokens === next.promptTokens || last.promptTokens === 0 || next.promptTokens === 0
}

const isReused = (last: LoggedResponse, next: LoggedResponse): boolean =>
  next.messageId !== '' &&
  last.messageId === next.messageId &&
  ((next.requestId !== '' && last.requestId !== '') || !isNearInTime(last, next))

const isNearInTime = (last: LoggedResponse, next: LoggedResponse): boolean =>
  Math.abs(next.at - last.at) <= maxResponseMs && last.promptTokens === next.promptTokens

const OpenCodeTokens = z
  .object({
    total: Count,
    input: Count,
    output: Count,
    reasoning: Count,
    cache: z.object({ read: Count, write: Count }),
  })
  .refine(hasCounts)
const OpenCodeTime = z.object({
  created: MillisecondTimestamp,
  completed: MillisecondTimestamp.optional().catch(undefined),
})
/** Working directory, and the root of its Git repository or `/`. */
const OpenCodePath = z
  .object({ cwd: ProjectFolder, root: ProjectFolder })
  .optional()
  .catch(undefined)
  .transform((path) => path?.root ?? path?.cwd)
const OpenCodeMessage = z
  .object({
    role: z.literal('assistant'),
    modelID: ModelCode,
    time: OpenCodeTime,
    tokens: OpenCodeTokens,
    path: OpenCodePath,
  })
  .transform(({ time, tokens, modelID: modelCode, path: projectId }) => ({ time, tokens, modelCode, projectId }))
const OpenCode2Message = z
  .object({ model: z.object({ id: ModelCode }), time: OpenCodeTime, tokens: OpenCodeTokens })
  .transform(({ time, tokens, model }) => ({ time, tokens, modelCode: model.id, projectId: undefined }))
const OpenCodeKind = z.object({ role: z.string() })

/** OpenCode's database, with one row per response. It does not contain the requests that generate session titles. */
function createOpenCodeLog(toolId: string): RowLog {
  // `~/.local/share` or XDG_DATA_HOME, on every platform.
  const folder = (env: ToolEnvironment): string =>
    joinPath(env, absolutePath(env, env.vars.XDG_DATA_HOME) ?? joinPath(env, env.home, '.local', 'share'), toolId)
  return {
    kind: 'rows',
    toolId,
    folder,
    // Whether a file is a database of the tool. Release channels use separate files, such as `opencode-beta.db`.
    isDatabase: (file) => file.startsWith(toolId) && /^(-[\w.-]+)?\.db$/.test(file.slice(toolId.length)),
    otherDatabase(env) {
      const path = env.vars[`${toolId.toUpperCase()}_DB`]
      return path === undefined || path === '' || path === ':memory:'
        ? undefined
        : (absolutePath(env, path) ?? joinPath(env, folder(env), path))
    },
    olderFolder: 'storage/message',
    tables: [
      {
        name: 'message',
        read(id, data) {
          const kind = OpenCodeKind.safeParse(data).data
          if (kind && kind.role !== 'assistant') return { reading: [] }
          return openCodeResponse(id, OpenCodeMessage.safeParse(data).data)
        },
      },
      {
        name: 'session_message',
        where: "type = 'assistant'",
        read: (id, data) => openCodeResponse(id, OpenCode2Message.safeParse(data).data),
      },
    ],
  }
}

function openCodeResponse(id: string, message: z.infer<typeof OpenCodeMessage> | undefined): ParsedRow {
  if (!message) return { reading: undefined }
  const { modelCode, time, tokens, projectId } = message
  const { total, input, output = 0, reasoning = 0, cache } = tokens
  const prompt = (input ?? 0) + (cache.read ?? 0) + (cache.write ?? 0)
  // Input and output exclude cached tokens. Reasoning is separate from output, as the total shows.
  const outputTokens = total === undefined ? output + reasoning : Math.max(output, total - prompt)
  const counts = { inputTokens: input, outputTokens, cacheReadTokens: cache.read, cacheWriteTokens: cache.write }
  const isEmpty = !Object.values(counts).some((count) => count)
  const { created: at, completed } = time
  const durationMs = completed === undefined ? undefined : Math.max(0, completed - at)
  const answer = { id, at, modelCode, projectId, ...counts, durationMs }
  return { reading: isEmpty ? [] : [answer], openSince: completed === undefined ? at : undefined }
}

const QwenLine = z
  .object({
    id: Id,
    timestamp: IsoTime,
    model: ModelCode,
    inputTokens: Count,
    outputTokens: Count,
    cachedTokens: Count,
    totalTokens: Count,
    apiDurationMs: Count,
  })
  .refine(({ inputTokens, outputTokens, totalTokens }) => hasCounts({ inputTokens, outputTokens, totalTokens }))

/** Qwen Code's log, with one line per completed request. */
const qwenCodeLog: LineLog = {
  kind: 'lines',
  toolId: 'qwen-code',
  folder: (env) => joinPath(env, env.vars.QWEN_HOME || joinPath(env, env.home, '.qwen'), 'usage'),
  isLog: (path) => /^token-usage-\d{4}-\d{2}\.jsonl$/.test(path),
  mark: '"model"',
  read(line) {
    const parsedLine = QwenLine.safeParse(line).data
    if (!parsedLine) return undefined
    const { id, timestamp, model: modelCode, inputTokens, cachedTokens, apiDurationMs } = parsedLine
    const { outputTokens = 0, totalTokens = 0 } = parsedLine
    return [
      {
        id,
        at: timestamp - (apiDurationMs ?? 0),
        modelCode,
        inputTokens: subtractCachedTokens(inputTokens, cachedTokens),
        // The total includes reasoning tokens, but not every provider includes them in the output tokens.
        outputTokens: Math.max(outputTokens, totalTokens - (inputTokens ?? 0)),
        cacheReadTokens: cachedTokens,
        durationMs: apiDurationMs,
      },
    ]
  },
}

const ContinueUsage = z.object({
  model: ModelCode,
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: z.object({ cached_tokens: Count }).optional().catch(undefined),
})
const ContinueTurn = z.object({
  message: z.object({
    usage: ContinueUsage.refine(({ prompt_tokens, completion_tokens }) =>
      hasCounts({ prompt_tokens, completion_tokens }),
    ),
  }),
})
const AssistantTurn = z.object({ message: z.object({ role: z.literal('assistant') }) })
const ContinueSession = z.object({ sessionId: Id, workspaceDirectory: ProjectFolder, history: z.array(z.unknown()) })

/** Continue's sessions. Responses have no id or time, so they are identified by position and token counts. */
const continueLog: FileLog = {
  kind: 'files',
  toolId: 'continue',
  folder: (env) => joinPath(env, env.vars.CONTINUE_GLOBAL_DIR || joinPath(env, env.home, '.continue'), 'sessions'),
  isLog: (path) => /^[^/]+\.json$/.test(path) && path !== 'sessions.json',
  read(content) {
    const session = ContinueSession.safeParse(content).data
    const conversation = createHash('sha256')
    const responses = session?.history.flatMap((turn, turnIndex): ResponseUsage[] => {
      conversation.update(JSON.stringify(turn) ?? '')
      const usage = ContinueTurn.safeParse(turn).data?.message.usage
      if (!usage) return []
      const { model: modelCode, prompt_tokens: prompt, completion_tokens: outputTokens } = usage
      const cachedTokenCount = usage.prompt_tokens_details?.cached_tokens
      const id = [session.sessionId, turnIndex, prompt, outputTokens].join(':')
      const digest = conversation.copy().digest('base64url').slice(0, 16)
      const tokens = {
        inputTokens: subtractCachedTokens(prompt, cachedTokenCount),
        outputTokens,
        cacheReadTokens: cachedTokenCount,
      }
      return [{ id, modelCode, projectId: session.workspaceDirectory, digest, ...tokens }]
    })
    return checkReading(responses, session?.history, (turn) => AssistantTurn.safeParse(turn).success)
  },
}

/** The responses of a session. Undefined if none of them could be parsed. */
const checkReading = (
  responses: ResponseUsage[] | undefined,
  turns: readonly unknown[] | undefined,
  isResponse: (turn: unknown) => boolean,
): LogReading => (responses?.length === 0 && turns?.some(isResponse) ? undefined : responses)

const ClineResponse = z.object({
  id: Id,
  ts: MillisecondTimestamp,
  modelInfo: z.object({ id: ModelCode }),
  metrics: z
    .object({ inputTokens: Count, outputTokens: Count, cacheReadTokens: Count, cacheWriteTokens: Count })
    .refine(hasCounts),
})
const ClineAssistantMessage = z.object({ role: z.literal('assistant') })
const ClineProject = z.object({ cwd: ProjectFolder })
const ClineSession = z.object({ sessionId: Id, messages: z.array(z.unknown()) })

/** Cline's sessions. Reads the message files, because they have usage per response instead of a sum. */
const clineLog: FileLog = {
  kind: 'files',
  toolId: 'cline',
  folder(env) {
    const home = env.vars.CLINE_DIR || joinPath(env, env.home, '.cline')
    return joinPath(env, env.vars.CLINE_DATA_DIR || joinPath(env, home, 'data'), 'sessions')
  },
  isLog: (path) => path.endsWith('.messages.json'),
  projectFile: {
    toPath: (path) => path.replace(/\.messages\.json$/, '.json'),
    read: (content) => ClineProject.safeParse(content).data?.cwd,
  },
  read(content) {
    const session = ClineSession.safeParse(content).data
    const responses = session?.messages.flatMap((message): ResponseUsage[] => {
      const answer = ClineResponse.safeParse(message).data
      if (!answer) return []
      const { ts: at, modelInfo, metrics } = answer
      const { inputTokens, cacheReadTokens, cacheWriteTokens } = metrics
      return [
        {
          ...metrics,
          id: `${session.sessionId}:${answer.id}`,
          at,
          modelCode: modelInfo.id,
          inputTokens: subtractCachedTokens(inputTokens, cacheReadTokens, cacheWriteTokens),
        },
      ]
    })
    return checkReading(responses, session?.messages, (message) => ClineAssistantMessage.safeParse(message).success)
  },
}

const PiLine = z.object({
  id: Id,
  message: z.object({
    timestamp: MillisecondTimestamp,
    model: ModelCode,
    responseId: Id.optional(),
    stopReason: z.string().optional(),
    usage: z.object({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count }).refine(hasCounts),
  }),
})
const PiHeader = z.object({ type: z.literal('session'), cwd: ProjectFolder })
const PiKind = z.object({ type: z.literal('message'), message: z.object({ role: z.literal('assistant') }) })

/** pi's sessions. A branched session copies earlier lines with their ids and times. */
const piLog: LineLog = {
  kind: 'lines',
  toolId: 'pi',
  folder: (env) => joinPath(env, env.vars.PI_CODING_AGENT_DIR || joinPath(env, env.home, '.pi', 'agent'), 'sessions'),
  isLog: (path) => path.endsWith('.jsonl'),
  mark: '"assistant"',
  readProject: (firstLine) => PiHeader.safeParse(firstLine).data?.cwd,
  read(line, { projectId }) {
    if (!PiKind.safeParse(line).success) return []
    const parsedLine = PiLine.safeParse(line).data
    if (!parsedLine) return undefined
    const { timestamp: at, model: modelCode, responseId, stopReason, usage } = parsedLine.message
    const { input, output, cacheRead, cacheWrite } = usage
    // Skip failed requests. They have no token counts.
    if (!input && !output && !cacheRead && !cacheWrite) return []
    return [
      {
        id: `${parsedLine.id}:${at}`,
        at,
        modelCode,
        projectId,
        inputTokens: input,
        outputTokens: output,
        cacheReadTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
        answerId: responseId,
        error: stopReason === 'aborted' ? 'aborted' : undefined,
      },
    ]
  },
}

const DroidSession = z.object({
  model: ModelCode,
  providerLockTimestamp: IsoTime.optional(),
  tokenUsage: z
    .object({ inputTokens: Count, outputTokens: Count, cacheCreationTokens: Count, cacheReadTokens: Count })
    .refine(hasCounts),
})
const DroidStartedSession = z.object({
  model: z.unknown(),
  tokenUsage: z.undefined().optional(),
  providerLockTimestamp: z.undefined().optional(),
})

/** Droid's sessions, with totals only. */
const droidLog: FileLog = {
  kind: 'files',
  toolId: 'droid',
  folder: (env) => joinPath(env, env.vars.FACTORY_HOME_OVERRIDE || env.home, '.factory', 'sessions'),
  isLog: (path) => path.endsWith('.settings.json'),
  isTotals: true,
  read(content, path) {
    const session = DroidSession.safeParse(content).data
    // Return no responses for a new session, which has no usage yet.
    if (!session) return DroidStartedSession.safeParse(content).success ? [] : undefined
    const { model, providerLockTimestamp: at, tokenUsage } = session
    const { cacheCreationTokens, ...tokens } = tokenUsage
    return [
      {
        id: path.slice(path.lastIndexOf('/') + 1).replace(/\.settings\.json$/, ''),
        at,
        // A custom model's name in the log is `custom:NAME`. Names that this app wrote start with the provider.
        modelCode: model.replace(/^custom:/, '').replace(/^platform-companion\//, ''),
        ...tokens,
        cacheWriteTokens: cacheCreationTokens,
      },
    ]
  },
}

/** All supported logs in display order. */
export const toolLogs: readonly ToolLog[] = [
  claudeCodeLog,
  createOpenCodeLog('opencode'),
  // Kilo is a fork of OpenCode.
  createOpenCodeLog('kilo'),
  qwenCodeLog,
  continueLog,
  clineLog,
  piLog,
  droidLog,
]

/** Number of input tokens that were not cached, from a count that includes cached tokens. */
function subtractCachedTokens(
  prompt: number | undefined,
  ...cached: readonly (number | undefined)[]
): number | undefined {
  if (prompt === undefined) return undefined
  const cachedTokenSum = cached.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  return Math.max(0, prompt - cachedTokenSum)
}
