import { z } from 'zod'
import { joinPath } from '../../tools/environment'
import { Count, Id, type LineLog, Model, MsTime } from './tool-log'

const Line = z.object({
  id: Id,
  message: z.object({
    timestamp: MsTime,
    model: Model,
    responseId: Id.optional(),
    stopReason: z.string().optional(),
    usage: z.object({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count }),
  }),
})
const Kind = z.object({ type: z.literal('message'), message: z.object({ role: z.literal('assistant') }) })

/** pi's sessions. A session that branches off copies the lines before; their ids and times stay. */
export const piLog: LineLog = {
  kind: 'lines',
  toolId: 'pi',
  folder: (env) => joinPath(env, env.vars.PI_CODING_AGENT_DIR || joinPath(env, env.home, '.pi', 'agent'), 'sessions'),
  isLog: (path) => path.endsWith('.jsonl'),
  mark: '"assistant"',
  read(line) {
    if (!Kind.safeParse(line).success) return []
    const parsed = Line.safeParse(line).data
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
