import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HandoutResult, KeyFileContent, RegisterEntry } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { serializeKeyFile } from '../../../../src/main/keys/handout/kit'
import { buildKeyFile, encryptWithLowCost } from '../keys/handout/kits'
import { keyAnswer } from '../plans/account/answers'
import { createAccountHarness, issuedKey, listResponse } from './account-desk'
import { json } from './desk'

const keysPath = '/console/token-plans/p1/keys'
const newKey = { ...keyAnswer, keyId: 'k9', name: 'An', key: 'sk-made-0123456789abcdef' }

/** A test environment with a saved plan `team`. Its account creates a key named `An`. */
async function createLeadHarness() {
  let keys: unknown[] = [keyAnswer]
  const harness = await createAccountHarness({
    [`GET ${keysPath}`]: (...args) => listResponse(...keys)(...args),
    [`POST ${keysPath}`]: (...args) => {
      keys = [keyAnswer, newKey]
      json(newKey, 201)(...args)
    },
  })
  await harness.run('key keep team k1')
  const file = join(harness.folder, 'an.age')
  return { ...harness, file }
}

const create = ['handout', 'create', '--plan', 'team']

const readPassphrase = (err: string): string => /: ([a-z]+(?:-[a-z]+){5})$/m.exec(err)?.[1] ?? ''

describe('handout create', () => {
  it('writes a kit and prints its passphrase once, to standard error', async () => {
    const harness = await createLeadHarness()
    const tools = ['--tools', 'opencode', 'aider']
    const { out, err } = await harness.run([...create, '--holder', ' An ', ...tools, '--out', harness.file])
    expect(out).toBe(`Wrote key file ${harness.file} for An: key An of team.\n`)
    const passphrase = readPassphrase(err)
    expect(err).toBe(`Passphrase (shown only once, send it separately from the file): ${passphrase}\n`)
    expect(statSync(harness.file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(harness.server.received.findLast(({ method }) => method === 'POST')?.body ?? '')).toEqual({
      name: 'An',
    })
    const open = `--json handout open ${harness.file} --passphrase-stdin`
    const openedKeyFile = await harness.run(open, `${passphrase}\n`)
    expect(KeyFileContent.parse(JSON.parse(openedKeyFile.out))).toMatchObject({
      holder: { kind: 'person', name: 'An' },
      toolIds: ['opencode', 'aider'],
    })
    expect(out + err + openedKeyFile.out + openedKeyFile.err).not.toContain(newKey.key)
    const register = JSON.parse((await harness.run('--json register list')).out).map((row: unknown) =>
      RegisterEntry.parse(row),
    )
    expect(register).toContainEqual(expect.objectContaining({ keyName: 'An', holder: { kind: 'person', name: 'An' } }))
  }, 20_000)

  it('prints the result as JSON with the passphrase', async () => {
    const harness = await createLeadHarness()
    const holder = '--holder ci --kind tool --key default-key'
    const { out, err } = await harness.run(`--json handout create --plan team ${holder} --out ${harness.file}`)
    expect(HandoutResult.parse(JSON.parse(out))).toMatchObject({
      holder: { kind: 'tool' },
      keyName: 'default-key',
      path: harness.file,
    })
    expect(readPassphrase(err)).not.toBe('')
  }, 20_000)

  it('warns about a key that already has a holder', async () => {
    const harness = await createLeadHarness()
    await harness.run('register set team default-key --holder Bình')
    const { err } = await harness.run(`handout create --plan team --holder An --key default-key --out ${harness.file}`)
    expect(err).toMatch(/^Warning: this key is already used by Bình\. Use one key per holder\.\n/)
  }, 20_000)

  it('encrypts a kit for a public key without a passphrase', async () => {
    const harness = await createLeadHarness()
    const recipient = (await harness.run('handout recipient')).out.trim()
    const { err } = await harness.run(
      `handout create --plan team --holder An --recipient ${recipient} --out ${harness.file}`,
    )
    expect(err).toBe('')
    expect((await harness.run(['handout', 'open', harness.file])).out).toMatch(/^Key +An \(sk-\.\.\.cdef\)$/m)
  })

  it.each([
    ['a file that is there', ['--out', 'TAKEN'], 'file.unwritable'],
    ['a wrong public key', ['--recipient', 'age1x', '--out', 'FREE'], 'handout.badRecipient'],
    ['a name for a tool', ['--tools', 'Open Code', '--out', 'FREE'], 'input.invalid'],
    ['a purpose that is too long', ['--purpose', 'x'.repeat(201), '--out', 'FREE'], 'input.invalid'],
    ['a plan that is not here', ['--plan', 'nothing', '--out', 'FREE'], 'plan.notFound'],
    ['a plan that was handed over', ['--plan', 'handed', '--out', 'FREE'], 'rotation.notAtAccount'],
  ])(
    'is refused for %s, and creates no key',
    async (_, args, code) => {
      const harness = await createLeadHarness()
      writeFileSync(join(harness.folder, 'taken'), '')
      const paths = new Map([
        ['TAKEN', join(harness.folder, 'taken')],
        ['FREE', harness.file],
      ])
      const { failure } = await harness.run([...create, '--holder', 'An', ...args.map((arg) => paths.get(arg) ?? arg)])
      expect(failure).toMatchObject({ code })
      expect(harness.changes()).toEqual([])
    },
    20_000,
  )
})

describe('handout open', () => {
  const startWithKeyFile = async () => {
    const harness = await createAccountHarness()
    const file = join(harness.folder, 'kit.age')
    writeFileSync(file, await encryptWithLowCost(serializeKeyFile(buildKeyFile()), 'river-of-nine-lamps'))
    return { ...harness, file }
  }

  it('shows the content of a kit, saves it on request, and prints the code', async () => {
    const harness = await startWithKeyFile()
    const open = `handout open ${harness.file} --passphrase-stdin`
    const openedOutput = await harness.run(open, 'river-of-nine-lamps\n')
    expect(openedOutput.out).toMatch(/^From +lan\nFor +Nguyễn Văn An\n/)
    expect(openedOutput.out).toMatch(/Nothing was saved/)
    expect(harness.core.plans.list().map(({ name }) => name)).toEqual(['handed'])
    const acceptedKeyFile = await harness.run(`${open} --accept`, 'river-of-nine-lamps')
    expect(acceptedKeyFile.out).toMatch(/Saved as plan team\..*\n.*K7QD-9M2X-4RTA\n$/)
    expect([...harness.keychain.items.values()].sort()).toEqual(['sk-fixture-0123456789abcdef', issuedKey])
    expect(acceptedKeyFile.out + openedOutput.out).not.toContain('sk-fixture-0123456789abcdef')
  }, 60_000)

  it.each([
    ['without the passphrase', [], '', 'input.invalid'],
    ['with another one', ['--passphrase-stdin'], 'river of nine lamps\n', 'handout.wrongPassphrase'],
  ])(
    'is refused %s',
    async (_, args, input, code) => {
      const harness = await startWithKeyFile()
      expect((await harness.run(['handout', 'open', harness.file, ...args], input)).failure).toMatchObject({ code })
    },
    60_000,
  )
})

describe('handout acknowledge', () => {
  it('records in the register that the kit arrived', async () => {
    const harness = await createLeadHarness()
    const { err } = await harness.run(`handout create --plan team --holder An --out ${harness.file}`)
    const open = `--json handout open ${harness.file} --passphrase-stdin`
    const openedKeyFile = await harness.run(open, readPassphrase(err))
    const { acknowledgement } = KeyFileContent.parse(JSON.parse(openedKeyFile.out))
    expect((await harness.run(['handout', 'acknowledge', acknowledgement])).out).toBe('An confirmed key An of team.\n')
    expect((await harness.run('register list')).out).toMatch(new RegExp(`^team +An +ACTIVE +An +${day} +${day} `, 'm'))
    expect((await harness.run('handout acknowledge AAAA-AAAA-AAAA')).failure).toMatchObject({
      code: 'handout.unknownCode',
    })
  }, 20_000)
})

const day = '\\d{4}-\\d\\d-\\d\\d'
