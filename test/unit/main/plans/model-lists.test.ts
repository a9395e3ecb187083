import type { ModelFacts } from '@shared/contract/plans'
import { expect, test } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { listModels } from '../../../../src/main/gateway/probe'
import { listPlatformModels, readPlanModels } from '../../../../src/main/plans/model-lists'
import { directSend } from '../../../support/direct-send'
import { startAnsweringServer } from '../gateway/answering-server'

const key = new Secret('sk-model-lists-0123456789')

async function serveList(data: readonly object[]) {
  const server = await startAnsweringServer((_request, response) => void response.end(JSON.stringify({ data })))
  return { ...server, [Symbol.asyncDispose]: server.close }
}

const createConnections = (rows: readonly object[]) => ({
  client: async () => ({
    async *pages() {
      yield { status: 200, data: rows, page: 0, items: rows }
    },
  }),
})

test.each<[string, object, Partial<ModelFacts>]>([
  ['vLLM', { id: 'm', max_model_len: 32_768 }, { contextTokens: 32_768 }],
  ['OpenRouter', { id: 'm', context_length: 200_000 }, { contextTokens: 200_000 }],
  ['LiteLLM', { id: 'm', model_info: { max_input_tokens: 64_000 } }, { contextTokens: 64_000 }],
  ['llama.cpp', { id: 'm', meta: { n_ctx_train: 131_072 } }, { contextTokens: 131_072 }],
  ['LM Studio', { id: 'm', max_context_length: 8192, type: 'llm' }, { contextTokens: 8192 }],
  ['a list with limits', { id: 'm', limit: { context: 64_000, output: 8000 } }, { contextTokens: 64_000 }],
  ['Mistral', { id: 'm', capabilities: { vision: true, audio: false } }, { capabilities: ['vision'] }],
  ['a list with texts', { id: 'm', context_window: '128K' }, { contextTokens: 128_000 }],
  ['a list with impossible sizes', { id: 'm', context_length: 1e12, max_model_len: -1 }, {}],
  ['a list with odd types', { id: 'm', context_length: { a: 1 }, capabilities: [1, '', 'x'.repeat(99)] }, {}],
  ['OpenAI', { id: 'm', object: 'model', owned_by: 'x' }, {}],
])('reads the facts of a model from the list of %s', async (_name, entry, facts) => {
  await using server = await serveList([entry])
  expect(await listModels({ url: server.url, key }, directSend)).toMatchObject({
    facts: [{ modelCode: 'm', ...facts }],
  })
  expect((await listModels({ url: server.url }, directSend)).kind).toBe('listed')
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key.expose()}`, undefined])
})

test('reads the facts of a platform', async () => {
  const rows = [{ uuid: 'u', name: 'Vega', modelCode: 'vega', contextTokens: 256_000, enabledTypes: ['chat'] }, 7, {}]
  expect(await listPlatformModels('c', createConnections(rows as object[]))).toEqual([
    { modelCode: 'vega', contextTokens: 256_000, capabilities: ['chat'] },
  ])
})

test('asks the gateway only for what the platform does not know', async () => {
  await using server = await serveList([
    { id: 'a', max_model_len: 9000 },
    { id: 'b', max_model_len: 32_000 },
    { id: 'other', max_model_len: 1000 },
  ])
  const read = (rows: readonly object[]) =>
    readPlanModels(
      { origin: { connectionId: 'c', planId: 'p' }, gatewayUrl: server.url, models: ['a', 'b'] },
      async () => key,
      { connections: createConnections(rows), listModels: (question) => listModels(question, directSend) },
    )
  const platformModel = { modelCode: 'a', contextTokens: 64_000 }
  expect(await read([platformModel])).toEqual([platformModel, { modelCode: 'b', contextTokens: 32_000 }])
  expect(await read([platformModel, { modelCode: 'b', contextTokens: 8192 }])).toHaveLength(2)
  expect(server.received).toHaveLength(1)
})

test('knows nothing without lists, and never fails', async () => {
  const plan = { origin: { connectionId: 'c', planId: 'p' }, gatewayUrl: 'http://127.0.0.1:9', models: [] }
  const fail = () => Promise.reject(new Error('gone'))
  const deps = { connections: { client: fail }, listModels: async () => ({ kind: 'unknown' }) as const }
  expect(await readPlanModels(plan, fail, deps)).toEqual([])
  expect(await readPlanModels(plan, async () => key, deps)).toEqual([])
})
