import type { SavedSecret } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { Command } from 'commander'
import type { Core } from '../compose/compose'
import { formatDay } from '../core/local-time'
import { createYesOption, findByIdOrName } from './options'
import { addCommand, type CommandContext, listLines, toSingleLine } from './output'
import { confirm, type YesOption } from './terminal'

interface SecretOptions {
  readonly connection?: string
}

/** `companion secret`: platform secrets that the window saved in the keychain. */
export function addSecretCommands(program: Command, context: () => CommandContext): void {
  const secret = addCommand(program, 'secret', context).description('platform secrets saved in the OS keychain')
  addConnectionOption(secret.command('list'))
    .description('list saved secrets, masked')
    .run(({ core }, options: SecretOptions) => {
      const allSecrets = selectSecrets(core, options)
      const names = new Map(core.connections.list().map(({ id, name }) => [id, name]))
      const toRow = ({ name, kind, connectionId, masked, keptAt, id }: SavedSecret): string[] => [
        name,
        kindLabels[kind],
        names.get(connectionId) ?? '-',
        masked,
        formatDay(keptAt),
        id,
      ]
      const headings = ['NAME', 'KIND', 'CONNECTION', 'SECRET', 'SAVED', 'ID']
      return [allSecrets, listLines(allSecrets, headings, toRow, 'No saved secrets.')]
    })
  addConnectionOption(secret.command('print').argument('<secret>', 'name or id'))
    .description('print a secret to standard output (for docker login --password-stdin)')
    .run(async ({ core }, nameOrId: string, options: SecretOptions) => {
      const savedSecret = findSecret(core, nameOrId, options)
      const secretValue = await core.platformSecrets.readSecret(savedSecret.id)
      // Write the audit entry first, because a reader that closes the pipe ends this process.
      await core.secretNotes.note('secretPrinted', savedSecret)
      return [{ secret: secretValue.expose() }, [secretValue.expose()]]
    })
  addConnectionOption(secret.command('forget').alias('delete').argument('<secret>', 'name or id'))
    .addOption(createYesOption('delete it'))
    .description('delete a saved secret (the platform does not show it again)')
    .run(async ({ core, output }, nameOrId: string, options: SecretOptions & YesOption) => {
      const { id, kind, name, masked } = findSecret(core, nameOrId, options)
      const warning = `${kindLabels[kind]} ${name} (${masked}) is deleted from the keychain. It stays valid at the platform.`
      confirm(output, [warning], options)
      await core.platformSecrets.forget(id)
      return [{ removed: id }, [`Deleted ${toSingleLine(name)}.`]]
    })
}

const addConnectionOption = <C extends Command>(command: C): C =>
  command.option('--connection <connection>', 'name or id (default: every connection)')

function selectSecrets({ platformSecrets, connections }: Core, { connection }: SecretOptions): SavedSecret[] {
  return platformSecrets.list(connection === undefined ? undefined : connections.find(connection).id)
}

function findSecret(core: Core, nameOrId: string, options: SecretOptions): SavedSecret {
  const savedSecret = findByIdOrName(selectSecrets(core, options), nameOrId, { what: 'secret' })
  if (savedSecret) return savedSecret
  const message = `Secret ${nameOrId} not found. "companion secret list" lists all saved secrets.`
  throw new AppError('key.notFound', message, { field: 'secret' })
}

const kindLabels: Readonly<Record<SavedSecret['kind'], string>> = {
  robot: 'robot account',
  platformApiKey: 'platform API key',
  providerKey: "provider's key",
  token: 'token',
  serviceAccount: 'service account',
}
