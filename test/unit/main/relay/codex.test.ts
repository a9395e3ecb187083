import { expect, test } from 'vitest'
import { toProjectId } from '../../../../src/main/usage/project'
import { buildTable, respondWithJson, startGateway, startHarness, startRelayTo, upstream } from './support'

test('Codex gets the models of all its plans in its own format, without a gateway request', async () => {
  const gateway = await startGateway((_, response) => respondWithJson(response, { data: [{ id: 'of-gateway' }] }))
  const plans = [
    ['aurora', 'gw/large'],
    ['aurora', 'small'],
  ].map((models) => upstream(gateway.url, { models }))
  const { send, entries } = await startHarness(buildTable(plans))
  const { status, body } = await send('/t/x/v1/models?client_version=0.169.0')
  const { models } = JSON.parse(body)
  expect([status, models.map(({ slug }: { slug: string }) => slug)]).toEqual([200, ['aurora', 'gw/large', 'small']])
  // Codex 0.169 rejects a model list with any of these fields missing.
  for (const model of models) {
    expect(model).toMatchObject({
      display_name: model.slug,
      supported_reasoning_levels: [],
      shell_type: 'default',
      visibility: 'list',
      supported_in_api: true,
      base_instructions: expect.stringMatching(/coding agent/),
      experimental_supported_tools: [],
      supports_reasoning_summaries: false,
      support_verbosity: false,
      supports_parallel_tool_calls: true,
      truncation_policy: { mode: 'bytes', limit: 10_000 },
    })
  }
  expect(JSON.parse((await send('/t/x/v1/models')).body)).toEqual({ data: [{ id: 'of-gateway' }] })
  expect(entries).toEqual([])
})

test('the project of a Codex turn is in the ledger, and other metadata is ignored', async () => {
  const { send, entries } = await startRelayTo((_, response) => respondWithJson(response, {}))
  const root = '/home/an/Dự án'
  const turn = JSON.stringify({ turn_id: '1', workspaces: { [root]: { has_changes: true } } })
  const escaped = turn.replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const sent = [escaped, '{"workspaces":[]}', '{"workspaces":', undefined]
  for (const metadata of sent) {
    const headers = metadata === undefined ? {} : { 'x-codex-turn-metadata': metadata }
    await send('/t/x/v1/chat/completions', '{"model":"aurora","messages":[]}', headers)
  }
  expect(entries.map(({ projectId }) => projectId)).toEqual([toProjectId(root), undefined, undefined, undefined])
})

test('a used-up quota reaches Codex as an error that it explains, in the gateway’s words', async () => {
  const error = { message: 'The allowance of “aurora” là 0.', code: 'quota_exhausted' }
  const { send, entries } = await startRelayTo((_, response) => respondWithJson(response, { error }, 429))
  const { status, body, headers } = await send('/t/x/v1/responses', '{"model":"aurora","input":"Hi","stream":true}')
  expect(headers['x-codex-promo-message']).toBe('The allowance of ?aurora? la 0')
  expect([status, JSON.parse(body).error]).toEqual([
    429,
    { message: error.message, type: 'usage_limit_reached', param: null, code: 'quota_exhausted' },
  ])
  expect(entries).toMatchObject([{ status: 429, error: 'quota', modelCode: 'aurora' }])
})
