import { AppError } from '@shared/failure'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { tokenIdOf } from '../routing/routes'
import type { Secret } from '../secret'
import type { CommandContext } from './context'
import type { KeyWish } from './key-actions'
import type { ConnectionOption } from './known-plans'
import { addConnectionOption, yes } from './options'
import { print } from './output'

type KeyAction = 'enableKey' | 'disableKey' | 'deleteKey' | 'keepKey'

interface KeyCommand {
  readonly name: string
  readonly description: string
  readonly action: KeyAction
  /** It stops something. */
  readonly isAsked: boolean
}

const keyCommands: readonly KeyCommand[] = [
  { name: 'enable', description: 'let a key work again', action: 'enableKey', isAsked: false },
  { name: 'disable', description: 'stop a key until it is enabled', action: 'disableKey', isAsked: true },
  { name: 'delete', description: 'delete a key for good', action: 'deleteKey', isAsked: true },
  { name: 'keep', description: 'keep a key of the account in the keychain', action: 'keepKey', isAsked: false },
]

/** `companion key print | list | add | rename | enable | disable | delete | keep`. What asks the account is loaded by these alone. */
export function addKeyCommands(program: Command, context: () => CommandContext): void {
  const key = program.command('key').description('subscription keys of plans, saved in the OS keychain')
  key
    .command('print')
    .option('--plan <plan>', 'name or id of the plan')
    .option('--key <key>', 'name or id of the key (default: the first)')
    .addOption(new Option('--relay <tool>', 'what a tool shows to the relay').conflicts(['plan', 'key']))
    .description('print a saved key (used by tools)')
    .action(async (wish: PrintWish) => {
      const { core, output } = context()
      const secret = await secretFor(core, wish)
      print(output, { key: secret.expose() }, () => [secret.expose()])
    })
  addConnectionOption(key.command('list').argument('<plan>', 'name or id'))
    .description('list the keys of a plan, masked')
    .action(async (plan: string, option: ConnectionOption) => {
      const { listKeys } = await import('./key-actions')
      await listKeys(context(), plan, option)
    })
  addConnectionOption(key.command('add').argument('<plan>', 'name or id'))
    .requiredOption('--name <name>', keyNameHint, readKeyName)
    .description('create a key of a plan and save it to the keychain')
    .action(async (plan: string, options: ConnectionOption & { name: string }) => {
      const { addKey } = await import('./key-actions')
      await addKey(context(), plan, options)
    })
  keyOf(key, 'rename')
    .requiredOption('--name <name>', keyNameHint, readKeyName)
    .description('rename a key')
    .action(async (plan: string, wanted: string, options: ConnectionOption & { name: string }) => {
      const { renameKey } = await import('./key-actions')
      await renameKey(context(), { ...options, plan, key: wanted })
    })
  for (const { name, description, action, isAsked } of keyCommands) {
    const command = keyOf(key, name).description(description)
    if (isAsked) command.addOption(yes('stop it'))
    command.action(async (plan: string, wanted: string, options: Omit<KeyWish, 'plan' | 'key'>) => {
      const actions = await import('./key-actions')
      await actions[action](context(), { ...options, plan, key: wanted })
    })
  }
}

interface PrintWish {
  readonly plan?: string
  readonly key?: string
  readonly relay?: string
}

async function secretFor({ plans, vault }: CommandContext['core'], { plan, key, relay }: PrintWish): Promise<Secret> {
  if (relay !== undefined) return vault.get(tokenIdOf(relay)).catch(notRouted(relay))
  if (plan !== undefined) return plans.secretOf(plans.find(plan), key)
  throw new AppError('input.invalid', 'Name a plan with --plan, or a tool with --relay.', { field: 'plan' })
}

const notRouted = (toolId: string) => (error: unknown) => {
  if (!(error instanceof AppError && error.failure.code === 'vault.keyMissing')) throw error
  throw new AppError('vault.keyMissing', `${toolId} was never set up for the relay, so it has no key for it.`)
}

const keyOf = (group: Command, name: string): Command =>
  addConnectionOption(group.command(name).argument('<plan>', 'name or id').argument('<key>', 'name or id'))

const keyNameHint = 'name of the key, at most 50 characters'

function readKeyName(text: string): string {
  const name = text.trim()
  if (name !== '' && [...name].length <= 50) return name
  throw new InvalidArgumentError('Give 1 to 50 characters.')
}
