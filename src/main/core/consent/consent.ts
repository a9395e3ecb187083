import type { AddressKey, McpPermission } from '@shared/contract'
import { addressKeys } from '@shared/contract/connections'
import { AppError, type FailureCode } from '@shared/failure'
import { toRoot } from '../net/address'
import type { Clock } from '../ports'
import type { ConnectionRecord, PlanRecord } from '../settings/settings'

/** One address that would be another; without `from` there was none. */
export interface Destination {
  readonly field: AddressKey
  readonly from?: string | undefined
  readonly to: string
}

/** Questions that need the user's consent. */
export type ConsentQuestion =
  /** A secret that is kept would be sent to hosts that do not get it now. */
  | {
      readonly kind: 'sendElsewhere'
      readonly holder: 'plan' | 'connection'
      readonly name: string
      readonly destinations: readonly Destination[]
    }
  /** A connection runs a program for its tokens, and sends them to these hosts. */
  | {
      readonly kind: 'runCommand'
      readonly connection: string
      readonly command: readonly string[]
      readonly hosts: readonly string[]
    }
  /** A secret that this app itself put on the clipboard is taken from there, to be sent to another place. */
  | { readonly kind: 'reuseCopiedSecret'; readonly masked: string }
  | { readonly kind: 'trustCertificates'; readonly connection: string; readonly path: string }
  | { readonly kind: 'useFolder'; readonly folder: string }
  /** A coding tool would use what costs or writes of the MCP server. */
  | { readonly kind: 'allowMcp'; readonly tool: string; readonly permission: McpPermission }
  /** The window could read what coding tools send to the MCP server. */
  | { readonly kind: 'recordMcp' }
  /** Copying an MCP server to other tools, which will run it with its values. */
  | {
      readonly kind: 'copyMcp'
      readonly server: string
      readonly tools: readonly string[]
      /** The command line or the address. */
      readonly runs: string
      readonly values: readonly string[]
      /** Files that will hold the values as plain text; empty when they go into the keychain. */
      readonly files: readonly string[]
    }
  /** The relay would send its figures off this computer. */
  | {
      readonly kind: 'sendMetrics'
      readonly endpoint: string
      readonly sendsSpans: boolean
      /** Whether a saved secret goes along. */
      readonly isSigned: boolean
    }
  /** The password of a database user is sent there, and who holds which key is shared there. */
  | {
      readonly kind: 'joinTeam'
      readonly space: string
      readonly user: string
      /** Host and port. */
      readonly address: string
      /** Of the certificate that is trusted in the place of the usual authorities. */
      readonly fingerprint?: string
    }
  /** Credits of an account would be spent, in VND. */
  | { readonly kind: 'spendCredits'; readonly plan: string; readonly amount: number; readonly credits: number }
  | { readonly kind: 'openLink'; readonly url: string }
  | { readonly kind: 'openTerminal'; readonly program: string; readonly folder: string }

/** Asks the person outside of the window's page; true when they agreed. */
export type Confirm = (question: ConsentQuestion) => Promise<boolean>

/** Asks, and fails with `input.declined`, or the given code, when the answer is no. */
export async function requireConsent(
  confirm: Confirm,
  question: ConsentQuestion,
  code: FailureCode = 'input.declined',
): Promise<void> {
  if (!(await confirm(question))) throw new AppError(code, refusals[question.kind])
}

const refusals: Readonly<Record<ConsentQuestion['kind'], string>> = {
  sendElsewhere: 'Nothing was changed: you did not agree to the new address.',
  runCommand:
    'The token command of this connection is not allowed yet. Test the connection in the window, or run "companion connection allow".',
  reuseCopiedSecret: 'The secret on the clipboard was copied from this app, so it was not used.',
  trustCertificates: 'Nothing was changed: you did not agree to the file of certificates.',
  useFolder: 'You did not agree to the use of this folder. Choose the project again.',
  allowMcp: 'Nothing was switched on.',
  recordMcp: 'Nothing was switched on.',
  copyMcp: 'The MCP server was not copied.',
  sendMetrics: 'Nothing was changed: you did not agree to send metrics there.',
  joinTeam: 'The password was not sent, and nothing was joined.',
  spendCredits: 'Nothing was changed: you did not agree to the payment.',
  openLink: 'The link was not opened.',
  openTerminal: 'The terminal was not opened.',
}

/** Pause after a refusal, so that repeated questions cannot wear the user down. */
const pauseMs = 10_000

/** Queues questions, shares an identical open one and pauses after a refusal. */
export function askInTurn(ask: Confirm, clock: Clock): Confirm {
  const open = new Map<string, Promise<boolean>>()
  const declined = new Map<string, number>()
  let last: Promise<unknown> = Promise.resolve()
  return (question) => {
    const key = JSON.stringify(question)
    const asked = open.get(key)
    if (asked) return asked
    const sinceMs = clock().getTime() - (declined.get(key) ?? -Infinity)
    // A negative age means that the clock was set back.
    if (sinceMs >= 0 && sinceMs < pauseMs) return Promise.resolve(false)
    const answer = last
      .then(() => ask(question))
      .then((isAgreed) => {
        if (!isAgreed) declined.set(key, clock().getTime())
        return isAgreed
      })
      .finally(() => open.delete(key))
    last = answer.catch(() => undefined)
    open.set(key, answer)
    return answer
  }
}

type Addresses = ConnectionRecord['addresses']

/** Addresses that never receive the connection's secret. */
const withoutSecret: readonly AddressKey[] = ['tokenPlanUrl', 'registryHost']

/** The hosts that get the tokens of a connection. */
export const listHosts = (addresses: Addresses): string[] => [
  ...new Set(secretFields.flatMap((field) => (addresses[field] ? [toRoot(addresses[field])] : []))),
]

const secretFields = addressKeys.filter((field) => !withoutSecret.includes(field))

/** The addresses of a connection that are at a host which gets none of its secrets now. */
export function newDestinations(before: Addresses, after: Addresses): Destination[] {
  const known = listHosts(before)
  return secretFields.flatMap((field) => {
    const to = after[field]
    return to === undefined || known.includes(toRoot(to)) ? [] : [{ field, from: before[field], to }]
  })
}

/** The gateway of a plan, where it is at another host than before and a key of the plan would go there: one that is kept, or one of its account. */
export function newGateway(
  { gatewayUrl: from, keys, origin }: Pick<PlanRecord, 'gatewayUrl' | 'origin'> & { readonly keys: readonly unknown[] },
  to: string,
): Destination[] {
  const hasKey = keys.length > 0 || origin !== undefined
  return hasKey && toRoot(from) !== toRoot(to) ? [{ field: 'tokenPlanUrl', from, to }] : []
}
