import { createHash } from 'node:crypto'
import { AppError } from '@shared/failure'
import type { SettingsStore } from '../settings/settings'
import { type Confirm, type ConsentQuestion, requireConsent } from './consent'
import { commandLine } from './question-text'

/** A command that a connection runs to get tokens, and the hosts that receive these tokens. */
export interface CommandUsage extends Omit<Extract<ConsentQuestion, { kind: 'runCommand' }>, 'kind'> {
  readonly connectionId: string
}

/** Maximum command length. The user must be able to see the whole command before they agree. */
const maxShownLength = 2000

/** Programs that the user allowed, by connection and exact command line, stored where the window cannot write. */
export class AllowedCommands {
  /** Commands that the user declined in this process. Background work does not ask for them again. */
  readonly #declined = new Set<string>()

  constructor(private readonly deps: { readonly settings: SettingsStore; readonly confirm: Confirm }) {}

  /** Asks once per exact command. Fails with `auth.commandNotAllowed`, or `input.invalid` for one too long to show. */
  async require({ connectionId, ...use }: CommandUsage, confirm = this.deps.confirm): Promise<void> {
    const digest = digestCommand(connectionId, use.command)
    if (this.deps.settings.read().allowedCommands.includes(digest)) return
    if (commandLine(use.command).length > maxShownLength) {
      const message = `The command of this connection is longer than ${maxShownLength} characters. Put it in a script and run the script.`
      throw new AppError('input.invalid', message, { field: 'command' })
    }
    try {
      const ask: Confirm = async (question) => !this.#declined.has(digest) && confirm(question)
      await requireConsent(ask, { kind: 'runCommand', ...use }, 'auth.commandNotAllowed')
    } catch (error) {
      this.#declined.add(digest)
      throw error
    }
    this.deps.settings.update(({ allowedCommands }) => ({
      allowedCommands: [...new Set([...allowedCommands, digest])],
    }))
  }

  /** Revokes the permission of a program, so that its next run asks again. */
  forget({ connectionId, command }: Pick<CommandUsage, 'connectionId' | 'command'>): void {
    const digest = digestCommand(connectionId, command)
    if (!this.deps.settings.read().allowedCommands.includes(digest)) return
    this.deps.settings.update(({ allowedCommands }) => ({
      allowedCommands: allowedCommands.filter((allowedDigest) => allowedDigest !== digest),
    }))
  }

  /** The user started something that needs the command, so ask again after an earlier no. */
  askAgain({ connectionId, command }: Pick<CommandUsage, 'connectionId' | 'command'>): void {
    this.#declined.delete(digestCommand(connectionId, command))
  }
}

const digestCommand = (connectionId: string, command: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([connectionId, command]))
    .digest('hex')
