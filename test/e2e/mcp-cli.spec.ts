import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { test as base, type CliDesk, expect, teamPlan } from '../support/cli-desk'
import { companion } from '../support/companion'
import { startClient, toEnvironment } from '../support/mcp-client'
import { endRelays, startRelay } from '../support/relay-command'

const test = base.extend<{ client: Client }>({
  client: async ({ desk }, use) => {
    const client = await startClient(desk.machine, '--tool', 'claude-code')
    await use(client)
    await client.close()
  },
})

test.afterEach(endRelays)

/** Calls a tool that must succeed and returns its structured output, which must not contain a key. */
async function call(client: Client, desk: CliDesk, name: string, given: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: given })
  expect(result.isError, JSON.stringify(result)).toBeFalsy()
  expect(JSON.stringify(result)).not.toContain(desk.key)
  return Object(result.structuredContent)
}

test('a coding tool reads plans, models, quota and usage, and calls a model once that is allowed', async ({
  desk,
  client,
}) => {
  const { tools } = await client.listTools()
  expect(tools).toHaveLength(9)
  expect(await call(client, desk, 'plans')).toMatchObject({ plans: [{ name: teamPlan, status: 'active' }] })
  const { models } = await call(client, desk, 'models')
  expect(models.map(({ model }: { model: string }) => model)).toEqual(['aurora-large', 'aurora-small'])

  const question = { name: 'ask_model', arguments: { model: 'aurora-small', prompt: 'Count to 9' } }
  const refused = await client.callTool(question)
  expect(JSON.stringify(refused)).toContain('companion mcp allow claude-code ask_model')
  expect(await desk.sandbox.requestLines()).toEqual([])
  await desk.succeed('mcp', 'allow', 'claude-code', 'ask_model')
  const text = '1, 2, 3, 4, 5, 6, 7, 8, 9'
  await desk.sandbox.control('/timing', { paceMs: 60 })
  const pieces: string[] = []
  const answered = await client.callTool(question, { onprogress: ({ message = '' }) => pieces.push(message) })
  expect(answered.structuredContent).toMatchObject({ text, plan: teamPlan, model: 'aurora-small' })
  // The last chunk may arrive with the final answer, when the client no longer listens.
  expect(pieces.length).toBeGreaterThan(1)
  expect(text.startsWith(pieces.join(''))).toBe(true)
  expect(await desk.sandbox.requestLines()).toEqual(['POST /v1/chat/completions 200'])

  await expect
    .poll(async () => (await call(client, desk, 'usage')).rows)
    .toMatchObject([{ id: 'aurora-small', requests: 1 }])
  expect(await call(client, desk, 'quota')).toMatchObject({
    models: [{ model: 'aurora-large' }, { model: 'aurora-small', requests: { used: 1 } }],
  })
  await desk.succeed('mcp', 'refuse', 'claude-code', 'ask_model')
  expect((await client.callTool(question)).isError).toBe(true)
})

test('a hundred concurrent calls, a failure with its remedy, and the diagnosis of the calling tool', async ({
  desk,
  client,
}) => {
  const all = await Promise.all(Array.from({ length: 100 }, () => call(client, desk, 'models')))
  expect(all.filter(({ models }) => models.length === 2)).toHaveLength(100)
  const lost = await client.callTool({ name: 'memory_search', arguments: { query: 'tea' } })
  expect(JSON.stringify(lost)).toMatch(/No connection is active.*connection\.notFound/)
  await desk.succeed('configure', 'claude-code', '--plan', teamPlan)
  expect(await call(client, desk, 'diagnose')).toMatchObject({ tool: 'Claude Code' })
  const { resources } = await client.listResources()
  expect(resources.map(({ name }) => name)).toEqual(['plans', 'quota', teamPlan])
})

test('the server is added to a tool, which can start it as written, and removed byte for byte', async ({ desk }) => {
  const path = join(desk.machine.home, '.claude.json')
  const before = '{ "numStartups": 3, "mcpServers": { "other": { "command": "npx" } } }\n'
  writeFileSync(path, before)
  expect(await desk.succeed('mcp', 'add', 'claude-code', '--dry-run')).toContain('+ ')
  expect(readFileSync(path, 'utf8')).toBe(before)
  await desk.succeed('mcp', 'add', 'claude-code')
  const { command, args } = JSON.parse(readFileSync(path, 'utf8')).mcpServers.companion
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(new StdioClientTransport({ command, args, env: toEnvironment(desk.machine) }))
  expect((await client.listTools()).tools).toHaveLength(9)
  await client.close()
  expect(await desk.succeed('mcp', 'list')).toMatch(/^claude-code +added +other /m)
  await desk.succeed('statusline', 'add')
  const { statusLine } = JSON.parse(readFileSync(join(desk.machine.home, '.claude/settings.json'), 'utf8'))
  expect(statusLine.command).toMatch(/companion statusline --tool claude-code$/)
  await desk.succeed('statusline', 'remove')
  await desk.succeed('mcp', 'remove', 'claude-code')
  expect(readFileSync(path, 'utf8')).toBe(before)
  const settings = join(desk.machine.home, '.claude/settings.json')
  expect(existsSync(settings)).toBe(false)

  expect(await desk.succeed('mcp', 'add', 'cursor', '--http')).toContain('note: the relay is not running')
  const cursorPath = join(desk.machine.home, '.cursor/mcp.json')
  const { url, headers } = JSON.parse(readFileSync(cursorPath, 'utf8')).mcpServers.companion
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/cursor$/)
  const relay = await startRelay(desk.machine, '--port', '0')
  const over = new StreamableHTTPClientTransport(new URL(`${relay.address}/mcp/cursor`), { requestInit: { headers } })
  const remote = new Client({ name: 'test', version: '0' })
  await remote.connect(over)
  expect((await remote.listTools()).tools).toHaveLength(9)
  expect(await call(remote, desk, 'plans')).toMatchObject({ plans: [{ name: teamPlan }] })
  const callLog = join(desk.machine.dataDir, 'logs/mcp-calls.jsonl')
  expect(readFileSync(callLog, 'utf8')).not.toContain('"arguments"')
  const stored = join(desk.machine.dataDir, 'settings.json')
  const { mcp, ...rest } = JSON.parse(readFileSync(stored, 'utf8'))
  writeFileSync(stored, JSON.stringify({ ...rest, mcp: { ...mcp, recordsArguments: true } }))
  await call(remote, desk, 'quota', { plan: teamPlan })
  expect(readFileSync(callLog, 'utf8')).toContain(JSON.stringify(JSON.stringify({ plan: teamPlan })))
  const question = { name: 'ask_model', arguments: { model: 'aurora-small', prompt: 'Hi' } }
  expect(JSON.stringify(await remote.callTool(question))).toContain('companion mcp allow cursor ask_model')
  expect((await fetch(`${relay.address}/mcp/cursor`, { method: 'POST' })).status).toBe(401)
  await remote.close()
  expect(await relay.stop()).toMatchObject({ code: 0 })
  await desk.succeed('mcp', 'remove', 'cursor')
  expect(existsSync(cursorPath)).toBe(false)

  await desk.succeed('configure', 'claude-code', '--plan', teamPlan)
  await desk.succeed('mcp', 'add', 'claude-code')
  await desk.succeed('statusline', 'add')
  expect(await desk.succeed('restore', '--all', '--yes')).toContain('Undid 1 configuration, and 2 MCP settings.')
  expect([readFileSync(path, 'utf8'), existsSync(settings)]).toEqual([before, false])
})

test('a copied server gets its values from the keychain, and only the original file contains them', async ({
  desk: { machine, succeed },
}) => {
  const canary = 'canary-of-a-value-0123456789'
  const wiki = { command: process.execPath, args: ['-p', 'process.env.TOKEN ?? ""'], env: { TOKEN: canary } }
  const [from, to] = ['.cursor/mcp.json', '.factory/mcp.json'].map((name) => join(machine.home, name))
  mkdirSync(dirname(from ?? ''))
  writeFileSync(from ?? '', JSON.stringify({ mcpServers: { wiki } }))
  await succeed('mcp', 'copy', 'wiki', '--from', 'cursor', '--to', 'droid', '--keychain')
  const { command, args, env } = JSON.parse(readFileSync(to ?? '', 'utf8')).mcpServers.wiki
  expect(env).toBeUndefined()
  const files = [machine.home, machine.dataDir].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  expect([...new Set(files)].filter((file) => readFileSync(file, 'latin1').includes(canary))).toEqual([from])
  const start = () => promisify(execFile)(command, args, { env: machine.env })
  expect((await start()).stdout).toBe(`${canary}\n`)
  const copied = readFileSync(to ?? '', 'utf8')
  await succeed('mcp', 'drop', 'wiki', 'droid')
  expect(existsSync(to ?? '')).toBe(false)
  const [{ id }] = JSON.parse(await succeed('mcp', 'history', '--json'))
  await succeed('mcp', 'undo', id)
  expect(readFileSync(to ?? '', 'utf8')).toBe(copied)
  expect((await start()).stdout).toBe(`${canary}\n`)
  await succeed('restore', '--all', '--yes')
  await expect(start()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('TOKEN is not in the keychain'),
  })
})

test('a tool runs its status line as written, and the shell repeats a cached line until something changes', async ({
  desk: { machine, succeed },
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
  // The launcher's program no longer exists.
  const launcher = join(machine.dataDir, 'bin/companion')
  writeFileSync(launcher, readFileSync(launcher, 'utf8').replace(/exec .*/, 'exec false'))
  expect([show('aurora-large'), show('aurora-small')]).toEqual([line, line.replace('large', 'small')])
  expect(() => show('aurora-huge')).toThrow()
  await succeed('usage', '--line')
  expect(show('aurora-large')).toBe(`aurora-large's ${teamPlan} · direct\n`)
  const later = Date.now() / 1000 + 60
  utimesSync(join(machine.dataDir, 'tools/claude-code.json'), later, later)
  expect(() => show('aurora-large')).toThrow()
})

test('a memory is written once that is allowed, searched and listed', async ({ desk, client }) => {
  const { machine, sandbox } = desk
  const { addresses, iam } = sandbox.ready
  const { tokenUrl, clientId, clientSecret } = iam
  const file = join(machine.home, 'connection.json')
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId }
  writeFileSync(file, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
  const added = await companion(machine, ['connection', 'add', '--file', file, '--secret-stdin'], {
    input: clientSecret.expose(),
  })
  expect(added).toMatchObject({ code: 0 })
  const strategy = { name: 'facts', type: 'SEMANTIC' }
  const body = JSON.stringify({ name: 'mcp-notes', longTermMemoryStrategies: [strategy] })
  await desk.succeed('api', 'call', 'memory.memories.create', '--body', body)

  const texts = { memory: 'mcp-notes', actor: 'an', session: 's1', text: 'I like green tea in the morning.' }
  const refused = await client.callTool({ name: 'memory_remember', arguments: texts })
  expect(JSON.stringify(refused)).toContain('companion mcp allow claude-code memory_remember')
  await desk.succeed('mcp', 'allow', 'claude-code', 'memory_remember')
  expect(await call(client, desk, 'memory_remember', texts)).toMatchObject({ event: { content: texts.text } })

  const { resources } = await client.listResources()
  const uri = resources.find(({ name }) => name === 'mcp-notes')?.uri ?? ''
  const path = ['--path', `id=${uri.split('/').at(-1)}`, '--path', 'actorId=an', '--path', 'sessionId=s1']
  // The rejected call has written nothing.
  const events = JSON.parse(
    await desk.succeed('api', 'call', 'memory.events.list', ...path, '--query', 'page=1', '--query', 'size=20'),
  )
  expect(events.listData).toMatchObject([{ content: texts.text }])
  const { contents } = await client.readResource({ uri })
  expect(JSON.stringify(contents)).toContain('mcp-notes')
  const listed = await client.callTool({ name: 'memory_records', arguments: { memory: 'mcp-notes' } })
  expect(listed.structuredContent).toMatchObject({ memory: 'mcp-notes', records: [] })
  const found = await client.callTool({ name: 'memory_search', arguments: { memory: 'mcp-notes', query: 'tea' } })
  expect(found.structuredContent).toMatchObject({ memory: 'mcp-notes' })
  const wrong = await client.callTool({ name: 'memory_search', arguments: { memory: 'none', query: 'tea' } })
  expect(JSON.stringify(wrong)).toMatch(/There is no memory none\. There are: .*mcp-notes/)
})
