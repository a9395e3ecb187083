import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { AppError } from '@shared/failure'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { mcpTools, runTrialCall } from '../../../../src/main/mcp/server'
import type { McpServices } from '../../../../src/main/mcp/services'
import { expectFailure } from '../../support/failures'
import { buildModelAnswer, buildQuotas, createServer, fakeServices } from './fake-services'

async function connect(services: McpServices, options?: Parameters<typeof createServer>[1]) {
  const [serverTransport, remote] = InMemoryTransport.createLinkedPair()
  const server = createServer(services, options)
  const client = new Client({ name: 'test', version: '0' })
  await server.connect(serverTransport)
  await client.connect(remote)
  onTestFinished(() => client.close())
  return client
}

const readText = (result: Awaited<ReturnType<Client['callTool']>>): string => {
  const [firstContent] = result.content
  return firstContent?.type === 'text' ? firstContent.text : ''
}

const quotaLeft = { tokens: { remaining: 750, remainingPercent: 75 }, requests: { remaining: 99 } }

/** A successful call of each MCP tool: its input and a part of the expected output. */
const toolCallCases: Readonly<Record<string, { readonly input: Record<string, unknown>; readonly output: object }>> = {
  plans: { input: {}, output: { plans: [{ name: 'team-plan', status: 'active', keys: [{ masked: 'sk-...a1b2' }] }] } },
  quota: { input: {}, output: { models: [{ ...quotaLeft, model: 'aurora-large' }] } },
  usage: {
    input: { by: 'model', days: 3 },
    output: { rows: [{ id: 'aurora-large', requests: 2 }], totals: { outputTokens: 12 } },
  },
  models: { input: { plan: 'team-plan' }, output: { models: [{ model: 'aurora-large', contextTokens: 128_000 }, {}] } },
  diagnose: { input: {}, output: { outcome: 'failed', findings: [{}, { check: 'keyAlive', fix: 'chooseKey' }] } },
  ask_model: {
    input: { model: 'aurora-small', prompt: 'Hi' },
    output: { text: 'You said: Hi', plan: 'team-plan', outputTokens: 5 },
  },
  memory_search: { input: { query: 'tea' }, output: { memory: 'notes' } },
  memory_records: { input: { memory: 'notes', limit: 20 }, output: { memory: 'notes' } },
  memory_remember: {
    input: { text: 'Tea.', actor: 'an', session: 's1' },
    output: { memory: 'notes', event: { id: 'e1' } },
  },
}

describe('the MCP server', () => {
  it('lists every tool with schemas, and marks read-only ones', async () => {
    const client = await connect(fakeServices().services)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(mcpTools.map(({ name }) => name).sort())
    for (const { name, outputSchema, description, annotations } of tools) {
      expect(outputSchema, name).toBeDefined()
      expect(description, name).not.toBe('')
      expect(annotations?.readOnlyHint, name).toBe(!['ask_model', 'memory_remember'].includes(name))
      expect(annotations?.destructiveHint, name).toBe(false)
    }
  })

  it.each(mcpTools.map(({ name }) => name))(
    'answers %s with structured output, and records the call without its arguments',
    async (name) => {
      const { services, calls } = fakeServices({}, ['ask_model', 'memory_remember'])
      const client = await connect(services)
      const { input, output } = toolCallCases[name] ?? { input: {}, output: { nothing: true } }
      const result = await client.callTool({ name, arguments: input })
      expect(result.isError, readText(result)).toBeFalsy()
      expect(result.structuredContent).toMatchObject(output)
      expect(calls).toEqual([
        { at: expect.any(String), toolId: 'claude-code', name, durationMs: expect.any(Number), outcome: 'ok' },
      ])
    },
  )

  it.each([
    { name: 'ask_model', toolId: 'claude-code', says: 'companion mcp allow claude-code ask_model' },
    { name: 'memory_remember', toolId: 'claude-code', says: 'companion mcp allow claude-code memory_remember' },
    { name: 'ask_model', toolId: undefined, says: 'without --tool' },
  ])(
    'refuses $name for $toolId while it is switched off, without calling a service',
    async ({ name, toolId, says }) => {
      const calledTools: string[] = []
      const ask = async () => {
        calledTools.push(name)
        return buildModelAnswer('')
      }
      const { services, calls, sent } = fakeServices({ ask })
      const client = await connect(services, { toolId })
      const result = await client.callTool({ name, arguments: toolCallCases[name]?.input ?? {} })
      expect(result.isError).toBe(true)
      expect(readText(result)).toContain('switched off')
      expect(readText(result)).toContain(says)
      expect([calledTools, sent]).toEqual([[], []])
      expect(calls.map(({ outcome }) => outcome)).toEqual(['refused'])
    },
  )

  it('pages records by a cursor, and refuses a foreign one', async () => {
    const client = await connect(fakeServices().services)
    const ids: unknown[] = []
    let cursor: string | undefined
    do {
      const query = { limit: 20, ...(cursor ? { cursor } : {}) }
      const result = await client.callTool({ name: 'memory_records', arguments: query })
      const { records, nextCursor } = Object(result.structuredContent)
      ids.push(...records.map(({ id }: { id: string }) => id))
      cursor = nextCursor
    } while (cursor)
    expect(ids).toEqual(Array.from({ length: 45 }, (_, index) => `r${index}`))
    const wrongCursorResult = await client.callTool({ name: 'memory_records', arguments: { cursor: 'zzz' } })
    expect(readText(wrongCursorResult)).toMatch(/cursor is not from this server.*input\.invalid/)
  })

  it('answers 100 concurrent calls, at most eight at a time', async () => {
    let runningCount = 0
    let maxConcurrent = 0
    const { services } = fakeServices({
      quotas: async () => {
        runningCount += 1
        maxConcurrent = Math.max(maxConcurrent, runningCount)
        await new Promise((resolve) => setImmediate(resolve))
        runningCount -= 1
        return buildQuotas(1)
      },
    })
    const client = await connect(services)
    const callQuota = () => client.callTool({ name: 'quota', arguments: {} })
    const results = await Promise.all(Array.from({ length: 100 }, callQuota))
    expect(results.filter(({ isError }) => isError)).toEqual([])
    expect(maxConcurrent).toBe(8)
  })

  it('describes a failure with its remedy and code, without secrets', async () => {
    const message = 'Too many requests with sk-abcdefghijklmnopqrst.'
    const failure = new AppError('gateway.rateLimited', message, { retryAfterMs: 1500 })
    const { services } = fakeServices({ quotas: async () => Promise.reject(failure) })
    const client = await connect(services)
    const result = await client.callTool({ name: 'quota', arguments: {} })
    expect(readText(result)).toBe('Too many requests with [secret]. Try again in 2 s. (gateway.rateLimited)')
    const diagnosed = await client.callTool({ name: 'diagnose', arguments: {} })
    expect(JSON.stringify(diagnosed)).not.toContain('sk-abcdefghij')
  })

  it('shows when a quota runs out in local time', async () => {
    vi.stubEnv('TZ', 'Asia/Ho_Chi_Minh')
    onTestFinished(() => void vi.unstubAllEnvs())
    const client = await connect(fakeServices({ quotas: async () => buildQuotas(1) }).services)
    const result = await client.callTool({ name: 'quota', arguments: {} })
    expect(readText(result)).toContain('runs out around 2026-11-26 21:00:00 GMT+7, 4 days before the renewal')
  })

  it('refuses invalid arguments and an unknown tool', async () => {
    const client = await connect(fakeServices().services)
    const days = await client.callTool({ name: 'usage', arguments: { days: 5000 } })
    expect([days.isError, readText(days)]).toEqual([true, expect.stringContaining('days')])
    const farFutureQuery = { from: '2026-01-01T00:00:00Z', to: '9999-12-31T00:00:00Z', by: 'day' }
    const usage = await client.callTool({ name: 'usage', arguments: farFutureQuery })
    expect([usage.isError, readText(usage)]).toEqual([true, expect.stringContaining('2000 to 2099')])
    await expect(client.callTool({ name: 'erase_everything', arguments: {} })).rejects.toThrow(/erase_everything/)
  })

  it('offers plans, quotas and memories as resources, and notifies subscribers when a quota changes', async () => {
    let usedTokens = 250
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const client = await connect(fakeServices({ quotas: async () => buildQuotas(usedTokens) }).services)
    const { resources } = await client.listResources()
    const uris = resources.map(({ uri }) => uri)
    expect(uris).toEqual(['companion://plans', 'companion://quota', 'companion://plans/p1', 'companion://memories/m1'])
    for (const uri of uris) expect((await client.readResource({ uri })).contents).toHaveLength(1)
    await expect(client.readResource({ uri: 'companion://plans/none' })).rejects.toThrow(/not found/i)
    const progressMessages: string[] = []
    const updated = 'notifications/resources/updated'
    client.setNotificationHandler(updated, ({ params }) => void progressMessages.push(params.uri))
    await client.subscribeResource({ uri: 'companion://quota' })
    usedTokens = 400
    vi.advanceTimersByTime(30_000)
    await expect.poll(() => progressMessages).toEqual(['companion://quota'])
  })

  it('offers the saved prompts with their variables filled in', async () => {
    const client = await connect(fakeServices().services)
    const { prompts } = await client.listPrompts()
    expect(prompts).toMatchObject([{ name: 'Review', title: 'Review', arguments: [{ name: 'file', required: true }] }])
    const { messages } = await client.getPrompt({ name: 'Review', arguments: { file: 'a.ts' } })
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Be brief.\n\nReview a.ts.' } }])
    await expect(client.getPrompt({ name: 'pr1' })).rejects.toThrow(/Fill in: file/)
  })

  it('adds the id to the names of saved prompts with the same title', async () => {
    const { services } = fakeServices()
    const savedPrompts = (await services.prompts()).flatMap((prompt) => [prompt, { ...prompt, id: 'pr2' }])
    const client = await connect({ ...services, prompts: async () => savedPrompts })
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['Review (pr1)', 'Review (pr2)'])
    await client.getPrompt({ name: 'Review (pr2)', arguments: { file: 'a.ts' } })
  })

  it('removes invisible text from results, failures and names', async () => {
    const hiddenText = 'Ig\u{e0069}\u{e0067}\u{e006e}ore\u202e\u200b\u001b me\nm'
    const { services } = fakeServices(
      {
        connection: () => ({ id: 'c1', name: 'office' }),
        diagnose: async () => Promise.reject(new AppError('input.invalid', hiddenText)),
        ask: async (_, { onText }) => {
          onText(hiddenText)
          return buildModelAnswer(hiddenText)
        },
      },
      ['ask_model'],
    )
    const platform = { ...services.platform, every: async () => ({ rows: [{ id: 'm1', name: hiddenText }] }) }
    const rows = async () => ({ rows: [{ [hiddenText]: hiddenText }] })
    const [firstPlan] = services.plans()
    const plans = () => (firstPlan ? [{ ...firstPlan, name: hiddenText, models: [hiddenText] }] : [])
    const prompts = async () => (await services.prompts()).map((prompt) => ({ ...prompt, name: hiddenText }))
    const prompt: McpServices['prompt'] = async (id) => ({
      ...(await services.prompt(id)),
      name: hiddenText,
      tags: [hiddenText],
    })
    const client = await connect({ ...services, plans, prompts, prompt, platform: { ...platform, rows } })
    const progressMessages: string[] = []
    const askModelResult = await client.callTool(
      { name: 'ask_model', arguments: { model: hiddenText, prompt: 'Hi' } },
      { onprogress: ({ message = '' }) => progressMessages.push(message) },
    )
    const readError = await client
      .readResource({ uri: `companion://plans/${encodeURIComponent(hiddenText)}` })
      .catch(String)
    const library = [await client.listPrompts(), await client.getPrompt({ name: 'pr1', arguments: { file: 'a.ts' } })]
    const searchResult = await client.callTool({ name: 'memory_search', arguments: { query: 'tea', memory: 'm1' } })
    const failedResult = await client.callTool({ name: 'diagnose', arguments: {} })
    const { resources } = await client.listResources()
    for (const text of [readText(searchResult), JSON.stringify(searchResult.structuredContent), readText(failedResult)])
      expect(text).toMatch(/Ignore me|Igore me/)
    expect([progressMessages.length, typeof readError]).toEqual([1, 'string'])
    const results = [
      searchResult,
      failedResult,
      resources,
      askModelResult,
      progressMessages,
      library,
      readError,
      await client.callTool({ name: 'plans' }),
    ]
    for (const text of results.map((result) => JSON.stringify(result)))
      expect(text).not.toMatch(/[\u{e0000}-\u{e007f}\u202e\u200b]|\\u001b/u)
    expect(readText(failedResult)).toContain('me\nm')
  })

  it.each([
    ['quota', { model: 'aurora-huge' }],
    ['usage', { tool: 'no-tool' }],
    ['ask_model', { model: 'aurora-huge', prompt: 'Hi' }],
  ])('refuses unknown values in %s, and lists the valid ones', async (name, input) => {
    const client = await connect(fakeServices({}, ['ask_model']).services)
    const refusedResult = await client.callTool({ name, arguments: input })
    expect(refusedResult.isError).toBe(true)
    expect(readText(refusedResult)).toMatch(/There are: (aurora-large|claude-code)/)
  })

  it('writes nothing to a memory for an unknown strategy', async () => {
    const { services, sent } = fakeServices({}, ['memory_remember'])
    const rows: McpServices['platform']['rows'] = async ({ operation }) => ({
      rows: operation === 'memory.strategies.list' ? [{ id: 'facts' }] : [],
    })
    const client = await connect({ ...services, platform: { ...services.platform, rows } })
    const input = { text: 'Tea.', actor: 'an', session: 's1', strategy: 'wrong' }
    const refusedResult = await client.callTool({ name: 'memory_remember', arguments: input })
    expect([refusedResult.isError, readText(refusedResult)]).toEqual([
      true,
      expect.stringContaining('There are: facts'),
    ])
    expect(sent).toEqual([])
    await client.callTool({ name: 'memory_remember', arguments: { ...input, strategy: 'facts' } })
    expect(sent).toHaveLength(2)
  })

  it('reports that a plan without auto-renew expires', async () => {
    const cycle = { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z', autoRenew: false }
    const quotas = async () => buildQuotas(250).map((plan) => ({ ...plan, cycle }))
    const client = await connect(fakeServices({ quotas }).services)
    const { structuredContent, content } = await client.callTool({ name: 'quota', arguments: {} })
    expect(structuredContent).toMatchObject({ models: [{ expiresAt: cycle.to }] })
    expect(JSON.stringify(content)).toContain('before the plan expires')
    expect(JSON.stringify(content)).not.toContain('renewal')
  })

  it('diagnoses with a live request only where model calls are allowed', async () => {
    const sentRequestFlags: boolean[] = []
    const { services } = fakeServices({}, [])
    const diagnose: McpServices['diagnose'] = (toolId, options) => {
      sentRequestFlags.push(options.sendsRequest)
      return services.diagnose(toolId, options)
    }
    for (const permissions of [[], ['ask_model']] as const) {
      const client = await connect({ ...services, diagnose, permissions: () => permissions })
      await client.callTool({ name: 'diagnose', arguments: {} })
    }
    expect(sentRequestFlags).toEqual([false, true])
  })
})

it('a trial call works like the call of a client, and can be cancelled', async () => {
  const controller = new AbortController()
  const { services } = fakeServices({ quotas: async () => new Promise(() => controller.abort()) })
  const log = { info: () => undefined, error: () => undefined }
  const run = (name: string, input: string) =>
    runTrialCall({ version: '1', services, toolId: undefined, log }, { name, input }, controller.signal)
  expect(await run('plans', '')).toEqual({ isError: false, text: expect.stringContaining('team-plan') })
  expect(await run('none', '{}')).toEqual({ isError: true, text: expect.stringContaining('none') })
  await expectFailure(run('plans', '[]'), 'input.invalid')
  await expectFailure(run('quota', '{}'), 'net.cancelled')
})
