import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { newPassphrase } from '../../../../../src/main/keys/handout/kit'
import {
  decryptKeyFile,
  encryptKeyFile,
  readEncryptedKeyFile,
} from '../../../../../src/main/keys/handout/kit-encryption'
import { createAgeKeyPair, isAgeInstalled, isAgeRequired, runAge, runAgeWithPassphrase } from '../../../../support/age'
import { isDeepRun } from '../../../../support/depth'
import { makeFolder } from '../../../support/folders'
import { buildKeyFile, content, fixture, keyText } from './kits'

it('the public age tool is installed where CI promises it', () => {
  expect(isAgeInstalled || !isAgeRequired).toBe(true)
})

describe.runIf(isAgeInstalled)('with the public age tool', () => {
  it('opens a kit that the app encrypted with a passphrase', async () => {
    const [folder, passphrase] = [makeFolder(), newPassphrase()]
    const [file, outputFile] = [join(folder, 'kit.age'), join(folder, 'kit.json')]
    writeFileSync(file, await encryptKeyFile(buildKeyFile(), { kind: 'passphrase', passphrase }))
    await runAgeWithPassphrase(passphrase.expose(), '-d', '-o', outputFile, file)
    expect(JSON.parse(readFileSync(outputFile, 'utf8'))).toMatchObject({ ...content, key: keyText })
  }, 60_000)

  it('opens a kit that the app encrypted for a key pair', async () => {
    const folder = makeFolder()
    const { identityFile, recipient } = await createAgeKeyPair(join(folder, 'identity.txt'))
    writeFileSync(join(folder, 'kit.age'), await encryptKeyFile(buildKeyFile(), { kind: 'recipient', recipient }))
    const text = await runAge('-d', '-i', identityFile, join(folder, 'kit.age'))
    expect(JSON.parse(text)).toMatchObject({ ...content, key: keyText })
  }, 60_000)

  // Decrypting takes ten seconds. `kit-encryption` opens a file that the age tool encrypted with a passphrase.
  if (isDeepRun)
    it('encrypts a kit with a passphrase that the app opens', async () => {
      const folder = makeFolder()
      const [plain, byPassphrase] = [join(folder, 'kit.json'), join(folder, 'p.age')]
      writeFileSync(plain, fixture('kit.json'))
      await runAgeWithPassphrase('six words nobody would ever guess', '-p', '-o', byPassphrase, plain)
      const encryptedKeyFile = await readEncryptedKeyFile(readFileSync(byPassphrase))
      expect(
        (await decryptKeyFile(encryptedKeyFile, { passphrase: 'six words nobody would ever guess' })).content,
      ).toEqual(content)
    }, 60_000)

  it('encrypts a kit for a key pair that the app opens', async () => {
    const folder = makeFolder()
    const [plain, byKey] = [join(folder, 'kit.json'), join(folder, 'k.age')]
    writeFileSync(plain, fixture('kit.json'))
    const { identityFile, recipient } = await createAgeKeyPair(join(folder, 'identity.txt'))
    await runAge('-a', '-r', recipient, '-o', byKey, plain)
    const identity = new Secret(/^AGE-SECRET-KEY-\S+$/m.exec(readFileSync(identityFile, 'utf8'))?.[0] ?? '')
    expect((await decryptKeyFile(await readEncryptedKeyFile(readFileSync(byKey)), { identity })).key.expose()).toBe(
      keyText,
    )
  }, 60_000)
})
