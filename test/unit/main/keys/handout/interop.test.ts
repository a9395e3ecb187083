import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { newPassphrase } from '../../../../../src/main/keys/handout/kit'
import { readSealed, seal, unseal } from '../../../../../src/main/keys/handout/kit-encryption'
import { age, ageKeyPair, ageTyping, hasAge, isAgePromised } from '../../../../support/age'
import { isDeep } from '../../../../support/depth'
import { makeFolder } from '../../../support/folders'
import { content, fixture, keyText, kit } from './kits'

it('the public age tool is installed where CI promises it', () => {
  expect(hasAge || !isAgePromised).toBe(true)
})

describe.runIf(hasAge)('with the public age tool', () => {
  it('opens a kit that the app encrypted with a passphrase', async () => {
    const [folder, passphrase] = [makeFolder(), newPassphrase()]
    const [file, outputFile] = [join(folder, 'kit.age'), join(folder, 'kit.json')]
    writeFileSync(file, await seal(kit(), { kind: 'passphrase', passphrase }))
    await ageTyping(passphrase.expose(), '-d', '-o', outputFile, file)
    expect(JSON.parse(readFileSync(outputFile, 'utf8'))).toMatchObject({ ...content, key: keyText })
  }, 60_000)

  it('opens a kit that the app encrypted for a key pair', async () => {
    const folder = makeFolder()
    const { identityFile, recipient } = await ageKeyPair(join(folder, 'identity.txt'))
    writeFileSync(join(folder, 'kit.age'), await seal(kit(), { kind: 'recipient', recipient }))
    const text = await age('-d', '-i', identityFile, join(folder, 'kit.age'))
    expect(JSON.parse(text)).toMatchObject({ ...content, key: keyText })
  }, 60_000)

  // Decrypting takes ten seconds. `kit-encryption` opens a file that the age tool encrypted with a passphrase.
  if (isDeep)
    it('encrypts a kit with a passphrase that the app opens', async () => {
      const folder = makeFolder()
      const [plain, byPassphrase] = [join(folder, 'kit.json'), join(folder, 'p.age')]
      writeFileSync(plain, fixture('kit.json'))
      await ageTyping('six words nobody would ever guess', '-p', '-o', byPassphrase, plain)
      const sealedKit = await readSealed(readFileSync(byPassphrase))
      expect((await unseal(sealedKit, { passphrase: 'six words nobody would ever guess' })).content).toEqual(content)
    }, 60_000)

  it('encrypts a kit for a key pair that the app opens', async () => {
    const folder = makeFolder()
    const [plain, byKey] = [join(folder, 'kit.json'), join(folder, 'k.age')]
    writeFileSync(plain, fixture('kit.json'))
    const { identityFile, recipient } = await ageKeyPair(join(folder, 'identity.txt'))
    await age('-a', '-r', recipient, '-o', byKey, plain)
    const identity = new Secret(/^AGE-SECRET-KEY-\S+$/m.exec(readFileSync(identityFile, 'utf8'))?.[0] ?? '')
    expect((await unseal(await readSealed(readFileSync(byKey)), { identity })).key.expose()).toBe(keyText)
  }, 60_000)
})
