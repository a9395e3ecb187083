import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port'

const superuser = 'postgres'
const superuserPassword = 'only for tests'

/** The folder of PostgreSQL's programs. POSTGRES_BIN selects another version. Undefined if not installed. */
function findPrograms(): string | undefined {
  const debianPostgresPath = '/usr/lib/postgresql'
  const versions = existsSync(debianPostgresPath)
    ? readdirSync(debianPostgresPath).sort((a, b) => Number(b) - Number(a))
    : []
  const installedFolders = versions.map((version) => join(debianPostgresPath, version, 'bin'))
  const folders = [process.env.POSTGRES_BIN ?? '', ...installedFolders, ...(process.env.PATH ?? '').split(delimiter)]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

/** User of the server process: PostgreSQL refuses to run as root. */
function runner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string, name: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  const name = ['postgres', 'nobody'].find((userName) => {
    try {
      return id('-u', userName) > 0
    } catch {
      return false
    }
  })
  if (name === undefined) throw new Error(`PostgreSQL does not run as ${userInfo().username}.`)
  return { uid: id('-u', name), gid: id('-g', name) }
}

/** The reason why PostgreSQL is unavailable, or undefined. */
export const withoutPostgres: string | undefined =
  process.platform === 'win32' || findPrograms() === undefined
    ? 'PostgreSQL is not installed here (Debian: apt-get install postgresql), so this was not tested'
    : undefined

const pooler = ['/usr/sbin', '/usr/local/bin', ...(process.env.PATH ?? '').split(delimiter)]
  .map((folder) => join(folder, 'pgbouncer'))
  .find(existsSync)

/** The reason why PgBouncer is unavailable, or undefined. */
export const withoutPooler: string | undefined =
  withoutPostgres ??
  (pooler === undefined
    ? 'PgBouncer is not installed here (Debian: apt-get install pgbouncer), so this was not tested'
    : undefined)

/** A local PostgreSQL server with a temporary folder. */
export interface TestPostgres {
  readonly port: number
  readonly folder: string
  /** Creates an empty database for these users. The first user can create a space. Each password is `pw <user>`. */
  database(users: readonly string[]): Promise<string>
  query(database: string, text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  end(): Promise<void>
}

export const toPassword = (user: string): string => `pw ${user}`

/**
 * Starts a server. `tls`: PEM files of its certificate and key. `certified`: users who sign in with a client certificate
 * of that issuer. `settings`: more configuration lines.
 */
export async function startPostgres({
  tls,
  certified = [],
  settings = [],
}: {
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly certified?: readonly string[]
  readonly settings?: readonly string[]
} = {}): Promise<TestPostgres> {
  const programs = findPrograms()
  if (programs === undefined) throw new Error(withoutPostgres)
  const userRunner = runner()
  // PostgreSQL runs as another user, who must be able to enter the folder.
  for (
    let temporaryRoot = tmpdir();
    userRunner && temporaryRoot !== dirname(temporaryRoot);
    temporaryRoot = dirname(temporaryRoot)
  ) {
    const { mode } = statSync(temporaryRoot)
    if ((mode & 0o001) === 0) chmodSync(temporaryRoot, mode | 0o011)
  }
  const folder = mkdtempSync(join(tmpdir(), 'companion-postgres-'))
  const assignOwner = (path: string): void => {
    if (userRunner) chownSync(path, userRunner.uid, userRunner.gid)
  }
  assignOwner(folder)
  const port = await freePort()
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, superuserPassword, { mode: 0o600 })
  assignOwner(passwordFile)
  const initArguments = [
    '-D',
    data,
    '-U',
    superuser,
    '-A',
    'scram-sha-256',
    '--pwfile',
    passwordFile,
    '-E',
    'UTF8',
    '--no-locale',
    '--no-sync',
  ]
  execFileSync(join(programs, 'initdb'), initArguments, {
    ...userRunner,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
  })
  if (tls) {
    for (const [name, text] of [
      ['server.crt', tls.cert],
      ['server.key', tls.key],
    ] as const) {
      writeFileSync(join(data, name), text, { mode: 0o600 })
      assignOwner(join(data, name))
    }
  }
  const hbaPath = join(data, 'pg_hba.conf')
  const lines = certified.map((user) => `hostssl all ${user} 127.0.0.1/32 cert\n`)
  writeFileSync(hbaPath, lines.join('') + readFileSync(hbaPath, 'utf8'))
  const options = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'fsync=off',
    'max_connections=200',
    ...(tls ? ['ssl=on', 'ssl_ca_file=server.crt'] : []),
    ...settings,
  ].flatMap((line) => ['-c', line])
  let child: ChildProcess | undefined
  const stopAtExit = (): void => void child?.kill('SIGQUIT')
  process.on('exit', stopAtExit)
  const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const
  const stop: TestPostgres['stop'] = async (mode = 'fast') => {
    const serverProcess = child
    child = undefined
    if (serverProcess === undefined || serverProcess.exitCode !== null) return
    const exitPromise = new Promise((resolve) => serverProcess.once('exit', resolve))
    serverProcess.kill(signals[mode])
    await exitPromise
  }
  const startServer = async (): Promise<void> => {
    const log: string[] = []
    const postgresProcess = spawn(join(programs, 'postgres'), ['-D', data, ...options], {
      ...userRunner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    postgresProcess.stderr?.on('data', (chunk) => log.push(String(chunk)))
    child = postgresProcess
    for (let tryCount = 0; tryCount < 600; tryCount += 1) {
      if (postgresProcess.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${log.join('')}`)
      if (await answers(port)) return
      await sleep(50)
    }
    throw new Error(`PostgreSQL does not answer:\n${log.join('')}`)
  }
  await startServer()
  let count = 0
  const query: TestPostgres['query'] = async (database, text, values = []) => {
    const client = new pg.Client(connection(port, database))
    await client.connect()
    try {
      return (await client.query(text, [...values])).rows
    } finally {
      await client.end()
    }
  }
  return {
    port,
    folder,
    query,
    stop,
    start: startServer,
    async database(users) {
      count += 1
      const name = `team_${count}`
      for (const [index, user] of users.entries()) {
        const [existingRole] = await query(superuser, 'SELECT 1 FROM pg_roles WHERE rolname = $1', [user])
        const quotedUser = `"${user.replaceAll('"', '""')}"`
        if (!existingRole)
          await query(superuser, `CREATE ROLE ${quotedUser} LOGIN PASSWORD '${toPassword(user).replaceAll("'", "''")}'`)
        if (index === 0) await query(superuser, `ALTER ROLE ${quotedUser} CREATEROLE`)
      }
      await query(superuser, `CREATE DATABASE ${name} OWNER "${users[0]?.replaceAll('"', '""')}"`)
      return name
    },
    async end() {
      await stop('immediate')
      process.off('exit', stopAtExit)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A PgBouncer in front of a server. */
export interface TestPooler {
  readonly port: number
  readonly mode: 'session' | 'transaction'
  end(): Promise<void>
}

/** Starts PgBouncer with default settings. `signsInAs`: the user for every connection. */
export async function startConnectionPooler(
  { port: serverPort, folder }: TestPostgres,
  {
    mode,
    users,
    signsInAs,
  }: { readonly mode: TestPooler['mode']; readonly users: readonly string[]; readonly signsInAs?: string },
): Promise<TestPooler> {
  if (pooler === undefined) throw new Error(withoutPooler)
  const userRunner = runner()
  const poolerFolder = mkdtempSync(join(folder, 'pooler-'))
  const port = await freePort()
  const [userFile, configFile] = [join(poolerFolder, 'users'), join(poolerFolder, 'pgbouncer.ini')]
  const target = [`host=127.0.0.1 port=${serverPort}`, ...(signsInAs === undefined ? [] : [`user=${signsInAs}`])]
  const files = {
    [userFile]: users.map((user) => `"${user}" "${toPassword(user)}"\n`).join(''),
    [configFile]: [
      '[databases]',
      `* = ${target.join(' ')}`,
      '[pgbouncer]',
      'listen_addr=127.0.0.1',
      `listen_port=${port}`,
      'unix_socket_dir=',
      'auth_type=scram-sha-256',
      `auth_file=${userFile}`,
      `pool_mode=${mode}`,
      '',
    ].join('\n'),
  }
  for (const [path, text] of Object.entries(files)) writeFileSync(path, text, { mode: 0o600 })
  if (userRunner)
    for (const path of [poolerFolder, ...Object.keys(files)]) chownSync(path, userRunner.uid, userRunner.gid)
  const child = spawn(pooler, [configFile], { ...userRunner, cwd: poolerFolder, stdio: 'ignore' })
  const stopAtExit = (): void => void child.kill('SIGTERM')
  process.on('exit', stopAtExit)
  const exitPromise = new Promise((resolve) => child.once('exit', resolve))
  while (child.exitCode === null && !(await isListening(port))) await sleep(20)
  return {
    port,
    mode,
    async end() {
      child.kill('SIGTERM')
      await exitPromise
      process.off('exit', stopAtExit)
    },
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const createProbeCallback = (isThere: boolean) => () => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', createProbeCallback(true)).once('error', createProbeCallback(false))
  })

const connection = (port: number, database: string): pg.ClientConfig => ({
  host: '127.0.0.1',
  port,
  database,
  user: superuser,
  password: superuserPassword,
})

async function answers(port: number): Promise<boolean> {
  const client = new pg.Client(connection(port, superuser))
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
