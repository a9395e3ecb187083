import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuditEntry, AuditVerdict, RegisterEntry } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { keyAnswer } from '../plans/account/answers'
import { createAccountHarness, issuedKey, listResponse } from './account-desk'
import { json } from './desk'

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
    expect(RegisterEntry.parse(JSON.parse(out))).toMatchObject({
      holder: { kind: 'person', name: 'Lan' },
      machine: 'laptop',
    })
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
    expect([brokenTrail.code, brokenTrail.out]).toEqual([
      1,
      expect.stringMatching(/^The audit log was modified: line 2 was changed\./),
    ])
    const auditVerdict = AuditVerdict.parse(JSON.parse((await harness.run('--json audit verify')).out))
    expect(auditVerdict).toEqual({ isWhole: false, count: 4, brokenAt: 2, reason: 'changed' })
  })

  it.each(['0', '501', 'x', '1.5'])('refuses a limit of %s', async (limit) => {
    const harness = await createAccountHarness()
    expect((await harness.run(['audit', 'list', '--limit', limit])).code).toBe(2)
  })
})
