import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { endProcess, start } from '../../scripts/lib/processes.mjs'
import { electronExecutable, fromRoot, isSuperuser } from '../../scripts/lib/project.mjs'
import { hasTwins, memoryOfTree } from './process-tree.mjs'

/**
 * @typedef {object} WindowProgram
 * @property {string} folder what Electron is started with
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {readonly string[]} wanted texts that its page has when it can be used
 *
 * @typedef {object} WindowStart all times in ms from the moment the process was started
 * @property {number} paintedMs first contentful paint
 * @property {number} loadedMs DOM content loaded
 * @property {number} completedMs main heading and content rendered
 * @property {import('./process-tree.mjs').ProcessMemory[]} memory empty where or when it cannot be measured
 */

const settleMs = 3000
const longestStartMs = 60_000
const observer = fromRoot('test/bench/observe.cjs')

/**
 * Starts a window program, measures it, and ends it.
 * @param {WindowProgram} program
 * @returns {Promise<WindowStart>}
 */
export async function measureStart({ folder, args, env, wanted }) {
  // As root, Chromium refuses to start with its sandbox.
  const flags = isSuperuser ? ['--no-sandbox'] : []
  const command = [...flags, '-r', observer, folder, ...args]
  const startedAt = performance.timeOrigin + performance.now()
  const child = start(electronExecutable(), command, {
    env: { ...env, BENCH_WANTED: JSON.stringify(wanted) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    const { paintedAt, loadedAt, completedAt } = await timesOf(child)
    await wait(settleMs)
    return {
      paintedMs: paintedAt - startedAt,
      loadedMs: loadedAt - startedAt,
      completedMs: completedAt - startedAt,
      memory: measureMemory(child.pid ?? 0),
    }
  } finally {
    await endProcess(child, 'SIGTERM')
  }
}

/**
 * Nothing where the system does not tell, and while another Electron shares its pages with this one.
 * @param {number} id
 */
function measureMemory(id) {
  return process.platform === 'linux' && !hasTwins(id) ? memoryOfTree(id) : []
}

/**
 * What the observer tells of the first page.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<{ paintedAt: number, loadedAt: number, completedAt: number }>}
 */
async function timesOf(child) {
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-4000)
  })
  if (!child.stdout) throw new Error('The window has no output.')
  const lines = createInterface(child.stdout)
  const given = AbortSignal.timeout(longestStartMs)
  const found = new Promise((resolve) =>
    lines.on('line', (line) =>
      line.startsWith('bench ') ? resolve(JSON.parse(line.slice('bench '.length))) : undefined,
    ),
  )
  const ended = once(child, 'exit', { signal: given }).then(
    () => Promise.reject(new Error(`The window ended before its page was complete.\n${said}`)),
    () => Promise.reject(new Error(`The page was not complete after ${longestStartMs} ms.\n${said}`)),
  )
  ended.catch(() => {})
  return Promise.race([found, ended])
}
