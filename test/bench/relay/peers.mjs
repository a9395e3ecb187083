import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { startMeasuredProcess } from './subjects.mjs'

/** @typedef {import('./subjects.mjs').Subject} Subject */

const packages = [
  '@portkey-ai/gateway@1.15.2',
  '@musistudio/claude-code-router@2.0.0',
  'better-ccflare@3.5.4',
  '@hono/node-server@1.14.1',
]
const readyMs = 30_000

/**
 * Other LLM relays from the npm registry in front of the same gateway. Skips those that do not start. The newer
 * `@hono/node-server` fixes Portkey, which answers 500 to every stream with its own version.
 * @param {number} gatewayPort
 * @param {string} folder a new folder to install them in
 * @param {(text: string) => void} [report]
 * @returns {Promise<Subject[]>}
 */
export async function startPeers(gatewayPort, folder, report) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true,"overrides":{"@hono/node-server":"1.14.1"}}')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  execFileSync(npm, ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder, stdio: 'ignore' })
  const peerStarts = [portkey, router, startCcflare].map((start) => start(gatewayPort, folder))
  const startedPeers = await Promise.allSettled(peerStarts)
  for (const outcome of startedPeers) if (outcome.status === 'rejected') report?.(String(outcome.reason))
  return startedPeers.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

/**
 * @param {number} gatewayPort
 * @param {string} folder
 * @returns {Promise<Subject>}
 */
async function portkey(gatewayPort, folder) {
  const port = await freePort()
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  const { child, ...started } = startMeasuredProcess(program, { args: ['--headless', `--port=${port}`], cwd: folder })
  const host = `x-portkey-custom-host: http://127.0.0.1:${gatewayPort}/v1`
  const headers = ['x-portkey-provider: openai', host, 'authorization: Bearer sk-bench']
  return waitUntilReady({ name: 'Portkey', port, path: '/v1/chat/completions', headers, pids: [child.pid], ...started })
}

/**
 * @param {number} gatewayPort
 * @param {string} folder
 * @returns {Promise<Subject>}
 */
async function router(gatewayPort, folder) {
  const port = await freePort()
  const home = join(folder, 'home')
  const address = `http://127.0.0.1:${gatewayPort}/v1/chat/completions`
  const provider = { name: 'bench', api_base_url: address, api_key: 'sk-bench', models: ['bench'] }
  const config = {
    PORT: port,
    HOST: '127.0.0.1',
    LOG: false,
    Providers: [provider],
    Router: { default: 'bench,bench' },
  }
  mkdirSync(join(home, '.claude-code-router'), { recursive: true })
  writeFileSync(join(home, '.claude-code-router/config.json'), JSON.stringify(config))
  const env = { ...process.env, HOME: home, USERPROFILE: home, SERVICE_PORT: String(port) }
  const program = join(folder, 'node_modules/@musistudio/claude-code-router/dist/cli.js')
  const { child, ...started } = startMeasuredProcess(program, { args: ['start'], cwd: folder, env })
  const headers = ['anthropic-version: 2023-06-01', 'x-api-key: sk-bench']
  return waitUntilReady({ name: 'Router', port, path: '/v1/messages', headers, pids: [child.pid], ...started })
}

/**
 * The relay ccflare. Its CPU time and memory are unknown, because it is not a Node program.
 * @param {number} gatewayPort
 * @param {string} folder
 * @returns {Promise<Subject>}
 */
async function startCcflare(gatewayPort, folder) {
  const port = await freePort()
  const home = join(folder, 'ccflare')
  mkdirSync(home, { recursive: true })
  const env = { ...process.env, HOME: home, USERPROFILE: home }
  const program = join(folder, 'node_modules/better-ccflare/dist/better-ccflare')
  const addAccountProcess = spawn(
    program,
    ['--add-account', 'bench', '--mode', 'openai-compatible', '--priority', '0'],
    { env },
  )
  const replies = [
    { to: 'API key', reply: 'sk-bench-0123456789' },
    { to: 'endpoint URL', reply: `http://127.0.0.1:${gatewayPort}` },
    { to: 'Enter your choice', reply: '1' },
  ]
  let outputText = ''
  addAccountProcess.stdout.on('data', (data) => {
    outputText += data
    while (replies[0] !== undefined && outputText.includes(replies[0].to)) {
      outputText = outputText.slice(outputText.indexOf(replies[0].to) + replies[0].to.length)
      addAccountProcess.stdin.write(`${replies.shift()?.reply}\n`)
    }
  })
  await once(addAccountProcess, 'exit')
  const child = spawn(program, ['--serve', '--port', String(port)], { env, stdio: 'ignore' })
  const measure = async () => ({ cpuUs: Number.NaN, bytes: Number.NaN })
  const killChild = async () => void child.kill()
  const headers = ['anthropic-version: 2023-06-01', 'x-api-key: sk-bench']
  return waitUntilReady({
    name: 'ccflare',
    port,
    path: '/v1/messages',
    headers,
    pids: [child.pid],
    measure,
    end: killChild,
  })
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/**
 * Waits for the first successful answer.
 * @param {Subject} subject
 * @returns {Promise<Subject>}
 */
async function waitUntilReady(subject) {
  const headers = subject.headers.map((line) => line.split(': ', 2))
  const body = JSON.stringify({ model: 'bench', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] })
  const requestInit = { method: 'POST', headers: [...headers, ['content-type', 'application/json']], body }
  const endMs = performance.now() + readyMs
  let lastText = ''
  while (performance.now() < endMs) {
    const response = await fetch(
      `http://127.0.0.1:${subject.port}${subject.path}`,
      /** @type {RequestInit} */ (requestInit),
    ).catch(String)
    if (typeof response !== 'string' && response.ok) return subject
    lastText = typeof response === 'string' ? response : `${response.status} ${(await response.text()).slice(0, 300)}`
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await subject.end()
  throw new Error(`${subject.name} did not start: ${lastText}`)
}
