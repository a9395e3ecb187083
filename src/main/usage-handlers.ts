import type { Handlers } from '@shared/contract'
import { realDisk } from './tools/disk'
import type { Usage } from './usage/usage'
import { createUsageFiles, type UsageDialogs } from './usage/usage-dialogs'

/** What the calls of usage are answered with. */
export interface UsageParts {
  readonly core: { readonly usage: Usage }
  readonly dialogs: UsageDialogs
}

/** Usage: figures, requests, exports, sources and how they are kept. */
export function usageHandlers({
  core: { usage },
  dialogs,
}: UsageParts): Pick<Handlers, Extract<keyof Handlers, `usage.${string}`>> {
  const files = createUsageFiles({ usage, dialogs, disk: realDisk, clock: () => new Date() })
  return {
    'usage.series': (query) => usage.series(query),
    'usage.shares': (query) => usage.shares(query),
    'usage.requests': (query) => usage.requests(query),
    'usage.cycles': (of) => usage.cycles(of),
    'usage.export': (wish) => files.export(wish),
    'usage.savePicture': (picture) => files.savePicture(picture),
    'usage.sources': () => usage.sources(),
    'usage.setToolLog': (wish) => usage.setToolLog(wish),
    'usage.readToolLogs': () => usage.readToolLogs(),
    'usage.storage': () => usage.storage(),
    'usage.setRetention': (wish) => usage.setRetention(wish),
    'usage.erase': () => usage.erase(),
  }
}
