import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { createHeldSecrets } from '../../../../../src/main/platform/resources/secret-store'
import { json, startPlatform } from '../harness'
import { makeBench } from './bench'

const robotSecret = 'robot-secret-of-the-test-77'

async function start() {
  const bench = makeBench()
  const platform = await startPlatform()
  onTestFinished(async () => {
    await platform.server.close()
    await bench.close()
  })
  const connectionId = await bench.connect(platform.server.url)
  const keepSecret = async (secret: string): Promise<string> => {
    platform.answer(json(201, { id: 'robot-1', secret }))
    const operation = 'registry.robotAccounts.create'
    const { secrets } = await bench.ask('resources.call', { connectionId, operation, body: { name: 'ci' } })
    return secrets[0]?.handle ?? ''
  }
  const keep = async (name = 'ci', secret = robotSecret) =>
    bench.ask('resources.keepSecret', { handle: await keepSecret(secret), connectionId, kind: 'robot', name })
  const platformItems = () => [...bench.keychain.items].filter(([account]) => account.startsWith('platform:'))
  return { bench, platform, connectionId, keepSecret, keep, platformItems }
}

it('saves a secret in the keychain by name, copies and removes it', async () => {
  const { bench, connectionId, keep, platformItems } = await start()
  const kept = await keep()
  expect(kept).toMatchObject({ connectionId, kind: 'robot', name: 'ci' })
  expect(platformItems()).toEqual([[`platform:${kept.id}`, robotSecret]])
  expect(JSON.stringify(bench.core.settings.read())).not.toContain(robotSecret)
  expect(bench.core.settings.read().newItems).toEqual([])
  expect(await bench.ask('resources.keptSecrets', { connectionId })).toEqual([kept])
  expect(await bench.ask('resources.keptSecrets', { connectionId: 'other' })).toEqual([])
  await bench.ask('resources.copyKept', { id: kept.id })
  expect(bench.clipboard.text).toBe(robotSecret)
  await bench.ask('resources.forgetKept', { id: kept.id })
  expect(platformItems()).toEqual([])
  expect(await bench.ask('resources.keptSecrets', { connectionId })).toEqual([])
  expect((await bench.catchFailure('resources.copyKept', { id: kept.id })).code).toBe('key.notFound')
  expect(bench.told.join('\n')).not.toContain(robotSecret)
})

it('replaces a saved secret of the same name', async () => {
  const { bench, connectionId, keep, platformItems } = await start()
  const first = await keep()
  const second = await keep('ci', 'the-secret-after-a-reset')
  await keep('another')
  expect(second.id).toBe(first.id)
  expect(
    platformItems()
      .map(([, secret]) => secret)
      .sort(),
  ).toEqual([robotSecret, 'the-secret-after-a-reset'])
  expect(await bench.ask('resources.keptSecrets', { connectionId })).toHaveLength(2)
})

it('lists nothing that the keychain rejected, and leaves no item', async () => {
  const { bench, connectionId, keepSecret, platformItems } = await start()
  const handle = await keepSecret(robotSecret)
  bench.keychain.isLocked = true
  const failure = await bench.catchFailure('resources.keepSecret', { handle, connectionId, kind: 'robot', name: 'ci' })
  expect(failure.code).toBe('vault.unavailable')
  bench.keychain.isLocked = false
  await bench.core.newItems.sweep()
  expect(platformItems()).toEqual([])
  expect(await bench.ask('resources.keptSecrets', { connectionId })).toEqual([])
})

it('removes the secrets of a connection with the connection', async () => {
  const { bench, connectionId, keep, platformItems } = await start()
  await keep()
  await bench.core.connections.remove(connectionId)
  expect(platformItems()).toEqual([])
  expect(bench.core.settings.read().platformSecrets).toEqual([])
})

it('uses a platform API key, held or saved, only for inference of its own connection', async () => {
  const { bench, platform, connectionId, keepSecret } = await start()
  const handle = await keepSecret('platform-key-1234567')
  await bench.ask('resources.useForInference', { connectionId, of: { handle } })
  expect(bench.keychain.items.get(`inference:${connectionId}`)).toBe('platform-key-1234567')
  const kept = await bench.ask('resources.keepSecret', {
    ...{ handle: await keepSecret('platform-key-2222222'), connectionId, kind: 'platformApiKey', name: 'k' },
  })
  const otherConnection = await bench.connect(platform.server.url, 'other')
  const failure = await bench.catchFailure('resources.useForInference', {
    connectionId: otherConnection,
    of: { keptId: kept.id },
  })
  expect(failure.code).toBe('key.notFound')
  await bench.ask('resources.useForInference', { connectionId, of: { keptId: kept.id } })
  expect(bench.keychain.items.get(`inference:${connectionId}`)).toBe('platform-key-2222222')
})

it('refuses to save a secret with line breaks, which can be copied', async () => {
  const { bench, connectionId, keepSecret } = await start()
  const handle = await keepSecret('-----BEGIN-----\nabc\n-----END-----')
  const failure = await bench.catchFailure('resources.keepSecret', { handle, connectionId, kind: 'token', name: 'pem' })
  expect(failure.code).toBe('input.invalid')
  await bench.ask('resources.copySecret', { handle })
  expect(bench.clipboard.text).toContain('\nabc\n')
})

it('records the kind, owner and target of secret actions, but nothing of the secret', async () => {
  const { bench, platform, connectionId, keepSecret, keep } = await start()
  const handle = await keepSecret(robotSecret)
  await bench.ask('resources.copySecret', { handle })
  const { id } = await keep('ci on this machine')
  await bench.ask('resources.copyKept', { id })
  await bench.ask('resources.useForInference', { connectionId, of: { keptId: id } })
  await bench.ask('resources.useForInference', { connectionId, of: { handle } })
  platform.answer(json(200, { config: { API_TOKEN: 'token-of-a-runtime-9d2' } }))
  const operation = 'runtime.agentRuntimes.get'
  const seen = await bench.ask('resources.call', { connectionId, operation, path: { id: 'runtime-7' } })
  await bench.ask('resources.copySecret', { handle: seen.secrets[0]?.handle ?? '' })
  await bench.ask('resources.forgetKept', { id })
  await keep()
  await bench.core.connections.remove(connectionId)
  const noted = await bench.core.audit.list({ limit: 20 })
  const robot = { secretKind: 'robot', subject: 'office' }
  expect(noted.toReversed().map(({ number: _, at: _at, by: _by, osUser: _osUser, ...entry }) => entry)).toEqual([
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
  const written = readFileSync(join(bench.folder, 'audit.jsonl'), 'utf8')
  for (const part of [robotSecret, '-77', 'token-of-a-runtime', '-9d2']) expect(written).not.toContain(part)
})

it('records only completed actions', async () => {
  const { bench, connectionId, keepSecret } = await start()
  const handle = await keepSecret(robotSecret)
  bench.keychain.isLocked = true
  await bench.catchFailure('resources.keepSecret', { handle, connectionId, kind: 'robot', name: 'ci' })
  await bench.catchFailure('resources.copySecret', { handle: 'unknown' })
  await bench.catchFailure('resources.forgetKept', { id: 'unknown' })
  expect(await bench.core.audit.list({ limit: 20 })).toEqual([])
})

it('holds a secret of a response for 15 minutes, and a few thousand at most', () => {
  let nowMs = 0
  const held = createHeldSecrets(() => new Date(nowMs))
  const hold = (text: string) => held.hold({ secret: new Secret(text), facts: { connectionId: 'office', name: 'ci' } })
  const first = hold('secret-number-one')
  nowMs = 15 * 60_000
  expect(held.get(first).secret.masked).toBe('...-one')
  expect(held.get(first, 'office').secret.masked).toBe('...-one')
  expect(() => held.get(first, 'elsewhere')).toThrow('expired after 15 minutes')
  nowMs += 1
  expect(() => held.get(first)).toThrow('expired after 15 minutes')
  const early = hold('secret-number-two')
  for (let count = 0; count < 5000; count += 1) hold(`filler-${count}-filler`)
  expect(() => held.get(early)).toThrow('expired after 15 minutes')
})

it('keeps a secret for the session without a keychain, and moves it to the keychain once available', async () => {
  const { bench, connectionId, keepSecret, platformItems } = await start()
  const handle = await keepSecret(robotSecret)
  bench.keychain.isLocked = true
  await bench.core.vault.recheck()
  const kept = await bench.ask('resources.keepSecret', { handle, connectionId, kind: 'robot', name: 'ci' })
  expect(await bench.ask('resources.keptSecrets', { connectionId })).toEqual([kept])
  expect(bench.core.settings.read().platformSecrets).toMatchObject([{ id: kept.id, kept: 'session' }])
  bench.keychain.isLocked = false
  bench.core.platformSecrets.noteKept(await bench.core.vault.recheck())
  expect(platformItems()).toEqual([[`platform:${kept.id}`, robotSecret]])
  expect(bench.core.settings.read().platformSecrets).toMatchObject([{ kept: 'keychain' }])
})
