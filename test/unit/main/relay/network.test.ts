import { createServer } from 'node:https'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { listen } from '../gateway/answering-server'
import { makeAuthority } from '../net/test-authority'
import { startProxy } from '../net/test-proxy'
import { answerJson, ask1, chatAnswer, chatPath, startBench, tableOf, upstream } from './support'

const authority = makeAuthority(['DNS:gateway.test', 'IP:127.0.0.1'])
afterAll(() => authority.remove())

async function startSecure(): Promise<number> {
  const server = createServer(authority.identity, (_, response) => answerJson(response, chatAnswer))
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  return listen(server)
}

test('a gateway behind the system’s proxy is reached through it, with the certificates that are trusted', async () => {
  const proxy = await startProxy({ targetPort: await startSecure() })
  onTestFinished(() => proxy.close())
  const network = { kind: 'proxy', url: proxy.url.replace('//', '//user:word@') } as const
  const table = tableOf([upstream('https://gateway.test', { network })])
  const { send } = await startBench(table, { caFiles: [authority.pemFile] })
  expect((await send(chatPath, ask1)).status).toBe(200)
  expect(proxy.asked).toEqual([
    { line: 'CONNECT gateway.test:443', authorization: `Basic ${Buffer.from('user:word').toString('base64')}` },
  ])
})

test('a gateway whose certificate nobody vouches for gets nothing, and the tool is told why', async () => {
  const { send, entries } = await startBench(tableOf([upstream(`https://127.0.0.1:${await startSecure()}`)]))
  const answer = await send(chatPath, ask1)
  expect([answer.status, answer.body]).toEqual([502, expect.stringContaining('does not trust the certificate')])
  expect(entries).toMatchObject([{ error: 'network', status: undefined }])
})

test('a proxy that does not let the request through is said', async () => {
  const proxy = await startProxy({ targetPort: 1, refuseWith: 407 })
  onTestFinished(() => proxy.close())
  const network = { kind: 'proxy', url: proxy.url } as const
  const { send } = await startBench(tableOf([upstream('https://gateway.test', { network })]))
  const answer = await send(chatPath, ask1)
  expect([answer.status, answer.body]).toEqual([502, expect.stringContaining('proxy')])
})
