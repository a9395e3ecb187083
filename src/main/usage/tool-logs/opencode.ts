import { z } from 'zod'
import { joinPath, type ToolEnvironment } from '../../tools/environment'
import { absolute } from '../../tools/targets/shared'
import { Count, Id, Model, MsTime, type RowLog, type ToldTokens } from './tool-log'

const Tokens = z.object({
  total: Count,
  input: Count,
  output: Count,
  reasoning: Count,
  cache: z.object({ read: Count, write: Count }),
})
const Message = z.object({
  role: z.literal('assistant'),
  modelID: Model,
  providerID: Id.optional(),
  time: z.object({ created: MsTime, completed: MsTime.optional() }),
  tokens: Tokens,
})
const Kind = z.object({ role: z.string() })

/** OpenCode's database, a row for each answer. What it asks for a session's title is not in it. */
export const openCodeLog: RowLog = openCodeLike('opencode', 'opencode')

/** Kilo is a fork of OpenCode. */
export const kiloLog: RowLog = openCodeLike('kilo', 'kilo')

function openCodeLike(toolId: string, name: string): RowLog {
  return {
    kind: 'rows',
    toolId,
    folder: (env) => joinPath(env, dataFolder(env), name),
    file: `${name}.db`,
    query: 'select id, data from message where id >= ?1 order by id limit ?2',
    read(id, data) {
      if (Kind.safeParse(data).data?.role !== 'assistant') return { reading: [] }
      const parsed = Message.safeParse(data).data
      if (!parsed) return { reading: undefined }
      const { modelID: modelCode, time, tokens } = parsed
      const told = toldTokens(tokens)
      const isNothing = !Object.values(told).some((count) => count)
      const answer = { id, at: time.created, modelCode, ...told, durationMs: durationOf(time) }
      const openSince = time.completed === undefined ? time.created : undefined
      return { reading: isNothing ? [] : [answer], openSince }
    },
  }
}

/** `~/.local/share` or what stands in for it, on every platform. */
function dataFolder(env: ToolEnvironment): string {
  return absolute(env, env.vars.XDG_DATA_HOME) ?? joinPath(env, env.home, '.local', 'share')
}

const durationOf = ({ created, completed }: { created: number; completed?: number | undefined }) =>
  completed === undefined ? undefined : Math.max(0, completed - created)

/** Its input and output are without the cache; reasoning is apart from the output, as the total shows. */
function toldTokens({ total, input, output, reasoning, cache }: z.infer<typeof Tokens>): ToldTokens {
  const prompt = (input ?? 0) + (cache.read ?? 0) + (cache.write ?? 0)
  const generated = total === undefined ? (output ?? 0) + (reasoning ?? 0) : Math.max(output ?? 0, total - prompt)
  return { inputTokens: input, outputTokens: generated, cacheReadTokens: cache.read, cacheWriteTokens: cache.write }
}
