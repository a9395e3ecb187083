import { createPublicKey, verify } from 'node:crypto'
import { AppError } from '@shared/failure'
import { withoutHidden } from '@shared/hidden-characters'
import prerelease from 'semver/functions/prerelease.js'
import valid from 'semver/functions/valid.js'
import { z } from 'zod'
import { refuseRequestAddress } from '../gateway/address'

/** Where releases are described (https, or http to this computer), and whose signature counts; built into the app when it is packaged. */
export const UpdateSource = z.object({
  url: z.url({ protocol: /^https?$/ }).refine((url) => refuseRequestAddress(url) === undefined),
  /** An Ed25519 public key: its SubjectPublicKeyInfo (DER) in base64. */
  publicKey: z.string(),
})
export type UpdateSource = z.infer<typeof UpdateSource>

const notes = z.string().max(20_000).transform(withoutHidden)

/**
 * A release as its server describes it, for one channel and kind of system. The file's bytes are signed as a whole
 * (`NAME.json.sig`: an Ed25519 signature in base64), so nothing in it can be put together anew.
 */
export const Release = z.object({
  version: z
    .string()
    .max(64)
    .refine((text) => valid(text) === text),
  releasedAt: z.iso.datetime(),
  notes: z.object({ en: notes, vi: notes.optional() }),
  page: z
    .url({ protocol: /^https$/ })
    .max(2000)
    .optional(),
  /** What the app itself can install; absent where only the system's packages are. */
  file: z
    .object({
      name: z.string().regex(/^[\w][\w.-]{0,199}$/),
      size: z.number().int().positive().max(2e9),
      sha512: z.base64().length(88),
    })
    .optional(),
})
export type Release = z.infer<typeof Release>

/** The name of the description for a channel and kind of system: `stable-linux-x64.json`. */
export const descriptionName = (
  channel: string,
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>,
): string => `${channel}-${platform}-${arch}.json`

/**
 * Reads a description whose signature was made with the private half of `publicKey`.
 * @throws AppError `updates.notSigned` when it was not, or when it cannot be read
 */
export function readRelease(bytes: Uint8Array, signature: string, publicKey: string): Release {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  const isSigned = verify(null, bytes, key, Buffer.from(signature.trim(), 'base64'))
  if (!isSigned) throw notSigned('its signature is not of the key that this app knows')
  const parsed = Release.safeParse(jsonOf(bytes))
  if (!parsed.success) throw notSigned('it is signed, but cannot be read')
  return parsed.data
}

const notSigned = (why: string): AppError =>
  new AppError('updates.notSigned', `The description of the new version was refused: ${why}. Nothing was installed.`)

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}

/** Whether a release may be offered on a channel: betas only to those who chose them. */
export const isOn = (channel: 'stable' | 'beta', { version }: Pick<Release, 'version'>): boolean =>
  channel === 'beta' || prerelease(version) === null
