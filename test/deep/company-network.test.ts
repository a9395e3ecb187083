import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ensureBuild } from '../../scripts/ensure-build.mjs'
import { startDesktop } from '../../scripts/lib/desktop.mjs'
import { electronExecutable, root } from '../../scripts/lib/project.mjs'
import { type CompanyNetwork, proxyUser, startCompanyNetwork } from '../support/company-network'
import { startSandbox, type TestSandbox } from '../support/sandbox'
import { createAuthority } from '../unit/main/core/net/test-authority'
import { type StubServer, startAnsweringServer } from '../unit/main/gateway/answering-server'

const cli = resolve(import.meta.dirname, '../../out/main/cli.cjs')
const gateway = 'https://gateway.corp.test'
const platform = 'https://platform.corp.test'
const collector = 'https://collector.corp.test'
const authority = createAuthority([gateway, platform, collector].map((url) => `DNS:${new URL(url).host}`))
const folder = mkdtempSync(join(tmpdir(), 'company-network-'))

let sandbox: TestSandbox
let network: CompanyNetwork
let otlp: StubServer
let desktop: Awaited<ReturnType<typeof startDesktop>>
beforeAll(async () => {
  await ensureBuild()
  desktop = await startDesktop()
  sandbox = await startSandbox()
  otlp = await startAnsweringServer((_, response) => void response.writeHead(200).end())
  const { gatewayUrl, addresses } = sandbox.ready
  const platformUrl = new URL(addresses.consoleUrl ?? '').origin
  const hosts = { 'gateway.corp.test': gatewayUrl, 'platform.corp.test': platformUrl, 'collector.corp.test': otlp.url }
  const started = await startCompanyNetwork({ identity: authority.identity, hosts })
  if (!started) throw new Error('This test needs network namespaces: util-linux (unshare, nsenter) and iproute2 (ip).')
  network = started
}, 180_000)
afterAll(async () => {
  await network?.stop()
  await otlp?.close()
  await sandbox?.stop()
  await desktop?.stop()
  authority.remove()
  rmSync(folder, { recursive: true, force: true })
})

type Variables = Readonly<Record<string, string>>

/** A computer in the company's network. */
function startComputer(variables: Variables) {
  const place = mkdtempSync(join(folder, 'computer-'))
  const [home, bin] = [join(place, 'home'), join(place, 'bin')]
  for (const path of [home, bin]) mkdirSync(path)
  writeFileSync(join(bin, 'opencode'), '#!/bin/sh\necho 1.18.33\n')
  chmodSync(join(bin, 'opencode'), 0o755)
  const PATH = [bin, join(process.execPath, '..'), '/usr/bin', '/bin'].join(':')
  const env = { ...desktop.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), PATH, ...variables }
  const start = (command: readonly string[]) => {
    const [program, args] = network.inside(command)
    return spawn(program, args, { env, cwd: home })
  }
  const run = async (command: readonly string[], input = '') => {
    const child = start(command)
    child.stdin.end(input)
    const ended = new Promise<number | null>((done) => child.once('close', done))
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    return { code, out, err }
  }
  const companion = [process.execPath, cli, '--data-dir', join(place, 'data')]
  return {
    place,
    run,
    start,
    companion,
    runCompanion: (args: readonly string[], input = '') => run([...companion, ...args], input),
  }
}

type Computer = ReturnType<typeof startComputer>

const readKey = (): string => sandbox.ready.plans.find(({ name }) => name === 'sandbox-pro')?.keys[0]?.key ?? ''
const addPlan = (computer: Computer, ...args: readonly string[]) =>
  computer.runCompanion(
    ['plan', 'add', '--name', 'lent', '--gateway', gateway, '--key-stdin', '--model', 'aurora-small', ...args],
    readKey(),
  )

/** Adds a connection to the sandbox under the names of the company. */
function addConnection({ place, runCompanion }: Computer) {
  const { iam } = sandbox.ready
  const addresses = Object.fromEntries(
    Object.entries(sandbox.ready.addresses).map(([name, value]) => {
      const base = name === 'tokenPlanUrl' ? gateway : platform
      return [
        name,
        String(value).startsWith('http')
          ? base + new URL(String(value)).pathname.replace(/\/$/, '')
          : 'platform.corp.test',
      ]
    }),
  )
  const tokenUrl = platform + new URL(iam.tokenUrl).pathname
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId: iam.clientId }
  const file = join(place, 'connection.json')
  writeFileSync(file, JSON.stringify({ name: 'work', ...addresses, tokenSource }))
  return runCompanion(['connection', 'add', '--file', file, '--secret-stdin'], iam.clientSecret.expose())
}

/** Expects success by requests through the proxies only, at least one if `isSent`. */
async function expectProxied(
  name: string,
  work: Promise<{ code: number | null; out: string; err: string }>,
  isSent = true,
) {
  const count = () => network.http.asked.length + network.socks.asked.length
  const before = count()
  const { code, out, err } = await work
  expect({ name, code, strays: await network.takeStrays(), err: code === 0 ? '' : out + err }).toEqual({
    name,
    code: 0,
    strays: [],
    err: '',
  })
  if (isSent) expect([name, count() - before]).not.toEqual([name, 0])
}

const http = 'http://127.0.0.1:3128'
const ca = { SSL_CERT_FILE: authority.pemFile }

test('every request of the command line goes through the proxy, and none past it', async () => {
  const computer = startComputer({ HTTPS_PROXY: http.replace('//', `//${proxyUser}@`), ...ca })
  const { runCompanion, run, start, companion } = computer
  await expectProxied('add a plan', addPlan(computer), false)
  await expectProxied('connect', addConnection(computer), false)
  await expectProxied('check the plan', runCompanion(['plan', 'check', 'lent']))
  await expectProxied('sign in and test the services', runCompanion(['connection', 'test']))
  await expectProxied('list plans of the account', runCompanion(['plan', 'list']))
  await expectProxied('call an operation', runCompanion(['api', 'call', 'aip.models.list']))
  await expectProxied('chat', runCompanion(['chat', '--plan', 'lent', 'Say hello']))
  await expectProxied('configure', runCompanion(['configure', 'opencode', '--plan', 'lent']), false)
  await expectProxied('verify', runCompanion(['verify', 'opencode']))
  await expectProxied('doctor', runCompanion(['doctor', 'opencode']))
  await expectProxied('send metrics', runCompanion(['metrics', 'send', collector, '--spans', '--yes']), false)
  const relay = start([...companion, 'relay', '--json', '--port', '0', '--plan', 'lent', '--tool', 'pi'])
  const line = await new Promise<string>((done) => createInterface({ input: relay.stdout }).once('line', done))
  const [tool] = JSON.parse(line).tools
  const request = `fetch(process.argv[1] + '/v1/chat/completions', { method: 'POST', headers: { authorization: 'Bearer ' + process.argv[2], 'content-type': 'application/json' }, body: JSON.stringify({ model: 'aurora-small', messages: [{ role: 'user', content: 'Hi' }] }) }).then(async (answer) => { console.log(await answer.text()); process.exit(answer.ok ? 0 : 1) })`
  await expectProxied('relay', run([process.execPath, '-e', request, tool.address, tool.token]))
  const ended = new Promise<number | null>((done) => relay.once('close', done))
  relay.kill('SIGTERM')
  await expectProxied(
    'metrics of the relay',
    ended.then((code) => ({ code, out: '', err: '' })),
  )
  expect(otlp.received.map(({ path }) => path)).toEqual(expect.arrayContaining(['/v1/metrics', '/v1/traces']))
  const credentials = `Basic ${Buffer.from(decodeURIComponent(proxyUser)).toString('base64')}`
  expect(new Set(network.http.asked.map(({ authorization }) => authorization))).toEqual(new Set([credentials]))
})

const usedSettings: readonly (readonly [string, Variables])[] = [
  ['HTTPS_PROXY', { HTTPS_PROXY: http, ...ca }],
  ['https_proxy without a scheme', { https_proxy: '127.0.0.1:3128', ...ca }],
  ['ALL_PROXY', { ALL_PROXY: http, ...ca }],
  ['ALL_PROXY with SOCKS', { ALL_PROXY: `socks5h://${proxyUser}@127.0.0.1:1080`, ...ca }],
  ['all_proxy with SOCKS', { all_proxy: `socks5://${proxyUser}@127.0.0.1:1080`, ...ca }],
  ['a proxy for http, too', { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: http, ...ca }],
  [
    'NO_PROXY for other hosts',
    { HTTPS_PROXY: http, NO_PROXY: 'localhost,.local,10.0.0.0/8,corp,gateway.corp.test:8443', ...ca },
  ],
  ['NODE_EXTRA_CA_CERTS', { HTTPS_PROXY: http, NODE_EXTRA_CA_CERTS: authority.pemFile }],
  ['SSL_CERT_DIR', { HTTPS_PROXY: http, SSL_CERT_DIR: authority.folder }],
]
test.each(usedSettings)('%s is used', async (_name, variables) => {
  const computer = startComputer(variables)
  await expectProxied('add a plan', addPlan(computer), false)
  await expectProxied('check it', computer.runCompanion(['plan', 'check', 'lent']))
})

test('a plan can have its own certificate file', async () => {
  const computer = startComputer({ HTTPS_PROXY: http })
  await expectProxied('add a plan', addPlan(computer, '--ca-file', authority.pemFile), false)
  await expectProxied('check it', computer.runCompanion(['plan', 'check', 'lent']))
  await expectProxied('chat', computer.runCompanion(['chat', '--plan', 'lent', 'Say hello']))
})

const failingSettings: readonly (readonly [string, Variables, RegExp, boolean])[] = [
  ['an unknown authority', { HTTPS_PROXY: http }, /does not trust the certificate/, false],
  [
    'a proxy that is not there',
    { HTTPS_PROXY: 'http://127.0.0.1:9', ...ca },
    /proxy 127\.0\.0\.1:9 cannot be reached/,
    false,
  ],
  ['a SOCKS proxy that is not there', { ALL_PROXY: 'socks5://127.0.0.1:9', ...ca }, /proxy 127\.0\.0\.1:9/, false],
  ['wrong credentials', { ALL_PROXY: 'socks5://lan:wrong@127.0.0.1:1080', ...ca }, /user and password/, false],
  ['an unusable proxy', { HTTPS_PROXY: 'ftp://127.0.0.1:21', ...ca }, /proxy that cannot be used/, false],
  // Shows that the network catches what goes past the proxies.
  ['NO_PROXY for everything', { HTTPS_PROXY: http, NO_PROXY: '*', ...ca }, /./, true],
]
test.each(failingSettings)('with %s the request fails', async (_name, variables, pattern, isStray) => {
  const computer = startComputer(variables)
  await addPlan(computer)
  const { code, out, err } = await computer.runCompanion(['plan', 'check', 'lent'])
  expect([code, out + err]).toEqual([1, expect.stringMatching(pattern)])
  const strays = await network.takeStrays()
  expect(strays.some((line) => line.endsWith('203.0.113.7'))).toBe(isStray)
  if (!isStray) expect(strays).toEqual([])
})

test('the app uses the proxy of a PAC script, and nothing past it', async () => {
  const computer = startComputer(ca)
  await addConnection(computer)
  const script = `function FindProxyForURL(url, host) { return host === 'platform.corp.test' ? 'PROXY 127.0.0.1:3128; DIRECT' : 'PROXY 127.0.0.1:9' }`
  const url = `data:application/x-ns-proxy-autoconfig;base64,${Buffer.from(script).toString('base64')}`
  const [, , ...dataDir] = computer.companion
  const sandboxArgs = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const app = computer.start([
    electronExecutable(),
    root,
    ...sandboxArgs,
    '--disable-gpu',
    `--proxy-pac-url=${url}`,
    ...dataDir,
  ])
  const output = Promise.all([text(app.stdout), text(app.stderr)])
  const connects = () => network.http.asked.filter(({ line }) => line.startsWith('CONNECT platform.corp.test'))
  const before = connects().length
  await vi.waitFor(() => expect(connects().length).toBeGreaterThan(before), { timeout: 60_000, interval: 200 })
  app.kill('SIGTERM')
  await output
  expect(await network.takeStrays()).toEqual([])
})
