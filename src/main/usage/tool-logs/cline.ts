import { z } from 'zod'
import { joinPath, type ToolEnvironment } from '../../tools/environment'
import { Count, type FileLog, Id, Model, MsTime, type ToldAnswer, withoutCache } from './tool-log'

const Answer = z.object({
  id: Id,
  ts: MsTime,
  modelInfo: z.object({ id: Model }),
  metrics: z.object({ inputTokens: Count, outputTokens: Count, cacheReadTokens: Count, cacheWriteTokens: Count }),
})
const Session = z.object({ sessionId: Id, messages: z.array(z.unknown()) })

/** Cline's sessions: the file beside each session's own, which tells the figures of every answer in place of their sum. */
export const clineLog: FileLog = {
  kind: 'files',
  toolId: 'cline',
  folder: (env) => joinPath(env, env.vars.CLINE_DATA_DIR || joinPath(env, homeOf(env), 'data'), 'sessions'),
  isLog: (path) => path.endsWith('.messages.json'),
  read(content) {
    const session = Session.safeParse(content).data
    return session?.messages.flatMap((message): ToldAnswer[] => {
      const answer = Answer.safeParse(message).data
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

const homeOf = (env: ToolEnvironment): string => env.vars.CLINE_DIR || joinPath(env, env.home, '.cline')
