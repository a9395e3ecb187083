import type { RotationPlan, SubscriptionKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { uses as keysOf } from '../routing/ways'
import type { KeyRecord, PlanRecord } from '../settings/settings'
import { isEnded, type RotationJournal } from './journal'
import { usersOf, usesKey } from './key-usages'
import type { RotationPorts } from './ports'

/** A key of this machine. */
interface KeyHere {
  readonly planId: string
  readonly keyId: string
}

/** A key of this machine and of the account, with what the account has now. */
export interface Situation {
  readonly plan: PlanRecord & { readonly origin: NonNullable<PlanRecord['origin']> }
  readonly key: KeyRecord & { readonly origin: NonNullable<KeyRecord['origin']> }
  readonly keys: readonly SubscriptionKeyView[]
  readonly mostKeys: number
  readonly newKeyName: string
}

/** Fails with `plan.notFound`, `key.notFound`, `rotation.notAtAccount`, `rotation.underWay`, or why the account cannot be asked. */
export async function situationOf(
  { planId, keyId }: KeyHere,
  { account, plans, clock }: RotationPorts,
  journal: RotationJournal,
): Promise<Situation> {
  const { plan, key } = requireOrigin(plans.find(planId), keyId)
  journal.requireNotRotating(plan.id, key)
  const open = journal.all().filter((one) => !isEnded(one) && one.planId === plan.id)
  const [{ maxKeys }, keys] = await Promise.all([account.plan(plan.origin), account.keys(plan.origin)])
  if (!keys.some((one) => one.keyId === key.origin.keyId)) {
    throw new AppError('rotation.notAtAccount', `The account no longer has the key ${key.name}.`)
  }
  const taken = [...keys.map(({ name }) => name), ...open.map(({ newKey }) => newKey.name)]
  return { plan, key, keys, mostKeys: maxKeys, newKeyName: newKeyName(key.name, taken, clock()) }
}

/** What rotating a key will do; nothing is changed. */
export async function rotationPlanOf(
  { plan, key, keys, mostKeys, newKeyName }: Situation,
  ports: RotationPorts,
  journal: RotationJournal,
): Promise<RotationPlan> {
  const { setups, profiles } = await usersOf(ports, usesKey(plan, key.id))
  const holder = ports.holderOf({ ...plan.origin, keyId: key.origin.keyId })
  return {
    planId: plan.id,
    planName: plan.name,
    keyId: key.id,
    keyName: key.name,
    newKeyName,
    slots: { used: keys.length, most: mostKeys },
    freeable: await freeableOf({ plan, key, keys }, ports, journal),
    tools: setups.map(({ toolId, toolName, site, needsRestart }) => ({ toolId, toolName, site, needsRestart })),
    unknownTools: [...(await ports.tools.unknownSetups())],
    profiles: profiles.map(({ name }) => name),
    ...(holder === undefined ? {} : { holder }),
  }
}

/** Keys of the account that nothing here uses and nobody is known to hold, the oldest first. */
async function freeableOf(
  { plan, key, keys }: Pick<Situation, 'plan' | 'key' | 'keys'>,
  ports: RotationPorts,
  journal: RotationJournal,
): Promise<RotationPlan['freeable']> {
  const { setups, profiles, ways } = await usersOf(ports, ({ planId }) => planId === plan.id)
  const written = setups.map(({ choice }) => choice)
  const chosen = [...written, ...profiles.flatMap(({ entries }) => entries), ...ways.flatMap(keysOf)]
  const isUsedHere = ({ id }: KeyRecord): boolean => chosen.some(usesKey(plan, id))
  const open = journal.all().filter((one) => !isEnded(one))
  const needed = new Set([
    key.origin.keyId,
    ...plan.keys.filter(isUsedHere).flatMap(({ origin }) => origin?.keyId ?? []),
    ...open.flatMap(({ oldKey, newKey }) => [oldKey.keyId, newKey.keyId ?? '']),
  ])
  return keys
    .filter(({ keyId }) => !needed.has(keyId) && ports.holderOf({ ...plan.origin, keyId }) === undefined)
    .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
    .map(({ keyId, name, status, createdAt }) => ({ keyId, name, status, createdAt }))
}

function requireOrigin(plan: PlanRecord, keyId: string): Pick<Situation, 'plan' | 'key'> {
  const key = plan.keys.find(({ id }) => id === keyId)
  if (key === undefined) throw new AppError('key.notFound', `The plan ${plan.name} has no such key.`)
  const { origin } = plan
  if (origin !== undefined && key.origin !== undefined) {
    return { plan: { ...plan, origin }, key: { ...key, origin: key.origin } }
  }
  const message = `The key ${key.name} of ${plan.name} was handed over, so no account can be asked for a new one. Ask who gave it to you, and paste the new key.`
  throw new AppError('rotation.notAtAccount', message)
}

/** The platform's rule: a key name has at most so many characters. */
const mostCharacters = 50

/** The old key's name with the day of the rotation in UTC, that of an earlier rotation taken off; one that is not taken. */
export function newKeyName(oldName: string, taken: readonly string[], now: Date): string {
  const [base = ''] = oldName.split(/-\d{4}-\d{2}-\d{2}(?:-\d+)?$/)
  const day = now.toISOString().slice(0, 10)
  for (let number = 1; ; number += 1) {
    const mark = `-${day}${number === 1 ? '' : `-${number}`}`
    const name = [...base].slice(0, mostCharacters - mark.length).join('') + mark
    if (!taken.includes(name)) return name
  }
}
