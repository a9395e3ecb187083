import type { Duplex } from 'node:stream'
import { AppError, type FailureCode } from '@shared/failure'
import pg from 'pg'
import { z } from 'zod'
import { Secret } from '../core/secret'
import type { TeamAddress } from '../core/settings/records'
import { createWorkQueue } from '../core/work-queue'
import { needsTls } from './address'

/** Also limits unrequested data. A full register (100,000 keys) takes about half of it. */
const maxResponseBytes = 32 * 1024 * 1024
/** Maximum number of messages per response. Nearly all are rows of a full register, and pg keeps an object for each. */
const maxMessages = 101_000
/** Timeout for one statement in ms. The server's own timeout is shorter, so that normally the server reports it. */
const statementTimeoutMs = 15_000

declare module 'pg' {
  interface Connection {
    attachListeners(stream: Duplex): void
  }
}

/** A violated protocol or limit. `reason` continues a sentence about the database, without server text. */
class DatabaseProtocolError extends Error {
  constructor(readonly reason: string) {
    super(reason)
  }
}

/** Destroyed when the server exceeds a limit or sends data that pg cannot parse, which pg would throw uncaught. */
class BoundedConnection extends pg.Connection {
  #bytes = 0
  #messages = 0
  #deadline: NodeJS.Timeout | undefined

  constructor(config: pg.ConnectionConfig) {
    super(config)
    this.on('message', () => {
      this.#messages += 1
      if (this.#messages > maxMessages) throw new DatabaseProtocolError(`sent more than ${maxMessages} messages`)
    })
    for (const event of ['readyForQuery', 'end']) this.on(event, () => clearTimeout(this.#deadline))
  }

  override query(text: string): void {
    this.#start()
    super.query(text)
  }

  override parse(...input: Parameters<pg.Connection['parse']>): void {
    this.#start()
    super.parse(...input)
  }

  override attachListeners(stream: Duplex): void {
    const emit = stream.emit.bind(stream)
    stream.emit = (event: string | symbol, ...values: unknown[]): boolean => {
      if (event !== 'data') return emit(event, ...values)
      // Ignore buffered data that a destroyed stream still delivers.
      if (stream.destroyed) return false
      try {
        this.#bytes += Buffer.isBuffer(values[0]) ? values[0].length : 0
        if (this.#bytes > maxResponseBytes) throw new DatabaseProtocolError('sent more than 32 MB')
        return emit(event, ...values)
      } catch (error) {
        const isLimit = error instanceof DatabaseProtocolError
        stream.destroy(isLimit ? error : new DatabaseProtocolError('asks for something that this app does not support'))
        return false
      }
    }
    super.attachListeners(stream)
  }

  #start(): void {
    this.#bytes = 0
    this.#messages = 0
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(
      () => this.stream.destroy(new DatabaseProtocolError(`did not answer within ${statementTimeoutMs / 1000} s`)),
      statementTimeoutMs,
    )
    this.#deadline.unref()
  }
}

class BoundedClient extends pg.Client {
  readonly #connection: BoundedConnection

  constructor(config: pg.ClientConfig) {
    const connection = new BoundedConnection({ ssl: config.ssl, keepAlive: true })
    super({ ...config, connection } as pg.ClientConfig)
    this.#connection = connection
  }

  /** Closes the connection without waiting for the server. */
  destroy(): void {
    this.#connection.stream.destroy()
  }
}

const connectTimeoutMs = 10_000
const closeTimeoutMs = 1_000

/** Timeouts that the server enforces, as a statement because PgBouncer rejects them as connection parameters. */
const connectSql = `SELECT session_user::text AS name, set_config('statement_timeout', '12s', false), set_config('lock_timeout', '5s', false),
  set_config('idle_in_transaction_session_timeout', '12s', false)`

/** Credentials of a database user: a password, or the private key of the certificate in the address. */
export interface TeamSignIn {
  readonly address: TeamAddress
  readonly secret: Secret
}

/** Sets every option of pg, so that environment variables and .pgpass files have no effect. */
function toConfig({ address, secret }: TeamSignIn): pg.ClientConfig {
  const { host, port, database, user, ca, certificate } = address
  const key = certificate === undefined ? undefined : secret.expose()
  return {
    host,
    port,
    database,
    user,
    // Pass the password as a function, so that no object contains it.
    password: async () => (key === undefined ? secret.expose() : ''),
    ssl: needsTls(address) && { rejectUnauthorized: true, minVersion: 'TLSv1.2', ca, cert: certificate, key },
    application_name: 'platform-companion',
    client_encoding: 'UTF8',
    connectionTimeoutMillis: connectTimeoutMs,
  }
}

pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString())

export type Statement = [text: TemplateStringsArray, ...values: unknown[]]

/** Runs a statement and validates the returned rows. Interpolated values become SQL parameters. Fails with `team.*`. */
export type Query = <S extends z.ZodType>(schema: S) => (...statement: Statement) => Promise<z.output<S>[]>

export interface Transaction {
  readonly rows: Query
  /** Runs SQL text, which must not contain external input. */
  readonly exec: (sql: string) => Promise<unknown>
}

const createQuery =
  (client: BoundedClient): Query =>
  (schema) =>
  async ([...text], ...values) => {
    const { rows } = await client.query(
      text.reduce((sql, part, index) => `${sql}$${index}${part}`),
      values,
    )
    const parseResult = z.array(schema).safeParse(rows)
    if (parseResult.success) return parseResult.data
    const message = 'The database answered with data that does not belong to a lead space of this version.'
    throw new AppError('team.unreadable', message)
  }

/** The database of a lead space. Uses one connection, which reconnects when lost. All methods fail with `team.*`. */
export class TeamDatabase {
  readonly #queue = createWorkQueue()
  #client: BoundedClient | undefined
  #listener: { readonly onNews: (table: string) => void; readonly onGone: () => void } | undefined
  #isClosed = false

  constructor(private readonly signIn: TeamSignIn) {}

  readonly rows: Query =
    (schema) =>
    (...statement) =>
      this.#exclusive((client) => createQuery(client)(schema)(...statement))

  readonly run = async (...statement: Statement): Promise<void> => {
    await this.rows(z.object({}))(...statement)
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#exclusive(async (client) => {
      await client.query('BEGIN')
      try {
        const result = await work({ rows: createQuery(client), exec: (sql) => client.query(sql) })
        await client.query('COMMIT')
        return result
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined)
        throw error
      }
    })
  }

  /** Calls `onNews` with the name of a changed table. Calls `onGone` once when the connection is lost. */
  async listen(onNews: (table: string) => void, onGone: () => void): Promise<void> {
    await this.#exclusive(async (client) => {
      await client.query('LISTEN companion_team')
      this.#listener = { onNews, onGone }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listener = undefined
    const client = this.#client
    if (client === undefined) return
    const timer = setTimeout(() => client.destroy(), closeTimeoutMs)
    await client.end().catch(() => undefined)
    clearTimeout(timer)
  }

  #exclusive<T>(work: (client: BoundedClient) => Promise<T>): Promise<T> {
    return this.#queue(async () => {
      try {
        return await work(this.#client ?? (await this.#connect()))
      } catch (error) {
        throw explainDatabase(error, this.signIn)
      }
    })
  }

  async #connect(): Promise<BoundedClient> {
    if (this.#isClosed) throw new AppError('team.unreachable', 'The connection to the database is closed.')
    const client = new BoundedClient(toConfig(this.signIn))
    const clearClient = (): void => {
      if (this.#client !== client) return
      this.#client = undefined
      const { onGone } = this.#listener ?? {}
      this.#listener = undefined
      onGone?.()
    }
    client.on('error', clearClient)
    client.on('end', clearClient)
    client.on(
      'notification',
      ({ channel, payload = '' }) => channel === 'companion_team' && this.#listener?.onNews(payload),
    )
    // Assign the client before connecting, so that `close` can end it.
    this.#client = client
    try {
      await client.connect()
      const { rows } = await client.query(connectSql)
      const { user } = this.signIn.address
      if (rows[0]?.name === user) return client
      // The database could not distinguish people if a connection pooler signs in as one shared user.
      const message = `The connection pooler before the database signs in as another user than ${user}. Let it keep each person's own user.`
      throw new AppError('team.rejected', message)
    } catch (error) {
      clearClient()
      client.destroy()
      // `pg` expects the messages of a sign-in in their order, and fails on others with a TypeError.
      throw error instanceof TypeError ? new DatabaseProtocolError('sent a message at the wrong time') : error
    }
  }
}

/** Failures by error code of PostgreSQL or of the network. */
const failures: readonly { readonly codes: RegExp; readonly code: FailureCode; readonly reason: string }[] = [
  { codes: /^28|^3D000$/, code: 'team.rejected', reason: 'did not accept the user, the password or the database' },
  { codes: /^42501$/, code: 'team.notAllowed', reason: 'does not allow this user to do that' },
  { codes: /^42704$/, code: 'team.noUser', reason: 'has no such user. Ask its administrator to create one' },
  { codes: /^42P06$/, code: 'team.spaceExists', reason: 'holds a lead space already. Ask its lead for an invitation' },
  { codes: /^(3F000|42P01|42883)$/, code: 'team.noSpace', reason: 'holds no lead space' },
  { codes: /^(55P03|57014|40P01|25P03)$/, code: 'team.busy', reason: 'is busy: another session holds a lock' },
  { codes: /^(23|22|P0)/, code: 'input.invalid', reason: 'rejected a value' },
  {
    codes: /CERT|^ERR_(TLS|SSL)|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO/,
    code: 'team.tls',
    reason: 'has a certificate that is not trusted',
  },
  { codes: /^ERR_OSSL|^EPROTO/, code: 'team.tls', reason: 'could not set up TLS' },
]

/** Converts a database error to a failure. The failure contains no statement, no values and no text of the server. */
function explainDatabase(error: unknown, { address }: Pick<TeamSignIn, 'address'>): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  // A code of PostgreSQL or of the network. Drop other characters, because a server may send any text.
  const code = 'code' in error && /^\w{1,40}$/.test(String(error.code)) ? String(error.code) : ''
  const databaseLabel = `The database at ${address.host}:${address.port}`
  if (/does not support SSL/i.test(error.message))
    return new AppError('team.tls', `${databaseLabel} does not offer TLS. Nothing was sent. Switch TLS on there.`)
  if (error instanceof DatabaseProtocolError)
    return new AppError('team.unreadable', `${databaseLabel} ${error.reason}. The connection was closed.`)
  // PgBouncer 1.18 uses one code for all its errors, so a rejected login is recognized by its message.
  const isPoolerRefusal =
    code === '08P01' && /authentication failed|no such user|database .* does not exist/i.test(error.message)
  const matchingFailure = failures.find(({ codes }) => codes.test(isPoolerRefusal ? '28000' : code))
  if (matchingFailure)
    return new AppError(matchingFailure.code, `${databaseLabel} ${matchingFailure.reason} (${code}).`)
  if (error instanceof TypeError || error instanceof RangeError) return error
  // Other PostgreSQL errors, except classes that mean the server is unreachable, shutting down or out of resources.
  if (/^(?!08|53|57|58)[0-9A-Z]{5}$/.test(code))
    return new AppError('team.unreadable', `${databaseLabel} answered with the error ${code}.`)
  return new AppError('team.unreachable', `${databaseLabel} cannot be reached${code ? ` (${code})` : ''}.`)
}

/** Encodes a secret for the keychain, which stores only printable text without line breaks. */
export const encodeSecret = (secret: Secret): Secret =>
  new Secret(`t-${Buffer.from(secret.expose()).toString('base64url')}`)

export const unpackSecret = (packed: Secret): Secret =>
  new Secret(Buffer.from(packed.expose().slice(2), 'base64url').toString(), 'text')
