import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { AppError } from '@shared/failure'
import { type Command, CommanderError } from 'commander'
import { onTestFinished, vi } from 'vitest'
import { ContextCommand } from '../../../../src/main/cli/context'
import type { Output } from '../../../../src/main/cli/output'
import { createProgram } from '../../../../src/main/cli/program'
import { type Core, createCore } from '../../../../src/main/compose/compose'
import type { Confirm } from '../../../../src/main/core/consent/consent'
import { Secret } from '../../../../src/main/core/secret'
import { createVault } from '../../../../src/main/core/vault/vault'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { memoryStore } from '../../../support/memory-settings'
import { makeFolder } from '../../support/folders'
import { type StubServer, startAnsweringServer } from '../gateway/answering-server'
import { quickWorkFactor } from '../keys/handout/kits'
import { keyAnswer, planAnswer } from '../plans/account/answers'

/** Output and exit code of a command. `failure` is the error that it threw. */
export interface Run {
  readonly out: string
  readonly err: string
  readonly code: number
  readonly failure: unknown
}

/** Runs commands with the real features, an in-memory keychain and settings, and a mock platform. */
export interface CliHarness {
  readonly core: Core
  readonly keychain: MemoryKeychain
  readonly server: StubServer
  readonly folder: string
  /** Runs a command. A text is split at spaces. */
  run(args: string | readonly string[], input?: string | PassThrough): Promise<Run>
  close(): Promise<void>
}

type Responder = (request: IncomingMessage, response: ServerResponse) => void

/** Platform responses by method and path without query. Other requests get 404. */
export type Routes = Readonly<Record<string, Responder>>

export const json = (body: unknown, status = 200): Responder => {
  return (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Starts a platform with these responses. By default the user confirms everything. */
export async function createHarness(routes: Routes, confirm: Confirm = async () => true): Promise<CliHarness> {
  const folder = makeFolder()
  const server = await startAnsweringServer((request, response) => {
    const path = `${request.method} ${request.url?.split('?')[0]}`
    const answer = routes[path] ?? json({ message: `nothing at ${path}` }, 404)
    answer(request, response)
  })
  const keychain = new MemoryKeychain()
  const core = createCore({
    version: '0.0.0',
    dataDir: folder,
    store: memoryStore(),
    vault: createVault({ keychain, install: 'Install a keyring.', sessionAllowed: false }),
    launcher: { path: join(folder, 'companion'), ensure: () => undefined, lost: () => undefined },
    log: { info: () => undefined, error: () => undefined },
    confirm,
    proxyFor: async () => ({ kind: 'direct' }),
    kitWorkFactor: quickWorkFactor,
  })
  return {
    core,
    keychain,
    server,
    folder,
    run: (args, input = '') => runCommand(core, typeof args === 'string' ? args.split(' ') : args, input),
    async close() {
      await core.end()
      await server.close()
    },
  }
}

export async function runCommand(core: Core, args: readonly string[], input: string | PassThrough = ''): Promise<Run> {
  const output = memoryOutput()
  const outputStream = new Writable({
    write: (chunk, _, callback) => {
      output.out(String(chunk))
      callback()
    },
  })
  const stdin = typeof input === 'string' ? new PassThrough().end(input) : input
  const program = createProgram({
    version: '0.0.0',
    outDir: '',
    openCore: () => core,
    makeOutput: (isJson) => ({ ...output, isJson }),
    streams: { stdin: () => stdin, stdout: outputStream },
  })
  const { failure, code } = await parseCommand(program, output, args)
  const failedCode = failure instanceof CommanderError ? (failure.exitCode === 0 ? 0 : 2) : 1
  return { out: output.stdout(), err: output.stderr(), code: failure === undefined ? code : failedCode, failure }
}

/** Adds a connection to the mock platform. Its access token is always `token-1`. */
export async function connect({ core, server }: CliHarness, name = 'office'): Promise<string> {
  const { connection } = await core.connections.save({
    name,
    addresses: {
      consoleUrl: `${server.url}/console`,
      identityApiUrl: `${server.url}/identity`,
      memoryApiUrl: `${server.url}/memory`,
      aipApiUrl: `${server.url}/aip`,
    },
    tokenSource: { kind: 'command', command: [process.execPath, '-e', 'console.log("token-1")'] },
  })
  return connection.id
}

/** Runs a command of a program that has only the commands of `add`, with this context. */
export async function runAddedCommand<Context extends object>(
  add: (program: ContextCommand<Context & { readonly output: Output }>) => void,
  context: Context,
  args: readonly string[],
) {
  const output = memoryOutput({ isJson: args.includes('--json') })
  const program = new ContextCommand('companion', () => ({ ...context, output }))
  add(program.option('--json'))
  return { ...(await parseCommand(program, output, args)), out: output.stdout(), err: output.stderr() }
}

export const listResponse = (...rows: readonly unknown[]) =>
  json({ listData: rows, totalItem: rows.length, totalPage: rows.length === 0 ? 0 : 1 })

export const packageAnswer = {
  packageId: 'package-pro',
  planType: 'Pro',
  price: 490_000,
  durationDays: 30,
  maxKeys: 5,
  models: [{ modelCode: 'm', displayName: 'M', tokenQuota: 1000, requestQuota: 10, enabledTypes: ['chat'] }],
}

/** Console responses with a plan `team` (p1), which has one key, and two plans named `twin` (p2, p3). */
const defaults: Routes = {
  'GET /console/account': json({ accountId: 'a', role: 'ADMIN', credits: 1_000_000 }),
  'GET /console/packages': listResponse(packageAnswer),
  'GET /console/packages/package-pro': json(packageAnswer),
  'GET /console/token-plans': listResponse(
    planAnswer,
    { ...planAnswer, planId: 'p2', name: 'twin' },
    { ...planAnswer, planId: 'p3', name: 'twin' },
  ),
  'GET /console/token-plans/p1': json(planAnswer),
  'GET /console/token-plans/p1/keys': listResponse(keyAnswer),
}

/** Creates a test environment with a console connection `office` and a plan `handed` that was added by key. */
export async function createAccountHarness(routes: Routes = {}): Promise<CliHarness & { changes(): string[] }> {
  const harness = await createHarness({ ...defaults, ...routes })
  onTestFinished(() => harness.close())
  await connect(harness)
  const input = { name: 'handed', gatewayUrl: 'https://handed.example.com', models: ['x'] }
  await harness.core.plans.add(input, new Secret(issuedKey))
  return {
    ...harness,
    /** Requests to the console that may change something. */
    changes: () =>
      harness.server.received.flatMap(({ method, path }) => (method === 'GET' ? [] : [`${method} ${path.slice(8)}`])),
  }
}

export const issuedKey = 'sk-handed-0123456789abcdef'

/** An output that records its writes. */
export function memoryOutput({ isJson = false } = {}) {
  const [out, err] = [vi.fn<Output['out']>(), vi.fn<Output['err']>()]
  const getText = (write: typeof out): string => write.mock.calls.join('')
  return { isJson, hasColour: false, out, err, stdout: () => getText(out), stderr: () => getText(err) }
}

/** Runs a command of a program whose parser throws instead of exiting. Returns the error and the exit code. */
async function parseCommand(program: Command, output: Output, args: readonly string[]) {
  for (const command of [program, ...program.commands, ...program.commands.flatMap((group) => group.commands)])
    command.exitOverride().configureOutput({ writeOut: output.out, writeErr: output.err })
  const failure: unknown = await program.parseAsync(['node', 'companion', ...args]).then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? error.failure : error),
  )
  const code = Number(process.exitCode ?? 0)
  process.exitCode = 0
  return { failure, code }
}
