import { KeyView, SubscriptionKeyView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { keyAnswer, planAnswer } from '../plans/account/answers'
import { createAccountHarness, issuedKey, listResponse } from './account-desk'
import { json } from './desk'

const path = '/console/token-plans/p1/keys'

describe('key list', () => {
  it("shows the keys of an account's plan, masked, with where they are saved", async () => {
    const harness = await createAccountHarness()
    expect((await harness.run('key list team')).out).toMatch(/^sk-\.\.\.cdef +default-key +active .* no +- +k1$/m)
    await harness.run('key keep team k1')
    const { out } = await harness.run('--json key list p1')
    expect(JSON.parse(out).map((row: unknown) => SubscriptionKeyView.parse(row))).toMatchObject([{ kept: 'keychain' }])
    expect(out).not.toContain(keyAnswer.key)
  })

  it('shows the key of a handed-over plan', async () => {
    const harness = await createAccountHarness()
    const { out } = await harness.run('--json key list handed')
    expect(JSON.parse(out).map((row: unknown) => KeyView.parse(row).name)).toEqual(['default-key'])
    expect((await harness.run('key list handed')).out + out).not.toContain(issuedKey)
  })
})

describe('key add', () => {
  const newKey = { ...keyAnswer, keyId: 'k9', name: 'ci', key: 'sk-made-0123456789abcdef' }

  it('saves the new key in the keychain and prints it masked', async () => {
    const harness = await createAccountHarness({ [`POST ${path}`]: json(newKey, 201) })
    const { out, err } = await harness.run(['key', 'add', 'team', '--name', ' ci '])
    expect(out).toBe('Added ci (sk-...cdef) to team (2 of 5 keys). Saved in the OS keychain.\n')
    expect([...harness.keychain.items.values()]).toContain(newKey.key)
    expect(out + err).not.toContain(newKey.key)
    expect((await harness.run('key print --plan team --key ci')).out).toBe(`${newKey.key}\n`)
  })

  it('reports a created key that could not be saved', async () => {
    const harness = await createAccountHarness({ [`POST ${path}`]: json(newKey, 201) })
    await harness.core.vault.state()
    harness.keychain.isLocked = true
    const { failure } = await harness.run('key add team --name ci')
    expect(failure).toMatchObject({ code: 'account.keyNotKept', message: expect.stringContaining('was created') })
    expect(JSON.stringify(failure)).not.toContain(newKey.key)
  })

  it.each([
    ['at the cap', { keysUsed: 5 }, 'account.keyLimitReached'],
    ['while the plan is provisioned', { provisioned: false }, 'account.notProvisioned'],
  ])('is refused %s, before anything is sent', async (_, change, code) => {
    const harness = await createAccountHarness({ 'GET /console/token-plans/p1': json({ ...planAnswer, ...change }) })
    expect((await harness.run('key add team --name ci')).failure).toMatchObject({ code })
    expect(harness.changes()).toEqual([])
  })

  it.each(['', '  ', 'x'.repeat(51)])('refuses the key name %j', async (name) => {
    const harness = await createAccountHarness()
    expect((await harness.run(['key', 'add', 'team', '--name', name])).code).toBe(2)
    expect(harness.changes()).toEqual([])
  })
})

describe('a key', () => {
  const patchRoute = (change: object) => ({ [`PATCH ${path}/k1`]: json({ ...keyAnswer, ...change }) })

  it.each([
    ['rename', ['--name', 'ci'], { name: 'ci' }, 'Renamed default-key to ci.\n'],
    ['enable', [], { status: 'ACTIVE' }, 'Enabled default-key.\n'],
    ['disable', ['--yes'], { status: 'DISABLED' }, 'Disabled default-key. Its next request is rejected.\n'],
  ])('%s sends only that change and reports it', async (verb, args, change, expectedOutput) => {
    const harness = await createAccountHarness(patchRoute(change))
    expect((await harness.run(['key', verb, 'team', 'default-key', ...args])).out).toBe(expectedOutput)
    expect(JSON.parse(harness.server.received.at(-1)?.body ?? '')).toEqual(change)
    const { out } = await harness.run(['--json', 'key', verb, 'p1', 'k1', ...args])
    expect(SubscriptionKeyView.parse(JSON.parse(out))).toMatchObject(change)
  })

  it.each(['disable', 'delete'])('%s without --yes shows what would happen and changes nothing', async (verb) => {
    const harness = await createAccountHarness()
    const { out, err, failure } = await harness.run(['key', verb, 'team', 'default-key'])
    expect(err).toMatch(/default-key \(k1\) of team\. Its next request is rejected/)
    expect(err).toContain('No tool on this computer uses it')
    expect({ out, failure }).toMatchObject({ out: '', failure: { code: 'input.invalid', field: 'yes' } })
    expect(harness.changes()).toEqual([])
  })

  it.each([
    ['a key that is not there', ['team', 'nobody'], 'key.notFound', /companion key list team/],
    ['a name that two have', ['team', 'same'], 'input.invalid', /k2, k3/],
    ['a plan on this computer alone', ['handed', 'default-key'], 'plan.notFound', /office/],
  ])('is refused for %s', async (_, args, code, messagePattern) => {
    const sameNameKeys = ['k2', 'k3'].map((keyId) => ({ ...keyAnswer, keyId, name: 'same' }))
    const harness = await createAccountHarness({ [`GET ${path}`]: listResponse(keyAnswer, ...sameNameKeys) })
    const { failure } = await harness.run(['key', 'delete', ...args, '--yes'])
    expect(failure).toMatchObject({ code, message: expect.stringMatching(messagePattern) })
    expect(harness.changes()).toEqual([])
  })
})
