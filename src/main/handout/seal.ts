import type { KitLock } from '@shared/contract'
import { AppError } from '@shared/failure'
import { armor, Encrypter } from 'age-encryption'
import type { Secret } from '../secret'
import { kitText, type OpenKit } from './kit'
import { ScryptRecipient } from './scrypt-stanza'

/** Less than age's own 18, because six random words need no help: a quarter of a second and 64 MB for each kit. */
const usualWorkFactor = 16

/** How a kit is closed. */
export type Lock =
  | { readonly kind: 'passphrase'; readonly passphrase: Secret }
  | Extract<KitLock, { kind: 'recipient' }>

/** A kit as an age file in ASCII armor; `workFactor` is that of the passphrase. Fails with `handout.badRecipient`. */
export async function seal(kit: OpenKit, lock: Lock, workFactor = usualWorkFactor): Promise<string> {
  const encrypter = new Encrypter()
  if (lock.kind === 'passphrase') encrypter.addRecipient(new ScryptRecipient(lock.passphrase.expose(), workFactor))
  else addRecipient(encrypter, lock.recipient)
  return armor.encode(await encrypter.encrypt(kitText(kit)))
}

/** Refuses what nothing can be closed for. Fails with `handout.badRecipient`. */
export function requireRecipient(recipient: string): void {
  addRecipient(new Encrypter(), recipient)
}

function addRecipient(encrypter: Encrypter, text: string): void {
  const recipient = text.trim()
  if (/^age-secret-key-/i.test(recipient)) {
    throw bad('This is the secret half of a key pair: whoever sent it should make a new one, and send the public half.')
  }
  try {
    encrypter.addRecipient(recipient)
  } catch {
    throw bad('This is no age public key, or one character of it is missing or wrong. It begins with age1.')
  }
}

const bad = (message: string): AppError => new AppError('handout.badRecipient', message, { field: 'recipient' })
