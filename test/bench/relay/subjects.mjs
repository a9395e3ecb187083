import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { electronExecutable, resolveFromRoot } from '../../../scripts/lib/project.mjs'

/**
 * @typedef {object} Subject what a tool may be pointed at
 * @property {string} name
 * @property {number} port
 * @property {string} path of chat-completions
 * @property {readonly string[]} headers beyond the usual ones
 * @property {readonly (number | undefined)[]} pids its processes
 * @property {() => Promise<{ cpuUs: number, bytes: number }>} measure what it took so far; NaN where nobody can say
 * @property {() => Promise<void>} end
 */

const parts = resolveFromRoot('test/bench/relay')
const chatPath = '/v1/chat/completions'
const token = 'relay-token-of-the-bench-0123456789'

/**
 * Starts a Node program in its own process that reports its CPU time and memory. `runtime` selects another Node
 * runtime, such as the app's.
 * @param {string} program
 * @param {{ args?: readonly string[], flags?: readonly string[], env?: NodeJS.ProcessEnv, cwd?: string, runtime?: { execPath: string } }} [how]
 */
export function startMeasuredProcess(
  program,
  { args = [], flags = [], env = process.env, cwd = process.cwd(), runtime } = {},
) {
  const execArgv = [...flags, '--import', pathToFileURL(join(parts, 'measured.mjs')).href]
  const child = fork(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv, env, cwd, ...runtime })
  child.on('error', () => undefined)
  const measure = async () => {
    child.send({ kind: 'measure' })
    const { cpuUs, bytes } = await waitForMessage(child, 'measured')
    return { cpuUs, bytes }
  }
  const endChild = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exitPromise = once(child, 'exit')
    child.kill()
    await exitPromise
  }
  return { child, measure, end: endChild }
}

/** The Node of the app's Electron, which runs the relay and its baselines. */
const getAppOptions = () => ({
  runtime: { execPath: electronExecutable() },
  env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
})

/**
 * Waits for the next message of this kind from the child process.
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} kind
 * @returns {Promise<any>}
 */
function waitForMessage(child, kind) {
  return new Promise((resolve, reject) => {
    const rejectEarlyExit = () => reject(new Error('A program of the bench exited too early.'))
    const receiveMessage = (/** @type {{ kind?: string, failure?: { message: string } }} */ word) => {
      if (word.kind !== kind && word.kind !== 'failed') return
      child.off('message', receiveMessage).off('exit', rejectEarlyExit)
      if (word.kind === kind) resolve(word)
      else reject(new Error(word.failure?.message))
    }
    child.on('message', receiveMessage)
    child.once('exit', rejectEarlyExit)
  })
}

/**
 * @param {number} gatewayPort
 * @returns {Subject}
 */
export function createDirectSubject(gatewayPort) {
  const measure = async () => ({ cpuUs: Number.NaN, bytes: Number.NaN })
  return { name: 'direct', port: gatewayPort, path: chatPath, headers: [], pids: [], measure, end: async () => {} }
}

/**
 * A baseline that passes everything on unchanged.
 * @param {'bare' | 'sockets'} name
 * @param {number} gatewayPort
 * @returns {Promise<Subject>}
 */
export async function plainSubject(name, gatewayPort) {
  const program = name === 'bare' ? 'bare-relay.mjs' : 'joined-sockets.mjs'
  const { child, measure, end } = startMeasuredProcess(join(parts, program), {
    args: [String(gatewayPort)],
    ...getAppOptions(),
  })
  const { port } = await waitForMessage(child, 'ready')
  return { name, port, path: chatPath, headers: [], pids: [child.pid], measure, end }
}

/**
 * The relay built like the app's, counting its records.
 * @param {number} gatewayPort
 * @param {string} folder new folder for the build output
 * @returns {Promise<Subject>}
 */
export async function relaySubject(gatewayPort, folder) {
  // Import vite lazily, because the bench may have to install the packages first.
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@shared': resolveFromRoot('src/shared') } },
    ssr: { noExternal: true },
    build: {
      ssr: join(parts, 'relay-core-entry.ts'),
      outDir: folder,
      target: 'node20.18',
      rolldownOptions: { output: { format: 'cjs', entryFileNames: 'relay-core.cjs' } },
    },
  })
  const core = join(folder, 'relay-core.cjs')
  /** @type {{ engineFlags: readonly string[] }} */
  const { engineFlags: flags } = createRequire(import.meta.url)(core)
  const args = [core, JSON.stringify({ gatewayPort, token })]
  const { child, measure, end } = startMeasuredProcess(join(parts, 'relay-core.mjs'), {
    args,
    flags,
    ...getAppOptions(),
  })
  const { port } = await waitForMessage(child, 'ready')
  const headers = [`authorization: Bearer ${token}`]
  return { name: 'relay', port, path: `/t/bench${chatPath}`, headers, pids: [child.pid], measure, end }
}

/**
 * nginx with keep-alive to the gateway. Undefined if not installed.
 * @param {number} gatewayPort
 * @param {string} folder a new folder for its files
 * @returns {Promise<Subject | undefined>}
 */
export async function nginxSubject(gatewayPort, folder) {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  const port = 20_000 + (process.pid % 20_000)
  mkdirSync(folder, { recursive: true })
  const location = 'proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;'
  const config = `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit; events {} http {
    access_log off; keepalive_requests 100000000; client_max_body_size 64m; client_body_buffer_size 1m; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
    upstream up { server 127.0.0.1:${gatewayPort}; keepalive 256; keepalive_requests 100000000; }
    server { listen 127.0.0.1:${port}; location / { ${location} } } }`
  writeFileSync(join(folder, 'nginx.conf'), config)
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  const killChild = async () => void child.kill()
  return { ...createDirectSubject(gatewayPort), name: 'nginx', port, pids: [child.pid], end: killChild }
}
