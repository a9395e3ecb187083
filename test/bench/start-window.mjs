import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { endProcess, startProcess } from '../../scripts/lib/processes.mjs'
import { electronExecutable, isSuperuser, resolveFromRoot } from '../../scripts/lib/project.mjs'
import { hasSameProgramRunning, readProcessTreeMemory } from './process-tree.mjs'

/**
 * @typedef {object} WindowProgram
 * @property {string} folder what Electron is started with
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {readonly string[]} wanted texts that its page has when it can be used
 *
 * @typedef {{ paintedAt: number, loadedAt: number, completedAt: number }} Moments in ms since 1970
 *
 * @typedef {object} WindowStart all times in ms from the moment the process was started
 * @property {number} paintedMs first contentful paint
 * @property {number} loadedMs DOM content loaded
 * @property {number} completedMs main heading and content rendered
 * @property {import('./process-tree.mjs').ProcessMemory[]} memory empty where or when it cannot be measured
 */

const settleDelayMs = 3000
/** Delay in ms until a packaged app is ready and idle. It does not report readiness. */
const packagedSettleMs = 5000
const maxStartMs = 60_000
const observer = resolveFromRoot('test/bench/observe.cjs')

/**
 * Starts a window program, measures it, and ends it.
 * @param {WindowProgram} program
 * @returns {Promise<WindowStart>}
 */
export async function measureStart({ wanted, ...program }) {
  const env = { ...program.env, BENCH_WANTED: JSON.stringify(wanted) }
  const startedAt = performance.timeOrigin + performance.now()
  return withWindowOutput({ ...program, env, observer }, async (/** @type {Moments} */ message, processId) => {
    await wait(settleDelayMs)
    return {
      paintedMs: message.paintedAt - startedAt,
      loadedMs: message.loadedAt - startedAt,
      completedMs: message.completedAt - startedAt,
      memory: measureMemory(processId),
    }
  })
}

/**
 * Measures a packaged app, which cannot load an observer. Reads its page's timing entries once it is idle.
 * @param {Omit<WindowProgram, 'wanted'>} program
 * @returns {Promise<WindowStart>}
 */
export async function measurePackagedStart({ folder, args, env }) {
  const flags = ['--remote-debugging-port=0', ...(isSuperuser ? ['--no-sandbox'] : [])]
  const startedAt = performance.timeOrigin + performance.now()
  const child = startProcess(join(folder, 'platform-companion'), [...flags, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    const address = await waitForDebugger(child)
    await wait(packagedSettleMs)
    const memory = measureMemory(child.pid ?? 0)
    const { chromium } = await import('@playwright/test')
    const browser = await chromium.connectOverCDP(address)
    const pageTimes = await browser.contexts()[0]?.pages()[0]?.evaluate(readPageTimings)
    if (!pageTimes) throw new Error('The packaged app has no window.')
    return {
      paintedMs: pageTimes.paintedAt - startedAt,
      loadedMs: pageTimes.loadedAt - startedAt,
      completedMs: pageTimes.completedAt - startedAt,
      memory,
    }
  } finally {
    await endProcess(child, 'SIGTERM')
  }
}

/** Reads the timing entries of the page in which it runs. @returns {Promise<Moments>} */
async function readPageTimings() {
  while (performance.getEntriesByName('window-shown').length === 0)
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  const { timeOrigin } = performance
  const getMarkTime = (/** @type {string} */ name) =>
    timeOrigin + (performance.getEntriesByName(name)[0]?.startTime ?? 0)
  const [navigation] = performance.getEntriesByType('navigation')
  const loadedMs = navigation instanceof PerformanceNavigationTiming ? navigation.domContentLoadedEventEnd : 0
  const firstPaintMs = getMarkTime('first-contentful-paint')
  return {
    paintedAt: firstPaintMs,
    loadedAt: timeOrigin + loadedMs,
    completedAt: Math.max(firstPaintMs, getMarkTime('window-shown')),
  }
}

/**
 * Address of Chromium's debugging protocol.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>}
 */
function waitForDebugger(child) {
  let outputText = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      outputText = `${outputText}${chunk}`.slice(-4000)
      const [, address] = /DevTools listening on (ws:\S+)/.exec(outputText) ?? []
      if (address !== undefined) resolve(address)
    })
    child.once('exit', () => reject(new Error(`The packaged app ended before it was measured.\n${outputText}`)))
    child.once('error', reject)
  })
}

/**
 * Starts a window program with an observer, passes its messages on, and ends the program.
 * @template Message
 * @template Result
 * @param {Omit<WindowProgram, 'wanted'> & { observer: string, timeoutMs?: number }} program
 * @param {(message: Message, processId: number) => Result | Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function withWindowOutput({ folder, args, env, observer: loaded, timeoutMs = maxStartMs }, use) {
  // As root, Chromium refuses to start with its sandbox.
  const flags = isSuperuser ? ['--no-sandbox'] : []
  const child = startProcess(electronExecutable(), [...flags, '-r', loaded, folder, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    return await use(await readBenchMessage(child, timeoutMs), child.pid ?? 0)
  } finally {
    await endProcess(child, 'SIGTERM')
  }
}

/**
 * Private memory of a process tree. Empty where the system does not report it, or while another Electron shares memory
 * pages.
 * @param {number} id
 */
function measureMemory(id) {
  return process.platform === 'linux' && !hasSameProgramRunning(id) ? readProcessTreeMemory(id) : []
}

/**
 * The observer's report about the first page.
 * @template Message
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} timeoutMs
 * @returns {Promise<Message>}
 */
async function readBenchMessage(child, timeoutMs) {
  let outputText = ''
  child.stderr?.on('data', (chunk) => {
    outputText = `${outputText}${chunk}`.slice(-4000)
  })
  if (!child.stdout) throw new Error('The window has no output.')
  const lines = createInterface(child.stdout)
  const timeoutSignal = AbortSignal.timeout(Math.ceil(timeoutMs))
  const benchResult = new Promise((resolve) =>
    lines.on('line', (line) =>
      line.startsWith('bench ') ? resolve(JSON.parse(line.slice('bench '.length))) : undefined,
    ),
  )
  const exitPromise = once(child, 'exit', { signal: timeoutSignal }).then(
    () => Promise.reject(new Error(`The window ended before it was measured.\n${outputText}`)),
    () => Promise.reject(new Error(`The window was not measured after ${timeoutMs} ms.\n${outputText}`)),
  )
  exitPromise.catch(() => {})
  return Promise.race([benchResult, exitPromise])
}
