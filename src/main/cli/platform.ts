import type { AddressKey, ConnectionDraft, ConnectionTestView, ConnectionView } from '@shared/contract'
import { ConnectionPart } from '@shared/contract/connections'
import { AppError } from '@shared/failure'
import words from '../../renderer/locales/en/runtimes.json'
import { commandLine } from '../core/consent/consent'
import { cleanPastedKey, Secret } from '../core/secret'
import { readConnectionText, readDraft } from '../plans/connections/connection-record'
import type { CommandContext, CommandOptions, ContextCommand, Program } from './context'
import { defineCallCommand } from './lazy-commands'
import { chooseConnection } from './options'
import {
  type Columns,
  correctionTexts,
  inputError,
  listResult,
  printOutput,
  type Result,
  storageTexts,
  toSingleLine,
} from './output'

export function addConnectionCommands(program: Program): void {
  const connection = program.add('connection', 'platform addresses and sign-in methods')
  defineAddCommand(connection).run(addConnection)
  connection
    .add('allow <connection>', 'allow the token command of a connection', 'name or id')
    .flag('--yes', 'do not ask')
    .run(async ({ core }, nameOrId, { yes }) => {
      const { id, name } = core.connections.find(nameOrId)
      await core.connections.allowCommand(id, yes ? async () => true : undefined)
      return [{ allowed: id }, [`Allowed the token command of ${name}.`]]
    })
  connection.add('list', 'list the connections').run(({ core }) => {
    const emptyText = 'No connections yet. Add one with "companion connection add --file FILE".'
    return listResult(core.connections.list(), connectionColumns, emptyText)
  })
  connection.add('use <connection>', 'set the active connection', 'name or id').run(({ core }, nameOrId) => {
    const { id, name } = core.connections.find(nameOrId)
    core.connections.use(id)
    return [{ used: id }, [`${name} is now the active connection.`]]
  })
  connection
    .add(
      'test [connection]',
      'test each service of a connection with a live request',
      'name or id (default: the active one)',
    )
    .value('--part <part>', 'only this part', ConnectionPart.options)
    .perform(testConnection)
  connection
    .add('remove <connection>', 'remove a connection and its secret', 'name or id')
    .run(async ({ core }, nameOrId) => {
      const { id, name } = core.connections.find(nameOrId)
      await core.connections.remove(id)
      return [{ removed: id }, [`Removed ${name}.`]]
    })
}

/** Testable parts of a connection in test order, each with the address that it needs. */
const partAddresses: readonly (readonly [part: ConnectionPart, address: AddressKey])[] = [
  ['gateway', 'tokenPlanUrl'],
  ['console', 'consoleUrl'],
  ['identity', 'identityApiUrl'],
  ['runtime', 'runtimeApiUrl'],
  ['memory', 'memoryApiUrl'],
  ['registry', 'registryApiUrl'],
  ['aip', 'aipApiUrl'],
  ['inference', 'inferenceUrl'],
]

/** Tests one part of the named or active connection, or all with an address. Prints each result immediately. */
async function testConnection(
  { core, output, pipes }: CommandContext,
  name: string | undefined,
  { part: only }: { readonly part?: ConnectionPart },
): Promise<void> {
  const connection = chooseConnection(core, name)
  const { tokenSource, addresses } = connection
  const testableParts: ConnectionPart[] = [
    ...(tokenSource === undefined ? [] : (['token'] as const)),
    ...partAddresses.flatMap(([part, address]) => (addresses[address] ? [part] : [])),
  ]
  const parts = only === undefined ? testableParts : [only]
  if (parts.length === 0)
    throw new AppError('api.notConfigured', `${connection.name} has no address and no sign-in method to test.`)
  const outcomes: ConnectionTestView[] = []
  for (const part of parts) {
    const outcome = await core.connections.test(connection.id, part, { signal: pipes.closed })
    outcomes.push(outcome)
    if (!output.isJson) output.out(`${formatTest(outcome)}\n`)
  }
  if (output.isJson) printOutput(output, outcomes, () => [])
  if (outcomes.some(({ ok }) => !ok)) process.exitCode = 1
}

const defineAddCommand = (connection: Program) =>
  connection
    .add('add', 'add a connection from a file')
    .required('--file <file>', 'connection file (JSON, without secrets), or - for standard input')
    .flag('--secret-stdin', 'read the client secret or the token from standard input')
    .flag('--yes', 'allow the token command in the file without asking')

/** Adds the connection of a file. Prints corrections and missing parts to standard error. */
async function addConnection(
  context: CommandContext,
  { file, secretStdin = false, yes = false }: CommandOptions<ReturnType<typeof defineAddCommand>>,
): Promise<Result> {
  const { core, output, readStdin } = context
  if (secretStdin && file === '-')
    throw inputError("Standard input can't be both the file and the secret. Pass the file by name.", 'file')
  const { corrections, ...draft } = readDraft(await (file === '-' ? readStdin() : readConnectionText(file)))
  const secret = secretStdin ? await readSecret(context, draft.tokenSource) : undefined
  const { tokenSource } = draft
  if (tokenSource?.kind === 'command')
    output.err(`The file contains a token command: ${commandLine(tokenSource.command)}\n`)
  const savedConnection = await core.connections.save(draft, secret, yes ? async () => true : undefined)
  const correctionLines = [...corrections, ...savedConnection.corrections].map(
    ({ field, correction }) => `Corrected ${field}: ${correctionTexts[correction]}\n`,
  )
  for (const line of new Set(correctionLines)) output.err(line)
  const { name, secret: secretStorage, isActive } = savedConnection.connection
  if (secretStorage === 'missing') output.err(missingSecretText)
  const lines = [
    `Added ${name}${secretStorage === 'keychain' ? '. The secret is saved in the OS keychain' : ''}.`,
    isActive ? 'It is now the active connection.' : `Activate it with "companion connection use ${name}".`,
  ]
  return [savedConnection.connection, lines]
}

const missingSecretText =
  "It has no secret yet, so it can't get tokens. Remove it and add it again with --secret-stdin, or enter the secret in the app.\n"

/** A client secret is used unchanged. From a token, `Bearer` and quotes are removed. */
async function readSecret({ readStdin }: CommandContext, source: ConnectionDraft['tokenSource']): Promise<Secret> {
  switch (source?.kind) {
    case 'client-credentials':
      return new Secret((await readStdin()).trim())
    case 'pasted':
      return cleanPastedKey(await readStdin())
    default:
      throw inputError('The sign-in method in this file uses no secret. Remove --secret-stdin.', 'tokenSource')
  }
}

/** A star marks the active connection. */
const connectionColumns: Columns<ConnectionView> = {
  '': ({ isActive }) => (isActive ? '*' : ' '),
  NAME: ({ name }) => name,
  'SIGN-IN': ({ tokenSource }) => tokenSource?.kind,
  SECRET: ({ secret }) => (secret === 'none' ? undefined : storageTexts[secret]),
  ADDRESSES: ({ addresses }) =>
    Object.keys(addresses)
      .map((key) => key.replace(/(Api)?(Url)$/, ''))
      .join(', ') || '-',
}

function formatTest(test: ConnectionTestView): string {
  const addressText = test.requestAddress === undefined ? '' : ` ${test.requestAddress}`
  const duration = `${Math.round(test.durationMs)} ms`
  const paddedPart = test.part.padEnd('inference'.length)
  const access = test.ok && test.proven === 'used' ? 'works' : 'is reachable, access not verified'
  if (test.ok) return `ok      ${paddedPart} ${access} (${duration})${addressText}`
  return `failed  ${paddedPart} ${test.failure.message.replace(/\s+/g, ' ')} (${test.failure.code}, ${duration})${addressText}`
}

/** `companion api`. Lazy loads operation tables and HTTP library. */
export function addApiCommands(program: Program): void {
  const api = program.add('api', 'call any operation of the platform')
  api
    .add('list', 'list the operations with their parameters')
    .value('--service <service>', 'only operations of this service', services)
    .perform(async ({ output }, { service }) => {
      const { listOperations } = await import('./api-call')
      listOperations(output, service)
    })
  defineCallCommand(api).perform(async (context, id, options) => {
    const { callApi } = await import('./api-call')
    await callApi(context, id, options)
  })
}

/** Services are the parts of a connection, except the token. */
const services = ConnectionPart.options.filter((part) => part !== 'token')

export function addContractCommands(program: ContextCommand<Pick<CommandContext, 'output' | 'readFile'>>): void {
  const addressText = 'address of the container, for example http://127.0.0.1:8080'
  program
    .add('contract', 'the contract between runtime and agent container')
    .add('check <url>', 'test a running container against the contract', addressText)
    .value('--path <path>', 'path of the sample request (default: /invocations)')
    .value('--user <id>', 'end-user id of the sample request (default: generated)')
    .value('--session <id>', 'session id of the sample request (default: generated)')
    .value('--body <json>', 'body of the sample request: text, @FILE, or @- for standard input')
    .run(async ({ readFile }, url, options) => {
      const { path: samplePath, user: userId, session: sessionId, body } = options
      const sampleBody = body?.startsWith('@') ? await readFile(body.slice(1)) : body
      const { checkContainer } = await import('../platform/containers/check')
      const report = await checkContainer({ url, samplePath, sampleBody, userId, sessionId })
      const { findings, sample } = report
      if (findings.some(({ state }) => state === 'failed')) process.exitCode = 1
      const lines = findings.map(
        ({ what, state, seen }) => `  ${state.padEnd(7)} ${words.check.what[what]}: ${toSingleLine(seen)}`,
      )
      if (sample === undefined) return [report, [report.url, ...lines]]
      const headers = sample.headers.map(([name, value]) => `  ${name}: ${toSingleLine(value)}`)
      const answer = sample.answer === '' ? [] : ['', ...sample.answer.split('\n').map(toSingleLine)]
      return [report, [report.url, ...lines, '', `POST ${sample.path}`, ...headers, ...answer]]
    })
}
