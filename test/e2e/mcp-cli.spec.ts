import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { test as base, type CliHarness, expect, teamPlan } from '../support/cli-desk'
import { runCompanion } from '../support/companion'
import { getRounds } from '../support/depth'
import { startClient, toEnvironment } from '../support/mcp-client'
import { killRelays, startRelay } from '../support/relay-command'

const test = base.extend<{ client: Client }>({
  client: async ({ harness }, use) => {
    const client = await startClient(harness.machine, '--tool', 'claude-code')
    await use(client)
    await client.close()
  },
})

test.afterEach(killRelays)

/** Calls a tool that must succeed and returns its structured output, which must not contain a key. */
async function call(client: Client, harness: CliHarness, name: string, toolArguments: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: toolArguments })
  expect(result.isError, JSON.stringify(result)).toBeFalsy()
  expect(JSON.stringify(result)).not.toContain(harness.key)
  return Object(result.structuredContent)
}

test('a coding tool reads plans, models, quota and usage, and calls a model once that is allowed', async ({
  harness,
  client,
}) => {
  const { tools } = await client.listTools()
  expect(tools).toHaveLength(9)
  expect(await call(client, harness, 'plans')).toMatchObject({ plans: [{ name: teamPlan, status: 'active' }] })
  const { models } = await call(client, harness, 'models')
  expect(models.map(({ model }: { model: string }) => model)).toEqual(['aurora-large', 'aurora-small'])

  const toolCall = { name: 'ask_model', arguments: { model: 'aurora-small', prompt: 'Count to 9' } }
  const refusedCall = await client.callTool(toolCall)
  expect(JSON.stringify(refusedCall)).toContain('companion mcp allow claude-code ask_model')
  expect(await harness.sandbox.completionLines()).toEqual([])
  await harness.succeed('mcp', 'allow', 'claude-code', 'ask_model')
  const text = '1, 2, 3, 4, 5, 6, 7, 8, 9'
  await harness.sandbox.control('/timing', { paceMs: 60 })
  const progressMessages: string[] = []
  const callResult = await client.callTool(toolCall, {
    onprogress: ({ message = '' }) => progressMessages.push(message),
  })
  expect(callResult.structuredContent).toMatchObject({ text, plan: teamPlan, model: 'aurora-small' })
  // The last chunk may arrive together with the final response, when the client no longer reads progress.
  expect(progressMessages.length).toBeGreaterThan(1)
  expect(text.startsWith(progressMessages.join(''))).toBe(true)
  expect(await harness.sandbox.completionLines()).toEqual(['POST /v1/chat/completions 200'])

  await expect
    .poll(async () => (await call(client, harness, 'usage')).rows)
    .toMatchObject([{ id: 'aurora-small', requests: 1 }])
  expect(await call(client, harness, 'quota')).toMatchObject({
    models: [{ model: 'aurora-large' }, { model: 'aurora-small', requests: { used: 1 } }],
  })
  await harness.succeed('mcp', 'refuse', 'claude-code', 'ask_model')
  expect((await client.callTool(toolCall)).isError).toBe(true)
})

test('a hundred concurrent calls, a failure with its remedy, and the diagnosis of the calling tool', async ({
  harness,
  client,
}) => {
  const allResults = await Promise.all(Array.from({ length: 100 }, () => call(client, harness, 'models')))
  expect(allResults.filter(({ models }) => models.length === 2)).toHaveLength(100)
  const offlineResult = await client.callTool({ name: 'memory_search', arguments: { query: 'tea' } })
  expect(JSON.stringify(offlineResult)).toMatch(/No connection is active.*connection\.notFound/)
  await harness.succeed('configure', 'claude-code', '--plan', teamPlan)
  const diagnose = () =>
    Promise.all(Array.from({ length: getRounds(32, 128) }, () => call(client, harness, 'diagnose')))
  // The two free requests of the key check are refused by the gateway.
  const listCompletions = async () => (await harness.sandbox.completionLines()).filter((line) => line.endsWith(' 200'))
  for (const result of await diagnose()) expect(result).toMatchObject({ tool: 'Claude Code' })
  expect(await listCompletions()).toEqual([])
  await harness.succeed('mcp', 'allow', 'claude-code', 'ask_model')
  await diagnose()
  await harness.succeed('mcp', 'refuse', 'claude-code', 'ask_model')
  await diagnose()
  expect(await listCompletions()).toHaveLength(1)
  // The ledger books them to the app itself.
  const countCompletions = async () => {
    const rows = JSON.parse(await harness.succeed('usage', '--source', 'app', '--by', 'plan', '--json'))
    return rows.map(({ requests, errors }: { requests: number; errors: number }) => requests - errors)
  }
  await expect.poll(countCompletions).toEqual([1])
  const { resources } = await client.listResources()
  expect(resources.map(({ name }) => name)).toEqual(['plans', 'quota', teamPlan])
})

test('the server is added to a tool, which can start it as written, and removed byte for byte', async ({ harness }) => {
  const path = join(harness.machine.home, '.claude.json')
  const settingsBefore = '{ "numStartups": 3, "mcpServers": { "other": { "command": "npx" } } }\n'
  writeFileSync(path, settingsBefore)
  expect(await harness.succeed('mcp', 'add', 'claude-code', '--dry-run')).toContain('+ ')
  expect(readFileSync(path, 'utf8')).toBe(settingsBefore)
  await harness.succeed('mcp', 'add', 'claude-code')
  const { command, args } = JSON.parse(readFileSync(path, 'utf8')).mcpServers.companion
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(new StdioClientTransport({ command, args, env: toEnvironment(harness.machine) }))
  expect((await client.listTools()).tools).toHaveLength(9)
  await client.close()
  expect(await harness.succeed('mcp', 'list')).toMatch(/^claude-code +added +other /m)
  await harness.succeed('statusline', 'add')
  const { statusLine } = JSON.parse(readFileSync(join(harness.machine.home, '.claude/settings.json'), 'utf8'))
  expect(statusLine.command).toMatch(/companion statusline --tool claude-code$/)
  await harness.succeed('statusline', 'remove')
  await harness.succeed('mcp', 'remove', 'claude-code')
  expect(readFileSync(path, 'utf8')).toBe(settingsBefore)
  const settings = join(harness.machine.home, '.claude/settings.json')
  expect(existsSync(settings)).toBe(false)

  expect(await harness.succeed('mcp', 'add', 'cursor', '--http')).toContain('note: The relay is not running')
  const cursorPath = join(harness.machine.home, '.cursor/mcp.json')
  const { url, headers } = JSON.parse(readFileSync(cursorPath, 'utf8')).mcpServers.companion
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/cursor$/)
  const relay = await startRelay(harness.machine, '--port', '0')
  const httpTransport = new StreamableHTTPClientTransport(new URL(`${relay.address}/mcp/cursor`), {
    requestInit: { headers },
  })
  const httpClient = new Client({ name: 'test', version: '0' })
  await httpClient.connect(httpTransport)
  expect((await httpClient.listTools()).tools).toHaveLength(9)
  expect(await call(httpClient, harness, 'plans')).toMatchObject({ plans: [{ name: teamPlan }] })
  const callLog = join(harness.machine.dataDir, 'logs/mcp-calls.jsonl')
  expect(readFileSync(callLog, 'utf8')).not.toContain('"arguments"')
  const settingsFile = join(harness.machine.dataDir, 'settings.json')
  const { mcp, ...rest } = JSON.parse(readFileSync(settingsFile, 'utf8'))
  writeFileSync(settingsFile, JSON.stringify({ ...rest, mcp: { ...mcp, recordsArguments: true } }))
  await call(httpClient, harness, 'quota', { plan: teamPlan })
  expect(readFileSync(callLog, 'utf8')).toContain(JSON.stringify(JSON.stringify({ plan: teamPlan })))
  const toolCall = { name: 'ask_model', arguments: { model: 'aurora-small', prompt: 'Hi' } }
  expect(JSON.stringify(await httpClient.callTool(toolCall))).toContain('companion mcp allow cursor ask_model')
  expect((await fetch(`${relay.address}/mcp/cursor`, { method: 'POST' })).status).toBe(401)
  await httpClient.close()
  expect(await relay.stop()).toMatchObject({ code: 0 })
  await harness.succeed('mcp', 'remove', 'cursor')
  expect(existsSync(cursorPath)).toBe(false)

  await harness.succeed('configure', 'claude-code', '--plan', teamPlan)
  await harness.succeed('mcp', 'add', 'claude-code')
  await harness.succeed('statusline', 'add')
  expect(await harness.succeed('restore', '--all', '--yes')).toContain('Undid 1 configuration, and 2 MCP settings.')
  expect([readFileSync(path, 'utf8'), existsSync(settings)]).toEqual([settingsBefore, false])
})

test('a copied server gets its values from the keychain, and only the original file contains them', async ({
  harness: { machine, succeed },
}) => {
  const canary = 'canary-of-a-value-0123456789'
  const wiki = { command: process.execPath, args: ['-p', 'process.env.TOKEN ?? ""'], env: { TOKEN: canary } }
  const [cursorFile, droidFile] = ['.cursor/mcp.json', '.factory/mcp.json'].map((name) => join(machine.home, name))
  mkdirSync(dirname(cursorFile ?? ''))
  writeFileSync(cursorFile ?? '', JSON.stringify({ mcpServers: { wiki } }))
  await succeed('mcp', 'copy', 'wiki', '--from', 'cursor', '--to', 'droid', '--keychain')
  const { command, args, env } = JSON.parse(readFileSync(droidFile ?? '', 'utf8')).mcpServers.wiki
  expect(env).toBeUndefined()
  const files = [machine.home, machine.dataDir].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  expect([...new Set(files)].filter((file) => readFileSync(file, 'latin1').includes(canary))).toEqual([cursorFile])
  const startMcpServer = () => promisify(execFile)(command, args, { env: machine.env })
  expect((await startMcpServer()).stdout).toBe(`${canary}\n`)
  const droidConfigText = readFileSync(droidFile ?? '', 'utf8')
  await succeed('mcp', 'drop', 'wiki', 'droid')
  expect(existsSync(droidFile ?? '')).toBe(false)
  const [{ id }] = JSON.parse(await succeed('mcp', 'history', '--json'))
  await succeed('mcp', 'undo', id)
  expect(readFileSync(droidFile ?? '', 'utf8')).toBe(droidConfigText)
  expect((await startMcpServer()).stdout).toBe(`${canary}\n`)
  await succeed('restore', '--all', '--yes')
  await expect(startMcpServer()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('TOKEN is not in the keychain'),
  })
})

test('a tool runs its status line as written, and the shell repeats a cached line until something changes', async ({
  harness: { machine, succeed },
}) => {
  await succeed('configure', 'claude-code', '--plan', teamPlan)
  await succeed('statusline', 'add', '--template', "{model}'s {plan} · {route}")
  const { statusLine } = JSON.parse(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8'))
  const show = (id: string): string => {
    const input = JSON.stringify({ cwd: machine.home, model: { id, display_name: id }, version: '2' })
    return execFileSync('/bin/sh', ['-c', statusLine.command], { env: machine.env, input, encoding: 'utf8' })
  }
  const line = "aurora-large's · direct\n"
  expect([show('aurora-large'), show('aurora-small')]).toEqual([line, line.replace('large', 'small')])
  // From here on the launcher fails, so the status line must come from its cache.
  const launcher = join(machine.dataDir, 'bin/companion')
  writeFileSync(launcher, readFileSync(launcher, 'utf8').replace(/exec .*/, 'exec false'))
  expect([show('aurora-large'), show('aurora-small')]).toEqual([line, line.replace('large', 'small')])
  expect(() => show('aurora-huge')).toThrow()
  await succeed('usage', '--line')
  expect(show('aurora-large')).toBe(`aurora-large's ${teamPlan} · direct\n`)
  const futureTimeS = Date.now() / 1000 + 60
  utimesSync(join(machine.dataDir, 'tools/claude-code.json'), futureTimeS, futureTimeS)
  expect(() => show('aurora-large')).toThrow()
})

test('a memory is written once that is allowed, searched and listed', async ({ harness, client }) => {
  const { machine, sandbox } = harness
  const { addresses, iam } = sandbox.ready
  const { tokenUrl, clientId, clientSecret } = iam
  const file = join(machine.home, 'connection.json')
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId }
  writeFileSync(file, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
  const addedConnection = await runCompanion(machine, ['connection', 'add', '--file', file, '--secret-stdin'], {
    input: clientSecret.expose(),
  })
  expect(addedConnection).toMatchObject({ code: 0 })
  const strategy = { name: 'facts', type: 'SEMANTIC' }
  const body = JSON.stringify({ name: 'mcp-notes', longTermMemoryStrategies: [strategy] })
  await harness.succeed('api', 'call', 'memory.memories.create', '--body', body)

  const texts = { memory: 'mcp-notes', actor: 'an', session: 's1', text: 'I like green tea in the morning.' }
  const refusedCall = await client.callTool({ name: 'memory_remember', arguments: texts })
  expect(JSON.stringify(refusedCall)).toContain('companion mcp allow claude-code memory_remember')
  await harness.succeed('mcp', 'allow', 'claude-code', 'memory_remember')
  expect(await call(client, harness, 'memory_remember', texts)).toMatchObject({ event: { content: texts.text } })

  const { resources } = await client.listResources()
  const uri = resources.find(({ name }) => name === 'mcp-notes')?.uri ?? ''
  const path = ['--path', `id=${uri.split('/').at(-1)}`, '--path', 'actorId=an', '--path', 'sessionId=s1']
  // The rejected call must not have added an event.
  const events = JSON.parse(
    await harness.succeed('api', 'call', 'memory.events.list', ...path, '--query', 'page=1', '--query', 'size=20'),
  )
  expect(events.listData).toMatchObject([{ content: texts.text }])
  const { contents } = await client.readResource({ uri })
  expect(JSON.stringify(contents)).toContain('mcp-notes')
  const listResult = await client.callTool({ name: 'memory_records', arguments: { memory: 'mcp-notes' } })
  expect(listResult.structuredContent).toMatchObject({ memory: 'mcp-notes', records: [] })
  const searchResult = await client.callTool({
    name: 'memory_search',
    arguments: { memory: 'mcp-notes', query: 'tea' },
  })
  expect(searchResult.structuredContent).toMatchObject({ memory: 'mcp-notes' })
  const wrongMemoryResult = await client.callTool({
    name: 'memory_search',
    arguments: { memory: 'none', query: 'tea' },
  })
  expect(JSON.stringify(wrongMemoryResult)).toMatch(/There is no memory none\. There are: .*mcp-notes/)
})
