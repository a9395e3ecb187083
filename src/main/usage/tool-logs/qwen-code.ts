import { z } from 'zod'
import { joinPath } from '../../tools/environment'
import { Count, Id, IsoTime, type LineLog, Model, withoutCache } from './tool-log'

const Line = z.object({
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
export const qwenCodeLog: LineLog = {
  kind: 'lines',
  toolId: 'qwen-code',
  folder: (env) => joinPath(env, env.vars.QWEN_HOME || joinPath(env, env.home, '.qwen'), 'usage'),
  isLog: (path) => /^token-usage-\d{4}-\d{2}\.jsonl$/.test(path),
  mark: '"model"',
  read(line) {
    const parsed = Line.safeParse(line).data
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
