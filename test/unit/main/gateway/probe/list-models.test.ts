import { expect, it, test } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { listModels } from '../../../../../src/main/gateway/probe'
import { directSend } from '../../../../support/direct-send'
import { send, serve } from '../serve'

type ModelsQuestion = Parameters<typeof listModels>[0]

const KEY = 'plain/key+without=form123'

const requestModels = (url: string, overrides: Partial<ModelsQuestion> = {}) =>
  listModels({ url, key: new Secret(KEY), timeoutMs: 5_000, ...overrides }, directSend)

test.each([
  ['in the form of chat-completions', { object: 'list', data: [{ id: 'gw-large', object: 'model' }, { id: 'a/b:c' }] }],
  ['in the form of messages', { data: [{ id: 'gw-large', type: 'model' }, { id: 'a/b:c' }], has_more: false }],
])('the models of a key are listed %s', async (_case, body) => {
  const { url, received } = await serve(send(200, body))
  expect(await requestModels(url)).toMatchObject({ kind: 'listed', models: ['gw-large', 'a/b:c'] })
  expect(received).toMatchObject([
    {
      method: 'GET',
      path: '/v1/models',
      headers: { authorization: `Bearer ${KEY}`, 'user-agent': 'platform-companion' },
    },
  ])
})

test.each<[string, number, unknown]>([
  ['has no such list', 404, { error: { message: 'Not found' } }],
  ['takes no such request', 405, ''],
  ['does not let the key list', 403, { error: { message: 'Forbidden' } }],
  ['is asked too often', 429, ''],
  ['lists nothing', 200, { data: [] }],
  ['lists only a first part', 200, { data: [{ id: 'a' }], has_more: true }],
  ['answers with a page', 200, '<html></html>'],
  ['answers with something else', 200, { models: ['a'] }],
  ['redirects', 302, ''],
])('the models are unknown for a gateway that %s', async (_case, status, body) => {
  const { url } = await serve(send(status, body))
  expect(await requestModels(url)).toMatchObject({ kind: 'unknown' })
})

test.each([
  [401, 'gateway.keyRejected'],
  [402, 'gateway.planExpired'],
  [500, 'gateway.serverError'],
])('a refusal with %s is reported as %s, without the key', async (status, code) => {
  const { url } = await serve(send(status, { error: { message: `bad ${KEY}` } }))
  const list = await requestModels(url)
  expect(list).toMatchObject({ kind: 'refused', failure: { code } })
  expect(JSON.stringify(list)).not.toContain('without=form')
})

it('a gateway timeout is reported', async () => {
  const { url } = await serve(() => {})
  expect(await requestModels(url, { timeoutMs: 60 })).toMatchObject({
    kind: 'refused',
    failure: { code: 'net.timeout' },
  })
})

it('a cancelled call returns immediately', async () => {
  const controller = new AbortController()
  const { url } = await serve(() => controller.abort())
  expect(await requestModels(url, { signal: controller.signal })).toMatchObject({ kind: 'refused' })
})

it('a key is not sent unencrypted to another computer', async () => {
  expect(await requestModels('http://gateway.example.com')).toMatchObject({
    kind: 'refused',
    failure: { code: 'address.insecure' },
  })
})
