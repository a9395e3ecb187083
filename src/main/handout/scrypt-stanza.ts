import { randomBytes, scrypt } from 'node:crypto'
import { chacha20poly1305 } from '@noble/ciphers/chacha.js'
import { type Identity, type Recipient, Stanza } from 'age-encryption'

/** The most that is computed for a stanza of somebody else: 1 GB for a few seconds. */
export const mostWorkFactor = 20

const label = Buffer.from('age-encryption.org/v1/scrypt')
const saltBytes = 16
const wrappedBytes = 32
const zeroNonce = new Uint8Array(12)

/** The parts of age's scrypt stanza; undefined when it is none or malformed. */
export function readScryptStanza({ args, body }: Stanza) {
  const [kind, saltText = '', factorText = ''] = args
  const salt = Buffer.from(saltText, 'base64')
  const isWhole = args.length === 3 && salt.length === saltBytes && body.length === wrappedBytes
  if (kind !== 'scrypt' || !isWhole || !/^[1-9]\d?$/.test(factorText)) return undefined
  return { salt, workFactor: Number(factorText), body }
}

/** Age's passphrase recipient over the system's scrypt, so that neither window nor command stands still meanwhile. */
export class ScryptRecipient implements Recipient {
  readonly #passphrase: string
  readonly #workFactor: number

  constructor(passphrase: string, workFactor: number) {
    this.#passphrase = passphrase
    this.#workFactor = workFactor
  }

  async wrapFileKey(fileKey: Uint8Array): Promise<Stanza[]> {
    const salt = randomBytes(saltBytes)
    const key = await derived(this.#passphrase, salt, this.#workFactor)
    const body = chacha20poly1305(key, zeroNonce).encrypt(fileKey)
    const saltText = salt.toString('base64').replace(/=+$/, '')
    return [new Stanza(['scrypt', saltText, String(this.#workFactor)], body)]
  }
}

/** The other side; gives null for a wrong passphrase and for what it does not know. */
export class ScryptIdentity implements Identity {
  readonly #passphrase: string

  constructor(passphrase: string) {
    this.#passphrase = passphrase
  }

  async unwrapFileKey([stanza, ...others]: Stanza[]): Promise<Uint8Array | null> {
    const parts = stanza && others.length === 0 ? readScryptStanza(stanza) : undefined
    if (!parts || parts.workFactor > mostWorkFactor) return null
    const key = await derived(this.#passphrase, parts.salt, parts.workFactor)
    try {
      return chacha20poly1305(key, zeroNonce).decrypt(parts.body)
    } catch {
      return null
    }
  }
}

function derived(passphrase: string, salt: Uint8Array, workFactor: number): Promise<Uint8Array> {
  const [N, r] = [2 ** workFactor, 8]
  // The memory that scrypt needs by its definition, and some for its own accounts.
  const options = { N, r, p: 1, maxmem: 128 * N * r + 32 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    scrypt(passphrase, Buffer.concat([label, salt]), 32, options, (error, key) =>
      error ? reject(error) : resolve(new Uint8Array(key)),
    )
  })
}
