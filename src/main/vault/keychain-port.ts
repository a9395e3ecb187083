// A file of its own: `companion key print` reads the keychain before anything else is loaded.
import type { Secret } from '../secret'

/** The OS keychain, one item per account. Rejects when there is none or it is locked. */
export interface Keychain {
  get(account: string): Promise<string | null>
  set(account: string, secret: Secret): Promise<void>
  remove(account: string): Promise<void>
}

/** The keychain is there and does not answer; `advice` says what to do about that. */
export class KeychainStalled extends Error {
  readonly advice: string

  constructor(message: string, advice: string) {
    super(message)
    this.name = 'KeychainStalled'
    this.advice = advice
  }
}
