import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { chacha20poly1305 } from '@noble/ciphers/chacha.js'
import type { KeyFileLock } from '@shared/contract'
import { AppError } from '@shared/failure'
import { armor, Decrypter, Encrypter, type Identity, type Recipient, Stanza } from 'age-encryption'
import type { Secret } from '../../core/secret'
import { createWorkQueue } from '../../core/work-queue'
import { createUnreadableError, type OpenKeyFile, parseKeyFile, serializeKeyFile } from './kit'

/** scrypt work factor (log2 N). Strong enough for six random words, and takes 0.25 s and 64 MB. age's default is 18. */
const defaultWorkFactor = 16

export type Lock =
  | { readonly kind: 'passphrase'; readonly passphrase: Secret }
  | Extract<KeyFileLock, { kind: 'recipient' }>

/** Encrypts a key file with age in ASCII armor. `workFactor` is for a passphrase. Fails with `handout.badRecipient`. */
export async function encryptKeyFile(kit: OpenKeyFile, lock: Lock, workFactor = defaultWorkFactor): Promise<string> {
  const encrypter = new Encrypter()
  if (lock.kind === 'passphrase') encrypter.addRecipient(createScryptRecipient(lock.passphrase.expose(), workFactor))
  else addRecipient(encrypter, lock.recipient)
  return armor.encode(await encrypter.encrypt(serializeKeyFile(kit)))
}

export function requireRecipient(recipient: string): void {
  addRecipient(new Encrypter(), recipient)
}

function addRecipient(encrypter: Encrypter, text: string): void {
  const recipient = text.trim()
  if (/^age-secret-key-/i.test(recipient))
    throw createRecipientError('This is a secret key. Ask the sender to create a new key pair and send its public key.')
  try {
    encrypter.addRecipient(recipient)
  } catch {
    throw createRecipientError(
      'This is not an age public key, or a character is missing or wrong. It begins with age1.',
    )
  }
}

const createRecipientError = (message: string): AppError =>
  new AppError('handout.badRecipient', message, { field: 'recipient' })

const armorHeader = '-----BEGIN AGE ENCRYPTED FILE-----'
const ageFileHeader = 'age-encryption.org/v1\n'
/** Each recipient costs a key derivation. Files of this app have one. */
const maxStanzas = 20

export interface EncryptedKeyFile {
  readonly bytes: Uint8Array
  readonly needs: 'passphrase' | 'identity'
}

export type Opener = { readonly passphrase: string } | { readonly identity: Secret }

/** Reads an age header. Fails with `handout.unreadable` for other files and excessive work factors, `handout.tampered` for a truncated header. */
export async function readEncryptedKeyFile(file: Uint8Array): Promise<EncryptedKeyFile> {
  const bytes = removeArmor(file)
  if (Buffer.from(bytes.subarray(0, ageFileHeader.length)).toString('latin1') !== ageFileHeader)
    throw createUnreadableError(
      'It is not an age file, or its version is unknown. Choose the file that was sent to you.',
    )
  const stanzas = await readStanzas(bytes)
  if (!stanzas.some(({ args }) => args[0] === 'scrypt')) return { bytes, needs: 'identity' }
  const parts = stanzas.length === 1 && stanzas[0] ? readScryptStanza(stanzas[0]) : undefined
  if (!parts) throw createTamperedError()
  if (parts.workFactor > maxWorkFactor)
    throw createUnreadableError('Opening it would need too much memory. No key file of this app does.')
  return { bytes, needs: 'passphrase' }
}

/** Fails with `handout.wrongPassphrase`, `.otherRecipient`, `.tampered` (or truncated) or `.unreadable`. */
export async function decryptKeyFile({ bytes }: EncryptedKeyFile, opener: Opener): Promise<OpenKeyFile> {
  const decrypter = new Decrypter()
  decrypter.addIdentity('passphrase' in opener ? createScryptIdentity(opener.passphrase) : opener.identity.expose())
  const missedIdentity = lastIdentity(decrypter)
  const text = await decrypter.decrypt(bytes, 'text').catch((error: unknown) => {
    throw missedIdentity.stanzas ? createWrongIdentityError(opener) : createTamperedError(error)
  })
  return parseKeyFile(text)
}

async function readStanzas(bytes: Uint8Array): Promise<readonly Stanza[]> {
  const decrypter = new Decrypter()
  const stanzaCapture = lastIdentity(decrypter)
  const cause: unknown = await decrypter.decrypt(bytes).catch((error: unknown) => error)
  if (!stanzaCapture.stanzas) throw createTamperedError(cause)
  if (stanzaCapture.stanzas.length <= maxStanzas) return stanzaCapture.stanzas
  throw createUnreadableError('It has too many recipients.')
}

/** Identity that decrypts nothing. age calls it last, so it gets the recipient stanzas of the file header. */
function lastIdentity(decrypter: Decrypter): { readonly stanzas: readonly Stanza[] | undefined } {
  const stanzaCapture: { stanzas: readonly Stanza[] | undefined } = { stanzas: undefined }
  decrypter.addIdentity({
    unwrapFileKey: (stanzas: Stanza[]) => {
      stanzaCapture.stanzas = stanzas
      return null
    },
  })
  return stanzaCapture
}

function removeArmor(file: Uint8Array): Uint8Array {
  const text = Buffer.from(file).toString('latin1').trim()
  if (!text.startsWith(armorHeader)) return file
  try {
    return armor.decode(text)
  } catch (error) {
    throw createTamperedError(error)
  }
}

const createWrongIdentityError = (opener: Opener): AppError =>
  'passphrase' in opener
    ? new AppError('handout.wrongPassphrase', 'Wrong passphrase for this key file. Check its six words.', {
        field: 'passphrase',
      })
    : new AppError(
        'handout.otherRecipient',
        'This key file is for another public key. Send the public key of this computer and ask for a new key file.',
      )

const createTamperedError = (cause?: unknown): AppError =>
  new AppError(
    'handout.tampered',
    'The key file was modified or is incomplete, so it was not opened. Ask for a new one.',
    { cause },
  )

/** Maximum for received files: age's default (256 MB, about 1 s). A larger one could block the computer for minutes. */
const maxWorkFactor = 18

const label = Buffer.from('age-encryption.org/v1/scrypt')
const saltBytes = 16
const wrappedBytes = 32
const zeroNonce = new Uint8Array(12)

function readScryptStanza({ args, body }: Stanza) {
  const [kind, saltText = '', factorText = ''] = args
  const salt = Buffer.from(saltText, 'base64')
  const isComplete = args.length === 3 && salt.length === saltBytes && body.length === wrappedBytes
  if (kind !== 'scrypt' || !isComplete || !/^[1-9]\d?$/.test(factorText)) return undefined
  return { salt, workFactor: Number(factorText), body }
}

/** age's passphrase recipient with Node's scrypt, which runs on another thread. age-encryption's blocks this one. */
const createScryptRecipient = (passphrase: string, workFactor: number): Recipient => ({
  async wrapFileKey(fileKey) {
    const salt = randomBytes(saltBytes)
    const key = await deriveKey(passphrase, salt, workFactor)
    const body = chacha20poly1305(key, zeroNonce).encrypt(fileKey)
    const saltText = salt.toString('base64').replace(/=+$/, '')
    return [new Stanza(['scrypt', saltText, String(workFactor)], body)]
  },
})

/** The passphrase identity of age. Returns null for a wrong passphrase and for stanzas of another type. */
const createScryptIdentity = (passphrase: string): Identity => ({
  async unwrapFileKey([stanza, ...rest]) {
    const parts = stanza && rest.length === 0 ? readScryptStanza(stanza) : undefined
    if (!parts || parts.workFactor > maxWorkFactor) return null
    const key = await deriveKey(passphrase, parts.salt, parts.workFactor)
    try {
      return chacha20poly1305(key, zeroNonce).decrypt(parts.body)
    } catch {
      return null
    }
  },
})

/** Derive one key at a time, because each derivation needs up to 256 MB. */
const enqueueDerivation = createWorkQueue()

function deriveKey(passphrase: string, salt: Uint8Array, workFactor: number): Promise<Uint8Array> {
  const [N, r] = [2 ** workFactor, 8]
  // Maximum memory: scrypt needs 128 * N * r bytes by definition, and OpenSSL some more.
  const options = { N, r, p: 1, maxmem: 128 * N * r + 32 * 1024 * 1024 }
  const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt)
  return enqueueDerivation(
    async () => new Uint8Array(await derive(passphrase, Buffer.concat([label, salt]), 32, options)),
  )
}
