import { createHash } from 'node:crypto'
import type { AddressKey, McpPermission, WebhookFormat } from '@shared/contract'
import { addressKeys } from '@shared/contract/connections'
import { AppError, type FailureCode } from '@shared/failure'
import { escapeHiddenCharacters } from '@shared/hidden-characters'
import { toRoot } from '../net/address'
import type { Clock } from '../ports'
import type { ConnectionRecord, PlanRecord, SettingsStore } from '../settings/settings'
import { createWorkQueue } from '../work-queue'

/** A changed address of a connection. Without `from`, the address is new. */
export interface Destination {
  readonly field: AddressKey
  readonly from?: string | undefined
  readonly to: string
}

export type ConsentQuestion =
  /** A saved secret would be sent to additional hosts. */
  | {
      readonly kind: 'sendElsewhere'
      readonly holder: 'plan' | 'connection'
      readonly name: string
      readonly destinations: readonly Destination[]
    }
  /** A connection would run a program for tokens and send them to these hosts. */
  | {
      readonly kind: 'runCommand'
      readonly connection: string
      readonly command: readonly string[]
      readonly hosts: readonly string[]
    }
  /** The user pastes a secret that this app has copied, and it would be used for another destination. */
  | { readonly kind: 'reuseCopiedSecret'; readonly masked: string }
  | { readonly kind: 'trustCertificates'; readonly connection: string; readonly path: string }
  | { readonly kind: 'useFolder'; readonly folder: string }
  /** Another program, such as the file manager, opened the app with a key file. */
  | { readonly kind: 'openKeyFile'; readonly path: string }
  /** A coding tool would use MCP tools that cost or write. */
  | { readonly kind: 'allowMcp'; readonly tool: string; readonly permission: McpPermission }
  /** The window could read the arguments of MCP calls. */
  | { readonly kind: 'recordMcp' }
  /** An MCP server would be copied to other tools, which then start it with these environment variables and headers. */
  | {
      readonly kind: 'copyMcp'
      readonly server: string
      readonly tools: readonly string[]
      readonly runs: string
      readonly values: readonly string[]
      /** Files that will contain the values as plain text. Empty if they go into the keychain. */
      readonly files: readonly string[]
    }
  /** A chat would start the program of an MCP server, or connect to its address, with these variables or headers. */
  | {
      readonly kind: 'startMcp'
      readonly server: string
      readonly runs: string
      readonly values: readonly string[]
      readonly isProgram: boolean
    }
  /** A chat would call a tool of an MCP server. `input` is JSON. */
  | {
      readonly kind: 'callMcp'
      readonly server: string
      readonly runs: string
      readonly tool: string
      readonly input: string
    }
  /** The relay would send metrics to another computer. */
  | {
      readonly kind: 'sendMetrics'
      readonly endpoint: string
      readonly sendsSpans: boolean
      /** Whether a saved secret is sent with the metrics. */
      readonly isSigned: boolean
    }
  /** Alerts would be sent to another computer. */
  | {
      readonly kind: 'sendAlerts'
      readonly origin: string
      readonly format: WebhookFormat
      /** Whether a saved token is sent with the alerts. */
      readonly isSigned: boolean
    }
  /** The database password would be sent to this server, which would store names of key holders and other data. */
  | {
      readonly kind: 'joinTeam'
      readonly space: string
      readonly user: string
      readonly address: string
      /** Fingerprint of a certificate that is trusted instead of the public authorities. */
      readonly fingerprint?: string
    }
  /** Account credits would be spent, in VND. */
  | { readonly kind: 'spendCredits'; readonly plan: string; readonly amount: number; readonly credits: number }
  | { readonly kind: 'openLink'; readonly url: string }
  | { readonly kind: 'openTerminal'; readonly program: string; readonly folder: string }

/** Asks the user outside of the window's page. Resolves to true after consent. */
export type Confirm = (question: ConsentQuestion) => Promise<boolean>

/** Asks the user for consent. A refusal fails with `input.declined` or the given code. */
export async function requireConsent(
  confirm: Confirm,
  question: ConsentQuestion,
  code: FailureCode = 'input.declined',
): Promise<void> {
  if (!(await confirm(question))) throw new AppError(code, question.kind === 'runCommand' ? commandRefusal : refusal)
}

const refusal = 'You did not agree, so nothing was changed.'
const commandRefusal =
  'The token command of this connection is not allowed yet. Test the connection in the window, or run "companion connection allow NAME".'

/** Pause after a refusal, so that repeated questions cannot wear the user down. */
const pauseMs = 10_000

/** Asks consent questions one after the other. Joins identical open questions, and pauses after a refusal. */
export function queueConfirmations(confirm: Confirm, clock: Clock): Confirm {
  const openQuestions = new Map<string, Promise<boolean>>()
  const declinedUntilByQuestion = new Map<string, number>()
  const enqueue = createWorkQueue()
  return (question) => {
    const key = JSON.stringify(question)
    const pendingAnswer = openQuestions.get(key)
    if (pendingAnswer) return pendingAnswer
    const elapsedMs = clock().getTime() - (declinedUntilByQuestion.get(key) ?? -Infinity)
    // The time since the refusal is negative if the clock was set back.
    if (elapsedMs >= 0 && elapsedMs < pauseMs) return Promise.resolve(false)
    const answer = enqueue(() => confirm(question))
      .then((isAgreed) => {
        if (!isAgreed) declinedUntilByQuestion.set(key, clock().getTime())
        return isAgreed
      })
      .finally(() => openQuestions.delete(key))
    openQuestions.set(key, answer)
    return answer
  }
}

type Addresses = ConnectionRecord['addresses']

/** Addresses that never receive the connection's secret. */
const withoutSecret: readonly AddressKey[] = ['tokenPlanUrl', 'registryHost']

/** Hosts that receive the connection's tokens. */
export const listHosts = (addresses: Addresses): string[] => [
  ...new Set(secretFields.flatMap((field) => (addresses[field] ? [toRoot(addresses[field])] : []))),
]

const secretFields = addressKeys.filter((field) => !withoutSecret.includes(field))

/** Addresses of a connection whose hosts do not receive its secret yet. */
export function findNewDestinations(oldAddresses: Addresses, newAddresses: Addresses): Destination[] {
  const knownHosts = listHosts(oldAddresses)
  return secretFields.flatMap((field) => {
    const newAddress = newAddresses[field]
    return newAddress === undefined || knownHosts.includes(toRoot(newAddress))
      ? []
      : [{ field, from: oldAddresses[field], to: newAddress }]
  })
}

/** The plan's gateway, if its host has changed and a saved key or an account's key would be sent there. */
export function newGateway(
  { gatewayUrl: from, keys, origin }: Pick<PlanRecord, 'gatewayUrl' | 'origin'> & { readonly keys: readonly unknown[] },
  to: string,
): Destination[] {
  const hasKey = keys.length > 0 || origin !== undefined
  return hasKey && toRoot(from) !== toRoot(to) ? [{ field: 'tokenPlanUrl', from, to }] : []
}

/** A command line with arguments quoted where needed. */
export const commandLine = (command: readonly string[]): string =>
  command
    .map((argument) =>
      /^[\w@%+=:,./-]+$/.test(argument) ? argument : escapeHiddenCharacters(JSON.stringify(argument)),
    )
    .join(' ')

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
