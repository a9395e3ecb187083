import { ensureBuild } from './ensure-build.mjs'
import { ensureDependencies } from './ensure-dependencies.mjs'
import { ensureElectron } from './ensure-electron.mjs'
import { ensureSystem } from './ensure-system.mjs'
import { withDesktop } from './lib/desktop.mjs'
import { run } from './lib/processes.mjs'
import { electronExecutable, isSuperuser, packageCommand, root } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { printLine } from './lib/steps.mjs'

/**
 * Prepares everything and opens the app. `--dev`: with hot reload.
 * @param {string[]} args
 */
async function startApp(args) {
  const isDev = args.includes('--dev')
  const appArgs = args.filter((arg) => arg !== '--dev')
  const needsDesktop = !hasDisplay()
  await ensureDependencies()
  await ensureSystem({ desktop: needsDesktop })
  await ensureElectron()
  if (!isDev) await ensureBuild()
  const openApp = isDev ? openDevApp : openBuiltApp
  if (!needsDesktop) return openApp(appArgs, process.env)
  // Use a private home, because the app's data is temporary here and its changes in the real home could not be undone.
  return withDesktop(
    (env, desktop) => {
      printDesktopNotice(env, desktop.folder)
      return openApp(appArgs, env)
    },
    { privateHome: true },
  )
}

function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} folder
 */
function printDesktopNotice(env, folder) {
  printLine('This machine has no display, so the app runs in a private virtual desktop.')
  printLine(`   Home folder, app data and keychain are temporary (${folder}). They are deleted when it ends.`)
  printLine(`   To see it: DISPLAY=${env.DISPLAY} XAUTHORITY=${env.XAUTHORITY} x11vnc -localhost`)
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function openBuiltApp(args, env) {
  printLine('-> Opening the app (Ctrl+C ends it)')
  // Chromium's sandbox refuses to start as root, before any app code runs.
  const flags = isSuperuser ? ['--no-sandbox'] : []
  return (await run(electronExecutable(), [...flags, root, ...args], { env: removeRunAsNode(env) })).code
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function openDevApp(args, env) {
  printLine('-> Opening the app with hot reload (Ctrl+C ends it)')
  const command = [packageCommand('electron-vite', 'electron-vite'), 'dev', '--', ...args]
  const extraEnv = { ELECTRON_EXEC_PATH: electronExecutable(), ...(isSuperuser ? { NO_SANDBOX: '1' } : {}) }
  return (await run(process.execPath, command, { cwd: root, env: { ...removeRunAsNode(env), ...extraEnv } })).code
}

/**
 * Removes ELECTRON_RUN_AS_NODE, which some editors set for their terminals. It turns Electron into plain Node.
 * @param {NodeJS.ProcessEnv} env
 */
function removeRunAsNode(env) {
  const { ELECTRON_RUN_AS_NODE: _, ...rest } = env
  return rest
}

await script(import.meta.url, startApp)
