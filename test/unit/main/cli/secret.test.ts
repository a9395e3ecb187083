import { afterEach, beforeEach, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { type CliHarness, connect, createHarness } from './desk'

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
  expect(list.out).toMatch(/ci-robot\s+robot account\s+office\s+\.\.\.obot/)
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
