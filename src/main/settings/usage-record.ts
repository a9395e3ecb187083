import { z } from 'zod'
import { records } from './stored-records'

/** What a person chose of how usage is kept. */
export const UsageChoice = z.object({
  /** The tools whose logs are read; requests before `from` are left out, because they were erased. */
  toolLogs: records(z.object({ toolId: z.string(), from: z.iso.datetime().optional() }), 'toolId'),
  /** Days that single requests are kept; 0: for ever. */
  retentionDays: z.number().int().min(0).max(3650),
})
export type UsageChoice = z.infer<typeof UsageChoice>

export const usageDefaults: UsageChoice = { toolLogs: [], retentionDays: 400 }
