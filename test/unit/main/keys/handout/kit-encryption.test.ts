import type { AppError } from '@shared/failure'
import { armor, Encrypter } from 'age-encryption'
import { describe, expect, it } from 'vitest'
import { newPassphrase, serializeKeyFile } from '../../../../../src/main/keys/handout/kit'
import {
  decryptKeyFile,
  encryptKeyFile,
  type Opener,
  readEncryptedKeyFile,
  requireRecipient,
} from '../../../../../src/main/keys/handout/kit-encryption'
import { isDeepRun } from '../../../../support/depth'
import { catchFailure } from '../../platform/harness'
import { buildKeyFile, content, encryptWithLowCost, fixture, fixtureIdentity, fixtureRecipient, keyText } from './kits'

const openKeyFile = async (file: Uint8Array, opener: Opener) => decryptKeyFile(await readEncryptedKeyFile(file), opener)
const createOpener = (): Opener => ({ identity: fixtureIdentity() })

describe('a kit encrypted by the app', () => {
  it('opens only with its passphrase and reveals nothing before', async () => {
    const passphrase = newPassphrase()
    const text = await encryptKeyFile(buildKeyFile(), { kind: 'passphrase', passphrase })
    expect(text).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/)
    expect(Buffer.from(armor.decode(text)).toString('latin1')).toMatch(/^-> scrypt \S+ 16$/m)
    for (const secret of [keyText, passphrase.expose(), 'gw.example.com']) expect(text).not.toContain(secret)
    expect((await readEncryptedKeyFile(Buffer.from(text))).needs).toBe('passphrase')
    const openedKeyFile = await openKeyFile(Buffer.from(text), { passphrase: passphrase.expose() })
    expect([openedKeyFile.content, openedKeyFile.key.expose()]).toEqual([content, keyText])
    const wrongPassphraseError = await catchFailure(
      openKeyFile(Buffer.from(text), { passphrase: newPassphrase().expose() }),
    )
    expect(wrongPassphraseError).toMatchObject({ code: 'handout.wrongPassphrase', field: 'passphrase' })
    expect((await catchFailure(openKeyFile(Buffer.from(text), createOpener()))).code).toBe('handout.otherRecipient')
  }, 30_000)

  it('opens only with the key pair that it was encrypted for', async () => {
    const text = await encryptKeyFile(buildKeyFile(), { kind: 'recipient', recipient: ` ${fixtureRecipient()}\n` })
    expect((await readEncryptedKeyFile(Buffer.from(text))).needs).toBe('identity')
    expect((await openKeyFile(Buffer.from(text), createOpener())).key.expose()).toBe(keyText)
    const otherKey = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'
    const otherReceiverKeyFile = await encryptKeyFile(buildKeyFile(), { kind: 'recipient', recipient: otherKey })
    expect((await catchFailure(openKeyFile(Buffer.from(otherReceiverKeyFile), createOpener()))).code).toBe(
      'handout.otherRecipient',
    )
    expect((await catchFailure(openKeyFile(Buffer.from(text), { passphrase: 'x' }))).code).toBe(
      'handout.wrongPassphrase',
    )
  })

  it('differs each time', async () => {
    const lock = { kind: 'recipient', recipient: fixtureRecipient() } as const
    expect(await encryptKeyFile(buildKeyFile(), lock)).not.toBe(await encryptKeyFile(buildKeyFile(), lock))
  })
})

describe('a recipient', () => {
  it.each([
    ['nothing', ''],
    ['a word', 'age'],
    ['one with a letter changed', fixtureRecipient().replace(/.$/, (end) => (end === 'q' ? 'p' : 'q'))],
    ['one that is cut off', fixtureRecipient().slice(0, -4)],
    ['a key of another kind', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHsKLqeplhpW+uObz5dvMgjz1OxfM/XXUB+VHtZ6isGN'],
    ['two', `${fixtureRecipient()} ${fixtureRecipient()}`],
  ])('is refused when it is %s', (_, recipient) => {
    expect(() => requireRecipient(recipient)).toThrow(/not an age public key/)
  })

  it('is refused without being repeated when it is the secret half', () => {
    const secret = fixtureIdentity().expose()
    const refusal = (() => {
      try {
        return requireRecipient(secret)
      } catch (error) {
        return String(error)
      }
    })()
    expect(refusal).toMatch(/is a secret key/)
    expect(refusal).not.toContain(secret.slice(0, 25))
  })
})

describe('a kit of the public age tool', () => {
  it.each([
    ['by-age-recipient.age', 'identity'],
    ['by-age-recipient-binary.age', 'identity'],
    ['by-age-passphrase.age', 'passphrase'],
  ])(
    '%s opens',
    async (name, needs) => {
      expect((await readEncryptedKeyFile(fixture(name))).needs).toBe(needs)
      const openedKeyFile = await openKeyFile(
        fixture(name),
        needs === 'identity' ? createOpener() : { passphrase: 'river-of-nine-lamps' },
      )
      expect([openedKeyFile.content, openedKeyFile.key.expose()]).toEqual([content, keyText])
    },
    60_000,
  )

  it('opens with Windows line endings and surrounding blanks', async () => {
    const text = `\r\n ${fixture('by-age-recipient.age').toString().replaceAll('\n', '\r\n')}\r\n`
    expect((await openKeyFile(Buffer.from(text), createOpener())).content).toEqual(content)
  })
})

/** Changes every byte of a key file in deep runs, and every fifth byte in quick runs. */
const step = isDeepRun ? 1 : 5

const refusals = ['handout.tampered', 'handout.unreadable', 'handout.otherRecipient', 'handout.wrongPassphrase']

describe('a damaged kit', () => {
  it('never opens with a changed byte, wherever it is', async () => {
    const keyFileBytes = fixture('by-age-recipient-binary.age')
    for (let byteIndex = 0; byteIndex < keyFileBytes.length; byteIndex += step) {
      const changedBytes = Buffer.from(keyFileBytes)
      changedBytes[byteIndex] = (changedBytes[byteIndex] ?? 0) ^ (1 << (byteIndex % 8))
      expect(refusals, `byte ${byteIndex}`).toContain(
        (await catchFailure(openKeyFile(changedBytes, createOpener()))).code,
      )
    }
  }, 120_000)

  it('never opens truncated, and the error says so', async () => {
    const keyFileBytes = fixture('by-age-recipient-binary.age')
    for (let length = 22; length < keyFileBytes.length; length += 7) {
      const failure = await catchFailure(openKeyFile(keyFileBytes.subarray(0, length), createOpener()))
      expect(failure.code, `${length} bytes`).toBe('handout.tampered')
    }
    const text = fixture('by-age-recipient.age').toString()
    for (let length = 40; length < text.trimEnd().length; length += 40) {
      const failure = await catchFailure(openKeyFile(Buffer.from(text.slice(0, length)), createOpener()))
      expect(failure.code, `${length} characters`).toBe('handout.tampered')
    }
  }, 60_000)

  it('never opens with a passphrase after a byte changed', async () => {
    const keyFileBytes = Buffer.from(await encryptWithLowCost(serializeKeyFile(buildKeyFile()), 'p'))
    expect((await openKeyFile(keyFileBytes, { passphrase: 'p' })).content).toEqual(content)
    for (let byteIndex = 0; byteIndex < keyFileBytes.length; byteIndex += step) {
      const changedBytes = Buffer.from(keyFileBytes)
      changedBytes[byteIndex] = (changedBytes[byteIndex] ?? 0) ^ (1 << (byteIndex % 7))
      expect(refusals, `byte ${byteIndex}`).toContain(
        (await catchFailure(openKeyFile(changedBytes, { passphrase: 'p' }))).code,
      )
    }
  }, 60_000)

  it.each([
    ['another text', 'hello'],
    ['nothing', ''],
    ['another armor', '-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n'],
    ['a version to come', 'age-encryption.org/v2\n-> X25519 a\nb\n--- c\n'],
  ])('%s is not a kit', async (_, text) => {
    expect((await catchFailure(openKeyFile(Buffer.from(text), createOpener()))).code).toBe('handout.unreadable')
  })

  it('an error distinguishes a file without a kit from a kit that cannot be opened', async () => {
    const file = await encryptWithLowCost('{"hello": 1}', 'p')
    const failure = await catchFailure(openKeyFile(file, { passphrase: 'p' }))
    expect(failure).toMatchObject({ code: 'handout.unreadable', message: expect.stringContaining('It was opened') })
  })
})

describe('an expensive header', () => {
  const encryptWithFactor = async (factor: string) =>
    Buffer.from(
      Buffer.from(await encryptWithLowCost('x', 'p'))
        .toString('latin1')
        .replace(/^(-> scrypt \S+) 2$/m, `$1 ${factor}`),
      'latin1',
    )

  it.each(['19', '20', '40', '63', '99'])('is refused before any computation: work factor %s', async (factor) => {
    const failure = await catchFailure(readEncryptedKeyFile(await encryptWithFactor(factor)))
    expect(failure).toMatchObject({ code: 'handout.unreadable', message: expect.stringContaining('memory') })
  })

  it.each(['0', '-1', '02', '1e9', '999', 'x'])('is refused as invalid: work factor %s', async (factor) => {
    expect((await catchFailure(readEncryptedKeyFile(await encryptWithFactor(factor)))).code).toBe('handout.tampered')
  })

  it('is refused when it has too many recipients', async () => {
    const encrypter = new Encrypter()
    for (let index = 0; index < 30; index += 1) encrypter.addRecipient(fixtureRecipient())
    const failure: AppError['failure'] = await catchFailure(readEncryptedKeyFile(await encrypter.encrypt('x')))
    expect(failure).toMatchObject({ code: 'handout.unreadable', message: expect.stringContaining('recipients') })
  })

  it('is refused when a passphrase is combined with other recipients', async () => {
    const [firstKit, secondKit] = [await encryptWithLowCost('x', 'p'), await encryptWithLowCost('x', 'q')].map((file) =>
      Buffer.from(file).toString('latin1'),
    )
    const stanza = /-> scrypt [^-]+/.exec(secondKit ?? '')?.[0] ?? ''
    const fileWithDoubledStanzas = Buffer.from((firstKit ?? '').replace('-> scrypt', `${stanza}-> scrypt`), 'latin1')
    expect((await catchFailure(readEncryptedKeyFile(Buffer.from(armor.encode(fileWithDoubledStanzas))))).code).toBe(
      'handout.tampered',
    )
  })
})
