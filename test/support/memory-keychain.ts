import type { Secret } from '../../src/main/core/secret'
import type { Keychain } from '../../src/main/core/vault/keychain'

/** A keychain in memory that can be locked and records its calls. */
export class MemoryKeychain implements Keychain {
  readonly items = new Map<string, string>()
  readonly asked: string[] = []
  isLocked = false
  #busy = 0

  get(account: string): Promise<string | null> {
    return this.#work(`get ${account}`, () => this.items.get(account) ?? null)
  }

  async set(account: string, secret: Secret): Promise<void> {
    await this.#work(`set ${account}`, () => this.items.set(account, secret.expose()))
  }

  async remove(account: string): Promise<void> {
    await this.#work(`remove ${account}`, () => this.items.delete(account))
  }

  async #work<T>(operation: string, run: () => T): Promise<T> {
    this.asked.push(operation)
    if (this.isLocked) throw new Error('Cannot autolaunch D-Bus without X11 $DISPLAY')
    if (this.#busy > 0) throw new Error('No such interface org.freedesktop.Secret.Item')
    this.#busy += 1
    await new Promise((resolve) => setImmediate(resolve))
    this.#busy -= 1
    return run()
  }
}
