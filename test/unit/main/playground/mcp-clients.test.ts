import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ConsentQuestion } from '../../../../src/main/core/consent/consent'
import { isProcessAlive } from '../../../../src/main/core/sqlite/process-lock'
import { PlaygroundMcpClients } from '../../../../src/main/playground/mcp-clients'
import type { McpLaunch } from '../../../../src/main/tools/mcp-launch'
import { directSend } from '../../../support/direct-send'
import { expectFailure } from '../../support/failures'
import { makeFolder } from '../../support/folders'
import { send, serve } from '../gateway/answering-server'

const script = resolve(import.meta.dirname, '../../../support/mcp-server.mjs')
const ref = { toolId: 'claude-code', name: 'weather' }
const { signal } = new AbortController()

function createHarness(changes: Partial<McpLaunch> = {}) {
  const pidFile = join(makeFolder(), 'pid')
  const launch = {
    kind: 'stdio',
    name: 'weather',
    runs: 'node weather',
    values: ['UNIT'],
    allowedTools: undefined,
    blockedTools: ['drop'],
    command: process.execPath,
    args: [script, pidFile],
    env: { UNIT: '°F' },
    cwd: undefined,
    ...changes,
  } as McpLaunch
  const questions: ConsentQuestion[] = []
  const state = { launch, isAgreed: true }
  const clients = new PlaygroundMcpClients({ getLaunch: async () => state.launch, send: directSend, version: '0' })
  onTestFinished(() => clients.end())
  const confirm = async (question: ConsentQuestion): Promise<boolean> => {
    questions.push(question)
    return state.isAgreed
  }
  return { clients, questions, state, pidFile, options: { confirm, signal }, confirm }
}

const weather = (city: string) => ({ server: ref, tool: 'get_weather', input: JSON.stringify({ city }) })

describe('MCP servers of a chat', () => {
  it('start after consent, and each call needs consent', async () => {
    const { clients, questions, options, pidFile } = createHarness()
    const offers = await clients.listTools(ref, options)
    expect(offers.map(({ name }) => name)).toEqual(['get_weather', 'wait'])
    expect(offers.map(({ description }) => description)).toEqual(['Weather of a city', 'Never answers'])
    expect(JSON.parse(offers[0]?.schema ?? '')).toMatchObject({ properties: { city: { type: 'string' } } })
    expect(await clients.call(weather('Hà Nội'), options)).toEqual({ isError: false, text: '31 °F in Hà Nội' })
    expect(await clients.call(weather('Nowhere'), options)).toEqual({ isError: true, text: 'No such city.' })
    expect(questions).toMatchObject([
      { kind: 'startMcp', server: 'weather', runs: 'node weather', values: ['UNIT'], isProgram: true },
      { kind: 'callMcp', tool: 'get_weather', input: '{"city":"Hà Nội"}' },
      { kind: 'callMcp', input: '{"city":"Nowhere"}' },
    ])
    const pid = Number(readFileSync(pidFile, 'utf8'))
    expect(isProcessAlive(pid)).toBe(true)
    await clients.end()
    await vi.waitFor(() => expect(isProcessAlive(pid)).toBe(false))
  })

  it('are not started or called without consent', async () => {
    const { clients, state, options, pidFile } = createHarness()
    state.isAgreed = false
    await expectFailure(clients.listTools(ref, options), 'input.declined')
    await expectFailure(clients.call(weather('Huế'), options), 'input.declined')
    expect(existsSync(pidFile)).toBe(false)
  })

  it('ask again when their command has changed', async () => {
    const { clients, questions, state, options, pidFile } = createHarness()
    await clients.listTools(ref, options)
    const firstPid = readFileSync(pidFile, 'utf8')
    await clients.listTools(ref, options)
    expect(questions).toHaveLength(1)
    state.launch = { ...state.launch, runs: 'node other', env: { UNIT: 'K' } } as McpLaunch
    await clients.listTools(ref, options)
    expect(questions).toHaveLength(2)
    expect(readFileSync(pidFile, 'utf8')).not.toBe(firstPid)
  })

  it('run no tool that is blocked in the settings, and none with invalid arguments', async () => {
    const { clients, questions, options } = createHarness()
    await expectFailure(clients.call({ server: ref, tool: 'drop', input: '{}' }, options), 'input.invalid')
    await expectFailure(clients.call({ ...weather(''), input: '[]' }, options), 'input.invalid')
    expect(questions).toEqual([])
  })

  it('report a program that fails, and end with a canceled call', async () => {
    const broken = createHarness({ args: ['-e', 'process.exit(3)'] })
    await expectFailure(broken.clients.listTools(ref, broken.options), 'playground.mcpServer')
    const { clients, confirm, options, pidFile } = createHarness()
    await clients.listTools(ref, options)
    const canceling = new AbortController()
    const call = clients.call({ server: ref, tool: 'wait', input: '' }, { confirm, signal: canceling.signal })
    setTimeout(() => canceling.abort(), 50)
    await expectFailure(call, 'playground.mcpServer')
    await vi.waitFor(() => expect(isProcessAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false))
  })

  it('are reached over HTTP with their headers', async () => {
    const server = await serve((request, response) => {
      const { id, method, params } = JSON.parse(server.received.at(-1)?.body || '{}')
      if (request.method !== 'POST') return response.writeHead(405).end()
      if (id === undefined) return response.writeHead(202).end()
      const { protocolVersion } = params
      const serverInfo = { name: 'w', version: '1' }
      const result =
        method === 'initialize'
          ? { protocolVersion, capabilities: { tools: {} }, serverInfo }
          : { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] }
      return send(200, { jsonrpc: '2.0', id, result })(request, response)
    })
    const headers = { authorization: 'Bearer token' }
    const { clients, questions, options } = createHarness({ kind: 'http', url: `${server.url}/mcp`, headers })
    expect((await clients.listTools(ref, options)).map(({ name }) => name)).toEqual(['ping'])
    expect(new Set(server.received.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer token']))
    expect(questions).toMatchObject([{ kind: 'startMcp', isProgram: false }])
  })
})
