import type { SubscriptionKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Command, Option } from 'commander'
import type { Secret } from '../core/secret'
import type { ChooseOptions } from '../plans/plan-directory'
import { toolTokenId } from '../relay/routing/routes'
import { type ConnectionOption, findAccountPlan, findPlan, readKnownPlans } from './known-plans'
import { addConnectionOption, createYesOption, findByIdOrName, readKeyName } from './options'
import type { CommandContext } from './output'
import { keyHeadings, keyRow, listLines, localKeyRow, printOutput, shellWord, table } from './output'
import { printAccountFailure } from './plan-actions'
import { confirm, type YesOption } from './terminal'

interface KeyCommand {
  readonly name: string
  readonly description: string
  readonly action: typeof enableKey
  /** Whether the change needs a confirmation, because it disrupts users of the key. */
  readonly isAsked: boolean
}

const keyCommands: readonly KeyCommand[] = [
  { name: 'enable', description: 'enable a key', action: enableKey, isAsked: false },
  { name: 'disable', description: 'disable a key (reversible)', action: disableKey, isAsked: true },
  { name: 'delete', description: 'delete a key permanently', action: deleteKey, isAsked: true },
  { name: 'keep', description: 'save a key of the account to the keychain', action: saveKey, isAsked: false },
]

export function addKeyCommands(program: Command, context: () => CommandContext): void {
  const key = program.command('key').description('subscription keys of plans, saved in the OS keychain')
  key
    .command('print')
    .option('--plan <plan>', 'name or id of the plan')
    .option('--key <key>', "name or id of the key (default: the plan's newest active)")
    .addOption(new Option('--relay <tool>', 'print the token of this tool for the relay').conflicts(['plan', 'key']))
    .description('print a saved key (used by tools)')
    .action(async (request: PrintOptions) => {
      const { core, output } = context()
      const secret = await readKeySecret(core, request)
      printOutput(output, { key: secret.expose() }, () => [secret.expose()])
    })
  addConnectionOption(key.command('list').argument('<plan>', 'name or id'))
    .description('list the keys of a plan, masked')
    .action((plan: string, option: ConnectionOption) => listKeys(context(), plan, option))
  addConnectionOption(key.command('add').argument('<plan>', 'name or id'))
    .requiredOption('--name <name>', keyNameHint, readKeyName)
    .description('create a key of a plan and save it to the keychain')
    .action((plan: string, options: ConnectionOption & { name: string }) => addKey(context(), plan, options))
  addKeyCommand(key, 'rename')
    .requiredOption('--name <name>', keyNameHint, readKeyName)
    .description('rename a key')
    .action((plan: string, key: string, options: ConnectionOption & { name: string }) =>
      renameKey(context(), { ...options, plan, key }),
    )
  for (const { name, description, action, isAsked } of keyCommands) {
    const command = addKeyCommand(key, name).description(description)
    if (name === 'keep') command.alias('save')
    if (isAsked) command.addOption(createYesOption(`${name} it`))
    command.action((plan: string, keyNameOrId: string, options: Omit<KeyOptions, 'plan' | 'key'>) =>
      action(context(), { ...options, plan, key: keyNameOrId }),
    )
  }
}

interface PrintOptions {
  readonly plan?: string
  readonly key?: string
  readonly relay?: string
}

async function readKeySecret(
  { plans, vault }: CommandContext['core'],
  { plan, key, relay }: PrintOptions,
): Promise<Secret> {
  if (relay !== undefined) return vault.get(toolTokenId(relay)).catch(createNotRoutedHandler(relay))
  if (plan !== undefined) return plans.readSecret(plans.find(plan), key)
  throw new AppError('input.invalid', 'Name a plan with --plan, or a tool with --relay.', { field: 'plan' })
}

const createNotRoutedHandler = (toolId: string) => (error: unknown) => {
  if (!(error instanceof AppError && error.failure.code === 'vault.keyMissing')) throw error
  throw new AppError('vault.keyMissing', `${toolId} is not configured for the relay, so it has no token.`)
}

const addKeyCommand = (group: Command, name: string): Command =>
  addConnectionOption(group.command(name).argument('<plan>', 'name or id').argument('<key>', 'name or id'))

const keyNameHint = 'name of the key, at most 50 characters'

interface KeyOptions extends ConnectionOption, YesOption {
  readonly plan: string
  readonly key: string
}

/** Prints the keys of a plan in masked form. Fails as `findPlan` does. */
async function listKeys(
  { core, output }: CommandContext,
  planNameOrId: string,
  option: ConnectionOption,
): Promise<void> {
  const knownPlans = await readKnownPlans(core, option)
  const entry = findPlan(knownPlans, planNameOrId)
  printAccountFailure(output, knownPlans)
  const { plan } = entry
  if (entry.kind === 'local') {
    return printOutput(output, entry.plan.keys, () => table(keyHeadings, entry.plan.keys.map(localKeyRow)))
  }
  const keys = await core.account.keys({ connectionId: entry.connectionId, planId: entry.plan.planId })
  const emptyText = `${plan.name} has no keys. Add one with "companion key add ${shellWord(plan.name)} --name KEY".`
  printOutput(output, keys, () => listLines(keys, keyHeadings, keyRow, emptyText))
}

/** Creates and saves a key. Fails with `account.keyLimitReached`, `account.keyNotKept` and the like. */
async function addKey(
  { core, output }: CommandContext,
  planNameOrId: string,
  { name, ...option }: ConnectionOption & { readonly name: string },
): Promise<void> {
  const { of, plan } = await findAccountPlan(core, planNameOrId, option)
  const key = await core.account.addKey({ ...of, name })
  const count = `${plan.keysUsed + 1} of ${plan.maxKeys} keys`
  printOutput(output, key, () => [
    `Added ${key.name} (${key.masked}) to ${plan.name} (${count}). ${formatKeyStorage(key)}`,
  ])
}

async function renameKey(
  { core, output }: CommandContext,
  { name, ...request }: KeyOptions & { readonly name: string },
) {
  const { of, key } = await findKey(core, request)
  const renamedKey = await core.account.renameKey({ ...of, name })
  printOutput(output, renamedKey, () => [`Renamed ${key.name} to ${renamedKey.name}.`])
}

async function enableKey({ core, output }: CommandContext, request: KeyOptions): Promise<void> {
  const { of } = await findKey(core, request)
  const enabledKey = await core.account.setKeyStatus({ ...of, status: 'ACTIVE' })
  printOutput(output, enabledKey, () => [`Enabled ${enabledKey.name}.`])
}

/** Changes a key with `--yes`. Without it, fails with `input.invalid` and changes nothing. */
async function disableKey({ core, output }: CommandContext, request: KeyOptions): Promise<void> {
  const { of, key, planName } = await findKey(core, { ...request, isFinal: true })
  const warning = `This disables ${key.name} (${key.keyId}) of ${planName}. Its next request is rejected. You can enable it again.`
  confirm(output, [warning, formatUsedBy(key)], request)
  const disabledKey = await core.account.setKeyStatus({ ...of, status: 'DISABLED' })
  printOutput(output, disabledKey, () => [`Disabled ${disabledKey.name}. Its next request is rejected.`])
}

/** Changes a key with `--yes`. Without it, fails with `input.invalid` and changes nothing. */
async function deleteKey({ core, output }: CommandContext, request: KeyOptions): Promise<void> {
  const { of, key, planName } = await findKey(core, { ...request, isFinal: true })
  const warning = `This deletes ${key.name} (${key.keyId}) of ${planName}. Its next request is rejected. This can't be undone.`
  confirm(output, [warning, formatUsedBy(key)], request)
  await core.account.deleteKey(of)
  printOutput(output, { removed: key.keyId }, () => [`Deleted ${key.name}.`])
}

/** Saves an account key on this computer. Fails with `account.notProvisioned` or `vault.unavailable`. */
async function saveKey({ core, output }: CommandContext, request: KeyOptions): Promise<void> {
  const { of, planName } = await findKey(core, request)
  const savedKey = await core.account.keepKey(of)
  printOutput(output, savedKey, () => [`${savedKey.name} of ${planName}: ${formatKeyStorage(savedKey)}`])
}

const formatKeyStorage = ({ kept }: SubscriptionKeyView): string =>
  kept === 'keychain' ? 'Saved in the OS keychain.' : 'Not saved, lost when the app quits.'

const formatUsedBy = ({ usedBy }: SubscriptionKeyView): string =>
  usedBy.length > 0
    ? `Tools on this computer that stop working: ${usedBy.join(', ')}.`
    : 'No tool on this computer uses it. Other computers are not checked.'

async function findKey(core: CommandContext['core'], request: KeyOptions & ChooseOptions) {
  const { of, plan } = await findAccountPlan(core, request.plan, request)
  const keyMatch = findByIdOrName(await core.account.keys(of), request.key, {
    what: 'key',
    listIds: ({ keyId }) => [keyId],
  })
  if (keyMatch) return { of: { ...of, keyId: keyMatch.keyId }, key: keyMatch, planName: plan.name }
  const message = `Plan ${plan.name} has no key ${request.key}. "companion key list ${request.plan}" lists its keys.`
  throw new AppError('key.notFound', message)
}
