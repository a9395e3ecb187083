import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from '../../scripts/lib/processes.mjs'
import { resolveFromRoot, root } from '../../scripts/lib/project.mjs'
import { runNode } from './run-command.mjs'

/** @typedef {import('./start-window.mjs').WindowProgram} WindowProgram */

/** Path of the built command-line program. */
export const cli = resolveFromRoot('out/main/cli.cjs')
const planNames = ['team-plan', 'research-plan', 'personal-plan']
/** Fake API key of all benchmark plans. */
export const benchmarkKey = `sk-bench-${'0123456789'.repeat(4)}`

/**
 * The subjects: a bare window, and the app showing Home with a few plans.
 * @param {string} folder a new folder for their files
 * @param {NodeJS.ProcessEnv} desktop
 */
export async function makeSubjects(folder, desktop) {
  const { env, ...subjects } = createBenchSubjects(folder, desktop)
  await addPlans(subjects.dataDir, env)
  skipWelcome(join(subjects.dataDir, 'settings.json'))
  return { ...subjects, env, slowTools: withSlowTools(subjects.app, join(folder, 'slow-tools')) }
}

/**
 * A bare window and the app with an empty data folder.
 * @param {string} folder a new folder for their files
 * @param {NodeJS.ProcessEnv} desktop
 */
export function createBenchSubjects(folder, desktop) {
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const env = { ...withoutElectronVariables(desktop), HOME: home, PATH: ['/usr/bin', '/bin'].join(delimiter) }
  const dataDir = join(folder, 'app')
  const emptyWindow = resolveFromRoot('test/bench/bare-window')
  return {
    dataDir,
    home,
    env,
    /** @type {WindowProgram} */
    bareWindow: { folder: emptyWindow, args: [], env: { ...env, BENCH_DATA_DIR: join(folder, 'bare') }, wanted: [] },
    /** @type {WindowProgram} */
    app: { folder: root, args: ['--data-dir', dataDir], env, wanted: planNames },
    /**
     * Starts the app like a new user, with an empty data folder.
     * @type {WindowProgram}
     */
    firstRun: { folder: root, args: ['--data-dir', join(folder, 'first-run')], env, wanted: [] },
  }
}

/**
 * Packages the app into a folder, for a user with the same plans and for a new user. Undefined where the package cannot
 * be built.
 * @param {string} folder a new folder for it
 * @param {Pick<ReturnType<typeof createBenchSubjects>, 'dataDir' | 'env'>} of folder and environment with the plans
 */
export async function makePackaged(folder, { dataDir, env }) {
  if (process.platform !== 'linux') return undefined
  const args = [resolveFromRoot('scripts/package.mjs'), '--target', 'dir', '--output', folder]
  const { code, output } = await run(process.execPath, args, { keepOutput: true })
  if (code !== 0) throw new Error(`The app could not be packaged.\n${output}`)
  const data = (/** @type {string} */ name) => ['--data-dir', join(folder, name)]
  cpSync(dataDir, join(folder, 'app'), { recursive: true })
  const installedApp = { folder: join(folder, 'linux-unpacked'), env }
  return { app: { ...installedApp, args: data('app') }, firstRun: { ...installedApp, args: data('first-run') } }
}

const toolPrograms =
  'aichat aider claude cline cn code codex copilot crush cursor droid goose junie kilo nanocoder opencode openhands pi qwen zed'

/**
 * The app with slow tools on its path, whose `--version` takes two seconds.
 * @param {WindowProgram} app
 * @param {string} folder a new folder for them
 * @returns {WindowProgram}
 */
function withSlowTools(app, folder) {
  mkdirSync(folder)
  for (const name of toolPrograms.split(' ')) {
    writeFileSync(join(folder, name), '#!/bin/sh\nsleep 2\necho 1.2.3\n')
    chmodSync(join(folder, name), 0o755)
  }
  return { ...app, env: { ...app.env, PATH: [folder, app.env.PATH].join(delimiter) } }
}

/**
 * Removes variables that some editors set for their terminals. ELECTRON_RUN_AS_NODE would turn Electron into plain
 * Node.
 * @param {NodeJS.ProcessEnv} env
 */
function withoutElectronVariables(env) {
  const { ELECTRON_RUN_AS_NODE: _, ELECTRON_RENDERER_URL: __, NODE_OPTIONS: ___, ...rest } = env
  return rest
}

/**
 * Adds a few plans with keys and returns their names.
 * @param {string} dataDir
 * @param {NodeJS.ProcessEnv} env
 */
export async function addPlans(dataDir, env) {
  for (const name of planNames) {
    const gateway = ['--gateway', `https://${name}.example.com`, '--model', 'large', '--model', 'small']
    const command = [cli, '--data-dir', dataDir, 'plan', 'add', '--name', name, ...gateway, '--key-stdin']
    await runNode(command, { env, input: benchmarkKey })
  }
  return planNames
}

/**
 * Skips the first-start screen, so that the app starts with Home.
 * @param {string} settingsPath
 */
export function skipWelcome(settingsPath) {
  const settings = JSON.parse(readFileSync(settingsPath, 'utf8'))
  writeFileSync(settingsPath, JSON.stringify({ ...settings, welcomed: true }))
}
