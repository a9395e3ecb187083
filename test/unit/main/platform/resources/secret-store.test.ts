import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { noteKept } from '../../../../../src/main/core/vault/vault'
import { createHeldSecrets } from '../../../../../src/main/platform/resources/secret-store'
import { makeFolder } from '../../../support/folders'
import { json, startPlatform } from '../harness'
import { createHarness } from './bench'

const robotSecret = 'robot-secret-of-the-test-77'

async function startHarness() {
  const harness = createHarness(makeFolder())
  const platform = await startPlatform()
  onTestFinished(async () => {
    await platform.close()
    await harness.close()
  })
  const connectionId = await harness.connect(platform.server.url)
  const saveSecret = async (secret: string): Promise<string> => {
    platform.answer(json(201, { id: 'robot-1', secret }))
    const operation = 'registry.robotAccounts.create'
    const { secrets } = await harness.ask('resources.call', { connectionId, operation, body: { name: 'ci' } })
    return secrets[0]?.handle ?? ''
  }
  const saveRobotSecret = async (name = 'ci', secret = robotSecret) =>
    harness.ask('resources.keepSecret', { handle: await saveSecret(secret), connectionId, kind: 'robot', name })
  const platformItems = () => [...harness.keychain.items].filter(([account]) => account.startsWith('platform:'))
  return { harness, platform, connectionId, keepSecret: saveSecret, keep: saveRobotSecret, platformItems }
}

it('saves a secret in the keychain by name, copies and removes it', async () => {
  const { harness, connectionId, keep, platformItems } = await startHarness()
  const storedSecret = await keep()
  expect(storedSecret).toMatchObject({ connectionId, kind: 'robot', name: 'ci' })
  expect(platformItems()).toEqual([[`platform:${storedSecret.id}`, robotSecret]])
  expect(JSON.stringify(harness.core.settings.read())).not.toContain(robotSecret)
  expect(harness.core.settings.read().newItems).toEqual([])
  expect(await harness.ask('resources.keptSecrets', { connectionId })).toEqual([storedSecret])
  expect(await harness.ask('resources.keptSecrets', { connectionId: 'other' })).toEqual([])
  await harness.ask('resources.copyKept', { id: storedSecret.id })
  expect(harness.clipboard.text).toBe(robotSecret)
  await harness.ask('resources.forgetKept', { id: storedSecret.id })
  expect(platformItems()).toEqual([])
  expect(await harness.ask('resources.keptSecrets', { connectionId })).toEqual([])
  expect((await harness.catchFailure('resources.copyKept', { id: storedSecret.id })).code).toBe('key.notFound')
  expect(harness.told.join('\n')).not.toContain(robotSecret)
})

it('replaces a saved secret of the same name', async () => {
  const { harness, connectionId, keep, platformItems } = await startHarness()
  const firstSecret = await keep()
  const secondSecret = await keep('ci', 'the-secret-after-a-reset')
  await keep('another')
  expect(secondSecret.id).toBe(firstSecret.id)
  expect(
    platformItems()
      .map(([, secret]) => secret)
      .sort(),
  ).toEqual([robotSecret, 'the-secret-after-a-reset'])
  expect(await harness.ask('resources.keptSecrets', { connectionId })).toHaveLength(2)
})

it('lists nothing that the keychain rejected, and leaves no item', async () => {
  const { harness, connectionId, keepSecret, platformItems } = await startHarness()
  const handle = await keepSecret(robotSecret)
  harness.keychain.isLocked = true
  const keep = { handle, connectionId, kind: 'robot', name: 'ci' } as const
  expect((await harness.catchFailure('resources.keepSecret', keep)).code).toBe('vault.unavailable')
  harness.keychain.isLocked = false
  await harness.core.sweepNewItems()
  expect(platformItems()).toEqual([])
  expect(await harness.ask('resources.keptSecrets', { connectionId })).toEqual([])
})

it('removes the secrets of a connection with the connection', async () => {
  const { harness, connectionId, keep, platformItems } = await startHarness()
  await keep()
  await harness.core.connections.remove(connectionId)
  expect(platformItems()).toEqual([])
  expect(harness.core.settings.read().platformSecrets).toEqual([])
})

it('uses a platform API key, held or saved, only for inference of its own connection', async () => {
  const { harness, platform, connectionId, keepSecret } = await startHarness()
  const handle = await keepSecret('platform-key-1234567')
  await harness.ask('resources.useForInference', { connectionId, of: { handle } })
  expect(harness.keychain.items.get(`inference:${connectionId}`)).toBe('platform-key-1234567')
  const storedSecret = await harness.ask('resources.keepSecret', {
    handle: await keepSecret('platform-key-2222222'),
    connectionId,
    kind: 'platformApiKey',
    name: 'k',
  })
  const otherConnection = await harness.connect(platform.server.url, 'other')
  const failure = await harness.catchFailure('resources.useForInference', {
    connectionId: otherConnection,
    of: { keptId: storedSecret.id },
  })
  expect(failure.code).toBe('key.notFound')
  await harness.ask('resources.useForInference', { connectionId, of: { keptId: storedSecret.id } })
  expect(harness.keychain.items.get(`inference:${connectionId}`)).toBe('platform-key-2222222')
})

it('refuses to save a secret with line breaks, which can be copied', async () => {
  const { harness, connectionId, keepSecret } = await startHarness()
  const handle = await keepSecret('-----BEGIN-----\nabc\n-----END-----')
  const keep = { handle, connectionId, kind: 'token', name: 'pem' } as const
  expect((await harness.catchFailure('resources.keepSecret', keep)).code).toBe('input.invalid')
  await harness.ask('resources.copySecret', { handle })
  expect(harness.clipboard.text).toContain('\nabc\n')
})

it('records the kind, owner and target of secret actions, but nothing of the secret', async () => {
  const { harness, platform, connectionId, keepSecret, keep } = await startHarness()
  const handle = await keepSecret(robotSecret)
  await harness.ask('resources.copySecret', { handle })
  const { id } = await keep('ci on this machine')
  await harness.ask('resources.copyKept', { id })
  await harness.ask('resources.useForInference', { connectionId, of: { keptId: id } })
  await harness.ask('resources.useForInference', { connectionId, of: { handle } })
  platform.answer(json(200, { config: { API_TOKEN: 'token-of-a-runtime-9d2' } }))
  const operation = 'runtime.agentRuntimes.get'
  const callResult = await harness.ask('resources.call', { connectionId, operation, path: { id: 'runtime-7' } })
  await harness.ask('resources.copySecret', { handle: callResult.secrets[0]?.handle ?? '' })
  await harness.ask('resources.forgetKept', { id })
  await keep()
  await harness.core.connections.remove(connectionId)
  const auditEntries = await harness.core.audit.list({ limit: 20 })
  const robot = { secretKind: 'robot', subject: 'office' }
  expect(auditEntries.toReversed().map(({ number: _, at: _at, by: _by, osUser: _osUser, ...entry }) => entry)).toEqual([
    { what: 'secretCopied', keyName: 'ci', ...robot },
    { what: 'secretKept', keyName: 'ci on this machine', ...robot },
    { what: 'secretCopied', keyName: 'ci on this machine', ...robot },
    { what: 'secretSetForInference', keyName: 'ci on this machine', ...robot },
    { what: 'secretSetForInference', keyName: 'ci', ...robot },
    { what: 'secretCopied', keyName: 'runtime.agentRuntimes.get runtime-7', subject: 'office' },
    { what: 'secretForgotten', keyName: 'ci on this machine', ...robot },
    { what: 'secretKept', keyName: 'ci', ...robot },
    { what: 'secretForgotten', keyName: 'ci', ...robot },
  ])
  const auditText = readFileSync(join(harness.folder, 'audit.jsonl'), 'utf8')
  for (const secretPart of [robotSecret, '-77', 'token-of-a-runtime', '-9d2'])
    expect(auditText).not.toContain(secretPart)
})

it('records only completed actions', async () => {
  const { harness, connectionId, keepSecret } = await startHarness()
  const handle = await keepSecret(robotSecret)
  harness.keychain.isLocked = true
  await harness.catchFailure('resources.keepSecret', { handle, connectionId, kind: 'robot', name: 'ci' })
  await harness.catchFailure('resources.copySecret', { handle: 'unknown' })
  await harness.catchFailure('resources.forgetKept', { id: 'unknown' })
  expect(await harness.core.audit.list({ limit: 20 })).toEqual([])
})

it('holds a secret of a response for 15 minutes, and a few thousand at most', () => {
  let nowMs = 0
  const capturedSecrets = createHeldSecrets(() => new Date(nowMs))
  const storeText = (text: string) =>
    capturedSecrets.hold({ secret: new Secret(text), facts: { connectionId: 'office', name: 'ci' } })
  const firstHandle = storeText('secret-number-one')
  nowMs = 15 * 60_000
  expect(capturedSecrets.get(firstHandle).secret.masked).toBe('...-one')
  expect(capturedSecrets.get(firstHandle, 'office').secret.masked).toBe('...-one')
  expect(() => capturedSecrets.get(firstHandle, 'elsewhere')).toThrow('expired after 15 minutes')
  nowMs += 1
  expect(() => capturedSecrets.get(firstHandle)).toThrow('expired after 15 minutes')
  const earlyHandle = storeText('secret-number-two')
  for (let count = 0; count < 5000; count += 1) storeText(`filler-${count}-filler`)
  expect(() => capturedSecrets.get(earlyHandle)).toThrow('expired after 15 minutes')
})

it('keeps a secret for the session without a keychain, and moves it to the keychain once available', async () => {
  const { harness, connectionId, keepSecret, platformItems } = await startHarness()
  const handle = await keepSecret(robotSecret)
  harness.keychain.isLocked = true
  await harness.core.vault.recheck()
  const storedSecret = await harness.ask('resources.keepSecret', { handle, connectionId, kind: 'robot', name: 'ci' })
  expect(await harness.ask('resources.keptSecrets', { connectionId })).toEqual([storedSecret])
  expect(harness.core.settings.read().platformSecrets).toMatchObject([{ id: storedSecret.id, kept: 'session' }])
  harness.keychain.isLocked = false
  noteKept(harness.core.settings, await harness.core.vault.recheck())
  expect(platformItems()).toEqual([[`platform:${storedSecret.id}`, robotSecret]])
  expect(harness.core.settings.read().platformSecrets).toMatchObject([{ kept: 'keychain' }])
})
