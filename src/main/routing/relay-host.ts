import type { RelayWay } from '@shared/contract'
import type { Failure } from '@shared/failure'
import type { RelayTable } from '../relay/ports'
import type { Secret } from '../secret'
import type { RelayWayRecord } from '../settings/records'

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

/** What the relay shall use for a tool. */
export type ToolWay = RelayWay & { readonly toolId: string }

/** What setups need of the relay of this machine. */
export interface RelayPort {
  /** What stands for the gateway's root in a tool's settings: `http://127.0.0.1:PORT/t/<tool>`. */
  rootOf(toolId: string): string
  /** Undefined: the relay has nothing for the tool. */
  wayOf(toolId: string): RelayWayRecord | undefined
  /** What the tool shows as its key; made when there is none. Fails with `vault.*`. */
  tokenOf(toolId: string): Promise<Secret>
  /** True when it answers, paused or not, whichever process runs it. */
  isOn(): Promise<boolean>
  /** Sets ways and has the relay run where this process can; resolves with what takes the ways back. Fails with `relay.*`. */
  point(ways: readonly ToolWay[]): Promise<() => void>
  /** Forgets the ways of tools. */
  unpoint(toolIds: readonly string[]): void
}
