import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { expect, freePort, type Machine, root } from '../support/app'
import { fileMode, listFilesContaining } from '../support/canary'
import { type CommandOutcome, cliPath, runCompanion } from '../support/companion'
import { test as base, type TestSandbox } from '../support/sandbox'

const describedOperations = z
  .array(z.object({ id: z.string() }))
  .parse(JSON.parse(readFileSync(join(root, 'test/fixtures/operations.json'), 'utf8')))
  .map(({ id }) => id)

interface RunOptions {
  readonly input?: string
  readonly code?: number
}

interface Harness {
  readonly machine: Machine
  readonly sandbox: TestSandbox
  readonly secret: string
  /** Runs `companion`, expects exit code `code` (0) and records the output for the secret search. */
  run(args: readonly string[], options?: RunOptions): Promise<CommandOutcome>
  /** Runs `companion` and returns the JSON that it printed. */
  json(...args: readonly string[]): Promise<unknown>
  /** Runs `companion api call -`, sends calls as JSON lines on stdin and returns the responses. */
  serve(calls: readonly unknown[], ...args: readonly string[]): Promise<CallResult[]>
  fileWith(content: Readonly<Record<string, unknown>>): string
}

interface CallResult {
  readonly id: string | null
  readonly ok: boolean
  readonly status?: number
  readonly data?: { readonly name?: string } | null
  readonly failure?: { readonly code: string; readonly message: string }
}

const test = base.extend<{ harness: Harness }>({
  harness: async ({ machine, sandbox }, use) => {
    const secret = sandbox.ready.iam.clientSecret.expose()
    const outputs: string[] = []
    const run: Harness['run'] = async (args, { input = '', code = 0 } = {}) => {
      const outcome = await runCompanion(machine, args, { input })
      expect(outcome.code, `companion ${args.join(' ')}\n${outcome.err}`).toBe(code)
      outputs.push(outcome.out, outcome.err)
      return outcome
    }
    await use({
      machine,
      sandbox,
      secret,
      run,
      json: async (...args) => JSON.parse((await run(['--json', ...args])).out),
      async serve(calls, ...args) {
        const input = calls.map((call) => (typeof call === 'string' ? call : JSON.stringify(call))).join('\n')
        const { out } = await run(['api', 'call', '-', ...args], { input })
        return out
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      },
      fileWith(content) {
        const path = join(machine.home, 'connection.json')
        writeFileSync(path, JSON.stringify(content))
        return path
      },
    })
    for (const hiddenText of [secret, findKey(sandbox), 'iam-sandbox-']) {
      expect(outputs.filter((output) => output.includes(hiddenText))).toEqual([])
      expect(listFilesContaining(join(machine.home, '..'), hiddenText)).toEqual([])
    }
  },
})

function findKey({ ready }: TestSandbox): string {
  const key = ready.plans.find(({ name }) => name === 'sandbox-pro')?.keys.find(({ name }) => name === 'default-key')
  if (!key) throw new Error('The sandbox printed no key.')
  return key.key
}

function connectionFile({ sandbox }: Harness, name = 'local'): Readonly<Record<string, unknown>> {
  const { addresses, iam } = sandbox.ready
  const { tokenUrl, clientId } = iam
  return { name, ...addresses, tokenSource: { kind: 'client-credentials', tokenUrl, clientId } }
}

/** Paths of all requests to the platform, without their queries. */
async function platformRequests({ control }: TestSandbox): Promise<string[]> {
  const { requests } = Requests.parse(await control('/requests?area=platform'))
  return requests.map(({ path }) => path.split('?')[0] ?? '')
}

const Requests = z.object({ requests: z.array(z.object({ path: z.string() })) })

/** Adds a connection to the sandbox, with its secret from standard input. */
async function addConnection(harness: Harness, name?: string): Promise<void> {
  const file = harness.fileWith(connectionFile(harness, name))
  await harness.run(['connection', 'add', '--file', file, '--secret-stdin'], { input: `${harness.secret}\n` })
}

const addPlan = ({ run, sandbox }: Harness) =>
  run(
    ['plan', 'add', '--name', 'team', '--gateway', sandbox.ready.gatewayUrl, '--key-stdin', '--model', 'aurora-small'],
    {
      input: findKey(sandbox),
    },
  )

test.describe('connection', () => {
  test('is added from a file with its secret from standard input, listed, used, tested and removed', async ({
    harness,
  }) => {
    const { run, json, machine } = harness
    const file = harness.fileWith({
      ...connectionFile(harness),
      tokenPlanUrl: `${harness.sandbox.ready.gatewayUrl}/v1/`,
    })
    const addedRun = await run(['connection', 'add', '--file', file, '--secret-stdin'], {
      input: `${harness.secret}\n`,
    })
    expect(addedRun.out).toBe(
      'Added local. The secret is saved in the OS keychain.\nIt is now the active connection.\n',
    )
    expect(addedRun.err).toContain('Corrected tokenPlanUrl: path removed\n')
    expect(fileMode(join(machine.dataDir, 'settings.json'))).toBe(0o600)

    await addConnection(harness, 'other')
    expect(await json('connection', 'list')).toMatchObject([
      { name: 'local', isActive: true, secret: 'keychain', isBuiltIn: false },
      { name: 'other', isActive: false, secret: 'keychain' },
    ])
    await run(['connection', 'use', 'other'])
    expect((await run(['connection', 'list'])).out).toMatch(
      /^\* +other +client-credentials +in the keychain +tokenPlan, console/m,
    )

    await addPlan(harness)
    const testLines = (await run(['connection', 'test'])).out.trimEnd().split('\n')
    expect(testLines).toHaveLength(9)
    for (const line of testLines)
      expect(line).toMatch(
        /^ok {6}(token|gateway|console|identity|runtime|memory|registry|aip|inference) .*works \(\d+ ms\)/,
      )
    expect(await json('connection', 'test', 'local', '--part', 'memory')).toMatchObject([
      { ok: true, part: 'memory', proven: 'used' },
    ])

    await run(['connection', 'remove', 'other'])
    expect((await run(['connection', 'remove', 'other'], { code: 1 })).err).toContain('Connection other not found')
    expect(await json('connection', 'list')).toMatchObject([{ name: 'local' }])
  })

  test('reports for each failed part the reason and the remedy', async ({ harness }) => {
    const { run } = harness
    const closedAddress = `http://127.0.0.1:${await freePort()}`
    const file = harness.fileWith({
      ...connectionFile(harness),
      consoleUrl: closedAddress,
      memoryApiUrl: `${harness.sandbox.ready.platformUrl}/nothing`,
    })
    await run(['connection', 'add', '--file', file, '--secret-stdin'], { input: harness.secret })
    const { out } = await run(['connection', 'test'], { code: 1 })
    expect(out).toMatch(/^ok {6}token /m)
    expect(out).toMatch(
      /^failed {2}console +http:\/\/127\.0\.0\.1:\d+ refused the connection: nothing listens there\. Check .*\(net\.refused, /m,
    )
    expect(out).toMatch(/^failed {2}memory +.*\(404\)\. Check .*\(api\.notFound, /m)
    expect(out).toMatch(/^ok {6}gateway .*access not verified/m)

    await run(['connection', 'remove', 'local'])
    await run(['connection', 'add', '--file', file, '--secret-stdin'], { input: 'cs-wrong-0123456789' })
    const failedTest = await run(['connection', 'test', '--part', 'token'], { code: 1 })
    expect(failedTest.out).toMatch(/^failed {2}token .*Check the client ID, its secret.*\(auth\.rejected, /)
  })

  test('is refused when its file contains a secret, and nothing is saved', async ({ harness, machine }) => {
    const settingsBefore = readFileSync(join(machine.dataDir, 'settings.json'), 'utf8')
    const path = join(machine.home, 'connection.json')
    const canary = 'cs-canary-0a1b2c3d0a1b2c3d'
    writeFileSync(path, JSON.stringify({ ...connectionFile(harness), clientSecret: canary }))
    const refusedRun = await runCompanion(machine, ['connection', 'add', '--file', path])
    expect(refusedRun).toMatchObject({ out: '', err: expect.stringContaining('clientSecret') })
    expect(refusedRun.code).not.toBe(0)
    expect(refusedRun.err).not.toContain(canary)
    expect(readFileSync(join(machine.dataDir, 'settings.json'), 'utf8')).toBe(settingsBefore)
  })
})

test.describe('api', () => {
  test('lists every operation', async ({ harness }) => {
    const { run, json } = harness
    const rows = z.array(z.object({ id: z.string() })).parse(await json('api', 'list'))
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(describedOperations))
    expect((await run(['api', 'list'])).out.trimEnd().split('\n')).toHaveLength(rows.length + 1)
    expect((await run(['api', 'list', '--service', 'memory'])).out.trimEnd().split('\n')).toHaveLength(12)
    expect((await run(['api', 'list', '--service', 'memories'], { code: 2 })).err).toContain('memory')
  })

  test('calls every service', async ({ harness }) => {
    const { run, json } = harness
    await addConnection(harness)
    await addPlan(harness)
    const chat = JSON.stringify({ model: 'aurora-small', messages: [{ role: 'user', content: 'Say hello' }] })
    const rows = { listData: expect.any(Array), totalItem: expect.any(Number) }
    const choices = { choices: [{ message: { content: expect.any(String) } }] }
    const calls: readonly (readonly [args: readonly string[], answer: Record<string, unknown>])[] = [
      [['console.account.get'], { role: 'ROOT' }],
      [['identity.agentIdentities.list', '--query', 'page=0', '--query', 'size=1'], { content: expect.any(Array) }],
      [['runtime.agentRuntimes.list'], rows],
      [['memory.memories.list'], rows],
      [['registry.repositories.list'], rows],
      [['aip.models.list', '--query', 'size=2'], rows],
      [['inference.chatCompletions', '--body', chat], choices],
      [['gateway.chatCompletions', '--plan', 'team', '--body', chat], choices],
      [['gateway.chatCompletions', '--body', chat], choices],
    ]
    for (const [args, answer] of calls) expect(await json('api', 'call', ...args), args[0]).toMatchObject(answer)
    const { out } = await run(['api', 'call', 'console.account.get'])
    expect(out).toBe(`${JSON.stringify(JSON.parse(out), undefined, 2)}\n`)
  })

  test('follows every page of a long list', async ({ harness }) => {
    await addConnection(harness)
    const names = Array.from({ length: 230 }, (_, n) => `agent-${n}`)
    const createdResults = await harness.serve(
      names.map((name) => ({ id: 'identity.agentIdentities.create', body: { name } })),
    )
    expect(createdResults.every(({ ok }) => ok)).toBe(true)
    const args = ['api', 'call', 'identity.agentIdentities.list', '--all', '--query', 'size=1000']
    const array: { name: string }[] = JSON.parse((await harness.run(args)).out)
    expect(names.filter((name) => !array.some((row) => row.name === name))).toEqual([])
    const lines = (await harness.run([...args, '--json'])).out.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(array)
    const pages = (await platformRequests(harness.sandbox)).filter(
      (path) => path === '/identity/api/v1/agent-identities',
    )
    expect(pages.length).toBe(names.length + 2 * Math.ceil(array.length / 100))
  })

  test('ends quietly when its output pipe is closed', async ({ harness, machine }) => {
    await addConnection(harness)
    const names = Array.from({ length: 150 }, (_, n) => `agent-${n}`)
    await harness.serve(names.map((name) => ({ id: 'identity.agentIdentities.create', body: { name } })))
    const command = `"$0" "$1" --data-dir "$2" --json api call identity.agentIdentities.list --all --query size=5 | head -n 1`
    const shell = ['-o', 'pipefail', '-c', command, process.execPath, cliPath, machine.dataDir]
    const child = spawn('bash', shell, { env: machine.env })
    const closePromise = new Promise((resolve) => child.once('close', resolve))
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect({ lines: out.trimEnd().split('\n').length, err, code: await closePromise }).toEqual({
      lines: 1,
      err: '',
      code: 0,
    })
  })

  test('answers 500 mixed calls in order, one line each', async ({ harness }) => {
    await addConnection(harness)
    await addPlan(harness)
    const callBuilders = [
      () => ({ id: 'memory.memories.list', query: { size: 3 } }),
      (n: number) => ({ id: 'identity.agentIdentities.create', body: { name: `mixed-${n}` } }),
      (n: number) => ({ id: 'identity.agentIdentities.get', path: { name: `mixed-${n - 1}` } }),
      (n: number) => ({ id: 'identity.agentIdentities.get', path: { name: `missing-${n}` } }),
      () => ({ id: 'runtime.flavors.list' }),
      () => ({ id: 'registry.repositories.list', query: { page: 1, size: 1 } }),
      () => ({ id: 'aip.nothing' }),
      () => 'not JSON',
      () => ({
        id: 'gateway.chatCompletions',
        body: { model: 'aurora-small', messages: [{ role: 'user', content: 'Hi' }] },
      }),
      (n: number) => ({ id: 'identity.agentIdentities.delete', path: { name: `mixed-${n - 8}` } }),
    ]
    const calls = Array.from({ length: 500 }, (_, n) => callBuilders[n % callBuilders.length]?.(n))
    const answers = await harness.serve(calls, '--plan', 'team')
    expect(answers).toHaveLength(500)
    const expectedStatuses = [200, 201, 200, 404, 200, 200, undefined, undefined, 200, undefined]
    const outcomes = answers.map(({ id, ok, status, data }, n) => {
      const call = calls[n]
      const callId = typeof call === 'object' ? call.id : null
      const isExpectedStatus = expectedStatuses[n % 10] === undefined || status === expectedStatuses[n % 10]
      const name = n % 10 === 2 ? data?.name === `mixed-${n - 1}` : true
      return { n, isOfCall: id === callId, isRight: isExpectedStatus, name, isOk: ok === ![3, 6, 7].includes(n % 10) }
    })
    expect(
      outcomes.filter((outcome) => !outcome.isOfCall || !outcome.isRight || !outcome.name || !outcome.isOk),
    ).toEqual([])
    const tokenPath = new URL(harness.sandbox.ready.iam.tokenUrl).pathname
    expect((await platformRequests(harness.sandbox)).filter((path) => path === tokenPath)).toHaveLength(1)
  })

  test('answers a caller that waits for each answer', async ({ harness, machine }) => {
    await addConnection(harness)
    const child = spawn(process.execPath, [cliPath, '--data-dir', machine.dataDir, 'api', 'call', '-'], {
      env: machine.env,
    })
    const closePromise = new Promise((resolve) => child.once('close', resolve))
    for (let index = 0; index < 3; index += 1) {
      child.stdin.write('{"id":"runtime.flavors.list"}\n')
      const [line] = await Promise.race([
        new Promise<string[]>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk).split('\n')))),
        closePromise.then(() => ['']),
      ])
      expect(JSON.parse(line ?? '')).toMatchObject({ id: 'runtime.flavors.list', ok: true, status: 200 })
    }
    child.stdin.end()
    expect(await closePromise).toBe(0)
  })

  test('waits for the creation and deletion of a platform API key, or leaves that to the app', async ({
    harness,
    machine,
  }) => {
    const { run } = harness
    await addConnection(harness)
    await harness.sandbox.control('/timing', { asyncMs: 1000 })
    const create = ['api', 'call', 'aip.apiKeys.create', '--body', '{"name":"team-key"}']
    const remove = ['api', 'call', 'aip.apiKeys.delete', '--path', 'name=team-key']
    expect((await run([...create, '--wait'])).err).toMatch(
      /^team-key is being created\..*team-key: succeeded after \d+ s\.\n$/s,
    )
    await run(remove)
    const { operations } = JSON.parse(readFileSync(join(machine.dataDir, 'settings.json'), 'utf8'))
    expect(operations).toMatchObject([
      { kind: 'apiKey.delete', subject: 'team-key', state: 'running' },
      { kind: 'apiKey.create', state: 'succeeded' },
    ])
    await run([...remove, '--wait'])
    expect((await run(['api', 'call', 'aip.apiKeys.get', '--path', 'name=team-key'], { code: 1 })).err).toContain(
      '(404)',
    )
  })

  test('reports failures on standard error, and an invalid command with exit code 2', async ({ harness }) => {
    const { run } = harness
    expect((await run(['api', 'call', 'memory.memories.list'], { code: 1 })).err).toContain('companion connection use')
    await addConnection(harness)
    const args = ['api', 'call', 'memory.memories.get', '--path', 'id=nothing']
    expect(await run(args, { code: 1 })).toMatchObject({ out: '', err: expect.stringMatching(/^companion: .*\(404\)/) })
    const { out, err } = await run(['--json', ...args], { code: 1 })
    expect({ out, failure: JSON.parse(err) }).toMatchObject({
      out: '',
      failure: { ok: false, failure: { code: 'api.notFound' } },
    })
    expect((await run(['api', 'call', 'memory.memory.list'], { code: 2 })).err).toContain('memory.memories.list')
    expect((await run(['api', 'call', 'memory.memories.list', '--query', 'pages=2'], { code: 2 })).err).toContain(
      'It has: page, size.',
    )
    await harness.sandbox.stop()
    expect((await run(['api', 'call', 'memory.memories.list'], { code: 1 })).err).toContain('nothing listens there')
  })
})
