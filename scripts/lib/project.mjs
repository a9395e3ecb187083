import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = resolve(import.meta.dirname, '../..')

/** The folder for what scripts keep between runs; it survives `npm ci` and is not part of the repository. */
export const cacheFolder = join(root, '.cache')

/** Whether this process runs as the superuser, for whom Chromium refuses to start with its sandbox. */
export const isSuperuser = process.getuid?.() === 0

/**
 * An absolute path inside the project.
 * @param {...string} parts
 */
export function fromRoot(...parts) {
  return join(root, ...parts)
}

/**
 * Whether the module with this address is the script that Node was started with.
 * @param {string} moduleUrl
 */
export function isEntryPoint(moduleUrl) {
  const script = process.argv[1]
  return script !== undefined && existsSync(script) && realpathSync(script) === fileURLToPath(moduleUrl)
}

/**
 * The JavaScript file behind a command of an installed package; runs with Node on every platform.
 * @param {string} packageName
 * @param {string} command
 */
export function packageCommand(packageName, command) {
  const folder = fromRoot('node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, bin[command])
}

/**
 * The Electron executable that the electron package points at.
 * @returns {string}
 */
export function electronExecutable() {
  return createRequire(join(root, 'package.json'))('electron')
}

/**
 * Returns how to start npm: the npm that runs this script, else the one on PATH.
 * @returns {{ command: string, args: string[], shell: boolean }}
 */
export function npm() {
  const running = process.env.npm_execpath
  if (running !== undefined && basename(running) === 'npm-cli.js') {
    return { command: process.execPath, args: [running], shell: false }
  }
  return { command: 'npm', args: [], shell: process.platform === 'win32' }
}
