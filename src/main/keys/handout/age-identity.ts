import { undefinedIfFailed } from '@shared/failure'
import { Secret } from '../../core/secret'
import type { Vault } from '../../core/vault/vault'

const item = 'handout:identity'

/** Load the library on first use, because it would slow down every start. */
const importAgeLibrary = () => import('age-encryption')

/** The age key pair of this machine. The private key leaves the keychain only to decrypt a key file. */
export class OwnIdentity {
  #making: Promise<Secret> | undefined

  constructor(private readonly vault: Vault) {}

  /** Returns the private key, or undefined when this computer has none. Fails with `vault.unavailable`. */
  find(): Promise<Secret | undefined> {
    return undefinedIfFailed('vault.keyMissing', this.vault.get(item))
  }

  /** Returns the public key. Creates a key pair when this computer has none. Fails with `vault.unavailable`. */
  async recipient(): Promise<string> {
    this.#making ??= this.#findOrMake().finally(() => {
      this.#making = undefined
    })
    const secret = await this.#making
    return (await importAgeLibrary()).identityToRecipient(secret.expose())
  }

  async #findOrMake(): Promise<Secret> {
    const existingIdentity = await this.find()
    if (existingIdentity) return existingIdentity
    await this.vault.save(item, new Secret(await (await importAgeLibrary()).generateX25519Identity()))
    // Another process may have saved a key pair at the same time. The saved pair wins.
    return this.vault.get(item)
  }
}
