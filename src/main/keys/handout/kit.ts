import { randomInt } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { KeyFileContent } from '@shared/contract/register'
import { AppError } from '@shared/failure'
import { parseJson } from '@shared/json'
import { z } from 'zod'
import { type Disk, errorCode, undefinedIfMissing } from '../../core/files/disk'
import { computeHash, createUnwritableError, readChosenFile } from '../../core/files/files'
import { parseGatewayAddress } from '../../core/net/address'
import { Secret } from '../../core/secret'

const format = 'platform-companion-kit'
const version = 2

const KeyFileSchema = z.strictObject({
  readMe: z.string().max(1000).optional(),
  format: z.literal(format),
  key: z.string().min(1).max(1000),
  ...KeyFileContent.shape,
})

/** Header fields that a key file of every version has. */
const KeyFileVersion = z.object({ format: z.literal(format), version: z.number() })

/** A decrypted key file: its displayable content, and the key. */
export interface OpenKeyFile {
  readonly content: KeyFileContent
  readonly key: Secret
}

/** Formats a key file with its key. Encrypt the text immediately and never store it. */
export function serializeKeyFile({ content, key }: OpenKeyFile): string {
  const { gatewayUrl, models } = content
  const model = models[0] === undefined ? '' : `, model ${models[0]}`
  const readMe = `With Platform Companion: open this file under "Receive a key". Without it: give your tool the address ${gatewayUrl}/v1 (chat completions) or ${gatewayUrl} (messages)${model}, and the value of "key" as its API key. Keep the key to yourself, and send the acknowledgement back.`
  const keyFile = { readMe, format, ...content, maskedKey: key.masked, key: key.expose() }
  return `${JSON.stringify(KeyFileSchema.parse(keyFile), null, 2)}\n`
}

/** Parses a key file strictly. Fails with `handout.unreadable`, which names the field but not its value. */
export function parseKeyFile(text: string): OpenKeyFile {
  const value = parseJson(text)
  const parsedStamp = KeyFileVersion.safeParse(value)
  if (!parsedStamp.success) throw createUnreadableError('It was opened, but it is not a key file of this app.')
  if (parsedStamp.data.version > version) {
    throw createUnreadableError('It was created by a newer version of the app. Update the app, then open it again.')
  }
  const keyFile = KeyFileSchema.safeParse(value)
  if (!keyFile.success) {
    const field = String(keyFile.error.issues[0]?.path[0] ?? 'its form').slice(0, 50)
    throw createUnreadableError(`It was opened, but ${field} is not valid.`)
  }
  const { readMe: _, format: __, key: secret, ...content } = keyFile.data
  const address = parseGatewayAddress(content.gatewayUrl)
  if (!address.ok)
    throw createUnreadableError(`It was opened, but its gateway cannot be used. ${address.error.message}`)
  const key = toSecret(secret)
  if (key.masked !== content.maskedKey)
    throw createUnreadableError('It was opened, but its masked key is not that of its key.')
  return { content: { ...content, gatewayUrl: address.value.url }, key }
}

function toSecret(text: string): Secret {
  try {
    return new Secret(text)
  } catch {
    throw createUnreadableError('It was opened, but its content is not a key.')
  }
}

export const createUnreadableError = (reason: string): AppError =>
  new AppError('handout.unreadable', `Can't read the key file. ${reason} Nothing was saved.`)

/** Characters of a confirmation code. Omits those that are easily confused: 0 and O, 1, I and L, U and V. */
const codeAlphabet = '23456789ABCDEFGHJKMNPQRSTWXYZ'
const groups = 3
const codeGroupLength = 4

/** A confirmation code such as `K7QD-9M2X-4RTA` (58 bits). */
export function newCode(): string {
  const group = (): string =>
    Array.from({ length: codeGroupLength }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** Hash of a confirmation code, independent of case and separators. */
export const hashCode = (code: string): string => computeHash(code.toUpperCase().replace(/[^0-9A-Z]/g, ''))

const wordCount = 6

/** Generates six random words of 2,048 (66 bits), joined by hyphens. */
export function newPassphrase(): Secret {
  const pickWord = (): string => wordlist[randomInt(wordlist.length)] ?? ''
  return new Secret(Array.from({ length: wordCount }, pickWord).join('-'))
}

/** Normalizes case and separators of a generated six-word passphrase. Other passphrases stay unchanged. */
export function readPassphrase(text: string): string {
  const passphrase = text
    .toLowerCase()
    .split(/[\s\p{Pd}_,.]+/u)
    .filter((word) => word !== '')
  const isOurs = passphrase.length === wordCount && passphrase.every((word) => wordlist.includes(word))
  return isOurs ? passphrase.join('-') : text.replace(/\r?\n$/, '')
}

const maxNames = 1000

/** The bytes of a key file, at most 256 kB. Fails with `file.unreadable` or `handout.unreadable`. */
export const readKeyFileBytes = (path: string): Promise<Uint8Array> =>
  readChosenFile(
    path,
    256_000,
    () => new AppError('handout.unreadable', `${path} is too large for a key file. Choose another file.`),
  )

/** Requires that a path is free. Fails with `file.unwritable` when the path exists. */
export async function requireNoFile(path: string, disk: Disk): Promise<void> {
  if ((await undefinedIfMissing(disk.lstat(path))) !== undefined) throw createFileExistsError(path)
}

/** Writes a new file with mode 0600, never over another. Fails with `file.unwritable` and leaves no partial file. */
export async function writeNewFile(path: string, text: string, disk: Disk): Promise<void> {
  const file = await disk.create(path, 0o600).catch((error: unknown) => {
    throw errorCode(error) === 'EEXIST' ? createFileExistsError(path) : createUnwritableError(path, error)
  })
  try {
    await file.writeFile(Buffer.from(text)).then(() => file.sync())
  } catch (error) {
    await file.close()
    await disk.unlink(path).catch(() => undefined)
    throw createUnwritableError(path, error)
  }
  await file.close()
  await disk.syncFolder(dirname(path)).catch(() => undefined)
}

export async function findFreePath(folder: string, holderName: string, disk: Disk): Promise<string> {
  const nameStem = getKeyFileName(holderName).replace(/\.age$/, '')
  for (let suffix = 1; suffix <= maxNames; suffix += 1) {
    const path = join(folder, `${nameStem}${suffix === 1 ? '' : `-${suffix}`}.age`)
    if ((await undefinedIfMissing(disk.lstat(path))) === undefined) return path
  }
  throw createFileExistsError(join(folder, `${nameStem}.age`))
}

/** File name of a holder's key file, valid on every file system. */
export function getKeyFileName(holderName: string): string {
  const nameStem = holderName
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
  return `${[...nameStem].slice(0, 50).join('') || 'key'}.kit.age`
}

const createFileExistsError = (path: string): AppError =>
  new AppError(
    'file.unwritable',
    `There is a file ${basename(path)} already, and a key file never replaces another file. Choose another name.`,
  )
