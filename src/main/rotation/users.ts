import type { PlanRecord, ProfileRecord } from '../settings/settings'
import type { WrittenSetup } from '../setups/written'
import type { RotationPorts } from './ports'

/** What names a key: nothing stands for the plan's first. */
interface KeyChoice {
  readonly planId: string
  readonly keyId?: string | undefined
}

/** What on this machine uses a key. */
export interface KeyUsers {
  readonly setups: readonly WrittenSetup[]
  readonly profiles: readonly ProfileRecord[]
}

/** Tells whether a choice means a key of a plan. */
export function usesKey({ id, keys }: Pick<PlanRecord, 'id' | 'keys'>, wanted: string | undefined) {
  return ({ planId, keyId }: KeyChoice): boolean =>
    wanted !== undefined && planId === id && (keyId ?? keys[0]?.id) === wanted
}

/** Every setup, of which some person took back what was written, is left out; every profile. */
export async function usersOf(
  { tools, settings }: Pick<RotationPorts, 'tools' | 'settings'>,
  uses: (choice: KeyChoice) => boolean,
): Promise<KeyUsers> {
  const setups = (await tools.setups()).filter(({ status, choice }) => status !== 'absent' && uses(choice))
  const profiles = settings.read().profiles.filter(({ entries }) => entries.some(uses))
  return { setups, profiles }
}
