import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newPassphrase } from '../../../../../src/main/keys/handout/kit'
import { encryptKeyFile } from '../../../../../src/main/keys/handout/kit-encryption'
import { createAgeKeyPair, isAgeInstalled, isAgeRequired, runAge, runAgeWithPassphrase } from '../../../../support/age'
import { makeFolder } from '../../../support/folders'
import { buildKeyFile, content, keyText } from './kits'

it('the public age tool is installed where CI promises it', () => {
  expect(isAgeInstalled || !isAgeRequired).toBe(true)
})

// `kit-encryption.test.ts` opens files that the public age tool encrypted.
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
})
