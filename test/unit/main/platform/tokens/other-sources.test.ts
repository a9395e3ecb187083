import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { err, ok, type Result } from '@shared/failure'
import { afterAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { createTokenSource, keySource, runCommand } from '../../../../../src/main/platform/tokens'
import { catchFailure, fakeTime } from '../harness'

const folder = mkdtempSync(join(tmpdir(), 'companion-tokens-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const exposeToken = async (token: Promise<Secret | undefined>) => (await token)?.expose()

/** Dependencies that the tested token source must not use. All of them fail. */
const unusedPorts: Parameters<typeof createTokenSource>[1] = {
  ...fakeTime(),
  send: () => Promise.reject(new Error('sent')),
  run: () => Promise.reject(new Error('run')),
  secret: () => Promise.reject(new Error('read')),
}

const createPastedTokenSource = (secret: () => Promise<Secret | undefined>) =>
  createTokenSource({ kind: 'pasted' }, { ...unusedPorts, secret })

/** A command that returns one outcome after another, with its recorded calls. */
function createCommand(...outcomes: readonly Result<string, string>[]) {
  const runs: unknown[] = []
  const time = fakeTime()
  const source = createTokenSource(
    { kind: 'command', command: ['helper', '--for', 'a b; $(x)'] },
    {
      ...unusedPorts,
      clock: time.clock,
      run: async (argv, limits) => {
        runs.push([argv, limits])
        return outcomes[runs.length - 1] ?? err('ran too often')
      },
    },
  )
  return { source, runs, time }
}

describe('a token command', () => {
  it('runs with unchanged arguments, for at most 30 s', async () => {
    const { source, runs } = createCommand(ok('token-1\n'))
    expect(await exposeToken(source.token())).toBe('token-1')
    expect(runs).toEqual([[['helper', '--for', 'a b; $(x)'], { timeoutMs: 30_000, maxBytes: 64_000 }]])
  })

  it.each([
    ['token-1', 'token-1'],
    ['  token-1 \r\n', 'token-1'],
    ['{"access_token": "token-1"}', 'token-1'],
    ['{"access_token": "token-1", "expires_in": 3600, "more": {}}\n', 'token-1'],
  ])('that prints %j returns a token', async (printed, token) => {
    expect(await exposeToken(createCommand(ok(printed)).source.token())).toBe(token)
  })

  it('runs again only when its token expires or is rejected', async () => {
    const { source, runs, time } = createCommand(
      ok('{"access_token": "token-1", "expires_in": 100}'),
      ok('{"access_token": "token-2", "expires_in": 100}'),
      ok('token-3'),
    )
    await source.token()
    time.advance(39_999)
    expect(await exposeToken(source.token())).toBe('token-1')
    time.advance(1)
    const secondToken = await source.token()
    expect(await exposeToken(source.renew(secondToken))).toBe('token-3')
    time.advance(1e9)
    expect(await exposeToken(source.token())).toBe('token-3')
    expect(runs).toHaveLength(3)
  })

  it.each([
    '',
    '\n',
    'hunter2 hunter2',
    'hunter2\nhunter2',
    '{"access_token": ""}',
    '{"token": "hunter2"}',
    '{hunter2',
    '[]x é',
  ])('that prints %j returns none, and its output is not repeated', async (printed) => {
    const failure = await catchFailure(createCommand(ok(printed)).source.token())
    expect(failure.code).toBe('auth.tokenSource')
    expect(failure.message).toContain('helper')
    expect(failure.message).not.toContain('hunter2')
  })

  it('that fails reports the outcome', async () => {
    const failure = await catchFailure(createCommand(err('failed with exit code 3')).source.token())
    expect(failure).toMatchObject({
      code: 'auth.tokenSource',
      message: /^The token command helper failed with exit code 3/,
    })
  })
})

const node = (script: string, ...args: readonly string[]) => [process.execPath, '-e', script, ...args]
const limits = { timeoutMs: 20_000, maxBytes: 1000 }

describe('running a command', () => {
  it('uses no shell', async () => {
    const witnessFile = join(folder, 'witness')
    const printArgumentsScript = 'process.stdout.write(process.argv.slice(1).join("|"))'
    const outcome = await runCommand(node(printArgumentsScript, `$(touch ${witnessFile})`, '; exit 9', '*'), limits)
    expect(outcome).toEqual(ok(`$(touch ${witnessFile})|; exit 9|*`))
    expect(() => readFileSync(witnessFile)).toThrow('ENOENT')
  })

  it('passes no input to wait for', async () => {
    const script = 'process.stdin.on("end", () => process.stdout.write("ended")).resume()'
    expect(await runCommand(node(script), limits)).toEqual(ok('ended'))
  })

  it.each([
    [
      'ends badly',
      node('console.error("hunter2"); console.log("hunter2"); process.exit(3)'),
      {},
      'failed with exit code 3',
    ],
    ['prints too much', node('process.stdout.write("hunter2".repeat(1000))'), {}, 'printed too much'],
    ['does not end', node('setInterval(() => {}, 1000)'), { timeoutMs: 300 }, 'did not end in time'],
    [
      'will not be told',
      node('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'),
      { timeoutMs: 300 },
      'did not end in time',
    ],
    ['is not there', ['/nowhere/hunter-helper'], {}, 'cannot be started (ENOENT)'],
    ['is empty', [''], {}, 'cannot be started'],
    ['is no name', ['a\0b'], {}, 'cannot be started'],
  ])('that %s reports only that', async (_, argv, lowerLimits, message) => {
    expect(await runCommand(argv, { ...limits, ...lowerLimits })).toEqual(err(message))
  })

  it('that may not run reports that', async () => {
    const path = join(folder, 'not-executable')
    writeFileSync(path, 'x', { mode: 0o600 })
    expect(await runCommand([path], limits)).toEqual(err('cannot be started (EACCES)'))
  })
})

describe('a pasted token', () => {
  it('is read once and reused', async () => {
    let reads = 0
    const source = createPastedTokenSource(async () => {
      reads += 1
      return new Secret('pasted-token')
    })
    expect([await exposeToken(source.token()), await exposeToken(source.token()), reads]).toEqual([
      'pasted-token',
      'pasted-token',
      1,
    ])
  })

  it('must be pasted first', async () => {
    expect((await catchFailure(createPastedTokenSource(async () => undefined).token())).code).toBe('auth.tokenNeeded')
  })

  it('must be replaced once it is rejected', async () => {
    let newestToken = 'old-token'
    const source = createPastedTokenSource(async () => new Secret(newestToken))
    const oldToken = await source.token()
    expect((await catchFailure(source.renew(oldToken))).code).toBe('auth.tokenNeeded')
    newestToken = 'new-token'
    expect(await exposeToken(source.token())).toBe('new-token')
    expect(await exposeToken(source.renew(oldToken))).toBe('new-token')
  })
})

it('a key is the current one and cannot be renewed', async () => {
  const source = keySource(async () => new Secret('the-key'))
  expect(await exposeToken(source.token())).toBe('the-key')
  expect(await source.renew(new Secret('the-key'))).toBeUndefined()
  expect((await catchFailure(keySource(async () => undefined).token())).code).toBe('api.notConfigured')
})
