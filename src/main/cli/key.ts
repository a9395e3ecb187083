import type { SubscriptionKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import type { Secret } from '../core/secret'
import type { ChooseOptions } from '../plans/plan-directory'
import { toolTokenId } from '../relay/routing/routes'
import { type ConnectionOption, findAccountPlan, findPlan, readKnownPlans } from './known-plans'
import { addConnectionOption, createYesOption, findByIdOrName, readKeyName } from './options'
import {
  addCommand,
  type CommandContext,
  keyHeadings,
  keyRow,
  listLines,
  localKeyRow,
  type Result,
  shellWord,
  table,
} from './output'
import { printAccountFailure } from './plan-actions'
import { confirm, type YesOption } from './terminal'

export function addKeyCommands(program: Command, context: () => CommandContext): void {
  const key = addCommand(program, 'key', context).description('subscription keys of plans, saved in the OS keychain')
  key
    .command('print')
    .option('--plan <plan>', 'name or id of the plan')
    .option('--key <key>', "name or id of the key (default: the plan's newest active)")
    .addOption(new Option('--relay <tool>', 'print the token of this tool for the relay').conflicts(['plan', 'key']))
    .description('print a saved key (used by tools)')
    .run(async ({ core }, request: PrintOptions) => {
      const key = (await readKeySecret(core, request)).expose()
      return [{ key }, [key]]
    })
  addConnectionOption(key.command('list').argument('<plan>', 'name or id'))
    .description('list the keys of a plan, masked')
    .run(listKeys)
  addConnectionOption(key.command('add').argument('<plan>', 'name or id'))
    .requiredOption('--name <name>', keyNameHint, readKeyName)
    .description('create a key of a plan and save it to the keychain')
    // Fails with `account.keyLimitReached`, `account.keyNotKept` and the like.
    .run(async ({ core }, planNameOrId: string, { name, ...option }: ConnectionOption & { name: string }) => {
      const { of, plan } = await findAccountPlan(core, planNameOrId, option)
      const newKey = await core.account.addKey({ ...of, name })
      const count = `${plan.keysUsed + 1} of ${plan.maxKeys} keys`
      const text = `Added ${newKey.name} (${newKey.masked}) to ${plan.name} (${count}). ${formatKeyStorage(newKey)}`
      return [newKey, [text]]
    })
  const addKeyCommand = (name: string) =>
    addConnectionOption(key.command(name).argument('<plan>', 'name or id').argument('<key>', 'name or id'))
  addKeyCommand('rename')
    .requiredOption('--name <name>', keyNameHint, readKeyName)
    .description('rename a key')
    .run(async ({ core }, plan: string, keyNameOrId: string, { name, ...option }: KeyOptions & { name: string }) => {
      const { of, key: oldKey } = await findKey(core, plan, keyNameOrId, option)
      const renamedKey = await core.account.renameKey({ ...of, name })
      return [renamedKey, [`Renamed ${oldKey.name} to ${renamedKey.name}.`]]
    })
  addKeyCommand('enable')
    .description('enable a key')
    .run(async ({ core }, plan: string, keyNameOrId: string, option: KeyOptions) => {
      const { of } = await findKey(core, plan, keyNameOrId, option)
      const enabledKey = await core.account.setKeyStatus({ ...of, status: 'ACTIVE' })
      return [enabledKey, [`Enabled ${enabledKey.name}.`]]
    })
  addKeyCommand('disable')
    .description('disable a key (reversible)')
    .addOption(createYesOption('disable it'))
    .run(async (parts, plan: string, keyNameOrId: string, options: KeyOptions) => {
      const { of } = await confirmKeyStop(parts, plan, keyNameOrId, options, ['disables', 'You can enable it again.'])
      const disabledKey = await parts.core.account.setKeyStatus({ ...of, status: 'DISABLED' })
      return [disabledKey, [`Disabled ${disabledKey.name}. Its next request is rejected.`]]
    })
  addKeyCommand('delete')
    .description('delete a key permanently')
    .addOption(createYesOption('delete it'))
    .run(async (parts, plan: string, keyNameOrId: string, options: KeyOptions) => {
      const { of, key: oldKey } = await confirmKeyStop(parts, plan, keyNameOrId, options, [
        'deletes',
        "This can't be undone.",
      ])
      await parts.core.account.deleteKey(of)
      return [{ removed: oldKey.keyId }, [`Deleted ${oldKey.name}.`]]
    })
  addKeyCommand('keep')
    .alias('save')
    .description('save a key of the account to the keychain')
    // Fails with `account.notProvisioned` or `vault.unavailable`.
    .run(async ({ core }, plan: string, keyNameOrId: string, option: KeyOptions) => {
      const { of, planName } = await findKey(core, plan, keyNameOrId, option)
      const savedKey = await core.account.keepKey(of)
      return [savedKey, [`${savedKey.name} of ${planName}: ${formatKeyStorage(savedKey)}`]]
    })
}

type PrintOptions = { readonly plan?: string; readonly key?: string; readonly relay?: string }

async function readKeySecret(
  { plans, vault }: CommandContext['core'],
  { plan, key, relay }: PrintOptions,
): Promise<Secret> {
  if (relay !== undefined)
    return vault.get(toolTokenId(relay)).catch((error: unknown) => {
      if (!(error instanceof AppError && error.failure.code === 'vault.keyMissing')) throw error
      throw new AppError('vault.keyMissing', `${relay} is not configured for the relay, so it has no token.`)
    })
  if (plan !== undefined) return plans.readSecret(plans.find(plan), key)
  throw new AppError('input.invalid', 'Name a plan with --plan, or a tool with --relay.', { field: 'plan' })
}

const keyNameHint = 'name of the key, at most 50 characters'

type KeyOptions = ConnectionOption & YesOption

/** Prints the keys of a plan in masked form. Fails as `findPlan` does. */
async function listKeys(
  { core, output }: CommandContext,
  planNameOrId: string,
  option: ConnectionOption,
): Promise<Result> {
  const knownPlans = await readKnownPlans(core, option)
  const entry = findPlan(knownPlans, planNameOrId)
  printAccountFailure(output, knownPlans)
  const { plan } = entry
  if (entry.kind === 'local') return [entry.plan.keys, table(keyHeadings, entry.plan.keys.map(localKeyRow))]
  const keys = await core.account.keys({ connectionId: entry.connectionId, planId: entry.plan.planId })
  const emptyText = `${plan.name} has no keys. Add one with "companion key add ${shellWord(plan.name)} --name KEY".`
  return [keys, listLines(keys, keyHeadings, keyRow, emptyText)]
}

const formatKeyStorage = ({ kept }: SubscriptionKeyView): string =>
  kept === 'keychain' ? 'Saved in the OS keychain.' : 'Not saved, lost when the app quits.'

/** Finds a key and prints what stops working. Without `--yes`, fails with `input.invalid`. */
async function confirmKeyStop(
  { core, output }: CommandContext,
  plan: string,
  keyNameOrId: string,
  options: KeyOptions,
  [verb, consequence]: readonly [verb: string, consequence: string],
) {
  const foundKey = await findKey(core, plan, keyNameOrId, { ...options, isFinal: true })
  const { name, keyId, usedBy } = foundKey.key
  const lines = [
    `This ${verb} ${name} (${keyId}) of ${foundKey.planName}. Its next request is rejected. ${consequence}`,
    usedBy.length > 0
      ? `Tools on this computer that stop working: ${usedBy.join(', ')}.`
      : 'No tool on this computer uses it. Other computers are not checked.',
  ]
  confirm(output, lines, options)
  return foundKey
}

async function findKey(
  core: CommandContext['core'],
  planNameOrId: string,
  keyNameOrId: string,
  option: ConnectionOption & ChooseOptions,
) {
  const { of, plan } = await findAccountPlan(core, planNameOrId, option)
  const keyMatch = findByIdOrName(await core.account.keys(of), keyNameOrId, {
    what: 'key',
    listIds: ({ keyId }) => [keyId],
  })
  if (keyMatch) return { of: { ...of, keyId: keyMatch.keyId }, key: keyMatch, planName: plan.name }
  const message = `Plan ${plan.name} has no key ${keyNameOrId}. "companion key list ${planNameOrId}" lists its keys.`
  throw new AppError('key.notFound', message)
}
