import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { resolveFromRoot } from '../../../scripts/lib/project.mjs'
import { runNode } from '../run-command.mjs'

/**
 * @typedef {object} Program program between a tool and the gateway, started as a user does
 * @property {string} name
 * @property {number} pid
 * @property {number} port
 * @property {string} path of chat-completions
 * @property {readonly string[]} headers beyond the usual ones
 * @property {() => Promise<void>} end
 */

const cli = resolveFromRoot('out/main/cli.cjs')
const benchmarkKey = `sk-bench-${'0123456789'.repeat(4)}`
const planName = 'bench'
const toolId = 'opencode'
const ticksPerSecond = 100

/**
 * `companion relay` with a plan, its key in the keychain and its ledger in a data folder.
 * @param {{ gatewayPort: number, folder: string, env: NodeJS.ProcessEnv }} options `env` of a desktop with a keychain
 * @returns {Promise<Program>}
 */
export async function startShippedRelay({ gatewayPort, folder, env: desktop }) {
  mkdirSync(folder, { recursive: true })
  const env = { ...desktop, HOME: folder }
  const command = [cli, '--data-dir', join(folder, 'data')]
  const gateway = ['--gateway', `http://127.0.0.1:${gatewayPort}`, '--model', 'bench']
  await runNode([...command, 'plan', 'add', '--name', planName, ...gateway, '--key-stdin'], {
    env,
    input: benchmarkKey,
  })
  const args = [...command, 'relay', '--json', '--port', '0', '--plan', planName, '--tool', toolId]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit')])
  if (typeof line !== 'string') throw new Error('"companion relay" ended too early.')
  const { port, tools } = JSON.parse(line)
  return {
    name: 'shipped',
    pid: Number(child.pid),
    port,
    path: `/t/${toolId}/v1/chat/completions`,
    headers: [`authorization: Bearer ${tools[0].token}`],
    end: () => killChild(child),
  }
}

/**
 * The bare pass-through in the Node that runs the command line.
 * @param {number} gatewayPort
 * @returns {Promise<Program>}
 */
export async function startBareRelay(gatewayPort) {
  const child = fork(resolveFromRoot('test/bench/relay/bare-relay.mjs'), [String(gatewayPort)], { execArgv: [] })
  const [{ port }] = await once(child, 'message')
  return {
    name: 'bare',
    pid: Number(child.pid),
    port,
    path: '/v1/chat/completions',
    headers: [],
    end: () => killChild(child),
  }
}

/** @param {import('node:child_process').ChildProcess} child */
async function killChild(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exitPromise = once(child, 'exit')
  child.kill()
  await exitPromise
}

/**
 * Pins processes, with threads and children, to one core.
 * @param {readonly (number | undefined)[]} pids
 * @param {number} core
 */
export function pinToCore(pids, core) {
  for (const pid of pids.flatMap((each) => (each === undefined ? [] : listProcessTree(each)))) {
    execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' })
  }
}

/**
 * CPU time of a process and its children, all threads together, in µs.
 * @param {number} pid
 */
export function readCpuUs(pid) {
  const ticks = listProcessTree(pid).map((id) => {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1')
    const [user = 0, system = 0] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    return user + system
  })
  return (ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond) * 1e6
}

/**
 * Resident memory of a process and its children, in MB. About 60 MB of each is the shared program file.
 * @param {number} pid
 */
export function readMegabytes(pid) {
  const sizes = listProcessTree(pid).map((id) =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'latin1'))?.[1]),
  )
  return sizes.reduce((sum, kib) => sum + kib, 0) / 1024
}

/**
 * @param {number} pid
 */
export const countOpenSockets = (pid) =>
  readdirSync(`/proc/${pid}/fd`).filter((name) => readLink(`/proc/${pid}/fd/${name}`).startsWith('socket:')).length

/**
 * Target of a symbolic link. Undefined if the link no longer exists.
 * @param {string} path
 */
function readLink(path) {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/**
 * A process and its children.
 * @param {number} pid
 * @returns {number[]}
 */
function listProcessTree(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => listChildren(pid, task))
  return [pid, ...children.flatMap(listProcessTree)]
}

/**
 * Children of a thread. Empty once it has ended.
 * @param {number} pid
 * @param {string} task
 */
function listChildren(pid, task) {
  try {
    return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
