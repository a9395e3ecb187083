import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startProcess } from './processes.mjs'
import { StepFailure } from './steps.mjs'

/**
 * @typedef {object} SessionOptions
 * @property {string} folder
 * @property {NodeJS.ProcessEnv} env environment of every program in the session
 * @property {number} width
 * @property {number} height
 * @property {boolean} keyring
 * @property {import('node:child_process').ChildProcess[]} processes receives the started processes, in order
 */

const timeoutMs = 15_000
const pollIntervalMs = 40
const maxWarningLength = 2000
const hasSetpriv = existsSync('/usr/bin/setpriv')

/**
 * Starts screen, message bus and keychain. Returns the environment variables for programs.
 * @param {SessionOptions} options
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function openSession(options) {
  const screen = await startScreen(options)
  const dbusSession = await startBus(options)
  if (options.keyring) await startKeyring(options, dbusSession)
  return { ...screen, ...dbusSession }
}

/**
 * Starts an X server with its own cookie, so other users of the machine can't connect.
 * @param {SessionOptions} options
 */
async function startScreen({ folder, env, width, height, processes }) {
  const xauthorityPath = join(folder, 'xauthority')
  writeFileSync(xauthorityPath, xauthority(randomBytes(16)), { mode: 0o600 })
  const size = `${width}x${height}x24`
  const args = ['-displayfd', '3', '-screen', '0', size, '-nolisten', 'tcp', '-noreset', '-auth', xauthorityPath]
  const child = service('Xvfb', args, { env, output: 3 })
  processes.push(child)
  const display = await firstLine(child, 3, 'The virtual screen (Xvfb)')
  return { DISPLAY: `:${display}`, XAUTHORITY: xauthorityPath }
}

/**
 * An X authority file with one cookie for every display (family "wild", empty address and number).
 * @param {Buffer} cookie
 */
export function xauthority(cookie) {
  const name = Buffer.from('MIT-MAGIC-COOKIE-1')
  return Buffer.concat([uint16(0xffff), uint16(0), uint16(0), uint16(name.length), name, uint16(cookie.length), cookie])
}

/** @param {number} value */
function uint16(value) {
  return Buffer.from([value >> 8, value & 0xff])
}

/**
 * Starts a message bus without service activation, so that it does not start a keyring by itself.
 * @param {SessionOptions} options
 */
async function startBus({ folder, env, processes }) {
  const config = join(folder, 'bus.conf')
  writeFileSync(config, busConfig(join(folder, 'run/bus')))
  const child = service('dbus-daemon', [`--config-file=${config}`, '--nofork', '--nopidfile', '--print-address=3'], {
    env,
    output: 3,
  })
  processes.push(child)
  const address = await firstLine(child, 3, 'The message bus (dbus-daemon)')
  return { DBUS_SESSION_BUS_ADDRESS: address, DBUS_SYSTEM_BUS_ADDRESS: address }
}

/** @param {string} socket */
function busConfig(socket) {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`
}

/**
 * @param {SessionOptions} options
 * @param {NodeJS.ProcessEnv} bus
 */
async function startKeyring({ env, processes }, bus) {
  const child = service('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
    env: { ...env, ...bus },
    input: randomBytes(16).toString('hex'),
  })
  processes.push(child)
  // The daemon reports readiness only by its name on the bus.
  const deadlineMs = Date.now() + timeoutMs
  while (!hasKeyring({ ...env, ...bus })) {
    if (child.exitCode !== null || Date.now() > deadlineMs) throw failure('The keychain (gnome-keyring-daemon)', child)
    await wait(pollIntervalMs)
  }
}

/** @param {NodeJS.ProcessEnv} env */
function hasKeyring(env) {
  const ownerQueryArgs = ['org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets']
  const target = ['--session', '--dest=org.freedesktop.DBus', '--print-reply', '/org/freedesktop/DBus']
  const answer = spawnSync('dbus-send', [...target, ...ownerQueryArgs], { env, encoding: 'utf8' })
  return (answer.stdout ?? '').includes('boolean true')
}

/**
 * Starts a background program that exits with this process, even after a kill.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, input?: string, output?: number }} options
 */
function service(command, args, { env, input, output }) {
  const guardedCommand = hasSetpriv ? ['setpriv', '--pdeathsig', 'SIGTERM', command, ...args] : [command, ...args]
  const [program = command, ...rest] = guardedCommand
  const stdio = /** @type {('pipe' | 'ignore')[]} */ ([input === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe'])
  if (output !== undefined) stdio.push('pipe')
  const child = startProcess(program, rest, { env, stdio })
  child.once('error', () => {})
  collectErrors(child)
  child.stdin?.end(input)
  return child
}

/**
 * The first line that a program writes to one of its file descriptors.
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} descriptor
 * @param {string} name
 * @returns {Promise<string>}
 */
function firstLine(child, descriptor, name) {
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => reject(failure(name, child)), timeoutMs)
    const failSession = () => {
      clearTimeout(timer)
      reject(failure(name, child))
    }
    child.once('error', failSession)
    child.once('exit', failSession)
    child.stdio[descriptor]?.on('data', (chunk) => {
      text += chunk.toString()
      if (!text.includes('\n')) return
      clearTimeout(timer)
      resolve(text.trim())
    })
  })
}

/** @type {WeakMap<import('node:child_process').ChildProcess, string>} */
const warningsBySession = new WeakMap()

/** @param {import('node:child_process').ChildProcess} child */
function collectErrors(child) {
  child.stderr?.on('data', (chunk) => {
    warningsBySession.set(child, ((warningsBySession.get(child) ?? '') + chunk.toString()).slice(-maxWarningLength))
  })
}

/**
 * @param {string} name
 * @param {import('node:child_process').ChildProcess} child
 */
function failure(name, child) {
  const output = warningsBySession.get(child) ?? ''
  return new StepFailure(`${name} of the private desktop did not start.`, {
    reason: output === '' ? 'it is not installed, or it exited immediately' : 'its output is above',
    remedy: 'run `node scripts/ensure-system.mjs --desktop`, as a user with an account here, then this command again',
    output,
  })
}
