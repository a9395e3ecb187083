import type { PlaygroundTarget } from '@shared/contract'
import type { Clock } from '../ports'
import type { PlaygroundStore } from './ports'
import type { Runs } from './runs'
import type { OpenTarget, Purpose } from './targets'

/** What the features of the playground work with. */
export interface PlaygroundContext {
  readonly store: PlaygroundStore
  readonly runs: Runs
  /** Fails with `playground.noTarget`, `plan.*`, `key.*`, `connection.*`, `api.notConfigured`, `vault.*` or `address.*`; nothing is sent. */
  readonly open: (target: PlaygroundTarget, purpose: Purpose) => Promise<OpenTarget>
  readonly clock: Clock
  /** What is kept has changed. */
  readonly onChanged: () => void
}
