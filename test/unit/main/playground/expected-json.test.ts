import type { ApiStandard, PlaygroundParameters, PlaygroundTarget } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { expectFailure } from '../../support/failures'
import { serve } from '../gateway/answering-server'
import { chatReply, createPlaygroundHarness, startLocalModel } from './play-desk'

const schema = '{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}'

/** Starts a local model with a fixed answer. */
async function harness(reply: { readonly body: unknown }, standard?: ApiStandard) {
  const { play, target, requests } = await startLocalModel(() => reply, { standard })
  const ask = (parameters: PlaygroundParameters) => play.ask(target, 'How old?', { parameters })
  return { play, target, ask, requests, sent: () => requests().at(-1) }
}

describe('the answer to a schema', () => {
  it.each([
    ['{"age":3}', { isValid: true }],
    ['<think>Three.</think>{"age":3}', { isValid: true }],
    ['{"age":"3"}', { isValid: false, violation: '/age must be integer' }],
    ['{}', { isValid: false, violation: "/ must have required property 'age'" }],
    ['Three', { isValid: false }],
  ])('%s is checked', async (text, json) => {
    const { ask, sent } = await harness(chatReply(text))
    expect((await ask({ schema })).run.json).toEqual(json)
    expect(sent().response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema: JSON.parse(schema) },
    })
  })

  it('comes from a forced tool in the Messages standard, and is its text', async () => {
    const content = [{ type: 'tool_use', id: 't', name: 'answer', input: { age: 3 } }]
    const { ask, sent } = await harness({ body: { content, stop_reason: 'tool_use' } }, 'messages')
    const { answer, run } = await ask({ schema, tools: '[{"name":"look","input_schema":{}}]' })
    expect([answer, run.json]).toEqual([{ text: '{"age":3}' }, { isValid: true }])
    expect(sent().tool_choice).toEqual({ type: 'tool', name: 'answer' })
    expect(sent().tools.map(({ name }: { name: string }) => name)).toEqual(['look', 'answer'])
  })

  it('is checked in comparisons', async () => {
    const { play, target } = await harness(chatReply('{"age":"x"}'))
    const column = { id: 'c', name: 'One', target, system: '', parameters: { schema } }
    const setup = { title: 'C', prompt: 'How old?', columns: [column], variables: [], cases: [] }
    await play.store.saveComparison('cmp', setup)
    const { cells } = await play.playground.comparisons.run({ id: 'cmp', cells: [{ columnId: 'c' }] })
    const { run } = await play.over(cells[0]?.run.id ?? '')
    expect(run.json).toEqual({ isValid: false, violation: '/age must be integer' })
  })

  it.each([
    ['{"type":', 'schema is not JSON'],
    ['[]', 'schema must be a JSON object'],
    ['{"type":"nothing"}', 'The schema cannot be used'],
    ['{"$ref":"https://example.com/other.json"}', 'The schema cannot be used'],
  ])('is not asked for when %s is no schema', async (text, message) => {
    const { ask, requests } = await harness(chatReply('{}'))
    await expectFailure(ask({ schema: text }), 'input.invalid', {
      field: 'schema',
      message: expect.stringContaining(message),
    })
    expect(requests()).toEqual([])
  })

  it('accepts schemas that name another draft', async () => {
    const { ask } = await harness(chatReply('3'))
    const schemaText = JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'integer' })
    expect((await ask({ schema: schemaText })).run.json).toEqual({ isValid: true })
  })
})

it.each([
  ['{"a":1}', { isValid: true }],
  ['{"a":1', { isValid: false }],
])('JSON mode marks %s', async (text, json) => {
  const { ask } = await harness(chatReply(text))
  expect((await ask({ jsonMode: true })).run.json).toEqual(json)
})

describe('reasoning', () => {
  it('shows its tokens', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 20, completion_tokens_details: { reasoning_tokens: 15 } }
    const { ask } = await harness(chatReply('3', usage))
    expect((await ask({})).run).toMatchObject({ outputTokens: 20, reasoningTokens: 15 })
  })

  it.each([
    ['chat-completions', { reasoning_effort: 'high' }],
    ['messages', { output_config: { effort: 'high' } }],
  ] as const)('gets its effort in %s', async (standard, members) => {
    const { ask, sent } = await harness(chatReply('3'), standard)
    await ask({ effort: 'high' })
    expect(sent()).toMatchObject(members)
  })
})

it('estimates the tokens of an answer that was stopped', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"delta":{"content":"one two three"}}]}\n\n')
  })
  const { playground, over, noted } = createPlaygroundHarness()
  const { runs } = playground.ground
  const target: PlaygroundTarget = { kind: 'local', url: server.url, standard: 'chat-completions', modelCode: 'm' }
  const message = { text: 'Count to ten', attachments: [] }
  const { runId } = await playground.chats.send({ message, setup: { target, system: '', parameters: {} } })
  await expect.poll(() => runs.live(runId)?.answer.text).toBe('one two three')
  await runs.stop([runId])
  const { run } = await over(runId)
  expect(run).toMatchObject({ state: 'stopped', outputTokens: 3, isEstimated: true })
  expect(run.inputTokens).toBeGreaterThan(2)
  expect(noted.at(-1)).toMatchObject({ outputTokens: 3, isEstimated: true })
})
