import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import { unescape as percentDecoded } from 'node:querystring'
import type { ElectronApplication, Page } from '@playwright/test'
import type { McpToolView } from '@shared/contract'
import { expect, type Machine, type RunningApp } from './app'
import { addPlan, findSandboxKey } from './cli-desk'
import { runCompanion } from './companion'
import { type AttackTarget, createSeededRandom, type HostileCall, HostileCalls } from './hostile-calls'
import { startLocalServer } from './local-server'
import { type AttackContext, type AttackResponse, ownSecret, runManualAttacks } from './page-attack-ways'
import { startSandbox } from './sandbox'

const privateText = 'private-text-of-a-person'
/** A value in the settings of one coding tool. */
const serverValue = 'value-of-an-mcp-server-0123456789'
/** Token of the user's webhook. */
const webhookToken = 'webhook-token-0123456789'
/** Number of calls that the page sends in parallel. */
const maxConcurrent = 8

/** A script in the app's page and its access to the bridge. */
interface Script {
  call(name: string, input: unknown): Promise<AttackResponse>
  all(calls: readonly HostileCall[]): Promise<AttackResponse[]>
}

function createPageScript(page: Page): Script {
  const callAll = async (
    calls: readonly { readonly name: string; readonly input: unknown }[],
  ): Promise<AttackResponse[]> => {
    const answers = await page.evaluate(
      (batch) => Promise.all(batch.map(({ name, input }) => window.companion.call(name, input))),
      calls,
    )
    return answers.map((answer) => (answer.ok ? { ok: true, value: JSON.parse(answer.value) } : answer))
  }
  return { all: callAll, call: async (name, input) => (await callAll([{ name, input }]))[0] ?? { ok: false } }
}

/** The attacker's server, which accepts every request. */
async function startForeignServer() {
  const receivedTexts: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = request.rawHeaders.map((text) => text.replace(/(?<=^Basic )\S+$/, decodeBasicAuth))
      receivedTexts.push(`${request.method} ${request.url}\n${headers.join('\n')}\n${Buffer.concat(chunks)}`)
      const answer = { access_token: ownSecret, expires_in: 3600, listData: [], data: [], accountId: 'x', credits: 1 }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  return { ...(await startLocalServer(server)), received: receivedTexts }
}

/** The attacker's database. Requests cleartext passwords and records the clients. */
async function startForeignDatabase() {
  const passwords: string[] = []
  let questionCount = 0
  const server = createSocketServer((socket) => {
    questionCount += 1
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.once('data', (message) => {
        passwords.push(message.toString('latin1'))
        socket.destroy()
      })
      // Message AuthenticationCleartextPassword of the PostgreSQL protocol.
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `postgres://attacker@127.0.0.1:${(server.address() as AddressInfo).port}/theirs`
  return { url, passwords, asked: () => questionCount, stop: () => void server.close() }
}

/** Decodes client id and secret of Basic credentials, both percent-encoded (RFC 6749). */
const decodeBasicAuth = (text: string): string => percentDecoded(Buffer.from(text, 'base64').toString())

/** Every file of a folder with its content. */
const readContents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  )

interface SystemGuard {
  /** Folder of the user's own files. */
  readonly folder: string
  /** Whether the user agrees to every confirmation dialog. */
  readonly isAgreeing: boolean
}

/** Answers every system dialog the same way, opens nothing, and records outgoing data and opened user files. */
async function installSystemGuard(app: ElectronApplication, guard: SystemGuard) {
  await app.evaluate(({ dialog, shell }, { folder, isAgreeing }) => {
    const guardRecord = { questions: 0, opened: [] as string[], files: [] as string[] }
    Object.assign(globalThis, { seenByGuard: guardRecord })
    dialog.showMessageBox = async () => {
      guardRecord.questions += 1
      return { response: isAgreeing ? 0 : 1, checkboxChecked: false }
    }
    dialog.showOpenDialog = async () => ({ canceled: true, filePaths: [] })
    dialog.showSaveDialog = async () => ({ canceled: true, filePath: '' })
    shell.openExternal = async (url) => void guardRecord.opened.push(url)
    shell.openPath = async (path) => {
      guardRecord.opened.push(path)
      return ''
    }
    const fs = process.getBuiltinModule('node:fs')
    const watchProperty = (holder: object, name: string): void => {
      const originalMethod: unknown = Reflect.get(holder, name)
      if (typeof originalMethod !== 'function') throw new Error(`There is no ${name}.`)
      Reflect.set(holder, name, (...args: unknown[]) => {
        if (String(args[0]).startsWith(folder)) guardRecord.files.push(`${name} ${String(args[0])}`)
        return Reflect.apply(originalMethod, holder, args)
      })
    }
    for (const name of ['readFileSync', 'openSync', 'writeFileSync', 'readFile', 'open', 'createReadStream'])
      watchProperty(fs, name)
    for (const name of ['readFile', 'open', 'writeFile', 'mkdir', 'readdir']) watchProperty(fs.promises, name)
  }, guard)
  return (): Promise<{ questions: number; opened: string[]; files: string[] }> =>
    app.evaluate(() => Reflect.get(globalThis, 'seenByGuard'))
}

/** A simulated computer with secrets, user files, and the attacker's server. */
async function prepare(machine: Machine) {
  const sandbox = await startSandbox()
  const key = findSandboxKey(sandbox)
  await addPlan(machine, { name: 'team', gateway: sandbox.ready.gatewayUrl, key, models: ['aurora-large'] })
  const { tokenUrl, clientId, clientSecret } = sandbox.ready.iam
  const file = join(machine.home, 'lab.json')
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId }
  writeFileSync(file, JSON.stringify({ name: 'Lab', ...sandbox.ready.addresses, tokenSource }))
  const addConnectionArgs = ['connection', 'add', '--file', file, '--secret-stdin']
  expect(await runCompanion(machine, addConnectionArgs, { input: clientSecret.expose() })).toMatchObject({ code: 0 })
  const webhook = `${sandbox.ready.platformUrl}/hooks/${privateText}\n${webhookToken}\n`
  expect(await runCompanion(machine, ['webhook', 'set', '--token', '--yes'], { input: webhook })).toMatchObject({
    code: 0,
  })
  const outsideFolder = join(machine.home, '..', 'outside')
  mkdirSync(join(outsideFolder, 'project'), { recursive: true })
  writeFileSync(join(outsideFolder, 'private.txt'), privateText)
  const attackerServer = await startForeignServer()
  const database = await startForeignDatabase()
  const labServer = { command: '/opt/lab/server', args: [], env: { LAB_TOKEN: serverValue } }
  writeFileSync(join(machine.home, '.claude.json'), JSON.stringify({ mcpServers: { lab: labServer } }))
  const canary = join(machine.home, '..', 'canary')
  const attackTarget: AttackTarget = {
    serverUrl: attackerServer.url,
    databaseUrl: database.url,
    command: ['/bin/sh', '-c', `echo ran > '${canary}'`],
    file: join(outsideFolder, 'private.txt'),
    folder: join(outsideFolder, 'project'),
  }
  const secrets: Readonly<Record<string, string>> = {
    'plan key': key,
    'client secret': clientSecret.expose(),
    'webhook token': webhookToken,
    'webhook address': privateText,
  }
  return { sandbox, secrets, outside: outsideFolder, foreign: attackerServer, database, canary, wanted: attackTarget }
}

/** Effects of an attack. */
interface AttackResult {
  readonly programRan: boolean
  /** Credentials that the attacker's server received, except the attacker's own. */
  readonly credentials: readonly string[]
  /** The user's secrets that the attacker's server received. */
  readonly secrets: readonly string[]
  readonly changedOutside: boolean
  readonly opened: readonly string[]
  readonly files: readonly string[]
  readonly toldPrivateText: boolean
  /** Names of the attacker's services that the app uses after the attack. */
  readonly inUse: readonly string[]
}

export const emptyAttackResult: AttackResult = {
  programRan: false,
  credentials: [],
  secrets: [],
  changedOutside: false,
  opened: [],
  files: [],
  toldPrivateText: false,
  inUse: [],
}

interface AttackOptions {
  readonly rounds: number
  readonly seed: number
  /** Whether the simulated user agrees to every confirmation. Default: no. */
  readonly isAgreeing?: boolean
}

/**
 * A script in the page tries to send a secret away, run a program, and read or write a file outside the app. First with
 * handwritten attacks, then with rounds of every contract method.
 */
export async function attackFromPage(
  machine: Machine,
  start: () => Promise<RunningApp>,
  { rounds, seed, isAgreeing = false }: AttackOptions,
): Promise<{ readonly achieved: AttackResult; readonly questions: number }> {
  const { sandbox, secrets, outside, foreign, database, canary, wanted: attackTarget } = await prepare(machine)
  const contentsBefore = readContents(outside)
  const { app, page } = await start()
  const readGuardRecord = await installSystemGuard(app, { folder: outside, isAgreeing })
  const script = createPageScript(page)
  const bridgeMessages: unknown[] = []
  /** Texts that the page copied to the clipboard. The attacker receiving one as a credential is no theft. */
  const clipboardTexts = new Set<unknown>()
  const hostileCalls = new HostileCalls(attackTarget, createSeededRandom(seed))
  const callAll = async (calls: readonly HostileCall[]): Promise<AttackResponse[]> => {
    for (const { name, input } of calls)
      if (name === 'app.copyText') clipboardTexts.add(Reflect.get(Object(input), 'text'))
    const answers = await script.all(calls)
    bridgeMessages.push(...answers)
    for (const { ok, value } of answers) if (ok) hostileCalls.learn(value)
    return answers
  }
  const call: AttackContext['call'] = async (name, input = {}) => (await callAll([{ name, input }]))[0] ?? { ok: false }
  await runManualAttacks({ call, wanted: attackTarget })
  for (let roundIndex = 0; roundIndex < rounds; roundIndex += 1) {
    await call('app.copyText', { text: ownSecret })
    const calls = hostileCalls.round()
    for (let position = 0; position < calls.length; position += maxConcurrent)
      await callAll(calls.slice(position, position + maxConcurrent))
  }
  const { questions, opened, files } = await readGuardRecord()
  const receivedText = [...foreign.received, ...database.passwords].join('\n')
  const attackResult = {
    programRan: existsSync(canary),
    credentials: extractCredentials(foreign.received, clipboardTexts),
    secrets: Object.keys(secrets).filter((name) => receivedText.includes(secrets[name] ?? '')),
    changedOutside: JSON.stringify(readContents(outside)) !== JSON.stringify(contentsBefore),
    opened,
    files,
    toldPrivateText: JSON.stringify(bridgeMessages).includes(privateText),
    inUse: [
      ...(database.asked() > 0 ? ['database'] : []),
      ...(JSON.stringify(await script.call('metrics.get', {})).includes(foreign.url) ? ['collector'] : []),
      ...(JSON.stringify(await script.call('alerts.webhook', {})).includes(foreign.url) ? ['webhook'] : []),
      ...(await permissionsGiven(script)),
      ...(hasServerValue(join(machine.home, '.cursor', 'mcp.json')) ? ['copied server'] : []),
    ],
  }
  await foreign.stop()
  database.stop()
  await sandbox.stop()
  return { achieved: attackResult, questions }
}

/** Permissions of the app's MCP server beyond reading. */
async function permissionsGiven({ call }: Script): Promise<string[]> {
  const { value } = await call('mcp.tools', {})
  const tools = Array.isArray(value) ? value : []
  return [...new Set(tools.flatMap(({ permissions }: McpToolView) => permissions))]
}

const hasServerValue = (path: string): boolean => existsSync(path) && readFileSync(path, 'utf8').includes(serverValue)

/** Credentials in requests, except the attacker's own. */
const extractCredentials = (requests: readonly string[], attackerCredentials: ReadonlySet<unknown>): string[] =>
  requests.flatMap((request) =>
    [...request.matchAll(/\b(?:authorization|x-api-key)\n(?:Bearer |Basic [^:\n]*:)?(.*)/gi)].flatMap(
      ([, credential = '']) =>
        attackerCredentials.has(credential) ? [] : [`${request.split('\n')[0]}: ${credential}`],
    ),
  )
