import { dirname } from 'node:path'
import type { Secret } from '../secret'
import { askSecretService, sessionBusPath } from './secret-service'

// Tools wait for `companion key print`, which loads this first: nothing is imported here that loads a library.

/** The OS keychain, one item per account. Rejects when there is none or it is locked. */
export interface Keychain {
  get(account: string): Promise<string | null>
  set(account: string, secret: Secret): Promise<void>
  remove(account: string): Promise<void>
}

/** The keychain does not answer. `advice` is the remedy. */
export class KeychainStalled extends Error {
  readonly advice: string

  constructor(message: string, advice: string) {
    super(message)
    this.name = 'KeychainStalled'
    this.advice = advice
  }
}

/** The name under which items appear in the OS keychain. */
const service = 'Platform Companion'

/** A key is not waited for longer: a tool waits for it at the same time. */
const readLimitMs = 3_000
/** The keychain has its file on the disk before it confirms, which a busy disk delays by seconds. */
const writeLimitMs = 15_000

const names: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'The keychain (Keychain Access)',
  win32: 'The keychain (Credential Manager)',
}
const getKeychainName = (platform: NodeJS.Platform): string => names[platform] ?? 'The keychain (Secret Service)'

const stalled = (platform: NodeJS.Platform, limitMs: number): KeychainStalled =>
  new KeychainStalled(
    `${getKeychainName(platform)} did not answer within ${limitMs / 1000} seconds`,
    'If it asks for a password, enter it. Otherwise sign out and in again, then retry.',
  )

const unreachable = (platform: NodeJS.Platform): KeychainStalled =>
  new KeychainStalled(
    `${getKeychainName(platform)} cannot be reached: the session bus has ended or refuses connections`,
    'Sign out and in again, then retry.',
  )

const locked = (platform: NodeJS.Platform): KeychainStalled =>
  new KeychainStalled(`${getKeychainName(platform)} is locked`, 'Unlock it with its password, then retry.')

/** Rejects when the service behind the keychain does not answer or stays locked. Linux only: elsewhere its calls end by themselves. */
async function requireService(ask: typeof askSecretService): Promise<void> {
  const path = process.platform === 'linux' ? sessionBusPath(process.env) : undefined
  // keytar finds the bus only by environment variables.
  if (path !== undefined && !process.env.DBUS_SESSION_BUS_ADDRESS) process.env.XDG_RUNTIME_DIR ||= dirname(path)
  const state = path === undefined ? 'answers' : await ask(path, readLimitMs)
  if (state === 'stalled') throw stalled(process.platform, readLimitMs)
  if (state === 'locked') throw locked(process.platform)
  if (state === 'unreachable') throw unreachable(process.platform)
}

let isWaiting = false

let knownStall: KeychainStalled | undefined

/** Makes the next call fail with the known result instead of waiting again. */
export function failNextWith(stall: KeychainStalled): void {
  knownStall = stall
}

/** Whether an abandoned call still blocks its thread, so that this process cannot end by itself. */
export const isKeychainStuck = (): boolean => isWaiting

/** The library was seen to send its signal a millisecond after its call had failed. */
const lateSignalMs = 50

/**
 * Holds SIGTERM back while a call connects to the session bus: GLib, below keytar, raises it when the bus ends. Forwards a signal from
 * outside.
 */
function signalHolder(ask: typeof askSecretService): <T>(call: () => Promise<T>) => Promise<T> {
  let isConnected = false
  let isHeld = false
  return async (call) => {
    const path = process.platform === 'linux' ? sessionBusPath(process.env) : undefined
    if (path === undefined || isConnected || isHeld) return call()
    const listeners = process.rawListeners('SIGTERM') as NodeJS.SignalsListener[]
    const hold = async (): Promise<void> => {
      if ((await ask(path, lateSignalMs)) === 'unreachable') return
      release()
      process.kill(process.pid, 'SIGTERM')
    }
    const release = (): void => {
      if (!isHeld) return
      isHeld = false
      // Back at the front: signal-exit ends the process when it is the last listener left, which it is behind one that runs once.
      const [last, ...rest] = listeners.toReversed()
      if (last) process.prependListener('SIGTERM', last)
      process.off('SIGTERM', hold)
      for (const listener of rest) process.prependListener('SIGTERM', listener)
    }
    isHeld = true
    // Always one listener, or Node gives the signal back to the system; never one more than before, or Node warns of a leak at eleven.
    const [first, ...rest] = listeners
    for (const listener of rest) process.off('SIGTERM', listener)
    process.on('SIGTERM', hold)
    if (first) process.off('SIGTERM', first)
    try {
      const answer = await call()
      isConnected = true
      return answer
    } finally {
      setTimeout(release, lateSignalMs).unref()
    }
  }
}

/** The OS keychain through keytar; loaded at first use, since the load itself fails where libsecret is missing. */
export function osKeychain(askService = askSecretService): Keychain {
  const holdingSignal = signalHolder(askService)
  const call = async <T>(work: (keytar: typeof import('keytar')) => Promise<T>): Promise<T> => {
    // The service is asked first: keytar is loaded while it answers.
    const [, { default: keytar }] = await Promise.all([requireService(askService), import('keytar')])
    isWaiting = true
    return holdingSignal(() => work(keytar)).finally(() => {
      isWaiting = false
    })
  }
  // Each call takes a thread of the few that there are: no second one while the first does not come back.
  const ask = async <T>(limitMs: number, work: (keytar: typeof import('keytar')) => Promise<T>): Promise<T> => {
    if (isWaiting) throw stalled(process.platform, limitMs)
    const known = knownStall
    knownStall = undefined
    if (known) throw known
    return withLimit(call(work), limitMs)
  }
  return {
    get: (account) => ask(readLimitMs, (keytar) => keytar.getPassword(service, account)),
    set: (account, secret) => ask(writeLimitMs, (keytar) => keytar.setPassword(service, account, secret.expose())),
    remove: async (account) => {
      await ask(writeLimitMs, (keytar) => keytar.deletePassword(service, account))
    },
  }
}

/** An answer, or `KeychainStalled` when it takes too long; one that comes later is dropped. */
function withLimit<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(stalled(process.platform, limitMs)), limitMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export function keychainAdvice(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Unlock the login keychain in Keychain Access.'
  if (platform === 'win32') return 'Start the service "Credential Manager" (VaultSvc).'
  return 'Install and unlock a keyring: sudo apt-get install gnome-keyring libsecret-1-0 (or KWallet), then sign in again.'
}
