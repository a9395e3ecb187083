import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { test as base, type ElectronApplication, _electron as electron, type Page } from '@playwright/test'
import { quitAnswers } from '../../src/main/app/quit-words'
import { startTestDesktop } from './desktop'
import { freePort } from './free-port'

/** The project's root, as seen from the compiled tests and the sources alike. */
export const root = join(import.meta.dirname, '..', '..')

const require = createRequire(import.meta.url)

/** The Electron program. Resolved lazily, so that tests can be listed without it. */
export const electronPath = (): string => String(require('electron'))

/** Annotation of tests that had to start the app twice. */
export const secondStartMessage = 'started twice'

/** A simulated computer for one test, with an empty home, a data folder, and a folder of programs on PATH. */
export interface Machine {
  readonly home: string
  readonly dataDir: string
  readonly bin: string
  readonly env: Record<string, string>
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly args?: readonly string[]
}

/** A running app in a real Electron, with its window. */
export interface RunningApp {
  readonly app: ElectronApplication
  readonly page: Page
  /** Quits the app like a user. */
  close(): Promise<void>
  /** Kills the app, for tests that are not about quitting. */
  kill(): Promise<void>
}

/** Creates a home with only free ports for the sandbox and the relay. Uses the keychain of the test's desktop. */
export async function createMachine(): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'companion-e2e-'))
  const home = join(folder, 'home')
  const binFolder = join(folder, 'bin')
  const dataDir = join(folder, 'data')
  // Temporary folder of the app, which Chromium does not clean up when killed. The short name keeps socket paths short.
  const temporaryFolder = join(folder, 't')
  for (const path of [home, binFolder, dataDir, temporaryFolder]) mkdirSync(path, { mode: 0o700 })
  const sandbox = { gatewayPort: await freePort(), platformPort: await freePort(), wanted: false }
  const relay = { port: await freePort(), wanted: false, keepInBackground: false, isPaused: false, ways: [] }
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ sandbox, relay }), { mode: 0o600 })
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(XDG_(CONFIG|DATA|CACHE|STATE)_HOME|ANTHROPIC_|OPENCODE_|CLAUDE_|OPENAI_)/.test(name)
        ? []
        : [[name, value]],
    ),
  )
  const path = [binFolder, join(process.execPath, '..'), '/usr/bin', '/bin'].join(delimiter)
  return { home, bin: binFolder, dataDir, env: { ...env, HOME: home, PATH: path, TMPDIR: temporaryFolder } }
}

const maxStartMs = 20_000
const maxAnswerMs = 3000
const maxEndMs = 15_000
/** A killed process ends immediately, unless it stays a zombie. */
const maxKillMs = 2000

/** Starts the built app on a simulated computer and waits for its first screen. */
export async function startApp(machine: Machine, options: StartOptions = {}): Promise<RunningApp> {
  const runningApp = await launch(machine, options)
  const isPageShown = await runningApp.page.waitForSelector('#root main', { timeout: maxStartMs }).then(
    () => true,
    () => false,
  )
  if (isPageShown) return runningApp
  // Under heavy load, Electron 33's main thread can miss a wake-up. Then it runs no task, not even its debugger's.
  if (await answers(runningApp.app)) throw new Error('The first screen did not appear.')
  const description = 'The main thread of Electron hung on start, so the app is started again.'
  console.warn(description)
  base.info().annotations.push({ type: secondStartMessage, description })
  await runningApp.kill()
  const secondLaunch = await launch(machine, options)
  await secondLaunch.page.waitForSelector('#root main', { timeout: maxStartMs })
  return secondLaunch
}

/**
 * Enlarges V8's young generation. Its collection may drop promises of the debugger, which fails a test's call to main.
 * 5 of 55,165 calls failed without this setting, 1 of 157,573 with it, and those are retried. The app does not use such
 * calls.
 */
const semiSpaceFlag = '--js-flags=--min-semi-space-size=64'

async function launch(machine: Machine, { env = {}, args = [] }: StartOptions): Promise<RunningApp> {
  const definedEntries = Object.entries({ ...machine.env, ...env }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const app = await electron.launch({
    executablePath: electronPath(),
    // Without a graphics card, Chromium would start a GPU process that fails before it falls back to software.
    args: [root, '--disable-gpu', semiSpaceFlag, '--data-dir', machine.dataDir, ...args],
    env: Object.fromEntries(definedEntries),
    chromiumSandbox: process.getuid?.() !== 0,
  })
  saveIpcAnswers(app)
  const child = app.process()
  const page = await app.firstWindow()
  return { app, page, close: () => closeApp(app), kill: () => endProcesses(child) }
}

interface MainEvaluation {
  readonly number: number
  readonly source: string
  readonly given: unknown
}

/**
 * Wraps `app.evaluate`: results are cached in the main process, so that a result that V8 drops (see `semiSpaceFlag`) can be
 * requested again. Each function runs only once.
 */
function saveIpcAnswers(app: ElectronApplication): void {
  const evaluateInMain = app.evaluate.bind(app)
  let questionCount = 0
  const evaluateInApp = async (question: unknown, given?: unknown): Promise<unknown> => {
    questionCount += 1
    const numberedQuestion: MainEvaluation = { number: questionCount, source: String(question), given }
    for (let remainingTries = 5; ; remainingTries -= 1) {
      try {
        return await evaluateInMain(executeOnce, numberedQuestion)
      } catch (error) {
        if (remainingTries === 0 || !String(error).includes('Resulting promise was garbage collected')) throw error
      }
    }
  }
  Object.assign(app, { evaluate: evaluateInApp })
}

/** Runs a function once and caches its result. Playwright evaluates this code in the main process. */
function executeOnce(electron: unknown, { number, source, given }: MainEvaluation): unknown {
  const globalState = globalThis as { keptAnswers?: Map<number, Promise<unknown>> }
  globalState.keptAnswers ??= new Map()
  if (!globalState.keptAnswers.has(number)) {
    const evaluateFunction: (electronModule: unknown, given: unknown) => unknown = new Function(`return (${source})`)()
    globalState.keptAnswers.set(number, (async () => evaluateFunction(electron, given))())
    globalState.keptAnswers.delete(number - 100)
  }
  return globalState.keptAnswers.get(number)
}

/** Whether the main thread runs tasks. */
async function answers(app: ElectronApplication): Promise<boolean> {
  const timeoutPromise = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), maxAnswerMs))
  return Promise.race([app.evaluate(() => true).catch(() => false), timeoutPromise])
}

/** Quits the app. Kills it, with a warning, if it hangs before it handles the request. */
async function closeApp(app: ElectronApplication): Promise<void> {
  const child = app.process()
  const timer = setTimeout(() => {
    console.warn('The main thread of Electron hung on quit, so the app was killed.')
    child.kill('SIGKILL')
  }, maxEndMs)
  await stubMessageBoxes(app, quitAnswers.indexOf('quit')).catch(() => undefined)
  await app.close().finally(() => clearTimeout(timer))
}

/** Ends the process and its children, and waits until none can write. */
async function endProcesses(child: ChildProcess): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  // Playwright starts the app as a process group leader on systems with process groups.
  const group = process.platform === 'win32' ? pid : -pid
  const isAlive = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(group, signal)
    } catch {
      return false
    }
  }
  if (!isAlive('SIGKILL')) return
  const deadline = Date.now() + maxKillMs
  while (isAlive(0) && Date.now() < deadline) await wait(5)
}

/**
 * Clicks the button at this position in every system dialog from now on. Returns a function that counts the dialogs.
 */
export async function stubMessageBoxes(app: ElectronApplication, button: number): Promise<() => Promise<number>> {
  await app.evaluate(({ dialog }, response) => {
    let shownCount = 0
    dialog.showMessageBox = async () => {
      shownCount += 1
      Reflect.set(globalThis, 'shownDialogs', shownCount)
      return { response, checkboxChecked: false }
    }
    Reflect.set(globalThis, 'shownDialogs', shownCount)
  }, button)
  return () => app.evaluate(() => Number(Reflect.get(globalThis, 'shownDialogs')))
}

/** Test fixtures: a simulated computer, and a function that starts the app on it. */
export interface Fixtures {
  readonly machine: Machine
  readonly start: (options?: StartOptions) => Promise<RunningApp>
}

/**
 * Tests with a simulated computer and a function that starts the app on it. Both end with the test. Each test worker
 * has its own display and keychain.
 */
export const test = base.extend<Fixtures, { readonly desktop: true }>({
  desktop: [
    async ({ browserName: _ }, use, { config }) => {
      const leaveDesktop = await startTestDesktop(config.workers)
      await use(true)
      await leaveDesktop()
    },
    { scope: 'worker', auto: true },
  ],
  machine: async ({ browserName: _ }, use) => {
    const machine = await createMachine()
    await use(machine)
    rmSync(join(machine.home, '..'), { recursive: true, force: true, maxRetries: 5 })
  },
  start: async ({ machine }, use) => {
    const runningApps: RunningApp[] = []
    await use(async (options) => {
      const startedApp = await startApp(machine, options)
      runningApps.push(startedApp)
      return startedApp
    })
    for (const startedApp of runningApps) await startedApp.kill()
  },
})

export { expect } from '@playwright/test'
export { freePort } from './free-port'
