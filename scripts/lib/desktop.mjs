import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openSession } from './desktop-session.mjs'
import { listProcessesWith } from './process-table.mjs'
import { addCleanup, endProcess, signalGroup } from './processes.mjs'

/**
 * @typedef {object} DesktopOptions
 * @property {boolean} [keyring] with an unlocked keychain (default), or with none
 * @property {number} [width] of the screen, at least 1400
 * @property {number} [height] of the screen, at least 1000
 * @property {boolean} [privateHome] a temporary home folder as well
 *
 * @typedef {object} Desktop
 * @property {NodeJS.ProcessEnv} env for programs in the desktop
 * @property {string} folder its temporary files
 * @property {() => Promise<void>} stop stops it and all its programs, and removes its folder
 */

const minScreenSize = { width: 1400, height: 1000 }
const maxSocketFolderLength = 60
const markerName = 'PRIVATE_DESKTOP'
const inheritedVariables = [
  'WAYLAND_DISPLAY',
  'SESSION_MANAGER',
  'GNOME_KEYRING_CONTROL',
  'DESKTOP_SESSION',
  'XDG_SESSION_TYPE',
]

/**
 * Starts a private virtual desktop on Linux, with its own screen, message bus, keychain and XDG folders.
 * @param {DesktopOptions} [options]
 * @returns {Promise<Desktop>}
 */
export async function startDesktop(options = {}) {
  const { keyring = true, privateHome = false, width = 1600, height = 1100 } = options
  if (width < minScreenSize.width || height < minScreenSize.height)
    throw new Error('The screen must be at least 1400 x 1000.')
  const folder = temporaryFolder()
  const baseEnvironment = environment(folder, { keyring, privateHome })
  /** @type {import('node:child_process').ChildProcess[]} */
  const processes = []
  const desktop = { env: baseEnvironment, folder, stop: () => stop(processes, folder, removeRegistration) }
  const onExit = () => killProcesses(processes, folder)
  process.once('exit', onExit)
  const removeCleanup = addCleanup(() => desktop.stop())
  const removeRegistration = () => {
    removeCleanup()
    process.off('exit', onExit)
  }
  try {
    Object.assign(desktop.env, await openSession({ folder, env: baseEnvironment, width, height, keyring, processes }))
    return desktop
  } catch (error) {
    await desktop.stop()
    throw error
  }
}

/**
 * Runs `work` in a private virtual desktop, then stops the desktop.
 * @template T
 * @param {(env: NodeJS.ProcessEnv, desktop: Desktop) => Promise<T>} work
 * @param {DesktopOptions} [options]
 * @returns {Promise<T>}
 */
export async function withDesktop(work, options = {}) {
  const desktop = await startDesktop(options)
  try {
    return await work(desktop.env, desktop)
  } finally {
    await desktop.stop()
  }
}

/** Creates the desktop's folder. Its path is short, because socket paths are limited to about 100 bytes. */
function temporaryFolder() {
  const parent = tmpdir().length > maxSocketFolderLength ? '/tmp' : tmpdir()
  return mkdtempSync(join(parent, 'desktop-'))
}

/**
 * @param {string} folder
 * @param {{ keyring: boolean, privateHome: boolean }} options
 */
function environment(folder, { keyring, privateHome }) {
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, [markerName]: folder }
  for (const name of inheritedVariables) delete env[name]
  delete env.XDG_CURRENT_DESKTOP
  // Chromium and Electron select their keychain by the desktop's name.
  if (keyring) env.XDG_CURRENT_DESKTOP = 'GNOME'
  const folders = {
    RUNTIME_DIR: 'run',
    CONFIG_HOME: 'config',
    DATA_HOME: 'data',
    CACHE_HOME: 'cache',
    STATE_HOME: 'state',
  }
  for (const [name, part] of Object.entries(folders)) env[`XDG_${name}`] = privateFolder(folder, part)
  if (privateHome) env.HOME = privateFolder(folder, 'home')
  return env
}

/**
 * @param {string} folder
 * @param {string} part
 */
function privateFolder(folder, part) {
  const path = join(folder, part)
  mkdirSync(path, { mode: 0o700 })
  return path
}

/**
 * @param {import('node:child_process').ChildProcess[]} processes
 * @param {string} folder
 * @param {() => void} forget
 */
async function stop(processes, folder, forget) {
  await endFolderProcesses(folder, processes)
  for (const child of [...processes].reverse()) await endProcess(child, 'SIGTERM')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  forget()
}

/**
 * Ends programs in the desktop, found by the desktop's folder in their environment.
 * @param {string} folder
 * @param {readonly import('node:child_process').ChildProcess[]} own
 */
async function endFolderProcesses(folder, own) {
  const ownIds = new Set(own.map((child) => child.pid))
  const signals = /** @type {const} */ (['SIGTERM', 'SIGKILL'])
  for (const signal of signals) {
    for (let tryCount = 0; tryCount < 20; tryCount += 1) {
      const ids = listFolderProcesses(folder).filter((id) => !ownIds.has(id))
      if (ids.length === 0) return
      if (tryCount === 0) for (const id of ids) send(id, signal)
      await wait(100)
    }
  }
}

/** @param {string} folder */
function listFolderProcesses(folder) {
  return listProcessesWith(markerName, folder).filter((id) => id !== process.pid)
}

/**
 * @param {number} id
 * @param {NodeJS.Signals} signal
 */
function send(id, signal) {
  try {
    process.kill(id, signal)
  } catch {
    // Ignores processes that have already ended.
  }
}

/**
 * Kills the desktop's processes synchronously when this process exits early.
 * @param {readonly import('node:child_process').ChildProcess[]} processes
 * @param {string} folder
 */
function killProcesses(processes, folder) {
  for (const id of listFolderProcesses(folder)) send(id, 'SIGKILL')
  for (const child of processes) signalGroup(child, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
