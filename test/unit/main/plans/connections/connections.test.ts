import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import type { TokenSource } from '@shared/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { createSettings } from '../../../../../src/main/core/settings/settings'
import { openSettingsFile } from '../../../../../src/main/core/settings/settings-file'
import { noteKept } from '../../../../../src/main/core/vault/vault'
import { makeConnections } from '../../../../support/connections'
import { MemoryKeychain } from '../../../../support/memory-keychain'
import { memorySettings } from '../../../../support/memory-settings'
import { expectFailure } from '../../../support/failures'
import { makeFileFolder, makeFolder } from '../../../support/folders'
import { close, listen, selfSignedIdentity, serve } from '../../gateway/answering-server'

const folder = makeFileFolder()

const secret = new Secret('client-secret-0123456789')
const createClient = (tokenUrl: string, clientId = 'app') =>
  ({ kind: 'client-credentials', tokenUrl, clientId }) as const satisfies TokenSource
const pastedSource: TokenSource = { kind: 'pasted' }

/** An authorization server and platform. Its tokens contain its name. */
async function startService(name: string) {
  let issuedCount = 0
  const answer: RequestListener = (request, response) => {
    const isToken = request.url === '/token'
    if (isToken) issuedCount += 1
    response.setHeader('content-type', 'application/json')
    const token = { access_token: `${name}-token-${issuedCount}`, expires_in: 3600 }
    response.end(JSON.stringify(isToken ? token : { accountId: name }))
  }
  const server = await serve(answer)
  return {
    ...server,
    input: {
      name,
      addresses: { consoleUrl: `${server.url}/console` },
      tokenSource: createClient(`${server.url}/token`, name),
    },
    sent: () => server.received.map(({ path, headers }) => [path, headers.authorization]),
  }
}

describe('a saved connection', () => {
  it('has corrected addresses with a report, and becomes active if it is the first', async () => {
    const { connections } = makeConnections()
    const addresses = { tokenPlanUrl: 'https://gw.example.com/v1', runtimeApiUrl: '  ' }
    const tokenSource = { ...createClient('https://iam.example.com/token/', ' app '), scope: ' ' }
    const { connection, corrections } = await connections.save({ name: 'work', addresses, tokenSource })
    expect(connection).toMatchObject({
      name: 'work',
      addresses: { tokenPlanUrl: 'https://gw.example.com' },
      secret: 'missing',
      isBuiltIn: false,
      isActive: true,
    })
    expect(connection.tokenSource).toEqual(createClient('https://iam.example.com/token'))
    expect(corrections).toEqual([
      { field: 'tokenPlanUrl', correction: 'suffixRemoved' },
      { field: 'tokenUrl', correction: 'trailingSlashRemoved' },
    ])
    expect(connections.list()).toEqual([connection])
  })

  it('is refused with another’s name, and updated in place', async () => {
    const { connections } = makeConnections()
    const { connection } = await connections.save({ name: 'a', addresses: {} })
    await connections.save({ name: 'b', addresses: {} })
    const rename = (name: string) => connections.save({ id: connection.id, name, addresses: {} })
    await expectFailure(rename('b'), 'connection.nameTaken', { field: 'name' })
    await rename('c')
    expect(connections.list().map(({ name }) => name)).toEqual(['c', 'b'])
    expect(connections.list().map(({ isActive }) => isActive)).toEqual([true, false])
    await connections.remove(connection.id)
    await expectFailure(rename('d'), 'connection.notFound')
  })

  it('with the same name as a concurrent one succeeds only once', async () => {
    const { connections } = makeConnections()
    const input = { name: 'a', addresses: {}, tokenSource: pastedSource }
    const savePromises = [1, 2].map(() => connections.save(input, secret))
    expect((await Promise.allSettled(savePromises)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(connections.list()).toHaveLength(1)
  })

  it.each([
    ['is not there', () => join(folder, 'none.pem'), 'file.unreadable'],
    ['holds a key instead', () => writeTestFile('key.pem', selfSignedIdentity.key), 'file.unparsable'],
  ])('is refused with a certificate file that %s, and nothing is saved', async (_, path, code) => {
    const { connections, keychain } = makeConnections()
    const input = { name: 'a', addresses: {}, tokenSource: pastedSource, caFile: path() }
    await expectFailure(connections.save(input, secret), code, { field: 'caFile' })
    expect([connections.list(), keychain.items.size]).toEqual([[], 0])
  })

  it('keeps the absolute path of a certificate file', async () => {
    const { connections } = makeConnections()
    const caFile = writeTestFile('good.pem', `# mine\n${selfSignedIdentity.cert}\n`)
    expect((await connections.save({ name: 'a', addresses: {}, caFile })).connection.caFile).toBe(caFile)
    expect((await connections.save({ name: 'b', addresses: {}, caFile: ' ' })).connection.caFile).toBeUndefined()
  })
})

describe('the secret of a connection', () => {
  it('is only in the keychain, and not in the settings, the views or the file', async () => {
    const cwd = makeFolder()
    const settings = createSettings(openSettingsFile({ dataDir: cwd }))
    const { connections, keychain } = makeConnections({ settings })
    const input = { name: 'a', addresses: {}, tokenSource: createClient('https://iam.example.com/t') }
    const saved = await connections.save(input, secret)
    const { id, secret: kept } = saved.connection
    expect(kept).toBe('keychain')
    expect([...keychain.items]).toEqual([[`connection:${id}`, 'client-secret-0123456789']])
    const visibleText = JSON.stringify([saved, connections.list(), connections.exportFile(id)])
    expect(visibleText + readFileSync(join(cwd, 'settings.json'), 'utf8')).not.toContain('client-secret')
  })

  const source = createClient('https://iam.example.com/t')
  it.each<[string, TokenSource | undefined, TokenSource | undefined, string]>([
    ['the same source', source, source, 'keychain'],
    ['another path at the same server', source, createClient('https://iam.example.com/other'), 'keychain'],
    ['another client', source, createClient('https://iam.example.com/t', 'other'), 'missing'],
    ['another server', source, createClient('https://evil.example.com/t'), 'missing'],
    ['a pasted token', source, pastedSource, 'missing'],
    ['a command', source, { kind: 'command', command: ['helper'] }, 'none'],
    ['no source', source, undefined, 'none'],
    ['a pasted token again', pastedSource, pastedSource, 'keychain'],
    ['a client after a pasted token', pastedSource, source, 'missing'],
  ])('with %s and no new one stays only where it is needed unchanged', async (_, firstSource, secondSource, state) => {
    const { connections, keychain } = makeConnections()
    const { connection } = await connections.save({ name: 'a', addresses: {}, tokenSource: firstSource }, secret)
    const nextSave = await connections.save({ id: connection.id, name: 'b', addresses: {}, tokenSource: secondSource })
    expect(nextSave.connection.secret).toBe(state)
    expect(keychain.items.size).toBe(state === 'keychain' ? 1 : 0)
  })

  it('is refused for a source without secrets', async () => {
    const { connections, keychain } = makeConnections()
    const tokenSource: TokenSource = { kind: 'command', command: ['helper'] }
    const save = connections.save({ name: 'a', addresses: {}, tokenSource }, secret)
    await expectFailure(save, 'input.invalid', { field: 'tokenSource' })
    expect([connections.list(), keychain.items.size]).toEqual([[], 0])
  })

  it('is removed with its connection only', async () => {
    const { connections, keychain } = makeConnections()
    const input = { addresses: {}, tokenSource: pastedSource }
    const { connection } = await connections.save({ name: 'a', ...input }, secret)
    const otherConnection = await connections.save({ name: 'b', ...input }, new Secret('other-token-0123456789'))
    await connections.remove(connection.id)
    expect([...keychain.items.keys()]).toEqual([`connection:${otherConnection.connection.id}`])
    expect(connections.active()).toBeUndefined()
  })

  it('is kept for the session without a keychain, and missing after a restart', async () => {
    const settings = memorySettings()
    const keychain = new MemoryKeychain()
    keychain.isLocked = true
    const { connections, vault } = makeConnections({ settings, keychain })
    const { connection } = await connections.save({ name: 'a', addresses: {}, tokenSource: pastedSource }, secret)
    expect(connection.secret).toBe('session')
    const restartedConnections = makeConnections({ settings, keychain }).connections
    expect(restartedConnections.find('a').secret).toBe('missing')
    await restartedConnections.save({ id: connection.id, name: 'b', addresses: {} })
    await restartedConnections.remove(connection.id)
    expect(restartedConnections.list()).toEqual([])
    keychain.isLocked = false
    expect(await vault.recheck()).toEqual([`connection:${connection.id}`])
  })

  it('is recorded as saved once it moved to the keychain', async () => {
    const keychain = new MemoryKeychain()
    keychain.isLocked = true
    const { connections, settings, vault } = makeConnections({ keychain })
    await connections.save({ name: 'a', addresses: {}, tokenSource: pastedSource }, secret)
    keychain.isLocked = false
    noteKept(settings, await vault.recheck())
    expect(connections.find('a').secret).toBe('keychain')
  })

  it('leaves everything unchanged when the keychain rejects it', async () => {
    const { connections, keychain } = makeConnections()
    const { connection } = await connections.save({ name: 'a', addresses: {}, tokenSource: pastedSource }, secret)
    keychain.isLocked = true
    const change = { id: connection.id, name: 'b', addresses: {}, tokenSource: pastedSource }
    await expectFailure(connections.save(change, new Secret('next-0123456789')), 'vault.unavailable')
    await expectFailure(connections.remove(connection.id), 'vault.unavailable')
    expect(connections.list()).toEqual([connection])
  })
})

describe('the connections of a computer', () => {
  it('survive a restart, including the active one', async () => {
    const cwd = makeFolder()
    const openConnections = () =>
      makeConnections({ settings: createSettings(openSettingsFile({ dataDir: cwd })) }).connections
    const connectionsBefore = openConnections()
    const addresses = { consoleUrl: 'https://c.example.com' }
    await connectionsBefore.save({ name: 'a', addresses, tokenSource: pastedSource }, secret)
    connectionsBefore.use((await connectionsBefore.save({ name: 'b', addresses: {} })).connection.id)
    await connectionsBefore.remove(connectionsBefore.find('a').id)
    expect(openConnections().list()).toEqual(connectionsBefore.list())
    expect(openConnections().active()?.name).toBe('b')
  })

  it('start with the sandbox, which is built in, active by default, and has current addresses', async () => {
    const { connections, keychain } = makeConnections()
    const buildBuiltInConnection = (port: number, value = 'sandbox-secret-0123456789') => ({
      addresses: { consoleUrl: `http://127.0.0.1:${port}/console` },
      tokenSource: createClient(`http://127.0.0.1:${port}/token`, 'sandbox'),
      secret: new Secret(value),
    })
    await connections.save({ name: 'sandbox', addresses: {} })
    await connections.keepBuiltIn(buildBuiltInConnection(1))
    await connections.keepBuiltIn(buildBuiltInConnection(2, 'sandbox-other-0123456789'))
    expect(connections.list()).toMatchObject([
      { id: 'sandbox', name: 'sandbox-2', isBuiltIn: true, isActive: false, secret: 'keychain' },
      { name: 'sandbox', isActive: true },
    ])
    expect(connections.find('sandbox').addresses.consoleUrl).toBe('http://127.0.0.1:2/console')
    expect([...keychain.items]).toEqual([['connection:sandbox', 'sandbox-other-0123456789']])
    await expectFailure(connections.save({ id: 'sandbox', name: 'x', addresses: {} }), 'input.invalid')
    await expectFailure(connections.remove('sandbox'), 'input.invalid')
    const emptyConnections = makeConnections().connections
    expect((await emptyConnections.keepBuiltIn(buildBuiltInConnection(1))).isActive).toBe(true)
  })
})

describe('the client of a connection', () => {
  it('uses its own token and addresses, separately from others', async () => {
    const { connections, keychain, logged } = makeConnections()
    const [firstService, secondService] = [await startService('one'), await startService('two')]
    const ids: string[] = []
    for (const { input } of [firstService, secondService]) {
      const { connection } = await connections.save(input, new Secret(`${input.name}-secret-0123456789`))
      ids.push(connection.id)
    }
    const clients = await Promise.all(ids.map((id) => connections.client(id)))
    const calls = [...clients, ...clients].map((client) => client.call('console.account.get'))
    const expectedAnswers = ['one', 'two', 'one', 'two'].map((accountId) => ({ accountId }))
    expect((await Promise.all(calls)).map(({ data }) => data)).toEqual(expectedAnswers)
    for (const service of [firstService, secondService]) {
      const { name } = service.input
      const basicHeader = `Basic ${Buffer.from(`${name}:${name}-secret-0123456789`).toString('base64')}`
      expect(service.sent()).toEqual([
        ['/token', basicHeader],
        ['/console/account', `Bearer ${name}-token-1`],
        ['/console/account', `Bearer ${name}-token-1`],
      ])
    }
    expect(keychain.items.size).toBe(2)
    expect(JSON.stringify(logged)).not.toMatch(/token-1|secret-/)
  })

  it('is reused until a change, and then new with a new token', async () => {
    const { connections } = makeConnections()
    const [firstService, secondService] = [await startService('one'), await startService('two')]
    const { id } = (await connections.save(firstService.input, secret)).connection
    const client = await connections.client(id)
    await client.call('console.account.get')
    expect(await connections.client(id)).toBe(client)
    const change = { ...firstService.input, id, addresses: { consoleUrl: `${secondService.url}/console` } }
    await connections.save(change)
    await (await connections.client(id)).call('console.account.get')
    expect(secondService.sent()).toEqual([['/console/account', 'Bearer one-token-2']])
    await expectFailure(client.call('console.account.get'), 'net.cancelled')
    expect(firstService.sent().filter(([path]) => path === '/console/account')).toHaveLength(1)
  })

  it('is replaced after a new secret, a removal, and the end', async () => {
    const { connections } = makeConnections()
    const service = await startService('one')
    const { id } = (await connections.save(service.input, secret)).connection
    const firstClient = await connections.client(id)
    await firstClient.call('console.account.get')
    await connections.save({ ...service.input, id }, new Secret('another-secret-0123456789'))
    await expectFailure(firstClient.call('console.account.get'), 'net.cancelled')
    const secondClient = await connections.client(id)
    await secondClient.call('console.account.get')
    expect(service.sent().at(-2)).toEqual(['/token', `Basic ${btoa('one:another-secret-0123456789')}`])
    await connections.remove(id)
    await expectFailure(secondClient.call('console.account.get'), 'net.cancelled')
    await expectFailure(connections.client(id), 'connection.notFound')
  })

  it('follows changes of another process in the settings', async () => {
    const settings = memorySettings()
    const { connections } = makeConnections({ settings })
    const [firstService, secondService] = [await startService('one'), await startService('two')]
    const { id } = (await connections.save(firstService.input, secret)).connection
    const client = await connections.client(id)
    await client.call('console.account.get')
    const addresses = { consoleUrl: `${secondService.url}/console` }
    settings.update(({ connections: storedConnections }) => ({
      connections: storedConnections.map((record) => ({ ...record, addresses })),
    }))
    await (await connections.client(id)).call('console.account.get')
    expect(secondService.sent()).toHaveLength(1)
    await expectFailure(client.call('console.account.get'), 'net.cancelled')
  })

  it('closes its sockets when the app ends', async () => {
    const server = createServer((_, response) => response.end('{}'))
    server.keepAliveTimeout = 0
    const socketPromise = once(server, 'connection')
    const port = await listen(server)
    onTestFinished(() => close(server))
    const { connections } = makeConnections()
    const addresses = { consoleUrl: `http://127.0.0.1:${port}` }
    const { id } = (await connections.save({ name: 'a', addresses, tokenSource: pastedSource }, secret)).connection
    await (await connections.client(id)).call('console.account.get')
    const [socket] = await socketPromise
    const closePromise = once(socket, 'close')
    const endedMs = performance.now()
    await connections.end()
    await closePromise
    // The sockets must be closed by the app, not by the idle timeout of four seconds.
    expect(performance.now() - endedMs).toBeLessThan(2000)
  })
})

function writeTestFile(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Starts a server with the `date` header of `time`, and a function that saves a connection to it. */
async function startDatedServer(parts?: Parameters<typeof makeConnections>[0]) {
  const time = { date: '' }
  const server = await serve((_, response) => {
    response.setHeader('content-type', 'application/json').setHeader('date', time.date)
    response.end('{"accountId":"a"}')
  })
  const { connections } = makeConnections(parts)
  const addresses = { consoleUrl: `${server.url}/console` }
  const save = async (name: string) =>
    (await connections.save({ name, addresses, tokenSource: pastedSource }, secret)).connection.id
  const callAt = async (id: string, date: string) => {
    time.date = date
    await (await connections.client(id)).call('console.account.get')
  }
  return { connections, save, callAt }
}

it('a connection saves its server’s clock offset from the last response with a date', async () => {
  const { connections, save, callAt } = await startDatedServer()
  const [a, b] = [await save('one'), await save('other')]
  const offsetHours: number[] = []
  for (const date of ['Sun, 04 Jan 2026 00:00:00 GMT', 'Wed, 31 Dec 2025 23:00:00 GMT', 'soon']) {
    await callAt(a, date)
    offsetHours.push(connections.getClockOffsetMs(a) / 3_600_000)
  }
  expect([offsetHours, connections.getClockOffsetMs(b)]).toEqual([[72, -1, -1], 0])
})

it('a changed clock offset is reported once, not for each response', async () => {
  const reportedClockAheadMs: (number | undefined)[] = []
  const { connections, save, callAt } = await startDatedServer({
    onClockMoved: () => reportedClockAheadMs.push(connections.list().at(-1)?.aheadMs),
  })
  const id = await save('one')
  for (const aheadSeconds of [0, 7 * 86_400, 7 * 86_400 + 1, 61, 59, 61, 0])
    await callAt(id, new Date(Date.parse('2026-01-01T00:00:00Z') + aheadSeconds * 1000).toUTCString())
  expect(reportedClockAheadMs).toEqual([7 * 86_400_000, 61_000, undefined])
})

const officeServer = { name: 'office', addresses: { consoleUrl: 'https://console.example.com' } }

describe('a changed address', () => {
  const maliciousUrl = 'https://evil.example/console'
  const officeInput = { ...officeServer, tokenSource: pastedSource }
  const maliciousInput = { ...officeInput, addresses: { consoleUrl: maliciousUrl } }

  async function saveChanged(confirm: (question: unknown) => Promise<boolean>) {
    const { connections, settings } = makeConnections({ confirm })
    const { connection } = await connections.save(officeInput, secret)
    const save = connections.save({ id: connection.id, ...maliciousInput })
    return { save, record: () => settings.read().connections[0] }
  }

  it('gets no saved secret before the user confirms, and nothing changes', async () => {
    const consentQuestions: unknown[] = []
    const { save, record } = await saveChanged(async (question) => consentQuestions.push(question) === 0)
    await expectFailure(save, 'input.declined')
    const destinations = [{ field: 'consoleUrl', from: officeInput.addresses.consoleUrl, to: maliciousUrl }]
    expect(consentQuestions).toEqual([{ kind: 'sendElsewhere', holder: 'connection', name: 'office', destinations }])
    expect(record()).toMatchObject({ addresses: officeInput.addresses, kept: 'keychain' })
  })

  it('is used once the user confirms', async () => {
    const { save, record } = await saveChanged(async () => true)
    expect((await save).connection).toMatchObject({ addresses: { consoleUrl: maliciousUrl }, secret: 'keychain' })
    expect(record()).toMatchObject({ addresses: { consoleUrl: maliciousUrl } })
  })

  it('needs no confirmation while the connection has no secret', async () => {
    const confirm = () => Promise.reject(new Error('must not ask'))
    const { connections } = makeConnections({ confirm })
    const { connection } = await connections.save(officeInput)
    const changed = await connections.save({ id: connection.id, ...maliciousInput })
    expect(changed.connection.addresses).toEqual({ consoleUrl: maliciousUrl })
    const { connections: cosmetic } = makeConnections({ confirm })
    const savedConnection = await cosmetic.save(officeInput, secret)
    const addresses = { consoleUrl: 'https://console.example.com/v2', tokenPlanUrl: 'https://gw.example.com' }
    await cosmetic.save({ ...officeInput, id: savedConnection.connection.id, name: 'renamed', addresses })
  })

  it('needs confirmation for the keys of its plans, even if its own secret is new', async () => {
    const { connections } = makeConnections({ confirm: async () => false, holdsMore: () => true })
    const { connection } = await connections.save({ ...officeInput, tokenSource: undefined })
    const save = connections.save({ id: connection.id, ...maliciousInput }, secret)
    await expectFailure(save, 'input.declined')
  })

  it('is refused when a secret was set first without confirmation', async () => {
    const { connections, settings } = makeConnections({ confirm: () => Promise.reject(new Error('must not ask')) })
    const { connection } = await connections.save(officeInput)
    const { id } = connection
    const firstSave = connections.save({ id, ...officeInput }, secret)
    const secondSave = connections.save({ id, ...maliciousInput })
    await firstSave
    await expectFailure(secondSave, 'input.declined')
    expect(settings.read().connections[0]).toMatchObject({ addresses: officeInput.addresses, kept: 'keychain' })
  })
})

describe('a token command', () => {
  it('needs confirmation again after it was removed, the addresses changed, and it was added back', async () => {
    const consentQuestions: unknown[] = []
    const { connections } = makeConnections({ confirm: async (question) => consentQuestions.push(question) === 1 })
    const tokenSource: TokenSource = { kind: 'command', command: ['print-token'] }
    const { connection } = await connections.save({ ...officeServer, tokenSource })
    const maliciousConnection = { id: connection.id, name: 'office', addresses: { consoleUrl: 'https://evil.example' } }
    await connections.save({ ...officeServer, id: connection.id })
    await connections.save(maliciousConnection)
    await expectFailure(connections.save({ ...maliciousConnection, tokenSource }), 'auth.commandNotAllowed')
    const hosts = ['https://console.example.com', 'https://evil.example']
    expect(consentQuestions).toMatchObject(hosts.map((host) => ({ hosts: [host] })))
  })

  it('runs only after the user confirmed it, also for a connection of an earlier version', async () => {
    const canary = join(folder, 'canary')
    const service = await startService('office')
    const code = `require('fs').writeFileSync(${JSON.stringify(canary)}, 'ran'); console.log('token-of-a-program')`
    const tokenSource: TokenSource = { kind: 'command', command: [process.execPath, '-e', code] }
    let isAgreed = false
    const consentQuestions: unknown[] = []
    const confirm = async (question: unknown) => consentQuestions.push(question) > 0 && isAgreed
    const { connections, settings, logged } = makeConnections({ confirm })
    const input = { ...service.input, tokenSource }
    await expectFailure(connections.save(input), 'auth.commandNotAllowed')
    expect(settings.read().connections).toEqual([])
    const record = { id: 'old', ...input, createdAt: '2026-01-01T00:00:00.000Z' }
    settings.update(() => ({ connections: [record] }))
    const refusedCommand = { ok: false, failure: { code: 'auth.commandNotAllowed' } }
    for (const part of ['token', 'console'] as const)
      expect(await connections.test('old', part)).toMatchObject(refusedCommand)
    expect(existsSync(canary)).toBe(false)
    expect(service.received).toEqual([])
    isAgreed = true
    expect(await connections.test('old', 'token')).toMatchObject({ ok: true, proven: 'used' })
    expect(await connections.test('old', 'console')).toMatchObject({ ok: true, proven: 'used' })
    expect(service.sent()).toEqual([['/console/account', 'Bearer token-of-a-program']])
    expect(JSON.stringify(logged)).not.toContain('token-of-a-program')
    expect(readFileSync(canary, 'utf8')).toBe('ran')
    expect(consentQuestions).toHaveLength(4)
  })
})
