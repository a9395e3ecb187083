import type { Failure } from '@shared/failure'
import type { RelayTable } from '../relay/ports'

/** What became of a tool's requests since the relay's process started. */
export interface ToolTraffic {
  readonly toolId: string
  readonly requests: number
  /** When the last one began, as an ISO 8601 time. */
  readonly lastAt: string
  /** What the last one failed with; absent when it did not. */
  readonly failure?: Failure | undefined
}

/** How the relay's process stands. */
export interface RelayStatus {
  /** Requests under way. */
  readonly open: number
  readonly tools: readonly ToolTraffic[]
}

export interface RelayStart {
  /** 0: a free one. */
  readonly port: number
  readonly table: RelayTable
  readonly caFiles: readonly string[]
}

/** Runs the relay as a process of its own. */
export interface RelayHost {
  /** Resolves with the port once it listens. Fails with `relay.portInUse` or `relay.failed`. */
  start(options: RelayStart): Promise<{ readonly port: number }>
  setTable(table: RelayTable): void
  stop(): Promise<void>
  /** Called whenever the status has changed, at most a few times a second. */
  onStatus(listener: (status: RelayStatus) => void): void
  /** Called when the process ends by itself. */
  onExit(listener: () => void): void
}
