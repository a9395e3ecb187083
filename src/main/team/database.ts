import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, type FailureCode } from '@shared/failure'
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { z } from 'zod'
import { Secret } from '../secret'
import type { TeamAddress } from '../settings/records'
import { needsTls } from './address'
import { schemaName, schemaVersion } from './schema'

const connectMs = 10_000
const statementMs = 30_000
/** An answer of more rows is not read. */
const mostRows = 200_000
const mostTries = 6
/** A serialization failure, a deadlock, and tables of a month that another computer made just then: nothing was written. */
const inTheWay = ['40001', '40P01', '42P07']

/** The time limits of a connection, set once it is open: a pooler such as PgBouncer refuses whoever signs in with them. */
const timeLimits = CompiledQuery.raw(
  `SELECT ${['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
    .map((name) => `set_config('${name}', '${statementMs}', false)`)
    .join(', ')}`,
)

/** What signs in: a password, or the private key of the certificate in the address. */
interface TeamSignIn {
  readonly address: TeamAddress
  readonly secret: Secret | undefined
}

/** What pg is told. Everything is set, so that no variable of the environment and no .pgpass of the person has a say. */
function configOf({ address, secret }: TeamSignIn): pg.ClientConfig {
  const { host, port, database, user, ca, certificate } = address
  const isKey = certificate !== undefined
  return {
    ...{ host, port, database, user },
    // A function, so that the password stands in no object that could be printed.
    password: async () => (isKey ? '' : (secret?.expose() ?? '')),
    ssl: needsTls(address)
      ? {
          rejectUnauthorized: true,
          minVersion: 'TLSv1.2',
          ...(ca !== undefined && { ca }),
          ...(isKey && { cert: certificate, key: secret?.expose() }),
        }
      : false,
    application_name: 'platform-companion',
    client_encoding: 'UTF8',
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + connectMs,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  }
}

const int8 = 20
const timestamptz = 1184

/** Numbers as numbers, moments in ISO 8601; what they are is proven by who asked. */
const parserOf: pg.CustomTypesConfig['getTypeParser'] = (oid, format) => {
  if (oid === int8) return Number
  if (oid === timestamptz) return (text: string) => new Date(text).toISOString()
  return pg.types.getTypeParser(oid, format)
}

/** An open database of a team: a few connections, each call with a time limit. Everything fails with `team.*`. */
export class TeamDatabase {
  readonly db: Kysely<unknown>
  readonly #pool: pg.Pool

  constructor(private readonly signIn: TeamSignIn) {
    this.#pool = new pg.Pool({ ...configOf(signIn), max: 3, idleTimeoutMillis: 30_000, allowExitOnIdle: true })
    // Of a connection that nobody uses now: the next one is made anew.
    this.#pool.on('error', () => undefined)
    // Of one that is in use: its call fails as well.
    this.#pool.on('connect', (client) => client.on('error', () => undefined))
    const dialect = new PostgresDialect({
      pool: this.#pool,
      onCreateConnection: async (connection) => void (await connection.executeQuery(timeLimits)),
    })
    this.db = new Kysely<unknown>({ dialect })
  }

  /** Fails with `team.rejected` where a pooler signs everybody in as one user: the database then takes each for the same person. */
  async requireOwnUser(): Promise<void> {
    const { user } = this.signIn.address
    const [signedIn] = await this.rows(z.object({ name: z.string() }))`SELECT session_user::text AS name`
    if (signedIn?.name === user) return
    const message = `The connection pooler before the database signs in as another user than ${user}. Let it keep each person's own user.`
    throw new AppError('team.rejected', message)
  }

  /** The rows of a statement, each proven. */
  rows<S extends z.ZodType>(schema: S) {
    return (text: TemplateStringsArray, ...values: readonly unknown[]): Promise<z.output<S>[]> =>
      this.run(async (db) => readRows(schema, (await sql<unknown>(text, ...values).execute(db)).rows))
  }

  /** Runs statements; what fails is told as `team.*`. */
  async run<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
    try {
      return await work(this.db)
    } catch (error) {
      throw explainDatabase(error, this.signIn)
    }
  }

  /** Runs statements as one: all of them, or none; again where others were in the way. */
  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
    return this.run(async (db) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await db.transaction().execute(work)
        } catch (error) {
          if (tries === mostTries || !inTheWay.includes(codeOf(error))) throw error
          await sleep(tries * 20 * Math.random())
        }
      }
    })
  }

  /** Hears what changes, on a connection of its own; resolves once it does, and tells when that connection is gone. */
  async listen(onNews: (news: string) => void, onGone: () => void): Promise<() => Promise<void>> {
    const client = new pg.Client(configOf(this.signIn))
    let isOver = false
    const over = (): void => {
      if (isOver) return
      isOver = true
      onGone()
    }
    client.on('error', over)
    client.on('end', over)
    client.on('notification', ({ channel, payload }) => {
      if (channel === schemaName && payload !== undefined && payload.length < 100) onNews(payload)
    })
    const stop = async (): Promise<void> => {
      isOver = true
      await client.end().catch(() => undefined)
    }
    try {
      await client.connect()
      await client.query(`LISTEN ${schemaName}`)
      return stop
    } catch (error) {
      await stop()
      throw explainDatabase(error, this.signIn)
    }
  }

  async close(): Promise<void> {
    await this.db.destroy().catch(() => undefined)
  }
}

/** Proves rows that came from outside. Fails with `team.unreadable`. */
export function readRows<S extends z.ZodType>(schema: S, rows: readonly unknown[]): z.output<S>[] {
  if (rows.length > mostRows) throw unreadable()
  return rows.map((row) => {
    const read = schema.safeParse(row)
    if (!read.success) throw unreadable()
    return read.data
  })
}

const unreadable = (): AppError =>
  new AppError('team.unreadable', 'The database answered something that is no team space of this version.')

/** Which codes of PostgreSQL and of the network mean which failure. */
const codes: readonly { readonly is: RegExp; readonly code: FailureCode; readonly reason: string }[] = [
  { is: /^28|^3D000$/, code: 'team.rejected', reason: 'did not accept the user, the password or the database' },
  { is: /^42501$/, code: 'team.notAllowed', reason: 'does not allow this user to do that' },
  { is: /^42704$/, code: 'team.noUser', reason: 'has no such user' },
  { is: /^(3F000|42P01|42883)$/, code: 'team.noSpace', reason: 'holds no team space' },
  { is: /^(23|22|P0)/, code: 'input.invalid', reason: 'refused a value' },
  {
    is: /CERT|^ERR_(TLS|SSL)|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO/,
    code: 'team.tls',
    reason: 'has a certificate that is not trusted',
  },
  { is: /^ERR_OSSL|^EPROTO/, code: 'team.tls', reason: 'could not be spoken to by TLS' },
]

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A failure of the database as the person reads it; neither the statement nor its values nor the server's own text are in it. */
function explainDatabase(error: unknown, { address }: Pick<TeamSignIn, 'address'>): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const code = codeOf(error)
  const where = `The database at ${address.host}:${address.port}`
  if (/does not support SSL/i.test(error.message))
    return new AppError('team.tls', `${where} does not offer TLS. Nothing was sent. Switch TLS on there.`)
  // PgBouncer 1.18 has one code for all that it refuses itself.
  const isPoolerRefusal =
    code === '08P01' && /authentication failed|no such user|database .* does not exist/i.test(error.message)
  const known = codes.find(({ is }) => is.test(isPoolerRefusal ? '28000' : code))
  if (known) return new AppError(known.code, `${where} ${known.reason} (${code}).`)
  if (error instanceof TypeError || error instanceof RangeError) return error
  // Classes of PostgreSQL that do not say that it is gone, ends or has no room.
  if (/^(?!08|53|57|58)[0-9A-Z]{5}$/.test(code))
    return new AppError('team.unreadable', `${where} answered with the error ${code}.`)
  return new AppError('team.unreachable', `${where} cannot be reached${code ? ` (${code})` : ''}.`)
}

/** What signs in as the keychain keeps it: any text as a line of plain characters. */
export const packSecret = (secret: Secret): Secret =>
  new Secret(`t-${Buffer.from(secret.expose()).toString('base64url')}`)

/** What was packed. */
export const unpackSecret = (packed: Secret): Secret =>
  new Secret(Buffer.from(packed.expose().slice(2), 'base64url').toString(), 'text')

/** Whether a database holds a space. */
export async function isSpace(database: TeamDatabase): Promise<boolean> {
  const found = await database.rows(
    z.object({}),
  )`SELECT 1 AS there FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ${schemaName} AND c.relname = 'space'`
  return found.length > 0
}

/** How many migrations a space has had. */
export async function countMigrations(database: TeamDatabase): Promise<number> {
  const [found] = await database.rows(
    z.object({ count: z.number().int() }),
  )`SELECT count(*) AS count FROM companion_team.kysely_migration`
  return found?.count ?? 0
}

/** Fails with `team.newer` for a space of a version that this app does not know. */
export async function requireVersion(database: TeamDatabase): Promise<void> {
  if ((await countMigrations(database)) <= schemaVersion) return
  throw new AppError('team.newer', 'The team space was made by a newer version of this app. Update this one.')
}
