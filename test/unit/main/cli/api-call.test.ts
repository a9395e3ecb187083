import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { consoleOperations, readFacts } from '../platform/harness'
import { type CliHarness, connect, createHarness, json, type Routes } from './desk'

const rows = Array.from({ length: 25 }, (_, n) => ({ id: `m-${n}`, note: 'số' }))

/** Returns pages of ten rows for any requested size, like a server with a maximum page size. */
const serveCappedPage: Routes[string] = (request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost')
  const startIndex = (Number(searchParams.get('page')) - 1) * 10
  json({ listData: rows.slice(startIndex, startIndex + 10), totalItem: rows.length, totalPage: 3 })(request, response)
}

/** Texts with control characters and direction marks. */
const recordWithControls = { '\u202ekey': 'a\u009b31m\u007fb\u2066c\u{e0041}\u001b', team: '👩‍💻 số\n' }
const forbiddenCharacters = /[^\P{Cc}\n]|\p{Bidi_Control}|[\u{e0041}]/u

const routes: Routes = {
  'GET /memory/memories': serveCappedPage,
  'GET /memory/memories/m-1': json({ id: 'm-1', extra: { kept: true } }),
  'POST /memory/memories': json({ id: 'm-new' }, 201),
  'GET /memory/memories/odd': json(recordWithControls),
  'DELETE /memory/memories/m-1': (_, response) => void response.writeHead(204).end(),
  'GET /memory/memories/gone': json({ message: 'no such memory' }, 404),
  'GET /identity/agent-identities': json({ content: [], totalElements: 0, totalPages: 0 }),
  'GET /console/account': (_, response) =>
    void response.writeHead(409, { 'x-request-id': 'req-7' }).end('{"message":"busy"}'),
  'POST /v1/chat/completions': json({ choices: [{ message: { content: 'hello' } }] }),
}

let harness: CliHarness
beforeEach(async () => {
  harness = await createHarness(routes)
})
afterEach(() => harness.close())

const call = (...args: readonly string[]) => harness.run(['api', 'call', ...args])
const addPlan = (name: string) =>
  harness.core.plans.add({ name, gatewayUrl: harness.server.url, models: ['m'] }, new Secret(`sk-${name}-0123456789`))

describe('api call', () => {
  beforeEach(() => connect(harness))

  it("prints the response, including unknown fields, in the server's order", async () => {
    const args = ['memory.memories.get', '--path', 'id=m-1']
    const out = '{\n  "id": "m-1",\n  "extra": {\n    "kept": true\n  }\n}\n'
    expect(await call(...args)).toMatchObject({ out, err: '', code: 0 })
    expect((await call(...args, '--json')).out).toBe('{"id":"m-1","extra":{"kept":true}}\n')
    expect(harness.server.received[0]).toMatchObject({ headers: { authorization: 'Bearer token-1' } })
  })

  it('escapes control characters, keeping the JSON value', async () => {
    const args = ['api', 'call', 'memory.memories.get', '--path', 'id=odd']
    const line = '{"id":"memory.memories.get","path":{"id":"odd"}}\n'
    const outputs = [
      (await harness.run(args)).out,
      (await harness.run([...args, '--json'])).out,
      (await harness.run('api call -', line)).out,
    ]
    expect(outputs.map((output) => JSON.parse(output))).toEqual([
      recordWithControls,
      recordWithControls,
      expect.objectContaining({ data: recordWithControls }),
    ])
    for (const output of outputs) {
      expect(output).not.toMatch(forbiddenCharacters)
      expect(output).toContain('\\u202ekey')
      expect(output).toContain('👩‍💻 số')
    }
  })

  it('sends path, query and body unchanged', async () => {
    const file = join(harness.folder, 'body.json')
    writeFileSync(file, '{"name": "notes", "more": [1]}')
    await call('memory.memories.create', '--body', `@${file}`)
    await harness.run('api call memory.memories.create --body @-', '{"name":"piped"}')
    await call('memory.records.list', '--path', 'id=a/b c', '--query', 'namespace=/x=y', '--query', 'limit=5')
    expect(harness.server.received.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/memory/memories', '{"name":"notes","more":[1]}'],
      ['POST', '/memory/memories', '{"name":"piped"}'],
      ['GET', '/memory/memories/a%2Fb%20c/memory-records?namespace=%2Fx%3Dy&limit=5', ''],
    ])
  })

  it('reports an empty response', async () => {
    const args = ['memory.memories.delete', '--path', 'id=m-1']
    expect(await call(...args)).toMatchObject({ out: '', err: 'Done: empty response (204).\n', code: 0 })
    expect(await call(...args, '--json')).toMatchObject({ out: 'null\n', err: '', code: 0 })
  })

  it('uses the named connection', async () => {
    await harness.core.connections.save({ name: 'second', addresses: {} })
    const callOn = (name: string) => call('memory.memories.get', '--path', 'id=m-1', '--connection', name)
    expect((await callOn('second')).err).toContain('memoryApiUrl')
    expect((await callOn('nobody')).err).toContain('Connection nobody not found')
  })

  it('names the message of the server and the request of a failure', async () => {
    const { err } = await call('memory.memories.get', '--path', 'id=gone')
    expect(err).toMatch(/^companion: .*has nothing there \(404\).*The server says: no such memory\n$/)
    expect((await call('console.account.get')).err).toMatch(/ \(request req-7\)\n$/)
  })

  it.each([
    ['an unknown operation', ['memory.memory.list'], /Did you mean .*memory\.memories\.list/],
    ['a name of the prototype', ['__proto__'], /Unknown operation "__proto__"\./],
    ['an empty name', [''], /Unknown operation ""\./],
    ['a parameter without a value', ['memory.memories.get', '--path', 'id'], /Use name=value/],
    ['a parameter without a name', ['memory.memories.get', '--path', '=x'], /Use name=value/],
    ['a duplicate parameter', ['memory.memories.get', '--path', 'id=1', '--path', 'id=2'], /given twice/],
    ['an unknown path parameter', ['memory.memories.get', '--path', 'name=x'], /It has: id\./],
    ['a missing query parameter', ['memory.records.list', '--path', 'id=x'], /needs the query parameter namespace/],
    ['a body that is not JSON', ['memory.memories.create', '--body', '{sk-canary'], /not JSON/],
    ['a body where none is sent', ['memory.memories.list', '--body', '{}'], /not sent with GET/],
    ['every page of what has none', ['memory.memories.get', '--path', 'id=x', '--all'], /does not return pages/],
    ['a page and every page', ['memory.memories.list', '--query', 'page=2', '--all'], /page cannot be combined/],
    ['to wait for what is done', ['memory.memories.list', '--wait'], /--wait is only for/],
  ])('refuses %s before anything is sent', async (_, args, pattern) => {
    const run = await call(...args)
    expect(run).toMatchObject({ out: '', code: 2, err: expect.stringMatching(pattern) })
    expect(run.err).not.toContain('sk-canary')
    expect(harness.server.received).toEqual([])
  })
})

describe('api call --all', () => {
  it('prints an empty list as an empty array, and as no line', async () => {
    await connect(harness)
    expect((await call('identity.agentIdentities.list', '--all')).out).toBe('[]\n')
    expect((await call('identity.agentIdentities.list', '--all', '--json')).out).toBe('')
  })

  it.each<[string, (page: number) => Routes[string], unknown[], string]>([
    [
      'a later page fails',
      (page) => (page < 2 ? serveCappedPage : json({ message: 'not now' }, 400)),
      rows.slice(0, 10),
      'not now',
    ],
    [
      'its pages repeat',
      (page) => json({ listData: [{ id: `m-${page % 2}` }], totalItem: 1e12 }),
      [{ id: 'm-1' }, { id: 'm-0' }],
      'then repeated its pages',
    ],
  ])('leaves the array open when %s, and says why', async (_, choosePage, printedRows, reason) => {
    const interruptedServer = await createHarness({
      'GET /memory/memories': (request, response) => {
        const page = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('page'))
        choosePage(page)(request, response)
      },
    })
    await connect(interruptedServer)
    const { out, err, code } = await interruptedServer.run('api call memory.memories.list --all')
    await interruptedServer.close()
    expect(() => JSON.parse(out)).toThrow()
    expect(JSON.parse(`${out}]`)).toEqual(printedRows)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(reason) })
  })
})

describe('api call gateway.chatCompletions', () => {
  const body = ['--body', '{"model":"m","messages":[]}']

  it('uses the key of the named plan and needs no connection', async () => {
    await addPlan('one')
    await addPlan('two')
    const run = await call('gateway.chatCompletions', '--plan', 'two', ...body)
    expect(JSON.parse(run.out)).toEqual({ choices: [{ message: { content: 'hello' } }] })
    expect(harness.server.received).toMatchObject([{ headers: { authorization: 'Bearer sk-two-0123456789' } }])
    expect(JSON.stringify(run)).not.toContain('0123456789')
  })

  it("uses the only plan at the connection's gateway, and asks which one when there are more", async () => {
    await harness.core.connections.save({ name: 'office', addresses: { tokenPlanUrl: harness.server.url } })
    const send = () => call('gateway.chatCompletions', ...body)
    expect(await send()).toMatchObject({ code: 2, err: expect.stringContaining('--plan') })
    await addPlan('one')
    expect(await send()).toMatchObject({ code: 0 })
    await addPlan('two')
    expect(await send()).toMatchObject({ code: 2, err: expect.stringContaining('one, two') })
    expect(harness.server.received).toHaveLength(1)
  })

  it('reports an unknown plan', async () => {
    const { code, err } = await call('gateway.chatCompletions', '--plan', 'nobody', ...body)
    expect([code, err]).toEqual([1, expect.stringContaining('Plan nobody not found')])
  })
})

interface Row {
  readonly id: string
  readonly query: readonly { readonly name: string; readonly required: boolean; readonly default?: unknown }[]
}

it('lists every operation with the parameters of the spec', async () => {
  const rows: Row[] = JSON.parse((await harness.run('--json api list')).out)
  const operationFacts = [...readFacts(), ...consoleOperations]
  expect(rows.map(({ id }) => id).sort()).toEqual(operationFacts.map(({ id }) => id).sort())
  for (const { id, method, path, pathParams, query, requiredQuery } of operationFacts) {
    const row = rows.find((operation) => operation.id === id)
    expect(row).toMatchObject({ method, path, pathParams, purpose: expect.stringMatching(/\S/) })
    expect(row?.query.map(({ name }) => name).sort(), id).toEqual([...query].sort())
    const requiredNames = row?.query.filter(({ required }) => required).map(({ name }) => name)
    expect(requiredNames, id).toEqual(requiredQuery)
  }
})

it('shows one operation per line, with required parameters marked', async () => {
  const lines = (await harness.run('api list --service registry')).out.trimEnd().split('\n')
  expect(lines).toHaveLength(11)
  expect(lines[0]).toMatch(/^ID +VERB +PATH +PATH PARAMETERS +QUERY +PURPOSE$/)
  expect(lines.find((line) => line.startsWith('registry.images.list'))).toMatch(
    /^registry\.images\.list +GET +\/v1\/repository\/\{repoId\}\/images +repoId +name \(required, may be empty\), page, size +list images$/,
  )
  expect(lines.find((line) => line.startsWith('registry.images.delete'))).toContain('imageName (required)')
})
