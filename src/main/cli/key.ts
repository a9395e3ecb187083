import type { SavedSecret, SubscriptionKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { Option } from 'commander'
import words from '../../renderer/locales/en/register.json'
import type { Core } from '../compose/compose'
import { formatDay } from '../core/local-time'
import type { Secret } from '../core/secret'
import type { ChooseOptions } from '../plans/plan-directory'
import { toolTokenId } from '../relay/routing/routes'
import type { CommandContext, Program } from './context'
import {
  type ConnectionOption,
  findAccountPlan,
  findByIdOrName,
  findPlan,
  readKeyName,
  readKnownPlans,
} from './options'
import { confirm, inputError, listKeyLines, listLines, shellWord, toSingleLine, type YesOption } from './output'
import { printAccountFailure } from './plan'

export function addKeyCommands(program: Program): void {
  const key = program.add('key', 'subscription keys of plans, saved in the OS keychain')
  key
    .add('print', 'print a saved key (used by tools)')
    .value('--plan <plan>', 'name or id of the plan')
    .value('--key <key>', "name or id of the key (default: the plan's newest active)")
    .addOption(new Option('--relay <tool>', 'print the token of this tool for the relay').conflicts(['plan', 'key']))
    .run(async ({ core }, request: PrintOptions) => {
      const key = (await readKeySecret(core, request)).expose()
      return [{ key }, [key]]
    })
  key
    .add('list <plan>', 'list the keys of a plan, masked', 'name or id')
    .connection()
    .run(async ({ core, output }, planNameOrId, option) => {
      const knownPlans = await readKnownPlans(core, option)
      const entry = findPlan(knownPlans, planNameOrId)
      printAccountFailure(output, knownPlans)
      const { plan } = entry
      if (entry.kind === 'local') return [entry.plan.keys, listKeyLines(entry.plan.keys)]
      const keys = await core.account.keys({ connectionId: entry.connectionId, planId: entry.plan.planId })
      const emptyText = `${plan.name} has no keys. Add one with "companion key add ${shellWord(plan.name)} --name KEY".`
      return [keys, listKeyLines(keys, emptyText)]
    })
  key
    .add('add <plan>', 'create a key of a plan and save it to the keychain', 'name or id')
    .connection()
    .required('--name <name>', keyNameHint, readKeyName)
    // Fails with `account.keyLimitReached`, `account.keyNotKept` and the like.
    .run(async ({ core }, planNameOrId, { name, ...option }) => {
      const { of, plan } = await findAccountPlan(core, planNameOrId, option)
      const newKey = await core.account.addKey({ ...of, name })
      const count = `${plan.keysUsed + 1} of ${plan.maxKeys} keys`
      const text = `Added ${newKey.name} (${newKey.masked}) to ${plan.name} (${count}). ${formatKeyStorage(newKey)}`
      return [newKey, [text]]
    })
  const addKeyCommand = (name: string, description: string) =>
    key.add(`${name} <plan> <key>`, description, 'name or id', 'name or id').connection()
  addKeyCommand('rename', 'rename a key')
    .required('--name <name>', keyNameHint, readKeyName)
    .run(async ({ core }, plan, keyNameOrId, { name, ...option }) => {
      const { of, key: oldKey } = await findKey(core, plan, keyNameOrId, option)
      const renamedKey = await core.account.renameKey({ ...of, name })
      return [renamedKey, [`Renamed ${oldKey.name} to ${renamedKey.name}.`]]
    })
  addKeyCommand('enable', 'enable a key').run(async ({ core }, plan, keyNameOrId, option) => {
    const { of } = await findKey(core, plan, keyNameOrId, option)
    const enabledKey = await core.account.setKeyStatus({ ...of, status: 'ACTIVE' })
    return [enabledKey, [`Enabled ${enabledKey.name}.`]]
  })
  addKeyCommand('disable', 'disable a key (reversible)')
    .yes('disable it')
    .run(async (parts, plan, keyNameOrId, options) => {
      const { of } = await confirmKeyStop(parts, plan, keyNameOrId, options, ['disables', 'You can enable it again.'])
      const disabledKey = await parts.core.account.setKeyStatus({ ...of, status: 'DISABLED' })
      return [disabledKey, [`Disabled ${disabledKey.name}. Its next request is rejected.`]]
    })
  addKeyCommand('delete', 'delete a key permanently')
    .yes('delete it')
    .run(async (parts, plan, keyNameOrId, options) => {
      const { of, key: oldKey } = await confirmKeyStop(parts, plan, keyNameOrId, options, [
        'deletes',
        "This can't be undone.",
      ])
      await parts.core.account.deleteKey(of)
      return [{ removed: oldKey.keyId }, [`Deleted ${oldKey.name}.`]]
    })
  addKeyCommand('keep', 'save a key of the account to the keychain')
    .alias('save')
    // Fails with `account.notProvisioned` or `vault.unavailable`.
    .run(async ({ core }, plan, keyNameOrId, option) => {
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
  throw inputError('Name a plan with --plan, or a tool with --relay.', 'plan')
}

const keyNameHint = 'name of the key, at most 50 characters'

type KeyOptions = ConnectionOption & YesOption

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
  const keyMatch = findByIdOrName(await core.account.keys(of), keyNameOrId, { what: 'key', id: 'keyId' })
  if (keyMatch) return { of: { ...of, keyId: keyMatch.keyId }, key: keyMatch, planName: plan.name }
  const message = `Plan ${plan.name} has no key ${keyNameOrId}. "companion key list ${planNameOrId}" lists its keys.`
  throw new AppError('key.notFound', message)
}

/** `companion secret`: platform secrets that the window saved in the keychain. */
export function addSecretCommands(program: Program): void {
  const secret = program.add('secret', 'platform secrets saved in the OS keychain')
  const ownerText = 'name or id (default: every connection)'
  secret
    .add('list', 'list saved secrets, masked')
    .connection(ownerText)
    .run(({ core }, options) => {
      const allSecrets = selectSecrets(core, options)
      const names = new Map(core.connections.list().map(({ id, name }) => [id, name]))
      const lines = listLines(
        allSecrets,
        {
          NAME: ({ name }) => name,
          KIND: ({ kind }) => words.audit.secretKinds[kind],
          CONNECTION: ({ connectionId }) => names.get(connectionId),
          SECRET: ({ masked }) => masked,
          SAVED: ({ keptAt }) => formatDay(keptAt),
          ID: ({ id }) => id,
        },
        'No saved secrets.',
      )
      return [allSecrets, lines]
    })
  secret
    .add('print <secret>', 'print a secret to standard output (for docker login --password-stdin)', 'name or id')
    .connection(ownerText)
    .run(async ({ core }, nameOrId, options) => {
      const savedSecret = findSecret(core, nameOrId, options)
      const secretValue = await core.platformSecrets.readSecret(savedSecret.id)
      // Write the audit entry first, because a reader that closes the pipe ends this process.
      await core.secretNotes.note('secretPrinted', savedSecret)
      return [{ secret: secretValue.expose() }, [secretValue.expose()]]
    })
  secret
    .add('forget <secret>', 'delete a saved secret (the platform does not show it again)', 'name or id')
    .alias('delete')
    .connection(ownerText)
    .yes('delete it')
    .run(async ({ core, output }, nameOrId, options) => {
      const { id, kind, name, masked } = findSecret(core, nameOrId, options)
      const warning = `${words.audit.secretKinds[kind]} ${name} (${masked}) is deleted from the keychain. It stays valid at the platform.`
      confirm(output, [warning], options)
      await core.platformSecrets.forget(id)
      return [{ removed: id }, [`Deleted ${toSingleLine(name)}.`]]
    })
}

function selectSecrets({ platformSecrets, connections }: Core, { connection }: ConnectionOption): SavedSecret[] {
  return platformSecrets.list(connection === undefined ? undefined : connections.find(connection).id)
}

function findSecret(core: Core, nameOrId: string, options: ConnectionOption): SavedSecret {
  const savedSecret = findByIdOrName(selectSecrets(core, options), nameOrId, { what: 'secret' })
  if (savedSecret) return savedSecret
  const message = `Secret ${nameOrId} not found. "companion secret list" lists all saved secrets.`
  throw new AppError('key.notFound', message, { field: 'secret' })
}
