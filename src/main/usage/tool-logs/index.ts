import { ModelCode } from '@shared/contract/common'
import { z } from 'zod'
import { joinPath, type ToolEnvironment } from '../../tools/environment'
import { absolute } from '../../tools/targets/shared'
import type { FileLog, LineLog, RowLog, ToldAnswer, ToldTokens, ToolLog } from './tool-log'

/** A count as tools write it; what is none is as good as absent. */
const Count = z.number().nonnegative().transform(Math.round).optional().catch(undefined)

/** An id or a code. */
const Id = z.string().min(1).max(200)

/** The model that answered. */
const Model = ModelCode

/** A time in ISO 8601 as ms. */
const IsoTime = z.string().transform((text, context) => {
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return ms
  context.addIssue({ code: 'custom', message: 'no time' })
  return z.NEVER
})

/** A time in ms since 1970. */
const MsTime = z.number().int().positive()

const ClaudeLine = z.object({
  type: z.literal('assistant'),
  timestamp: IsoTime,
  requestId: Id.optional(),
  message: z.object({
    id: Id,
    model: Model,
    usage: z.object({
      input_tokens: Count,
      output_tokens: Count,
      cache_read_input_tokens: Count,
      cache_creation_input_tokens: Count,
    }),
  }),
})
const ClaudeKind = z.object({ type: z.string(), message: z.object({ model: z.string() }).optional() })

/** What it says itself in an answer's place, such as a failure. */
const syntheticModel = '<synthetic>'

/**
 * Claude Code's sessions. One answer has a line for each of its parts, and a resumed session copies lines: all of them have
 * the ids of message and request.
 */
const claudeCodeLog: LineLog = {
  kind: 'lines',
  toolId: 'claude-code',
  folder: (env) => joinPath(env, env.vars.CLAUDE_CONFIG_DIR || joinPath(env, env.home, '.claude'), 'projects'),
  isLog: (path) => path.endsWith('.jsonl'),
  mark: '"assistant"',
  read(line) {
    const kind = ClaudeKind.safeParse(line).data
    if (kind?.type !== 'assistant' || kind.message?.model === syntheticModel) return []
    const parsed = ClaudeLine.safeParse(line).data
    if (!parsed) return undefined
    const { timestamp: at, requestId, message } = parsed
    const { id, model: modelCode, usage } = message
    return [
      {
        id: requestId === undefined ? id : `${id}:${requestId}`,
        at,
        modelCode,
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        cacheReadTokens: usage.cache_read_input_tokens,
        cacheWriteTokens: usage.cache_creation_input_tokens,
        answerId: id,
      },
    ]
  },
}

const OpenCodeTokens = z.object({
  total: Count,
  input: Count,
  output: Count,
  reasoning: Count,
  cache: z.object({ read: Count, write: Count }),
})
const OpenCodeMessage = z.object({
  role: z.literal('assistant'),
  modelID: Model,
  providerID: Id.optional(),
  time: z.object({ created: MsTime, completed: MsTime.optional() }),
  tokens: OpenCodeTokens,
})
const OpenCodeKind = z.object({ role: z.string() })

/** OpenCode's database, a row for each answer. What it asks for a session's title is not in it. */
const openCodeLog: RowLog = openCodeLike('opencode', 'opencode')

/** Kilo is a fork of OpenCode. */
const kiloLog: RowLog = openCodeLike('kilo', 'kilo')

function openCodeLike(toolId: string, name: string): RowLog {
  return {
    kind: 'rows',
    toolId,
    folder: (env) => joinPath(env, openCodeFolder(env), name),
    file: `${name}.db`,
    query: 'select id, data from message where id >= ?1 order by id limit ?2',
    read(id, data) {
      if (OpenCodeKind.safeParse(data).data?.role !== 'assistant') return { reading: [] }
      const parsed = OpenCodeMessage.safeParse(data).data
      if (!parsed) return { reading: undefined }
      const { modelID: modelCode, time, tokens } = parsed
      const told = openCodeTokens(tokens)
      const isNothing = !Object.values(told).some((count) => count)
      const answer = { id, at: time.created, modelCode, ...told, durationMs: openCodeDuration(time) }
      const openSince = time.completed === undefined ? time.created : undefined
      return { reading: isNothing ? [] : [answer], openSince }
    },
  }
}

/** `~/.local/share` or what stands in for it, on every platform. */
function openCodeFolder(env: ToolEnvironment): string {
  return absolute(env, env.vars.XDG_DATA_HOME) ?? joinPath(env, env.home, '.local', 'share')
}

const openCodeDuration = ({ created, completed }: { created: number; completed?: number | undefined }) =>
  completed === undefined ? undefined : Math.max(0, completed - created)

/** Its input and output are without the cache; reasoning is apart from the output, as the total shows. */
function openCodeTokens({ total, input, output, reasoning, cache }: z.infer<typeof OpenCodeTokens>): ToldTokens {
  const prompt = (input ?? 0) + (cache.read ?? 0) + (cache.write ?? 0)
  const generated = total === undefined ? (output ?? 0) + (reasoning ?? 0) : Math.max(output ?? 0, total - prompt)
  return { inputTokens: input, outputTokens: generated, cacheReadTokens: cache.read, cacheWriteTokens: cache.write }
}

const QwenLine = z.object({
  id: Id,
  timestamp: IsoTime,
  model: Model,
  inputTokens: Count,
  outputTokens: Count,
  cachedTokens: Count,
  totalTokens: Count,
  apiDurationMs: Count,
})

/** Qwen Code's own record, a line for each request; it is written when the answer has ended. */
const qwenCodeLog: LineLog = {
  kind: 'lines',
  toolId: 'qwen-code',
  folder: (env) => joinPath(env, env.vars.QWEN_HOME || joinPath(env, env.home, '.qwen'), 'usage'),
  isLog: (path) => /^token-usage-\d{4}-\d{2}\.jsonl$/.test(path),
  mark: '"model"',
  read(line) {
    const parsed = QwenLine.safeParse(line).data
    if (!parsed) return undefined
    const {
      id,
      timestamp,
      model: modelCode,
      inputTokens,
      outputTokens,
      cachedTokens,
      totalTokens,
      apiDurationMs,
    } = parsed
    return [
      {
        id,
        at: timestamp - (apiDurationMs ?? 0),
        modelCode,
        inputTokens: withoutCache(inputTokens, cachedTokens),
        // Thoughts are in the total, and in the output for some providers only.
        outputTokens: Math.max(outputTokens ?? 0, (totalTokens ?? 0) - (inputTokens ?? 0)),
        cacheReadTokens: cachedTokens,
        durationMs: apiDurationMs,
      },
    ]
  },
}

const ContinueUsage = z.object({
  model: Model,
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: z.object({ cached_tokens: Count }).optional().catch(undefined),
})
const ContinueTurn = z.object({ message: z.object({ usage: ContinueUsage }) })
const ContinueSession = z.object({ sessionId: Id, history: z.array(z.unknown()) })

/** Continue's sessions. No answer has an id or a time, so its place and its figures name it. */
const continueLog: FileLog = {
  kind: 'files',
  toolId: 'continue',
  folder: (env) => joinPath(env, env.vars.CONTINUE_GLOBAL_DIR || joinPath(env, env.home, '.continue'), 'sessions'),
  isLog: (path) => /^[^/]+\.json$/.test(path) && path !== 'sessions.json',
  read(content) {
    const session = ContinueSession.safeParse(content).data
    return session?.history.flatMap((turn, at): ToldAnswer[] => {
      const usage = ContinueTurn.safeParse(turn).data?.message.usage
      if (!usage) return []
      const { model: modelCode, prompt_tokens: prompt, completion_tokens: outputTokens } = usage
      const cached = usage.prompt_tokens_details?.cached_tokens
      const id = [session.sessionId, at, prompt, outputTokens].join(':')
      return [{ id, modelCode, inputTokens: withoutCache(prompt, cached), outputTokens, cacheReadTokens: cached }]
    })
  },
}

const ClineAnswer = z.object({
  id: Id,
  ts: MsTime,
  modelInfo: z.object({ id: Model }),
  metrics: z.object({ inputTokens: Count, outputTokens: Count, cacheReadTokens: Count, cacheWriteTokens: Count }),
})
const ClineSession = z.object({ sessionId: Id, messages: z.array(z.unknown()) })

/** Cline's sessions: the file beside each session's own, which tells the figures of every answer in place of their sum. */
const clineLog: FileLog = {
  kind: 'files',
  toolId: 'cline',
  folder: (env) => joinPath(env, env.vars.CLINE_DATA_DIR || joinPath(env, clineHome(env), 'data'), 'sessions'),
  isLog: (path) => path.endsWith('.messages.json'),
  read(content) {
    const session = ClineSession.safeParse(content).data
    return session?.messages.flatMap((message): ToldAnswer[] => {
      const answer = ClineAnswer.safeParse(message).data
      if (!answer) return []
      const { ts: at, modelInfo, metrics } = answer
      const { inputTokens, cacheReadTokens, cacheWriteTokens } = metrics
      return [
        {
          ...metrics,
          id: `${session.sessionId}:${answer.id}`,
          at,
          modelCode: modelInfo.id,
          inputTokens: withoutCache(inputTokens, cacheReadTokens, cacheWriteTokens),
        },
      ]
    })
  },
}

const clineHome = (env: ToolEnvironment): string => env.vars.CLINE_DIR || joinPath(env, env.home, '.cline')

const PiLine = z.object({
  id: Id,
  message: z.object({
    timestamp: MsTime,
    model: Model,
    responseId: Id.optional(),
    stopReason: z.string().optional(),
    usage: z.object({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count }),
  }),
})
const PiKind = z.object({ type: z.literal('message'), message: z.object({ role: z.literal('assistant') }) })

/** pi's sessions. A session that branches off copies the lines before; their ids and times stay. */
const piLog: LineLog = {
  kind: 'lines',
  toolId: 'pi',
  folder: (env) => joinPath(env, env.vars.PI_CODING_AGENT_DIR || joinPath(env, env.home, '.pi', 'agent'), 'sessions'),
  isLog: (path) => path.endsWith('.jsonl'),
  mark: '"assistant"',
  read(line) {
    if (!PiKind.safeParse(line).success) return []
    const parsed = PiLine.safeParse(line).data
    if (!parsed) return undefined
    const { timestamp: at, model: modelCode, responseId, stopReason, usage } = parsed.message
    const { input, output, cacheRead, cacheWrite } = usage
    // What failed has no figures, and why it did is in words alone.
    if (!input && !output && !cacheRead && !cacheWrite) return []
    return [
      {
        id: `${parsed.id}:${at}`,
        at,
        modelCode,
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
  model: Model,
  providerLockTimestamp: IsoTime.optional(),
  tokenUsage: z.object({
    inputTokens: Count,
    outputTokens: Count,
    cacheCreationTokens: Count,
    cacheReadTokens: Count,
  }),
})
const DroidBegun = z.object({ model: z.unknown() })

/** Droid's sessions: nothing but the sums of each. */
const droidLog: FileLog = {
  kind: 'files',
  toolId: 'droid',
  folder: (env) => joinPath(env, env.vars.FACTORY_HOME_OVERRIDE || env.home, '.factory', 'sessions'),
  isLog: (path) => path.endsWith('.settings.json'),
  isTotals: true,
  read(content, path) {
    const session = DroidSession.safeParse(content).data
    // Before the first answer there are no figures.
    if (!session) return DroidBegun.safeParse(content).success && !hasDroidTotals(content) ? [] : undefined
    const { model, providerLockTimestamp: at, tokenUsage } = session
    const { cacheCreationTokens, ...tokens } = tokenUsage
    return [
      {
        id: droidSessionId(path),
        at,
        modelCode: droidModelCode(model),
        ...tokens,
        cacheWriteTokens: cacheCreationTokens,
      },
    ]
  },
}

const hasDroidTotals = (content: unknown): boolean =>
  typeof content === 'object' && content !== null && 'tokenUsage' in content

const droidSessionId = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.settings\.json$/, '')

/** Models of one's own are called `custom:NAME`; NAME is the provider's and the code where this app wrote it. */
const droidModelCode = (model: string): string => model.replace(/^custom:/, '').replace(/^platform-companion\//, '')

/** Every log that can be read, in the order in which they are shown. */
export const toolLogs: readonly ToolLog[] = [
  claudeCodeLog,
  openCodeLog,
  kiloLog,
  qwenCodeLog,
  continueLog,
  clineLog,
  piLog,
  droidLog,
]

/** Prompt tokens without those that came from the cache, from a count that holds them. */
function withoutCache(prompt: number | undefined, ...cached: readonly (number | undefined)[]): number | undefined {
  if (prompt === undefined) return undefined
  const known = cached.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  return Math.max(0, prompt - known)
}
