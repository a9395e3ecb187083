import { AppError } from '@shared/failure'
import type { CommandUse } from '../../core/consent/allowed-commands'
import type { Sleep } from '../../core/net/deadline'
import type { ProxyFor } from '../../core/net/proxy'
import { createSender, type Send } from '../../core/net/send'
import type { Clock, Log } from '../../core/ports'
import type { Secret } from '../../core/secret'
import type { ConnectionRecord } from '../../core/settings/settings'
import { createPlatformClient, type PlatformClient } from '../../platform/platform-client'
import { createTokenSource, keySource, type RunCommand, runCommand, type TokenSource } from '../../platform/tokens'
import { commandUse } from './connection-record'

/** A plan of this machine at a gateway: a model code of it, when one is known, and its key. */
export interface PlanThere {
  readonly modelCode: string | undefined
  key(): Promise<Secret>
}

export interface ConnectionPorts {
  readonly proxyFor: ProxyFor
  readonly clock: Clock
  readonly sleep: Sleep
  /** From 0 up to 1. */
  readonly random: () => number
  readonly log: Log
  /** The plan of this machine whose gateway this is. */
  readonly planAt: (gatewayUrl: string) => PlanThere | undefined
  /** Fails with `auth.commandNotAllowed` while the person has not allowed the program of a connection. */
  readonly requireAllowed: (use: CommandUse) => Promise<void>
  /** The secret of a connection, or undefined when there is none. */
  readonly readSecret: (connectionId: string) => Promise<Secret | undefined>
  /** Hears with each answer how far the clock of its place is ahead of ours, in ms; to the second at best. */
  readonly noteAhead: (connectionId: string, aheadMs: number) => void
}

/** Base address, sockets and IAM token source for inference. */
export interface InferenceWay extends Pick<OpenConnection, 'send' | 'tokens'> {
  readonly address: string | undefined
}

/** An open connection with its own sockets, token and client. */
export interface OpenConnection {
  readonly client: PlatformClient
  readonly send: Send
  /** The source of IAM tokens that the client has too; undefined when the connection names none. */
  readonly tokens: TokenSource | undefined
  /** A source that knows no token yet; undefined when the connection names none. */
  freshTokens(): TokenSource | undefined
  /** Ends the sockets; from then on nothing is sent. */
  close(): Promise<void>
}

/** Opens a connection; nothing is sent yet. */
export function openConnection(record: ConnectionRecord, ports: ConnectionPorts): OpenConnection {
  const { id, addresses, tokenSource, caFile } = record
  const { clock, sleep, random, log } = ports
  const sender = createSender({ proxyFor: ports.proxyFor, caFiles: caFile === undefined ? [] : [caFile] })
  let isClosed = false
  const send: Send = async (request) => {
    if (isClosed) throw changed()
    try {
      const answer = await sender.send(request)
      const toldMs = Date.parse(answer.headers.get('date') ?? '')
      if (!Number.isNaN(toldMs)) ports.noteAhead(id, toldMs - clock().getTime())
      return answer
    } catch (error) {
      throw isClosed ? changed() : error
    }
  }
  const secret = async () => {
    if (isClosed) throw changed()
    return ports.readSecret(id)
  }
  const run: RunCommand = async (command, limits) => {
    await ports.requireAllowed(commandUse(record, command))
    return runCommand(command, limits)
  }
  const freshTokens = () => tokenSource && createTokenSource(tokenSource, { send, clock, sleep, secret, run })
  const iam = freshTokens()
  const gateway = keySource(async () => ports.planAt(addresses.tokenPlanUrl ?? '')?.key())
  // Every call of the platform takes an IAM token (spec, "Authentication", B), inference too.
  const tokens = { gateway, ...(iam === undefined ? {} : { iam, inference: iam }) }
  return {
    client: createPlatformClient({ addresses, tokens, send, clock, sleep, random, log }),
    send,
    tokens: iam,
    freshTokens,
    async close() {
      isClosed = true
      await sender.close()
    },
  }
}

const changed = (): AppError =>
  new AppError('net.cancelled', 'The connection was changed or removed in the meantime. Try again.')
