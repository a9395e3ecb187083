import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { KeyFileContent } from '@shared/contract'
import { Encrypter } from 'age-encryption'
import { Secret } from '../../../../../src/main/core/secret'
import type { OpenKeyFile } from '../../../../../src/main/keys/handout/kit'

const fixtures = resolve(import.meta.dirname, '../../../../fixtures/handout')

export const fixture = (name: string): Buffer => readFileSync(join(fixtures, name))

/** The secret half of the test key pair. */
export const fixtureIdentity = (): Secret =>
  new Secret(/^AGE-SECRET-KEY-\S+$/m.exec(fixture('identity.txt').toString())?.[0] ?? '')

export const fixtureRecipient = (): string => /age1\S+/.exec(fixture('identity.txt').toString())?.[0] ?? ''

export const keyText = 'sk-fixture-0123456789abcdef'

export const content: KeyFileContent = {
  version: 1,
  from: 'lan',
  holder: { kind: 'person', name: 'Nguyễn Văn An' },
  purpose: 'pipeline of the shop',
  planName: 'team',
  gatewayUrl: 'https://gw.example.com',
  models: ['aurora-large', 'vega-coder'],
  contextTokens: 128_000,
  expiresAt: '2026-12-31T00:00:00.000Z',
  keyName: 'Nguyễn Văn An',
  maskedKey: 'sk-...cdef',
  toolIds: ['opencode'],
  acknowledgement: 'K7QD-9M2X-4RTA',
  createdAt: '2026-05-04T03:02:01.000Z',
}

export const buildKeyFile = (change: Partial<KeyFileContent> = {}): OpenKeyFile => ({
  content: { ...content, ...change },
  key: new Secret(keyText),
})

/** Work factor of scrypt that makes trying a passphrase fast. */
export const quickWorkFactor = 2

/** Encrypts a text with a passphrase and a low work factor, which is fast. */
export async function encryptWithLowCost(text: string, passphrase: string): Promise<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(quickWorkFactor)
  return encrypter.encrypt(text)
}

/** The register of a computer that has only received keys. */
export const emptyRegister = {
  identify: <T>(holder: T) => holder,
  findHolders: () => [],
  otherHolders: () => [],
  noteHandedOut: () => undefined,
  noteAcknowledged: () => undefined,
  hasAcknowledged: () => false,
}
