import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from '../../scripts/lib/lock.mjs'
import { run } from '../../scripts/lib/processes.mjs'
import { cacheFolder, npm } from '../../scripts/lib/project.mjs'
import { StepFailure, step } from '../../scripts/lib/steps.mjs'

/**
 * @typedef {{ id: string, package: string, command: string, version: string }} Tool
 * @typedef {{ executable: string, version: string } | { failure: string }} Installed
 */

/** The versions that were observed; `--latest` shows what has changed since. */
export const pinnedTools = /** @type {readonly Tool[]} */ ([
  { id: 'claude-code', package: '@anthropic-ai/claude-code', command: 'claude', version: '2.1.330' },
  { id: 'opencode', package: 'opencode-ai', command: 'opencode', version: '1.18.33' },
])

const longestInstallMs = 15 * 60_000

/**
 * Installs a tool from npm into a folder of its own, apart from this project's dependencies; never rejects.
 * @param {Tool} tool
 * @param {boolean} isLatest the newest version in place of the pinned one
 * @returns {Promise<Installed>}
 */
export async function installTool(tool, isLatest) {
  const folder = join(cacheFolder, 'real-tools', `${tool.id}@${isLatest ? 'latest' : tool.version}`)
  try {
    return await withLock(`real-tools-${tool.id}`, async () => {
      const known = isLatest ? undefined : await readInstalled(tool, folder)
      return known ?? (await step(titleOf(tool, isLatest), () => install(tool, isLatest, folder)))
    })
  } catch (error) {
    rmSync(`${folder}.partial`, { recursive: true, force: true })
    return { failure: error instanceof StepFailure ? `${error.message} ${error.reason}` : String(error) }
  }
}

/**
 * @param {Tool} tool
 * @param {boolean} isLatest
 */
function titleOf(tool, isLatest) {
  return `Installing ${tool.package} ${isLatest ? 'in its newest version' : tool.version} from npm`
}

/**
 * @param {Tool} tool
 * @param {boolean} isLatest
 * @param {string} folder
 * @returns {Promise<Installed>}
 */
async function install(tool, isLatest, folder) {
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  // Their install scripts put the program for this platform in its place.
  const manifest = { private: true, allowScripts: { [tool.package]: true } }
  await writeFile(join(partial, 'package.json'), JSON.stringify(manifest))
  const { command, args, shell } = npm()
  const wanted = `${tool.package}@${isLatest ? 'latest' : tool.version}`
  const options = ['install', wanted, '--no-audit', '--no-fund', '--include=optional', '--loglevel=error']
  const started = { cwd: partial, shell, keepOutput: true, timeoutMs: longestInstallMs }
  const { code, output } = await run(command, [...args, ...options], started)
  if (code !== 0) throw failure(wanted, output)
  rmSync(folder, { recursive: true, force: true })
  renameSync(partial, folder)
  const installed = await readInstalled(tool, folder)
  if (installed === undefined) throw failure(wanted, 'The program that it installed does not start.')
  return installed
}

/**
 * What is in a folder, when it starts.
 * @param {Tool} tool
 * @param {string} folder
 * @returns {Promise<Installed | undefined>}
 */
async function readInstalled(tool, folder) {
  const packageFolder = join(folder, 'node_modules', tool.package)
  const executable = join(folder, 'node_modules/.bin', tool.command)
  if (!existsSync(join(packageFolder, 'package.json'))) return undefined
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  // Some tools make folders in the home even when they are only asked for their version.
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', XDG_CACHE_HOME: '' }
  const { code, output } = await run(executable, ['--version'], { env, keepOutput: true, timeoutMs: 60_000 })
  return code === 0 && output.includes(version) ? { executable, version } : undefined
}

/**
 * @param {string} wanted
 * @param {string} output
 */
function failure(wanted, output) {
  return new StepFailure(`${wanted} could not be installed.`, {
    reason: firstLines(output) || 'npm gave no reason',
    remedy: 'check the connection and the proxy, then run this command again',
  })
}

/**
 * The beginning of what npm says, in one line.
 * @param {string} output
 */
function firstLines(output) {
  const lines = output.trim().split('\n').slice(0, 4)
  return lines
    .map((line) => line.replace(/^npm error\s*/, ''))
    .join(' ')
    .slice(0, 300)
}
