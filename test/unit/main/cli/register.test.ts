import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuditEntry, AuditVerdict, HandoutResult, KeyFileContent, RegisterEntry } from '@shared/contract'
import { describe, expect, it, vi } from 'vitest'
import { serializeKeyFile } from '../../../../src/main/keys/handout/kit'
import { buildKeyFile, encryptWithLowCost } from '../keys/handout/kits'
import { keyAnswer } from '../plans/account/answers'
import { createAccountHarness, issuedKey, json, listResponse } from './desk'

vi.setConfig({ testTimeout: 60_000 })

const keysPath = '/console/token-plans/p1/keys'
const keyRoutes = {
  'GET /console/token-plans/p2/keys': listResponse(),
  'GET /console/token-plans/p3/keys': listResponse(),
}

describe('register', () => {
  it('lists the keys of the account and of this computer', async () => {
    const harness = await createAccountHarness(keyRoutes)
    const { out } = await harness.run('register list')
    expect(out).toMatch(/^PLAN +KEY +STATUS +HOLDER/)
    expect(out).toMatch(/^handed +default-key +unknown +-/m)
    expect(out).toMatch(/^team +default-key +ACTIVE +-/m)
    expect(out).not.toContain(issuedKey)
  })

  it('saves a holder by the names of plan and key, or by their ids', async () => {
    const harness = await createAccountHarness(keyRoutes)
    await harness.run('register set team default-key --holder Lan --purpose =1+1')
    const { out } = await harness.run('--json register set p1 k1 --machine laptop')
    const holder = { kind: 'person', name: 'Lan' }
    expect(RegisterEntry.parse(JSON.parse(out))).toMatchObject({ holder, machine: 'laptop' })
    const csv = (await harness.run('register export')).out
    expect(csv).toContain("team,default-key,sk-...cdef,ACTIVE,Lan,person,'=1+1,laptop,")
    expect(csv).not.toContain(issuedKey)
    await harness.run('register set team k1 --nobody')
    expect((await harness.run('register export')).out).not.toContain('Lan')
  })

  it.each([
    ['a key that is not there', ['team', 'nobody', '--holder', 'x'], 'register.notFound'],
    ['two answers at once', ['team', 'k1', '--holder', 'x', '--nobody'], 'input.invalid'],
  ])('is refused for %s', async (_, args, code) => {
    const harness = await createAccountHarness(keyRoutes)
    expect((await harness.run(['register', 'set', ...args])).failure).toMatchObject({ code })
  })
})

describe('audit', () => {
  const startWithNotedKey = async () => {
    const newKey = { ...keyAnswer, keyId: 'k9', name: 'ci', key: 'sk-made-0123456789abcdef' }
    const harness = await createAccountHarness({
      ...keyRoutes,
      [`POST ${keysPath}`]: json(newKey, 201),
      [`PATCH ${keysPath}/k1`]: json(keyAnswer),
    })
    await harness.run('key keep team k1')
    await harness.run('key add team --name ci')
    await harness.run('key disable team k1 --yes')
    await harness.run('key rename team k1 --name other')
    return { ...harness, path: join(harness.folder, 'audit.jsonl') }
  }

  it('lists actions, newest first', async () => {
    const harness = await startWithNotedKey()
    const { out } = await harness.run('--json audit list')
    expect(JSON.parse(out).map((row: unknown) => AuditEntry.parse(row))).toMatchObject([
      { number: 4, what: 'keyRenamed', planName: 'team', by: 'commandLine' },
      { number: 3, what: 'keyDisabled', keyName: 'default-key' },
      { number: 2, what: 'keyAdded', keyName: 'ci' },
      { number: 1, what: 'keySaved', keyName: 'default-key' },
    ])
    expect((await harness.run('audit list --limit 1 --before 4')).out).toMatch(/^3 +\S+ +Key disabled +team/m)
    expect(out).not.toContain('sk-made')
  })

  it('verifies the trail, and exits with 1 when a line was changed', async () => {
    const harness = await startWithNotedKey()
    const intactTrail = await harness.run('audit verify')
    expect([intactTrail.code, intactTrail.out]).toEqual([0, 'The audit log is intact: 4 entries.\n'])
    writeFileSync(harness.path, readFileSync(harness.path, 'utf8').replace('"ci"', '"cd"'))
    const brokenTrail = await harness.run('audit verify')
    const message = expect.stringMatching(/^The audit log was modified: line 2 was changed\./)
    expect(brokenTrail).toMatchObject({ code: 1, out: message })
    const auditVerdict = AuditVerdict.parse(JSON.parse((await harness.run('--json audit verify')).out))
    expect(auditVerdict).toEqual({ isWhole: false, count: 4, brokenAt: 2, reason: 'changed' })
  })

  it.each(['0', '501', 'x', '1.5'])('refuses a limit of %s', async (limit) => {
    const harness = await createAccountHarness()
    expect((await harness.run(['audit', 'list', '--limit', limit])).code).toBe(2)
  })
})

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
    const posted = harness.server.received.findLast(({ method }) => method === 'POST')
    expect(JSON.parse(posted?.body ?? '')).toEqual({ name: 'An' })
    const open = `--json handout open ${harness.file} --passphrase-stdin`
    const openedKeyFile = await harness.run(open, `${passphrase}\n`)
    const expectedKeyFile = { holder: { kind: 'person', name: 'An' }, toolIds: ['opencode', 'aider'] }
    expect(KeyFileContent.parse(JSON.parse(openedKeyFile.out))).toMatchObject(expectedKeyFile)
    expect(out + err + openedKeyFile.out + openedKeyFile.err).not.toContain(newKey.key)
    const { out: list } = await harness.run('--json register list')
    const register = JSON.parse(list).map((row: unknown) => RegisterEntry.parse(row))
    expect(register).toContainEqual(expect.objectContaining({ keyName: 'An', holder: { kind: 'person', name: 'An' } }))
  })

  it('prints the result as JSON with the passphrase', async () => {
    const harness = await createLeadHarness()
    const holder = '--holder ci --kind tool --key default-key'
    const { out, err } = await harness.run(`--json handout create --plan team ${holder} --out ${harness.file}`)
    const result = { holder: { kind: 'tool' }, keyName: 'default-key', path: harness.file }
    expect(HandoutResult.parse(JSON.parse(out))).toMatchObject(result)
    expect(readPassphrase(err)).not.toBe('')
  })

  it('warns about a key that already has a holder', async () => {
    const harness = await createLeadHarness()
    await harness.run('register set team default-key --holder Bình')
    const { err } = await harness.run(`handout create --plan team --holder An --key default-key --out ${harness.file}`)
    expect(err).toMatch(/^Warning: this key is already used by Bình\. Use one key per holder\.\n/)
  })

  it('encrypts a kit for a public key without a passphrase', async () => {
    const harness = await createLeadHarness()
    const recipient = (await harness.run('handout recipient')).out.trim()
    const { err } = await harness.run([...create, '--holder', 'An', '--recipient', recipient, '--out', harness.file])
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
  ])('is refused for %s, and creates no key', async (_, args, code) => {
    const harness = await createLeadHarness()
    writeFileSync(join(harness.folder, 'taken'), '')
    const paths = new Map([
      ['TAKEN', join(harness.folder, 'taken')],
      ['FREE', harness.file],
    ])
    const { failure } = await harness.run([...create, '--holder', 'An', ...args.map((arg) => paths.get(arg) ?? arg)])
    expect(failure).toMatchObject({ code })
    expect(harness.changes()).toEqual([])
  })
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
  })

  it.each([
    ['without the passphrase', [], '', 'input.invalid'],
    ['with another one', ['--passphrase-stdin'], 'river of nine lamps\n', 'handout.wrongPassphrase'],
  ])('is refused %s', async (_, args, input, code) => {
    const harness = await startWithKeyFile()
    expect((await harness.run(['handout', 'open', harness.file, ...args], input)).failure).toMatchObject({ code })
  })
})

it('handout acknowledge records in the register that the kit arrived', async () => {
  const harness = await createLeadHarness()
  const { err } = await harness.run(`handout create --plan team --holder An --out ${harness.file}`)
  const open = `--json handout open ${harness.file} --passphrase-stdin`
  const openedKeyFile = await harness.run(open, readPassphrase(err))
  const { acknowledgement } = KeyFileContent.parse(JSON.parse(openedKeyFile.out))
  expect((await harness.run(['handout', 'acknowledge', acknowledgement])).out).toBe('An confirmed key An of team.\n')
  expect((await harness.run('register list')).out).toMatch(new RegExp(`^team +An +ACTIVE +An +${day} +${day} `, 'm'))
  const { failure } = await harness.run('handout acknowledge AAAA-AAAA-AAAA')
  expect(failure).toMatchObject({ code: 'handout.unknownCode' })
})

const day = '\\d{4}-\\d\\d-\\d\\d'
