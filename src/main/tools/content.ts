import { createHash } from 'node:crypto'
import { inspect } from 'node:util'

/** The bytes of a file to be written. They may hold a key, so they cannot be printed or serialised. */
export class Content {
  readonly #bytes: Uint8Array
  #hash: string | undefined

  constructor(bytes: Uint8Array | string) {
    this.#bytes = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  }

  /** The bytes themselves: for the file they are meant for. */
  bytes(): Uint8Array {
    return this.#bytes
  }

  get hash(): string {
    this.#hash ??= hashOf(this.#bytes)
    return this.#hash
  }

  toJSON(): string {
    return '[content]'
  }

  [inspect.custom](): string {
    return '[content]'
  }
}

/** SHA-256 in hex. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}
