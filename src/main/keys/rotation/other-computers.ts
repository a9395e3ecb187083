import type { ComputerUse } from '@shared/contract/rotation'
import type { AccountKey } from './ports'

export interface ComputerSwitch {
  readonly machineUid: string
  readonly computer: string
  readonly person: string
  /** Result on the other computer. `tested` means that all its tools use the new key and a request succeeded. */
  readonly state: 'tested' | 'failed'
  readonly at: string
}

export interface OtherComputers {
  /** Other computers whose tools or routes use a key. Undefined without a lead space. Fails with `team.*`. */
  findUses(key: AccountKey): Promise<readonly ComputerUse[] | undefined>
  /** Reports by the rotation's record id. A computer without a report has not switched. */
  listSwitches(rotationId: string): Promise<readonly ComputerSwitch[]>
}
