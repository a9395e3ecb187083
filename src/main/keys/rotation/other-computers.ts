import type { ComputerUse } from '@shared/contract/rotation'
import type { AccountKey } from './ports'

/** A computer's report on a rotation. */
export interface ComputerSwitch {
  readonly machineUid: string
  readonly computer: string
  readonly person: string
  /** `tested`: all its tools use the new key, and a request succeeded. */
  readonly state: 'tested' | 'failed'
  readonly at: string
}

/** The other computers of the lead space. */
export interface OtherComputers {
  /** Computers other than this one whose tools or routes use a key; undefined without a lead space. Fails with `team.*`. */
  findUses(key: AccountKey): Promise<readonly ComputerUse[] | undefined>
  /** Reports on a rotation by its record id; a computer without one has not switched. */
  listSwitches(rotationId: string): Promise<readonly ComputerSwitch[]>
}
