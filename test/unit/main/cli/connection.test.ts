import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { terminalConfirm } from '../../../../src/main/cli/output'
import { ConnectionRecord } from '../../../../src/main/core/settings/records'
import { type CliHarness, connect, createHarness, json } from './desk'

const canary = 'cs-canary-0a1b2c3d0a1b2c3d'
let harness: CliHarness

beforeEach(async () => {
  harness = await createHarness({
    'GET /memory/memories': json({ listData: [], totalItem: 0, totalPage: 0 }),
    'GET /identity/agent-identities': json({ message: 'not yours' }, 403),
    'GET /aip/v1/models': json({ listData: [], totalItem: 0, totalPage: 0 }),
    'GET /console/account': json({ accountId: 'a', role: 'ROOT', credits: 1 }),
  })
})
afterEach(() => harness.close())

const writeTestFile = (content: unknown): string => {
  const path = join(harness.folder, 'connection.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const client = { kind: 'client-credentials', tokenUrl: 'https://iam.example.com/token', clientId: 'me' }

describe('connection add', () => {
  it('warns about a missing secret, and prints the connection as JSON', async () => {
    const file = writeTestFile({ name: 'office', tokenSource: client })
    const { out, err } = await harness.run(['--json', 'connection', 'add', '--file', file])
    expect(JSON.parse(out)).toMatchObject({ name: 'office', secret: 'missing', isActive: true })
    expect(err).toContain('--secret-stdin')
  })

  it('reads the file from standard input', async () => {
    const { code } = await harness.run('connection add --file -', JSON.stringify({ name: 'piped' }))
    expect(code).toBe(0)
    expect(harness.core.connections.find('piped')).toMatchObject({ secret: 'none' })
  })

  it('reads a client secret unchanged, and a token without surrounding blanks', async () => {
    const source = writeTestFile({ name: 'a', tokenSource: client })
    await harness.run(['connection', 'add', '--file', source, '--secret-stdin'], 'name=secret,\n')
    const pastedFile = writeTestFile({ name: 'b', tokenSource: { kind: 'pasted' } })
    await harness.run(['connection', 'add', '--file', pastedFile, '--secret-stdin'], 'Authorization: Bearer tok-en\n')
    expect([...harness.keychain.items.values()]).toEqual(['name=secret,', 'tok-en'])
  })

  it.each([
    ['the file and the secret by the same way', ['--file', '-', '--secret-stdin'], 'input.invalid'],
    ['a file that is not there', ['--file', '/nowhere/connection.json'], 'file.unreadable'],
  ])('refuses %s', async (_, args, code) => {
    expect((await harness.run(['connection', 'add', ...args], canary)).failure).toMatchObject({ code })
    expect(harness.core.connections.list()).toEqual([])
  })

  it.each([
    ['a secret for a source that takes none', { tokenSource: { kind: 'command', command: ['x'] } }, 'input.invalid'],
    ['a secret without a source', {}, 'input.invalid'],
    ['an unprotected address', { consoleUrl: 'http://a.example.com', tokenSource: client }, 'address.insecure'],
  ])('refuses %s, saves nothing, and repeats no secret', async (_, content, code) => {
    const file = writeTestFile({ name: 'office', ...content })
    const run = await harness.run(['connection', 'add', '--file', file, '--secret-stdin'], canary)
    expect(run.failure).toMatchObject({ code })
    expect(JSON.stringify(run)).not.toContain(canary)
    expect(harness.core.connections.list()).toEqual([])
    expect(harness.keychain.items.size).toBe(0)
  })
})

describe('a connection with a token command', () => {
  const code = "require('fs').appendFileSync(process.argv[1], 'ran'); console.log('token-1')"
  const content = () => ({
    name: 'office',
    memoryApiUrl: `${harness.server.url}/memory`,
    tokenSource: { kind: 'command', command: [process.execPath, '-e', code, join(harness.folder, 'canary')] },
  })
  const runs = (): string => readFileSync(join(harness.folder, 'canary'), 'utf8')
  const notAllowedError = { code: 'auth.commandNotAllowed' }

  beforeEach(async () => {
    await harness.close()
    // Use streams that are no terminal, so that no confirmation is possible.
    const streams = { stdin: () => new PassThrough(), stderr: new PassThrough() }
    harness = await createHarness({ 'GET /memory/memories': json({ listData: [] }) }, terminalConfirm(streams))
  })

  it('is not added without a terminal, shows what would run, and is added with --yes', async () => {
    const file = writeTestFile(content())
    const { failure, err } = await harness.run(['connection', 'add', '--file', file])
    expect(failure).toMatchObject(notAllowedError)
    expect(err).toContain('The file contains a token command: ')
    expect(harness.core.connections.list()).toEqual([])
    expect((await harness.run(['connection', 'add', '--file', file, '--yes'])).code).toBe(0)
    expect((await harness.run('connection test office --part memory')).code).toBe(0)
    expect(runs()).toBe('ran')
  })

  it('of an earlier version runs nothing before it is allowed', async () => {
    const { name, memoryApiUrl, tokenSource } = content()
    const checkedAt = '2026-01-01T00:00:00.000Z'
    const record = { id: 'old', name, addresses: { memoryApiUrl }, tokenSource, createdAt: checkedAt }
    harness.core.settings.update(() => ({ connections: [ConnectionRecord.parse(record)] }))
    const call = ['api', 'call', 'memory.memories.list', '--connection', 'office']
    const failedRun = await harness.run(call)
    expect(failedRun.code).toBe(1)
    expect(failedRun.err).toContain('is not allowed')
    expect((await harness.run('connection allow office')).failure).toMatchObject(notAllowedError)
    expect(existsSync(join(harness.folder, 'canary'))).toBe(false)
    expect((await harness.run('connection allow office --yes')).out).toBe('Allowed the token command of office.\n')
    expect((await harness.run(call)).code).toBe(0)
    expect(runs()).toBe('ran')
  })
})

describe('connection list, use, remove', () => {
  it('explains how to add one when there is none', async () => {
    expect((await harness.run('connection list')).out).toContain('companion connection add')
    expect((await harness.run('connection list --json')).out).toBe('[]\n')
  })

  it.each([['use'], ['test'], ['remove']])('%s reports an unknown connection', async (verb) => {
    expect((await harness.run(['connection', verb, 'nobody'])).failure).toMatchObject({ code: 'connection.notFound' })
  })
})

describe('connection test', () => {
  it('reports a part without an address', async () => {
    await connect(harness)
    const { out, code } = await harness.run('connection test --part runtime')
    expect(out).toMatch(/^failed {2}runtime .*runtimeApiUrl.*\(api\.notConfigured, /)
    expect(code).toBe(1)
  })

  it('explains the next step when there is nothing to test', async () => {
    expect((await harness.run('connection test')).failure).toMatchObject({ code: 'connection.notFound' })
    await harness.core.connections.save({ name: 'empty', addresses: {} })
    expect((await harness.run('connection test')).failure).toMatchObject({ code: 'api.notConfigured' })
  })

  it('accepts the names of the parts', async () => {
    const { code, err } = await harness.run('connection test --part gatway')
    expect([code, err]).toEqual([2, expect.stringContaining('gateway')])
  })
})
