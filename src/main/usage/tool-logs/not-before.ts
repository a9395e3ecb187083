import type { UsageChoice } from '../../settings/usage-record'

const dayMs = 86_400_000

/**
 * Before which moment a tool's requests are left out, in ms: what is older than requests are kept would be counted again each time
 * its file is read anew, and what was erased shall not come back.
 */
export function notBefore({ toolLogs, retentionDays }: UsageChoice, toolId: string, now: number): number {
  const erased = toolLogs.find((one) => one.toolId === toolId)?.from
  const kept = retentionDays === 0 ? 0 : now - retentionDays * dayMs
  return Math.max(kept, erased === undefined ? 0 : Date.parse(erased))
}
