import type { RelayWay } from '@shared/contract'
import type { Secret } from '../secret'
import type { RelayWayRecord } from '../settings/records'

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
