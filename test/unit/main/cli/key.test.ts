import { KeyView, SubscriptionKeyView } from '@shared/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { keyAnswer } from '../plans/account/answers'
import { type CliHarness, connect, createAccountHarness, createHarness, issuedKey, json, listResponse } from './desk'

const path = '/console/token-plans/p1/keys'

it('key list shows the key of a handed-over plan', async () => {
  const harness = await createAccountHarness()
  const { out } = await harness.run('--json key list handed')
  expect(JSON.parse(out).map((row: unknown) => KeyView.parse(row).name)).toEqual(['default-key'])
  expect((await harness.run('key list handed')).out + out).not.toContain(issuedKey)
})

describe('key add', () => {
  const newKey = { ...keyAnswer, keyId: 'k9', name: 'ci', key: 'sk-made-0123456789abcdef' }

  it('reports a created key that could not be saved', async () => {
    const harness = await createAccountHarness({ [`POST ${path}`]: json(newKey, 201) })
    await harness.core.vault.state()
    harness.keychain.isLocked = true
    const { failure } = await harness.run('key add team --name ci')
    expect(failure).toMatchObject({ code: 'account.keyNotKept', message: expect.stringContaining('was created') })
    expect(JSON.stringify(failure)).not.toContain(newKey.key)
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

describe('a secret of the platform', () => {
  let harness: CliHarness
  let connectionId: string
  beforeEach(async () => {
    harness = await createHarness({})
    connectionId = await connect(harness)
  })
  afterEach(() => harness.close())

  const saveSecret = (name: string, secret: string, ownerId = connectionId) =>
    harness.core.platformSecrets.keep(new Secret(secret), { connectionId: ownerId, kind: 'robot', name })

  it('lists secrets masked, prints one to a pipe and removes it after a confirmation', async () => {
    const { id } = await saveSecret('ci-robot', 'the-secret-of-the-robot')
    const list = await harness.run('secret list')
    expect(list.out).toMatch(/NAME\s+KIND\s+CONNECTION\s+SECRET/)
    expect(list.out).toMatch(/ci-robot\s+Robot account\s+office\s+\.\.\.obot/)
    expect(list.out).not.toContain('the-secret')
    const printRun = await harness.run('secret print ci-robot')
    expect(printRun).toMatchObject({ out: 'the-secret-of-the-robot\n', err: '', code: 0 })
    const forgetCommandRun = await harness.run('secret forget ci-robot')
    expect(forgetCommandRun.failure).toMatchObject({ code: 'input.invalid', field: 'yes' })
    expect(harness.keychain.items.has(`platform:${id}`)).toBe(true)
    expect((await harness.run(['secret', 'forget', id, '--yes'])).code).toBe(0)
    expect(harness.keychain.items.has(`platform:${id}`)).toBe(false)
    expect((await harness.run('secret print ci-robot')).failure).toMatchObject({ code: 'key.notFound' })
    expect((await harness.run('secret list')).out).toContain('No saved secrets')
    const { out: trail } = await harness.run('audit list')
    expect(trail.trim().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^3 .* Secret deleted from the keychain +- +ci-robot +robot of office +commandLine +\S+$/),
      expect.stringMatching(/^2 .* Secret printed in a terminal +- +ci-robot +robot of office +commandLine +\S+$/),
      expect.stringMatching(/^1 .* Secret saved to the keychain +- +ci-robot +robot of office +commandLine +\S+$/),
    ])
    expect(trail).not.toMatch(/the-secret|obot$/m)
  })

  it('asks for the id of an ambiguous name, or accepts the connection', async () => {
    const otherConnection = await connect(harness, 'lab')
    await saveSecret('ci', 'secret-of-the-office')
    await saveSecret('ci', 'secret-of-the-lab', otherConnection)
    expect((await harness.run('secret print ci')).failure).toMatchObject({ code: 'input.invalid' })
    expect((await harness.run('secret print ci --connection lab')).out).toBe('secret-of-the-lab\n')
  })
})
