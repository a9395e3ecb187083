import { z } from 'zod'

/** What a person chose of how usage is kept. */
export const UsageChoice = z.object({
  /** The tools whose logs are read; requests before `from` are left out, because they were erased. */
  toolLogs: z.array(z.object({ toolId: z.string(), from: z.iso.datetime().optional() })),
  /** Days that single requests are kept; 0: for ever. */
  retentionDays: z.number().int().min(0).max(3650),
})
export type UsageChoice = z.infer<typeof UsageChoice>

export const usageDefaults: UsageChoice = { toolLogs: [], retentionDays: 400 }
