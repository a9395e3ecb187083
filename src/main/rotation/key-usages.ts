import { uses as keysOf } from '../routing/ways'
import type { RelayWayRecord } from '../settings/records'
import type { PlanRecord, ProfileRecord } from '../settings/settings'
import type { WrittenSetup } from '../setups/configured-tools'
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
  /** What the relay may use it for. */
  readonly ways: readonly RelayWayRecord[]
}

/** Tells whether a choice means a key of a plan. */
export function usesKey({ id, keys }: Pick<PlanRecord, 'id' | 'keys'>, wanted: string | undefined) {
  return ({ planId, keyId }: KeyChoice): boolean =>
    wanted !== undefined && planId === id && (keyId ?? keys[0]?.id) === wanted
}

/** Every setup but those of which a person took back what was written; every profile; every way of the relay. */
export async function usersOf(
  { tools, settings }: Pick<RotationPorts, 'tools' | 'settings'>,
  uses: (choice: KeyChoice) => boolean,
): Promise<KeyUsers> {
  const setups = (await tools.setups()).filter(({ status, choice }) => status !== 'absent' && uses(choice))
  const profiles = settings.read().profiles.filter(({ entries }) => entries.some(uses))
  const ways = settings.read().relay.ways.filter((way) => keysOf(way).some(uses))
  return { setups, profiles, ways }
}

/** True when nothing uses it. */
export const isUnused = ({ setups, profiles, ways }: KeyUsers): boolean =>
  setups.length === 0 && profiles.length === 0 && ways.length === 0
