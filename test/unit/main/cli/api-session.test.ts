import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { type CliHarness, connect, createHarness, json } from './desk'

const order: string[] = []
let harness: CliHarness

beforeEach(async () => {
  order.length = 0
  let reads = 0
  harness = await createHarness({
    'GET /memory/memories/slow': (request, response) => {
      setTimeout(() => {
        order.push('slow')
        json({ id: 'slow' })(request, response)
      }, 80)
    },
    'GET /memory/memories/quick': (request, response) => {
      order.push('quick')
      json({ id: 'quick', n: ++reads })(request, response)
    },
    'POST /memory/memories': (request, response) => {
      order.push('create')
      json({ id: 'new' }, 201)(request, response)
    },
    'DELETE /memory/memories/quick': (_, response) => void response.writeHead(204).end(),
    'GET /memory/memories/gone': json({ message: 'no such memory' }, 404),
  })
  await connect(harness)
})
afterEach(() => harness.close())

const toLine = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const memory = (id: string) => ({ id: 'memory.memories.get', path: { id } })
const listLine = (query: object): string => JSON.stringify({ id: 'memory.memories.list', query })
const create = { id: 'memory.memories.create', body: { name: 'x' } }

async function serve(lines: readonly unknown[], ...args: readonly string[]) {
  const run = await harness.run(['api', 'call', '-', ...args], `${lines.map(toLine).join('\n')}\n`)
  const answers = run.out.split('\n').filter((line) => line !== '')
  return { ...run, answers: answers.map((line): unknown => JSON.parse(line)) }
}

describe('api call -', () => {
  it('answers in the order of the lines although reads overlap', async () => {
    const { answers, code, err } = await serve([memory('slow'), memory('quick'), memory('gone')])
    expect(answers).toMatchObject([
      { id: 'memory.memories.get', ok: true, status: 200, data: { id: 'slow' } },
      { ok: true, data: { id: 'quick' } },
      { id: 'memory.memories.get', ok: false, status: 404, failure: { code: 'api.notFound' } },
    ])
    expect(order).toEqual(['quick', 'slow'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  const statuses = [400, 401, 403, 404, 409, 418, 429, 500, 503]
  it.each(statuses)('returns the status %i of a refusal, whatever the server says', async (status) => {
    const refusal = json({ message: 'see (999) and (200)' }, status)
    await harness.close()
    harness = await createHarness({ 'POST /memory/memories': refusal, 'POST /v1/chat/completions': refusal })
    await connect(harness)
    const input = { name: 'team', gatewayUrl: harness.server.url, models: [] }
    await harness.core.plans.add(input, new Secret('sk-team-0123456789'))
    const { answers } = await serve([create, { id: 'gateway.chatCompletions', body: {} }], '--plan', 'team')
    expect(answers).toMatchObject([{ status }, { status }])
  })

  it('runs a changing call in order', async () => {
    await serve([memory('slow'), create, memory('quick')])
    expect(order).toEqual(['slow', 'create', 'quick'])
  })

  it('answers an empty answer with null', async () => {
    expect((await serve([{ id: 'memory.memories.delete', path: { id: 'quick' } }])).answers).toEqual([
      { id: 'memory.memories.delete', ok: true, status: 204, data: null },
    ])
  })

  it.each([
    ['not JSON', '{"id": "memory', null, 'not JSON'],
    ['no object', '[1]', null, 'The line is invalid'],
    ['no id', '{"path": {}}', null, 'id is invalid'],
    ['an id that is a number', '{"id": 7}', null, 'id is invalid'],
    ['an unknown key', '{"id":"memory.memories.list","all":true}', 'memory.memories.list', 'all is unknown'],
    ['an unknown operation', '{"id":"memory.list"}', 'memory.list', 'Did you mean'],
    ['an unknown parameter', listLine({ sise: 1 }), 'memory.memories.list', 'It has: page, size'],
    ['a wrong kind of value', listLine({ size: [1] }), 'memory.memories.list', 'query.size is invalid'],
    ['a missing address', '{"id":"runtime.flavors.list"}', 'runtime.flavors.list', 'runtimeApiUrl'],
    ['no plan for the gateway', '{"id":"gateway.chatCompletions","body":{}}', 'gateway.chatCompletions', '--plan'],
  ])('answers a line with %s and continues', async (_, line, id, text) => {
    const { answers, code } = await serve([line, memory('quick')])
    expect(answers).toEqual([
      { id, ok: false, failure: expect.objectContaining({ message: expect.stringContaining(text) }) },
      expect.objectContaining({ ok: true }),
    ])
    expect(code).toBe(0)
  })

  it('ignores blank lines, and reads a last line without a line end', async () => {
    const line = toLine(memory('quick'))
    const { out } = await harness.run('api call -', `\n \r\n${line}\r\n\n${line}`)
    expect(out.trimEnd().split('\n')).toHaveLength(2)
    expect((await harness.run('api call -', '')).out).toBe('')
  })

  const lineOptions = ['--path id=x', '--query size=1', '--body {}', '--all', '--wait']
  it.each(lineOptions)('refuses %s, which belongs in a line', async (args) => {
    const run = await serve([memory('quick')], ...args.split(' '))
    expect(run).toMatchObject({ code: 2, out: '', err: expect.stringContaining('"-"') })
    expect(harness.server.received).toEqual([])
  })

  it('ends immediately for an unknown connection or plan', async () => {
    expect(await serve([memory('quick')], '--connection', 'nobody')).toMatchObject({ code: 1, out: '' })
    expect(await serve([memory('quick')], '--plan', 'nobody')).toMatchObject({ code: 1, out: '' })
  })
})
