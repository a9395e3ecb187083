import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { withLock } from '../../scripts/lib/lock.mjs'
import { run } from '../../scripts/lib/processes.mjs'
import { cacheFolder, npm } from '../../scripts/lib/project.mjs'
import { StepFailure, step } from '../../scripts/lib/steps.mjs'

/**
 * @typedef {object} Tool
 * @property {string} id
 * @property {string} package
 * @property {string} command
 * @property {string} version
 * @property {string} [program] path of the program in a package that declares none
 * @property {boolean} [needsNewerNode] true if it needs a newer Node than this project
 *
 * @typedef {{ executable: string, version: string } | { failure: string }} Installed
 */

/**
 * Package with Droid's program for this platform. Some registries lag behind with the package that selects the
 * platform.
 */
const droidPackage = `@factory/cli-${process.platform}-${process.arch}`

/** Tested versions. `--latest` uses the newest ones. */
export const pinnedTools = /** @type {readonly Tool[]} */ ([
  { id: 'claude-code', package: '@anthropic-ai/claude-code', command: 'claude', version: '2.1.330' },
  { id: 'opencode', package: 'opencode-ai', command: 'opencode', version: '1.18.33' },
  { id: 'kilo', package: '@kilocode/cli', command: 'kilo', version: '7.7.7' },
  { id: 'qwen-code', package: '@qwen-code/qwen-code', command: 'qwen', version: '0.24.4', needsNewerNode: true },
  { id: 'continue', package: '@continuedev/cli', command: 'cn', version: '1.5.47' },
  { id: 'cline', package: 'cline', command: 'cline', version: '3.0.65' },
  { id: 'pi', package: '@earendil-works/pi-coding-agent', command: 'pi', version: '0.87.1', needsNewerNode: true },
  { id: 'copilot-cli', package: '@github/copilot', command: 'copilot', version: '1.0.102' },
  { id: 'droid', package: droidPackage, command: 'droid', version: '0.225.2', program: 'bin/droid' },
  { id: 'codex', package: '@openai/codex', command: 'codex', version: '0.169.0' },
  {
    id: 'nanocoder',
    package: '@nanocollective/nanocoder',
    command: 'nanocoder',
    version: '1.30.0',
    needsNewerNode: true,
  },
])

/** A newer Node version from an npm package, for tools that need it. */
const newerNode = /** @type {Tool} */ ({ id: 'node', package: 'node', command: 'node', version: '24.21.0' })
const toolsFolder = join(cacheFolder, 'real-tools')
const newerNodeFolder = join(toolsFolder, `node@${newerNode.version}`, 'node_modules/.bin')

const maxInstallMs = 15 * 60_000

/**
 * Installs a tool from npm into a separate folder. Never rejects.
 * @param {Tool} tool
 * @param {boolean} isLatest installs the newest version instead of the pinned one
 * @returns {Promise<Installed>}
 */
export async function installTool(tool, isLatest) {
  const node = tool.needsNewerNode ? await installTool(newerNode, false) : undefined
  if (node && 'failure' in node) return node
  const installResult = await installPackage(tool, isLatest)
  return node === undefined || 'failure' in installResult ? installResult : ensureNewerNode(installResult, tool)
}

/**
 * Creates a launcher that runs an installed program and its children with the newer Node.
 * @param {{ executable: string, version: string }} installed
 * @param {Tool} tool
 */
async function ensureNewerNode({ executable, version }, { command }) {
  const starter = join(dirname(executable), `${command}-with-newer-node`)
  const text = `#!/bin/sh\nPATH="${newerNodeFolder}:$PATH" exec "${executable}" "$@"\n`
  await writeFile(starter, text, { mode: 0o755 })
  return { executable: starter, version }
}

/**
 * @param {Tool} tool
 * @param {boolean} isLatest
 * @returns {Promise<Installed>}
 */
async function installPackage(tool, isLatest) {
  const folder = join(toolsFolder, `${tool.id}@${isLatest ? 'latest' : tool.version}`)
  try {
    return await withLock(`real-tools-${tool.id}`, async () => {
      const existingInstall = isLatest ? undefined : await readInstalled(tool, folder)
      return existingInstall ?? (await step(toTitle(tool, isLatest), () => install(tool, isLatest, folder)))
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
function toTitle(tool, isLatest) {
  return `Installing ${tool.package} ${isLatest ? 'in its newest version' : tool.version} from npm`
}

/**
 * @param {Tool} tool
 * @param {boolean} isLatest
 * @param {string} folder
 * @returns {Promise<Installed>}
 */
async function install(tool, isLatest, folder) {
  const partialFolder = `${folder}.partial`
  rmSync(partialFolder, { recursive: true, force: true })
  await mkdir(partialFolder, { recursive: true })
  // Allow the install script of the package, which copies the program for this platform.
  const manifest = { private: true, allowScripts: { [tool.package]: true } }
  await writeFile(join(partialFolder, 'package.json'), JSON.stringify(manifest))
  const { command, args, shell } = npm()
  const packageSpec = `${tool.package}@${isLatest ? 'latest' : tool.version}`
  const options = ['install', packageSpec, '--no-audit', '--no-fund', '--include=optional', '--loglevel=error']
  const installOptions = { cwd: partialFolder, shell, keepOutput: true, timeoutMs: maxInstallMs }
  const { code, output } = await run(command, [...args, ...options], installOptions)
  if (code !== 0) throw failure(packageSpec, output)
  rmSync(folder, { recursive: true, force: true })
  renameSync(partialFolder, folder)
  const installedPackage = await readInstalled(tool, folder)
  if (installedPackage === undefined) throw failure(packageSpec, 'The program that it installed does not start.')
  return installedPackage
}

/**
 * Returns the tool that is installed in a folder. Undefined if it does not start.
 * @param {Tool} tool
 * @param {string} folder
 * @returns {Promise<Installed | undefined>}
 */
async function readInstalled(tool, folder) {
  const packageFolder = join(folder, 'node_modules', tool.package)
  const executable = tool.program ? join(packageFolder, tool.program) : join(folder, 'node_modules/.bin', tool.command)
  if (!existsSync(join(packageFolder, 'package.json'))) return undefined
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  // Some tools create folders in the home even for `--version`.
  const env = {
    ...process.env,
    HOME: folder,
    XDG_CONFIG_HOME: '',
    XDG_DATA_HOME: '',
    XDG_CACHE_HOME: '',
    PATH: [...(tool.needsNewerNode ? [newerNodeFolder] : []), process.env.PATH].join(delimiter),
  }
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
 * The beginning of npm's output, in one line.
 * @param {string} output
 */
function firstLines(output) {
  const lines = output.trim().split('\n').slice(0, 4)
  return lines
    .map((line) => line.replace(/^npm error\s*/, ''))
    .join(' ')
    .slice(0, 300)
}
