import { z } from 'zod'
import { joinPath } from '../../tools/environment'
import { Count, type FileLog, Id, Model, type ToldAnswer, withoutCache } from './tool-log'

const Usage = z.object({
  model: Model,
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: z.object({ cached_tokens: Count }).optional().catch(undefined),
})
const Turn = z.object({ message: z.object({ usage: Usage }) })
const Session = z.object({ sessionId: Id, history: z.array(z.unknown()) })

/** Continue's sessions. No answer has an id or a time, so its place and its figures name it. */
export const continueLog: FileLog = {
  kind: 'files',
  toolId: 'continue',
  folder: (env) => joinPath(env, env.vars.CONTINUE_GLOBAL_DIR || joinPath(env, env.home, '.continue'), 'sessions'),
  isLog: (path) => /^[^/]+\.json$/.test(path) && path !== 'sessions.json',
  read(content) {
    const session = Session.safeParse(content).data
    return session?.history.flatMap((turn, at): ToldAnswer[] => {
      const usage = Turn.safeParse(turn).data?.message.usage
      if (!usage) return []
      const { model: modelCode, prompt_tokens: prompt, completion_tokens: outputTokens } = usage
      const cached = usage.prompt_tokens_details?.cached_tokens
      const id = [session.sessionId, at, prompt, outputTokens].join(':')
      return [{ id, modelCode, inputTokens: withoutCache(prompt, cached), outputTokens, cacheReadTokens: cached }]
    })
  },
}
