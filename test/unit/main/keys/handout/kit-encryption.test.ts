import { armor, Encrypter } from 'age-encryption'
import { describe, expect, it, vi } from 'vitest'
import { newPassphrase, serializeKeyFile } from '../../../../../src/main/keys/handout/kit'
import {
  decryptKeyFile,
  encryptKeyFile,
  type Opener,
  readEncryptedKeyFile,
  requireRecipient,
} from '../../../../../src/main/keys/handout/kit-encryption'
import { isDeepRun } from '../../../../support/depth'
import { catchFailure, expectFailure } from '../../../support/failures'
import { buildKeyFile, content, encryptWithLowCost, fixture, fixtureIdentity, fixtureRecipient, keyText } from './kits'

vi.setConfig({ testTimeout: 120_000 })

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
    const wrong = openKeyFile(Buffer.from(text), { passphrase: newPassphrase().expose() })
    await expectFailure(wrong, { code: 'handout.wrongPassphrase', field: 'passphrase' })
    await expectFailure(openKeyFile(Buffer.from(text), createOpener()), 'handout.otherRecipient')
  })

  it('opens only with the key pair that it was encrypted for', async () => {
    const text = await encryptKeyFile(buildKeyFile(), { kind: 'recipient', recipient: ` ${fixtureRecipient()}\n` })
    expect((await readEncryptedKeyFile(Buffer.from(text))).needs).toBe('identity')
    expect((await openKeyFile(Buffer.from(text), createOpener())).key.expose()).toBe(keyText)
    const otherKey = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'
    const otherReceiverKeyFile = await encryptKeyFile(buildKeyFile(), { kind: 'recipient', recipient: otherKey })
    await expectFailure(openKeyFile(Buffer.from(otherReceiverKeyFile), createOpener()), 'handout.otherRecipient')
    await expectFailure(openKeyFile(Buffer.from(text), { passphrase: 'x' }), 'handout.wrongPassphrase')
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
    expect(() => requireRecipient(secret)).toThrow(/is a secret key/)
    const message = expect.not.stringContaining(secret.slice(0, 25))
    expect(() => requireRecipient(secret)).toThrow(expect.objectContaining({ message }))
  })
})

describe('a kit of the public age tool', () => {
  it.each([
    ['by-age-recipient.age', 'identity'],
    ['by-age-recipient-binary.age', 'identity'],
    ['by-age-passphrase.age', 'passphrase'],
  ])('%s opens', async (name, needs) => {
    expect((await readEncryptedKeyFile(fixture(name))).needs).toBe(needs)
    const opener = needs === 'identity' ? createOpener() : { passphrase: 'river-of-nine-lamps' }
    const openedKeyFile = await openKeyFile(fixture(name), opener)
    expect([openedKeyFile.content, openedKeyFile.key.expose()]).toEqual([content, keyText])
  })

  it('opens with Windows line endings and surrounding blanks', async () => {
    const text = `\r\n ${fixture('by-age-recipient.age').toString().replaceAll('\n', '\r\n')}\r\n`
    expect((await openKeyFile(Buffer.from(text), createOpener())).content).toEqual(content)
  })
})

/** Changes every byte of a key file in deep runs, and every fifth byte in quick runs. */
const step = isDeepRun ? 1 : 5

const refusals = ['handout.tampered', 'handout.unreadable', 'handout.otherRecipient', 'handout.wrongPassphrase']

describe('a damaged kit', () => {
  it.each([
    ['the key pair', async () => fixture('by-age-recipient-binary.age'), createOpener()],
    ['a passphrase', async () => encryptWithLowCost(serializeKeyFile(buildKeyFile()), 'p'), { passphrase: 'p' }],
  ])('never opens with %s after a byte changed, wherever it is', async (_, encrypt, opener) => {
    const keyFileBytes = await encrypt()
    expect((await openKeyFile(keyFileBytes, opener)).content).toEqual(content)
    for (let byteIndex = 0; byteIndex < keyFileBytes.length; byteIndex += step) {
      const changedBytes = Buffer.from(keyFileBytes)
      changedBytes[byteIndex] = (changedBytes[byteIndex] ?? 0) ^ (1 << (byteIndex % 8))
      const { code } = await catchFailure(openKeyFile(changedBytes, opener))
      expect(refusals, `byte ${byteIndex}`).toContain(code)
    }
  })

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
  })

  it.each([
    ['another text', 'hello'],
    ['nothing', ''],
    ['another armor', '-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n'],
    ['a version to come', 'age-encryption.org/v2\n-> X25519 a\nb\n--- c\n'],
  ])('%s is not a kit', async (_, text) => {
    await expectFailure(openKeyFile(Buffer.from(text), createOpener()), 'handout.unreadable')
  })

  it('an error distinguishes a file without a kit from a kit that cannot be opened', async () => {
    const file = await encryptWithLowCost('{"hello": 1}', 'p')
    const message = expect.stringContaining('It was opened')
    await expectFailure(openKeyFile(file, { passphrase: 'p' }), { code: 'handout.unreadable', message })
  })
})

describe('an expensive header', () => {
  const encryptToText = async (passphrase: string) =>
    Buffer.from(await encryptWithLowCost('x', passphrase)).toString('latin1')
  const encryptWithFactor = async (factor: string) =>
    Buffer.from((await encryptToText('p')).replace(/^(-> scrypt \S+) 2$/m, `$1 ${factor}`), 'latin1')

  it.each(['19', '20', '40', '63', '99'])('is refused before any computation: work factor %s', async (factor) => {
    const failure = { code: 'handout.unreadable', message: expect.stringContaining('memory') }
    await expectFailure(readEncryptedKeyFile(await encryptWithFactor(factor)), failure)
  })

  it.each(['0', '-1', '02', '1e9', '999', 'x'])('is refused as invalid: work factor %s', async (factor) => {
    await expectFailure(readEncryptedKeyFile(await encryptWithFactor(factor)), 'handout.tampered')
  })

  it('is refused when it has too many recipients', async () => {
    const encrypter = new Encrypter()
    for (let index = 0; index < 30; index += 1) encrypter.addRecipient(fixtureRecipient())
    const failure = { code: 'handout.unreadable', message: expect.stringContaining('recipients') }
    await expectFailure(readEncryptedKeyFile(await encrypter.encrypt('x')), failure)
  })

  it('is refused when a passphrase is combined with other recipients', async () => {
    const [stanza = ''] = /-> scrypt [^-]+/.exec(await encryptToText('q')) ?? []
    const text = (await encryptToText('p')).replace('-> scrypt', `${stanza}-> scrypt`)
    const fileWithDoubledStanzas = Buffer.from(text, 'latin1')
    await expectFailure(readEncryptedKeyFile(Buffer.from(armor.encode(fileWithDoubledStanzas))), 'handout.tampered')
  })
})
