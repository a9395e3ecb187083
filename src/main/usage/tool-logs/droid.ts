import { z } from 'zod'
import { joinPath } from '../../tools/environment'
import { Count, type FileLog, IsoTime, Model } from './tool-log'

const Session = z.object({
  model: Model,
  providerLockTimestamp: IsoTime.optional(),
  tokenUsage: z.object({
    inputTokens: Count,
    outputTokens: Count,
    cacheCreationTokens: Count,
    cacheReadTokens: Count,
  }),
})
const Begun = z.object({ model: z.unknown() })

/** Droid's sessions: nothing but the sums of each. */
export const droidLog: FileLog = {
  kind: 'files',
  toolId: 'droid',
  folder: (env) => joinPath(env, env.vars.FACTORY_HOME_OVERRIDE || env.home, '.factory', 'sessions'),
  isLog: (path) => path.endsWith('.settings.json'),
  isTotals: true,
  read(content, path) {
    const session = Session.safeParse(content).data
    // Before the first answer there are no figures.
    if (!session) return Begun.safeParse(content).success && !holdsFigures(content) ? [] : undefined
    const { model, providerLockTimestamp: at, tokenUsage } = session
    const { cacheCreationTokens, ...tokens } = tokenUsage
    return [{ id: sessionOf(path), at, modelCode: codeOf(model), ...tokens, cacheWriteTokens: cacheCreationTokens }]
  },
}

const holdsFigures = (content: unknown): boolean =>
  typeof content === 'object' && content !== null && 'tokenUsage' in content

const sessionOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.settings\.json$/, '')

/** Models of one's own are called `custom:NAME`; NAME is the provider's and the code where this app wrote it. */
const codeOf = (model: string): string => model.replace(/^custom:/, '').replace(/^platform-companion\//, '')
