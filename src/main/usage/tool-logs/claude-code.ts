import { z } from 'zod'
import { joinPath } from '../../tools/environment'
import { Count, Id, IsoTime, type LineLog, Model } from './tool-log'

const Line = z.object({
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
const Kind = z.object({ type: z.string(), message: z.object({ model: z.string() }).optional() })

/** What it says itself in an answer's place, such as a failure. */
const itself = '<synthetic>'

/**
 * Claude Code's sessions. One answer has a line for each of its parts, and a resumed session copies lines: all of them have
 * the ids of message and request.
 */
export const claudeCodeLog: LineLog = {
  kind: 'lines',
  toolId: 'claude-code',
  folder: (env) => joinPath(env, env.vars.CLAUDE_CONFIG_DIR || joinPath(env, env.home, '.claude'), 'projects'),
  isLog: (path) => path.endsWith('.jsonl'),
  mark: '"assistant"',
  read(line) {
    const kind = Kind.safeParse(line).data
    if (kind?.type !== 'assistant' || kind.message?.model === itself) return []
    const parsed = Line.safeParse(line).data
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
