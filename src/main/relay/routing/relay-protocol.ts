import { Failure } from '@shared/failure'
import { z } from 'zod'
import { maxSeries, type RemainingSample, remainingMetrics } from '../../usage/quota/remaining'
import { type RelayOptions, RelayTable, UpstreamSwitch } from '../ports'

const remainingNames = Object.keys(remainingMetrics)

const RemainingSamples = z
  .array(
    z.object({
      name: z.custom<RemainingSample['name']>((name) => remainingNames.some((knownName) => knownName === name)),
      labels: z.record(z.string(), z.string()),
      value: z.number(),
    }),
  )
  .max(maxSeries * remainingNames.length)

/** A command in the relay process. Encoded as a message, its table has plain-text keys, only in memory. */
export const RelayCommand = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    port: z.number().int(),
    table: RelayTable,
    caFiles: z.array(z.string()),
    dataDir: z.string(),
  }),
  z.object({ kind: z.literal('table'), table: RelayTable }),
  z.object({ kind: z.literal('remaining'), samples: RemainingSamples }),
  z.object({ kind: z.literal('stop') }),
])
export type RelayCommand = z.output<typeof RelayCommand>

/** Request counts of a tool since the relay process started. */
const ToolTraffic = z.object({
  toolId: z.string(),
  /** Number of running requests. */
  open: z.number().int(),
  requests: z.number().int(),
  /** Start of the last request (ISO 8601). */
  lastAt: z.string().optional(),
  /** Failure of the last request. Undefined if the request succeeded. */
  failure: Failure.optional(),
  /** The last switch to another upstream because of overload. */
  lastSwitch: UpstreamSwitch.optional(),
})
export type ToolTraffic = z.infer<typeof ToolTraffic>

export const RelayEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), port: z.number().int() }),
  z.object({ kind: z.literal('failed'), failure: Failure }),
  z.object({ kind: z.literal('status'), tools: z.array(ToolTraffic) }),
])
export type RelayEvent = z.infer<typeof RelayEvent>

/** Runs the relay in a separate process. */
export interface RelayHost {
  /** Resolves with the port once the relay is listening. Fails with `relay.portInUse` or `relay.failed`. */
  start(options: Pick<RelayOptions, 'port' | 'table' | 'caFiles'>): Promise<{ readonly port: number }>
  setTable(table: RelayTable): void
  /** Replaces the metrics of remaining quotas and budgets. */
  setRemaining(samples: readonly RemainingSample[]): void
  stop(): Promise<void>
  /** Called when the status has changed, at most a few times per second. */
  onStatus(listener: (tools: readonly ToolTraffic[]) => void): void
  /** Called when the relay process exits unexpectedly. */
  onExit(listener: () => void): void
}
