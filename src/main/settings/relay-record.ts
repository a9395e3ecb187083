import { RelayWay } from '@shared/contract'
import { z } from 'zod'
import { records } from './stored-records'

/** What the relay uses for a tool, and what it tries in its place, in this order. */
export const RelayWayRecord = z.object({ toolId: z.string(), ...RelayWay.shape, failover: z.array(RelayWay) })
export type RelayWayRecord = z.infer<typeof RelayWayRecord>

/** What is remembered of the relay; its tools' tokens are in the vault. */
export const RelayChoice = z.object({
  port: z.number().int().min(1024).max(65_535),
  /** Start it with the app. */
  wanted: z.boolean(),
  keepInBackground: z.boolean(),
  isPaused: z.boolean(),
  ways: records(RelayWayRecord, 'toolId'),
})
export type RelayChoice = z.infer<typeof RelayChoice>

/** The relay is opt-in: off, and used by nothing. */
export const relayDefaults: RelayChoice = {
  port: 4870,
  wanted: false,
  keepInBackground: false,
  isPaused: false,
  ways: [],
}
