import { dirname } from 'node:path'
import type { Secret } from '../secret'
import { probeSecretService, sessionBusPath } from './secret-service'

// Tools wait for `companion key print`, which loads this module first. So import no library here.

/** The OS keychain, one item per account. Rejects when missing or locked. */
export interface Keychain {
  get(account: string): Promise<string | null>
  set(account: string, secret: Secret): Promise<void>
  remove(account: string): Promise<void>
}

/** The keychain does not respond. `advice`: the fix. */
export class KeychainStalled extends Error {
  override readonly name = 'KeychainStalled'

  constructor(
    message: string,
    readonly advice: string,
  ) {
    super(message)
  }
}

const service = 'Platform Companion'

/** Read timeout in ms. Short, because coding tools wait for the key. */
const readLimitMs = 3_000
/** Write timeout in ms. The keychain syncs its file first, which takes seconds on a busy disk. */
const writeTimeoutMs = 15_000

const names: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'The keychain (Keychain Access)',
  win32: 'The keychain (Credential Manager)',
}
const getKeychainName = (platform: NodeJS.Platform): string => names[platform] ?? 'The keychain (Secret Service)'

const createStalledError = (platform: NodeJS.Platform, limitMs: number): KeychainStalled =>
  new KeychainStalled(
    `${getKeychainName(platform)} did not answer within ${limitMs / 1000} seconds`,
    'If it asks for a password, enter it. Otherwise sign out and in again, then retry.',
  )

/** Rejects when the keychain does not respond or stays locked. Only needed on Linux, because calls elsewhere return. */
async function requireService(askService: typeof probeSecretService): Promise<void> {
  const path = process.platform === 'linux' ? sessionBusPath(process.env) : undefined
  // Set the bus address, because keytar finds the bus only by environment variables.
  if (path !== undefined && !process.env.DBUS_SESSION_BUS_ADDRESS) process.env.XDG_RUNTIME_DIR ||= dirname(path)
  const state = path === undefined ? 'answers' : await askService(path, readLimitMs)
  const name = getKeychainName(process.platform)
  if (state === 'stalled') throw createStalledError(process.platform, readLimitMs)
  if (state === 'locked') throw new KeychainStalled(`${name} is locked`, 'Unlock it with its password, then retry.')
  if (state === 'unreachable')
    throw new KeychainStalled(
      `${name} cannot be reached: the session bus has ended or refuses connections`,
      'Sign out and in again, then retry.',
    )
}

let isWaiting = false

let cachedStall: KeychainStalled | undefined

/** Makes the next call fail with this error, because a check already found that the keychain does not respond. */
export function setKeychainStall(stall: KeychainStalled): void {
  cachedStall = stall
}

/** Whether an abandoned call still blocks its thread, so that this process cannot exit normally. */
export const isKeychainStuck = (): boolean => isWaiting

/** Time in ms to hold SIGTERM back after a call, because GLib may raise it 1 ms later. */
const signalDelayMs = 50

/** Whether SIGTERM is held back. One per process: a second holder would add the first one's listener again. */
let isIntercepting = false

/** Holds SIGTERM back while a call connects to the session bus, because GLib raises it when the bus ends. */
function signalHolder(askService: typeof probeSecretService): <T>(call: () => Promise<T>) => Promise<T> {
  let isConnected = false
  return async (call) => {
    const path = process.platform === 'linux' ? sessionBusPath(process.env) : undefined
    if (path === undefined || isConnected || isIntercepting) return call()
    const listeners = process.rawListeners('SIGTERM') as NodeJS.SignalsListener[]
    const interceptSignal = async (): Promise<void> => {
      if ((await askService(path, signalDelayMs)) === 'unreachable') return
      release()
      process.kill(process.pid, 'SIGTERM')
    }
    const release = (): void => {
      if (!isIntercepting) return
      isIntercepting = false
      // Restore the order of listeners, because the package signal-exit ends the process if its listener is the last
      // one.
      const [lastListener, ...rest] = listeners.toReversed()
      if (lastListener) process.prependListener('SIGTERM', lastListener)
      process.off('SIGTERM', interceptSignal)
      for (const listener of rest) process.prependListener('SIGTERM', listener)
    }
    isIntercepting = true
    // Without any listener, Node restores the signal's default action. With more than ten, it warns of a leak.
    const [firstListener, ...rest] = listeners
    for (const listener of rest) process.off('SIGTERM', listener)
    process.on('SIGTERM', interceptSignal)
    if (firstListener) process.off('SIGTERM', firstListener)
    try {
      const answer = await call()
      isConnected = true
      return answer
    } finally {
      setTimeout(release, signalDelayMs).unref()
    }
  }
}

/** The OS keychain through keytar. Loaded on first use, because loading fails without libsecret. */
export function osKeychain(askService = probeSecretService): Keychain {
  const withheldSignal = signalHolder(askService)
  const call = async <T>(work: (keytar: typeof import('keytar')) => Promise<T>): Promise<T> => {
    // Query the Secret Service while keytar is loading.
    const [, { default: keytar }] = await Promise.all([requireService(askService), import('keytar')])
    isWaiting = true
    return withheldSignal(() => work(keytar)).finally(() => {
      isWaiting = false
    })
  }
  // Each call occupies one of few threads, so start no second one while the first is stuck.
  const callKeychain = async <T>(limitMs: number, work: Parameters<typeof call<T>>[0]): Promise<T> => {
    if (isWaiting) throw createStalledError(process.platform, limitMs)
    const previousStall = cachedStall
    cachedStall = undefined
    if (previousStall) throw previousStall
    const answer = call(work)
    // Ignore an answer after the timeout.
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(createStalledError(process.platform, limitMs)), limitMs)
      answer.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
  return {
    get: (account) => callKeychain(readLimitMs, (keytar) => keytar.getPassword(service, account)),
    set: (account, secret) =>
      callKeychain(writeTimeoutMs, (keytar) => keytar.setPassword(service, account, secret.expose())),
    remove: async (account) => {
      await callKeychain(writeTimeoutMs, (keytar) => keytar.deletePassword(service, account))
    },
  }
}

export function getKeychainAdvice(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Unlock the login keychain in Keychain Access.'
  if (platform === 'win32') return 'Start the service "Credential Manager" (VaultSvc).'
  return 'Install and unlock a keyring: sudo apt-get install gnome-keyring libsecret-1-0 (or KWallet), then sign in again.'
}
