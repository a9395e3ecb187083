import { AppError } from '@shared/failure'
import { armor, Decrypter, type Stanza } from 'age-encryption'
import type { Secret } from '../secret'
import { type OpenKit, readKit } from './kit'
import { mostWorkFactor, readScryptStanza, ScryptIdentity } from './scrypt-stanza'

const begin = '-----BEGIN AGE ENCRYPTED FILE-----'
const magic = 'age-encryption.org/v1\n'
/** Each recipient costs a computation, and a kit has one. */
const mostStanzas = 20

/** A file that says it is an age file. */
export interface SealedKit {
  readonly bytes: Uint8Array
  readonly needs: 'passphrase' | 'identity'
}

/** What opens a kit. */
export type Opener = { readonly passphrase: string } | { readonly identity: Secret }

/** Reads what a file says of itself. Fails with `handout.unreadable` for what is no age file or asks too much, `handout.tampered` for a part of one. */
export async function readSealed(file: Uint8Array): Promise<SealedKit> {
  const bytes = unarmored(file)
  if (!Buffer.from(bytes.subarray(0, magic.length)).equals(Buffer.from(magic))) {
    throw unreadable(
      'It is no file of age, or of a version that is not known yet. Choose the file that was sent to you.',
    )
  }
  const stanzas = await stanzasOf(bytes)
  if (!stanzas.some(({ args }) => args[0] === 'scrypt')) return { bytes, needs: 'identity' }
  const parts = stanzas.length === 1 && stanzas[0] ? readScryptStanza(stanzas[0]) : undefined
  if (!parts) throw tampered()
  if (parts.workFactor > mostWorkFactor) {
    throw unreadable('Opening it would take an absurd amount of memory. No kit of this app asks for that.')
  }
  return { bytes, needs: 'passphrase' }
}

/**
 * Opens a kit. Fails with `handout.wrongPassphrase`, `handout.otherRecipient`, `handout.tampered` when it was changed or cut
 * off on its way, and `handout.unreadable` when what is in it is no kit.
 */
export async function unseal({ bytes }: SealedKit, opener: Opener): Promise<OpenKit> {
  const decrypter = new Decrypter()
  decrypter.addIdentity('passphrase' in opener ? new ScryptIdentity(opener.passphrase) : opener.identity.expose())
  const missed = lastIdentity(decrypter)
  const text = await decrypter.decrypt(bytes, 'text').catch((error: unknown) => {
    throw missed.stanzas ? notFor(opener) : tampered(error)
  })
  return readKit(text)
}

async function stanzasOf(bytes: Uint8Array): Promise<readonly Stanza[]> {
  const decrypter = new Decrypter()
  const seen = lastIdentity(decrypter)
  const cause: unknown = await decrypter.decrypt(bytes).catch((error: unknown) => error)
  if (!seen.stanzas) throw tampered(cause)
  if (seen.stanzas.length <= mostStanzas) return seen.stanzas
  throw unreadable('It is closed for far too many recipients.')
}

/** An identity that opens nothing; it gets to see the stanzas once none before it could open them. */
function lastIdentity(decrypter: Decrypter): { readonly stanzas: readonly Stanza[] | undefined } {
  const seen: { stanzas: readonly Stanza[] | undefined } = { stanzas: undefined }
  decrypter.addIdentity({
    unwrapFileKey: (stanzas: Stanza[]) => {
      seen.stanzas = stanzas
      return null
    },
  })
  return seen
}

/** The bytes of age itself; ASCII armor comes off. */
function unarmored(file: Uint8Array): Uint8Array {
  const text = Buffer.from(file).toString('latin1').trim()
  if (!text.startsWith(begin)) return file
  try {
    return armor.decode(text)
  } catch (error) {
    throw tampered(error)
  }
}

const notFor = (opener: Opener): AppError =>
  'passphrase' in opener
    ? new AppError('handout.wrongPassphrase', 'The passphrase does not open this kit. Check its six words.', {
        field: 'passphrase',
      })
    : new AppError(
        'handout.otherRecipient',
        'This kit was closed for another key than the one of this machine. Send the public key of this machine and ask for a kit for that.',
      )

const tampered = (cause?: unknown): AppError =>
  new AppError(
    'handout.tampered',
    'The kit was changed or cut off on its way, so it was not opened. Ask for it to be sent again.',
    { cause },
  )

const unreadable = (what: string): AppError =>
  new AppError('handout.unreadable', `The kit cannot be read. ${what} Nothing was kept.`)
