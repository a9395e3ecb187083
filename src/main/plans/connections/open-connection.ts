import { AppError } from '@shared/failure'
import type { CommandUsage } from '../../core/consent/consent'
import type { Sleep } from '../../core/net/deadline'
import type { ResolveProxy } from '../../core/net/proxy'
import { createSender, type Send } from '../../core/net/send'
import type { Clock, Log } from '../../core/ports'
import type { Secret } from '../../core/secret'
import type { ConnectionRecord } from '../../core/settings/settings'
import { createPlatformClient } from '../../platform/platform-client'
import { createTokenSource, type RunCommand, runCommand } from '../../platform/tokens'
import { toCommandUsage } from './connection-record'

/** A plan of this computer whose gateway is that of the connection, with its key and the code of one of its models. */
interface GatewayPlan {
  readonly modelCode: string | undefined
  key(): Promise<Secret>
}

export interface ConnectionPorts {
  readonly proxyFor: ResolveProxy
  readonly clock: Clock
  readonly sleep: Sleep
  /** Random number in [0, 1). */
  readonly random: () => number
  readonly log: Log
  /** Finds the local plan with this gateway address. */
  readonly planAt: (gatewayUrl: string) => GatewayPlan | undefined
  /** Requires that the user has allowed the connection's program. Fails with `auth.commandNotAllowed`. */
  readonly requireAllowed: (use: CommandUsage) => Promise<void>
  readonly readSecret: (connectionId: string) => Promise<Secret | undefined>
  /** Called with each response's clock offset in ms (resolution of a second). */
  readonly updateClockOffset: (connectionId: string, clockOffsetMs: number) => void
}

export interface InferenceEndpoint extends Pick<OpenConnection, 'send' | 'tokens'> {
  readonly address: string | undefined
}

export type OpenConnection = Readonly<ReturnType<typeof openConnection>>

/** An open connection with its own sockets, token and client. */
export function openConnection(record: ConnectionRecord, ports: ConnectionPorts) {
  const { id, addresses, tokenSource, caFile } = record
  const { clock, sleep, random, log } = ports
  const sender = createSender({ proxyFor: ports.proxyFor, caFiles: caFile === undefined ? [] : [caFile] })
  let isClosed = false
  const send: Send = async (request) => {
    if (isClosed) throw createChangedError()
    try {
      const response = await sender.send(request)
      const serverTimeMs = Date.parse(response.headers.get('date') ?? '')
      if (!Number.isNaN(serverTimeMs)) ports.updateClockOffset(id, serverTimeMs - clock().getTime())
      return response
    } catch (error) {
      throw isClosed ? createChangedError() : error
    }
  }
  const secret = async () => {
    if (isClosed) throw createChangedError()
    return ports.readSecret(id)
  }
  const run: RunCommand = async (command, limits) => {
    await ports.requireAllowed(toCommandUsage(record, command))
    return runCommand(command, limits)
  }
  const createTokens = () => tokenSource && createTokenSource(tokenSource, { send, clock, sleep, secret, run })
  // All platform calls, including inference, need an IAM token (spec, "Authentication", B).
  const iam = createTokens()
  const tokens = iam === undefined ? {} : { iam }
  return {
    client: createPlatformClient({ addresses, tokens, send, clock, sleep, random, log }),
    send,
    /** IAM token source, shared with the client. Undefined if not configured. */
    tokens: iam,
    /** Creates a token source whose cache is empty. Undefined if the connection has no token source. */
    freshTokens: createTokens,
    async close(): Promise<void> {
      isClosed = true
      await sender.close()
    },
  }
}

const createChangedError = (): AppError =>
  new AppError('net.cancelled', 'The connection was changed or removed in the meantime. Try again.')
