import type { SubscriptionKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { CommandContext } from './context'
import { keyHeadings, keyRow, localKeyRow } from './format'
import { type ConnectionOption, findAccountPlan, findPlan, readKnownPlans } from './known-plans'
import { oneOf } from './options'
import { print, table } from './output'
import { tellUnread } from './plan-actions'
import { confirm, type YesOption } from './terminal'

/** A key of a plan as a person names it, and over which connection. */
export interface KeyWish extends ConnectionOption, YesOption {
  readonly plan: string
  readonly key: string
}

/** Prints the keys of a plan, masked. Fails as `findPlan` does. */
export async function listKeys(
  { core, output }: CommandContext,
  wanted: string,
  option: ConnectionOption,
): Promise<void> {
  const known = await readKnownPlans(core, option)
  const entry = findPlan(known, wanted)
  tellUnread(output, known)
  const { plan } = entry
  if (entry.kind === 'local') {
    return print(output, entry.plan.keys, () => table(keyHeadings, entry.plan.keys.map(localKeyRow)))
  }
  const keys = await core.account.keys({ connectionId: entry.connectionId, planId: entry.plan.planId })
  const none = [`${plan.name} has no keys. "companion key add" adds one.`]
  print(output, keys, () => (keys.length > 0 ? table(keyHeadings, keys.map(keyRow)) : none))
}

/** Adds a key and keeps it on this machine. Fails with `account.keyLimitReached`, `account.keyNotKept` and the like. */
export async function addKey(
  { core, output }: CommandContext,
  wanted: string,
  { name, ...option }: ConnectionOption & { readonly name: string },
): Promise<void> {
  const { of, plan } = await findAccountPlan(core, wanted, option)
  const key = await core.account.addKey({ ...of, name })
  const count = `${plan.keysUsed + 1} of ${plan.maxKeys} keys`
  print(output, key, () => [
    `Added ${key.name} (${key.masked}) to ${plan.name}, which has ${count} now. ${keptIn(key)}`,
  ])
}

/** Gives a key another name. */
export async function renameKey(
  { core, output }: CommandContext,
  { name, ...wish }: KeyWish & { readonly name: string },
) {
  const { of, key } = await findKey(core, wish)
  const renamed = await core.account.renameKey({ ...of, name })
  print(output, renamed, () => [`${key.name} is called ${renamed.name} now.`])
}

/** Lets a key work again. */
export async function enableKey({ core, output }: CommandContext, wish: KeyWish): Promise<void> {
  const { of } = await findKey(core, wish)
  const enabled = await core.account.setKeyStatus({ ...of, status: 'ACTIVE' })
  print(output, enabled, () => [`${enabled.name} is enabled: it works again.`])
}

/** Stops a key until it is enabled again. Fails with `input.invalid` without `--yes`; then nothing is changed. */
export async function disableKey({ core, output }: CommandContext, wish: KeyWish): Promise<void> {
  const { of, key, planName } = await findKey(core, wish)
  const what = `Disabling ${key.name} (${key.keyId}) of ${planName}: the next request with it is refused. It can be enabled again.`
  confirm(output, [what, toolsLine(key)], wish)
  const disabled = await core.account.setKeyStatus({ ...of, status: 'DISABLED' })
  print(output, disabled, () => [`${disabled.name} is disabled: the next request with it is refused.`])
}

/** Deletes a key for good. Fails with `input.invalid` without `--yes`; then nothing is changed. */
export async function deleteKey({ core, output }: CommandContext, wish: KeyWish): Promise<void> {
  const { of, key, planName } = await findKey(core, wish)
  const what = `Deleting ${key.name} (${key.keyId}) of ${planName}: the next request with it is refused. This cannot be undone.`
  confirm(output, [what, toolsLine(key)], wish)
  await core.account.deleteKey(of)
  print(output, { removed: key.keyId }, () => [`Deleted ${key.name}.`])
}

/** Keeps a key that was made elsewhere on this machine. Fails with `account.notProvisioned` or `vault.unavailable`. */
export async function keepKey({ core, output }: CommandContext, wish: KeyWish): Promise<void> {
  const { of, planName } = await findKey(core, wish)
  const kept = await core.account.keepKey(of)
  print(output, kept, () => [`${kept.name} of ${planName}: ${keptIn(kept)}`])
}

const keptIn = ({ kept }: SubscriptionKeyView): string =>
  kept === 'keychain' ? 'It is in the OS keychain.' : 'It is kept until the app quits.'

const toolsLine = ({ usedBy }: SubscriptionKeyView): string =>
  usedBy.length > 0
    ? `Tools on this machine that stop: ${usedBy.join(', ')}.`
    : 'No tool on this machine uses it; whether others do cannot be seen from here.'

async function findKey(core: CommandContext['core'], wish: KeyWish) {
  const { of, plan } = await findAccountPlan(core, wish.plan, wish)
  const found = oneOf(await core.account.keys(of), wish.key, {
    what: 'key',
    idsOf: ({ keyId }) => [keyId],
    namesOf: ({ name }) => [name],
  })
  if (found) return { of: { ...of, keyId: found.keyId }, key: found, planName: plan.name }
  const message = `The plan ${plan.name} has no key ${wish.key}. "companion key list ${wish.plan}" shows those it has.`
  throw new AppError('key.notFound', message)
}
