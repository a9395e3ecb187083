import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(import.meta.dirname, '../..')

/** Cache folder of scripts. Survives `npm ci` and is not in the repository. */
export const cacheFolder = join(root, '.cache')

/** Chromium refuses to start with its sandbox as root. */
export const isSuperuser = process.getuid?.() === 0

/**
 * An absolute path in the project.
 * @param {...string} parts
 */
export function resolveFromRoot(...parts) {
  return join(root, ...parts)
}

/**
 * Whether this module is the script that Node was started with.
 * @param {string} moduleUrl
 */
export function isEntryPoint(moduleUrl) {
  const script = process.argv[1]
  return script !== undefined && existsSync(script) && realpathSync(script) === fileURLToPath(moduleUrl)
}

/**
 * JavaScript file of an installed package's command, which runs with Node on every platform.
 * @param {string} packageName
 * @param {string} command
 */
export function packageCommand(packageName, command) {
  const folder = resolveFromRoot('node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, bin[command])
}

/**
 * Path of the Electron executable that the `electron` package uses.
 * @returns {string}
 */
export function electronExecutable() {
  return createRequire(join(root, 'package.json'))('electron')
}

/**
 * Returns the command of npm: the npm that runs this script, or else the one on PATH.
 * @returns {{ command: string, args: string[], shell: boolean }}
 */
export function npm() {
  const npmPath = process.env.npm_execpath
  if (npmPath !== undefined && basename(npmPath) === 'npm-cli.js') {
    return { command: process.execPath, args: [npmPath], shell: false }
  }
  return { command: 'npm', args: [], shell: process.platform === 'win32' }
}
