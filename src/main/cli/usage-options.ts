import type { Core } from '../core'
import type { Usage } from '../features/usage'
import type { ConnectionOption } from './known-plans'
import type { Output } from './output'

/** What the command needs; what is asked for is loaded then. */
export interface UsageContext {
  readonly core: Core
  readonly output: Output
  readonly usage: () => Promise<Pick<Usage, 'series' | 'shares' | 'readToolLogs'>>
  /** The tightest allowance in one line; undefined when none is known. */
  readonly tightestLine: () => Promise<string | undefined>
  readonly close: () => Promise<void>
}

/** What `companion usage` was called with. */
export interface UsageOptions extends ConnectionOption {
  readonly plan?: string
  readonly model?: string
  readonly tool?: string
  readonly key?: string
  readonly from?: string
  readonly to?: string
  readonly by: (typeof steps)[number] | (typeof splits)[number]
  readonly source: (typeof sources)[number]
  readonly csv?: boolean
  readonly line?: boolean
}

export const steps = ['hour', 'day', 'week', 'month'] as const
export const splits = ['model', 'tool', 'key', 'plan'] as const
export const sources = ['machine', 'console', 'relay', 'tool-logs', 'app'] as const
