import { homedir } from 'node:os'
import { createEnvironment } from '../core/environment'
import { timeZone } from '../core/local-time'
import { readAllJournals } from '../tools/journal'
import { targets } from '../tools/targets'
import type { Ledger } from '../usage/ledger-client'
import { getEarliestMs, ToolLogReader } from '../usage/tool-logs/import'
import { toolLogs } from '../usage/tool-logs/index'
import { createAttribution } from '../usage/tool-logs/tool-log'
import { Usage } from '../usage/usage'
import type { Core } from './compose'

interface UsageFeatureDeps {
  readonly ledger: Ledger
  /** Cycle length in days, if entered by the user. */
  readonly getCycleDays: (planId: string) => number | undefined
  readonly onChanged: () => void
}

/** Creates usage features. */
export function createUsage(core: Core, deps: UsageFeatureDeps): Usage {
  const { dataDir, log, settings, plans } = core
  const { ledger } = deps
  const clock = (): Date => new Date()
  const getDefaultKey = (planId: string) => plans.list().find(({ id }) => id === planId)?.defaultKeyId
  const logDeps = {
    ledger,
    environment: createEnvironment({ home: homedir(), platform: process.platform, vars: process.env }),
    attribution: () => createAttribution(readAllJournals(dataDir), getDefaultKey),
    notBefore: (toolId: string) => getEarliestMs(settings.read().usage, toolId, clock().getTime()),
    clock,
    log,
  }
  return new Usage({
    ...core,
    ...deps,
    logs: toolLogs.map((toolLog) => new ToolLogReader(toolLog, logDeps)),
    clock,
    zone: timeZone,
    toolName: (toolId) => targets.find(({ id }) => id === toolId)?.name,
  })
}
