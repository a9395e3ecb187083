import { AlertSettings, AlertView, KnownAllowances } from '@shared/contract/quota'
import { z } from 'zod'
import { records } from './stored-records'

/** What a person was told of a handed-over plan's allowances. */
export const AllowancesRecord = z.object({
  planId: z.string(),
  cycleDays: z.number(),
  allowances: KnownAllowances,
})
export type AllowancesRecord = z.infer<typeof AllowancesRecord>

/**
 * What was alerted of and is not over yet, so that it is told once. `of` names the plan and model, for a threshold or forecast also
 * the allowance and the end of its cycle. Times in ISO 8601.
 */
export const AlertEpisode = z.discriminatedUnion('kind', [
  /** `percent`: the highest threshold that was told. */
  z.object({ kind: z.literal('threshold'), of: z.string(), percent: z.number(), endsAt: z.string() }),
  /** `lastsSince`: since when the forecast has said that the allowance lasts. */
  z.object({ kind: z.literal('forecast'), of: z.string(), lastsSince: z.string().optional(), endsAt: z.string() }),
  /** `lastAt`: when requests were last seen to fail. */
  z.object({ kind: z.literal('errorBurst'), of: z.string(), lastAt: z.string() }),
])
export type AlertEpisode = z.infer<typeof AlertEpisode>

/** Which alerts are shown, which are under way, and the last hundred, the newest first. */
export const AlertsRecord = z.object({
  settings: z.object(AlertSettings.shape),
  episodes: records(AlertEpisode, 'kind', 'of'),
  shown: records(z.object(AlertView.shape), 'id'),
})
export type AlertsRecord = z.infer<typeof AlertsRecord>

export const alertsDefaults: AlertsRecord = {
  settings: {
    enabled: true,
    thresholds: [80, 95, 100],
    forecast: true,
    errorBursts: true,
    snoozed: [],
    mutedPlans: [],
  },
  episodes: [],
  shown: [],
}
