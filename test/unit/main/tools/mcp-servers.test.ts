import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { McpChange, McpPermission } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { createVault } from '../../../../src/main/core/vault/vault'
import { editors } from '../../../../src/main/tools/editors'
import { parseRunWords } from '../../../../src/main/tools/mcp-run-words'
import { McpServers } from '../../../../src/main/tools/mcp-servers'
import { writtenTarget, writtenTargets } from '../../../../src/main/tools/targets'
import { type McpTarget, mcpTarget, mcpTargets } from '../../../../src/main/tools/targets/mcp-servers'
import { isDeepRun } from '../../../support/depth'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { expectFailure } from '../../support/failures'
import { ToolHarness } from './support/workshop'

const launcher = '/opt/companion/companion'
const token = 'relay-0123456789abcdefghijklmnopqrstuvwxyz'

function startTools(options: ConstructorParameters<typeof ToolHarness>[0] = {}) {
  const harness = new ToolHarness(options)
  const noted: unknown[] = []
  const revoked: string[] = []
  const overHttp = new Set<string>()
  const relay = { port: 4862 }
  const keychain = new MemoryKeychain()
  const servers = new McpServers({
    machine: {
      place: harness.place,
      distributions: { list: async () => [], open: () => Promise.reject(new Error()) },
    },
    launcher: { path: launcher, ensure: () => undefined },
    audit: { note: async (entry) => void noted.push(entry) },
    permissions: (): McpPermission[] => [],
    vault: createVault({ keychain, install: 'Install one.', sessionAllowed: true }),
    revoke: (toolId) => void revoked.push(toolId),
    relay: {
      isOn: async () => true,
      mcpAccess: async (toolId) => ({ url: `http://127.0.0.1:${relay.port}/mcp/${toolId}`, token: new Secret(token) }),
      mcpUrl: (toolId) => `http://127.0.0.1:${relay.port}/mcp/${toolId}`,
      setMcpAccess: async (toolId, isOn) => void (isOn ? overHttp.add(toolId) : overHttp.delete(toolId)),
    },
  })
  const change = async (
    toolId: string,
    action: 'add' | 'remove',
    what: 'server' | 'statusLine' = 'server',
    isHttp = false,
  ) => {
    const { previewId, tools } = await servers.preview({ toolId, what, action, isHttp })
    await servers.carryOut(previewId)
    return { files: tools.flatMap(({ files }) => files) }
  }
  const changeServer = async (change: Omit<Extract<McpChange, { what: 'anyServer' }>, 'what'>) => {
    const preview = await servers.preview({ what: 'anyServer', ...change })
    if (preview.tools.length > 0) await servers.carryOut(preview.previewId)
    return preview
  }
  const rewindLastChange = async () => {
    const [entry] = await servers.history()
    const { previewId } = await servers.preview({ what: 'rewind', entryId: entry?.id ?? '' })
    await servers.carryOut(previewId)
  }
  const view = async (toolId: string) => (await servers.list()).find((toolView) => toolView.toolId === toolId)
  return {
    harness,
    servers,
    change,
    changeServer,
    rewindLastChange,
    view,
    noted,
    revoked,
    overHttp,
    keychain,
    relay,
  }
}

/** Returns a function that runs steps: `setup`, `server`, `line`, or a user's `edit`. A minus sign undoes a step. */
function startSteps(id: string) {
  const { harness, change } = startTools()
  const target = writtenTarget(id)
  const { format } = target.files.find((file) => file.id === 'settings') ?? target.files[0]
  const editor = editors[format]
  const path = harness.getFile(target)
  const text = (): string => harness.read(path)?.toString() ?? ''
  const settings = (): object => {
    const parsedSettings = editor.parse(text())
    return parsedSettings.ok ? parsedSettings.value : {}
  }
  const run = async (order: string): Promise<void> => {
    for (const step of order.split(' ')) {
      const isUndo = step.startsWith('-')
      if (step === 'edit') harness.writeFileAt(path, editor.edit(text(), [{ path: ['usersOwn'], value: true }]))
      else if (step.endsWith('setup')) await (isUndo ? harness.restore(target) : harness.apply(target))
      else await change(id, isUndo ? 'remove' : 'add', step.endsWith('line') ? 'statusLine' : 'server')
    }
  }
  return { harness, settings, run }
}

const toPath = ({ path }: McpTarget, { place }: ToolHarness): string => path(place.environment) ?? ''

const readFileText = (target: McpTarget, harness: ToolHarness): string =>
  harness.read(toPath(target, harness))?.toString() ?? ''

const writeClaudeServers = (harness: ToolHarness, servers: object): void =>
  harness.writeFileAt(join(harness.home, '.claude.json'), JSON.stringify({ mcpServers: servers }))

/** A tool's file in which the user has servers and comments. */
function buildConfigText({ format, servers: [section = ''], isList }: McpTarget, end = '\n'): string {
  const lines: Readonly<Record<string, readonly string[]>> = {
    json: [
      '{',
      '\t"theme":   "dark",',
      `\t"${section}": { "other": { "command": "npx", "args": ["-y", "other"] } }`,
      '}',
    ],
    jsonc: [
      '{',
      '  // Mine.',
      '  "theme": "dark",',
      `  "${section}": {`,
      '    /* theirs */',
      '    "other": { "command": "npx", "args": ["-y"] },',
      '  },',
      '}',
    ],
    yaml: isList
      ? ['# Mine.', 'theme: dark', `${section}:`, '  - name: other # theirs', '    command: npx']
      : ['# Mine.', 'theme: dark', `${section}:`, '  other: # theirs', '    cmd: npx', '    type: stdio'],
    toml: ['# Mine.', 'theme = "dark"', '', `[${section}.other] # theirs`, 'command = "npx"'],
  }
  return (lines[format] ?? []).join(end) + end
}

const otherTargets = mcpTargets.filter(({ toolId }) => toolId !== 'claude-code')

/** Whether a tool is in the sample of quick runs, which has one tool for each format of the file. */
const isInSample = ({ format, isList, toolId }: McpTarget): boolean =>
  isDeepRun || otherTargets.find((other) => other.format === format && other.isList === isList)?.toolId === toolId

describe.each(mcpTargets)('the server in $toolId', (target) => {
  const { toolId } = target

  it('is added to a missing file, and removing it removes the file', async () => {
    const { harness, change, view, noted, revoked } = startTools()
    const treeBefore = harness.tree()
    expect(await view(toolId)).toMatchObject({ server: 'absent', exists: false, servers: [] })
    await change(toolId, 'add')
    const text = readFileText(target, harness)
    for (const argument of [launcher, 'mcp', '--tool', toolId]) expect(text).toContain(argument)
    expect(await view(toolId)).toMatchObject({
      server: 'added',
      servers: [{ name: 'companion', kind: 'program', isOurs: true }],
    })
    expect(noted).toEqual([{ what: 'toolWritten', subject: `${target.name} (MCP)` }])
    expect(revoked).toEqual([])
    await change(toolId, 'remove')
    expect(harness.tree()).toEqual(treeBefore)
    expect(revoked).toEqual([toolId])
  })

  it.each(isInSample(target) ? ['\n', '\r\n'] : ['\n'])(
    'is added once next to others, and restored (%j)',
    async (end) => {
      const { harness, change, view } = startTools()
      harness.writeFileAt(toPath(target, harness), buildConfigText(target, end))
      const treeBefore = harness.tree()
      await change(toolId, 'add')
      const treeAfterAdd = harness.tree()
      const repeatedChange = await change(toolId, 'add')
      expect(repeatedChange.files.map(({ action }) => action)).toEqual(['none'])
      expect(harness.tree()).toEqual(treeAfterAdd)
      const text = readFileText(target, harness)
      expect(text.match(/other/g)?.length).toBe(buildConfigText(target).match(/other/g)?.length)
      if (end === '\r\n') expect(text.replaceAll('\r\n', '')).not.toContain('\n')
      expect((await view(toolId))?.servers.map(({ name, isOurs }) => [name, isOurs])).toEqual([
        ['other', false],
        ['companion', true],
      ])
      await change(toolId, 'remove')
      expect(harness.tree()).toEqual(treeBefore)
    },
  )

  it('is shown as modified or missing after a change by the user; added again it is ours, and undo restores the user’s version', async () => {
    const { harness, change, view } = startTools()
    const path = toPath(target, harness)
    harness.writeFileAt(path, buildConfigText(target))
    await change(toolId, 'add')
    const text = readFileText(target, harness).replace(launcher, '/elsewhere/companion').replace('dark', 'light')
    harness.writeFileAt(path, text)
    expect((await view(toolId))?.server).toMatch(/^(modified|absent)$/)
    await change(toolId, 'add')
    expect(await view(toolId)).toMatchObject({ server: 'added' })
    await change(toolId, 'remove')
    expect(harness.read(path)?.toString()).toContain('light')
    // In a list of servers, only the name identifies the app's entry, so the user's changed version is removed too.
    // Other formats restore it.
    const remote = target.isList ? [] : [['companion', false]]
    const remainingServers = (await view(toolId))?.servers.map(({ name, isOurs }) => [name, isOurs])
    expect(remainingServers).toEqual([['other', false], ...remote])
  })
})

const httpTargets = mcpTargets.filter(({ form }) => form.typeByKind.http !== undefined)

it.each(httpTargets)('the server over HTTP in $toolId keeps its token in one file, and is undone', async (target) => {
  const { toolId } = target
  const { harness, change, view, overHttp } = startTools()
  harness.writeFileAt(toPath(target, harness), buildConfigText(target))
  const treeBefore = harness.tree()
  const preview = await change(toolId, 'add', 'server', true)
  expect(JSON.stringify(preview)).not.toContain(token)
  const text = readFileText(target, harness)
  expect(text).toContain(token)
  expect(text).toContain(`http://127.0.0.1:4862/mcp/${toolId}`)
  expect([...overHttp]).toEqual([toolId])
  expect(await view(toolId)).toMatchObject({ server: 'added', servers: [{}, { name: 'companion', isOurs: true }] })
  const repeatedChange = await change(toolId, 'add', 'server', true)
  expect(repeatedChange.files.map(({ action }) => action)).toEqual(['none'])
  await change(toolId, 'add')
  expect([harness.read(toPath(target, harness))?.includes(token), [...overHttp]]).toEqual([false, []])
  expect(allFiles(join(harness.place.dataDir)).filter((file) => file.includes(token))).toEqual([])
  await change(toolId, 'remove')
  expect(harness.tree()).toEqual(treeBefore)
})

/** The contents of every file below a folder. */
function allFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
}

describe('our MCP server in tools’ settings', () => {
  it('changes no unreadable file and reports the line', async () => {
    const { harness, servers, view } = startTools()
    harness.writeFileAt(join(harness.home, '.cursor/mcp.json'), '{\n  "mcpServers": {,\n}\n')
    const treeBefore = harness.tree()
    await expectFailure(servers.preview({ toolId: 'cursor', what: 'server', action: 'add' }), {
      code: 'file.unparsable',
      line: 2,
    })
    expect(harness.tree()).toEqual(treeBefore)
    expect(await view('cursor')).toMatchObject({ server: 'unreadable', problem: { line: 2 }, servers: [] })
  })

  it('shows of other servers neither arguments nor variables, and only the host of an address', async () => {
    const { harness, view } = startTools()
    const servers = {
      one: { command: '/usr/bin/tool', args: ['--token', 'sk-abcdefghijklmnop'], env: { TOKEN: 'secret-in-env' } },
      two: { url: 'https://example.com/secret-path?key=1', headers: { Authorization: 'Bearer secret-in-header' } },
    }
    harness.writeFileAt(join(harness.home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: servers }))
    const serverView = await view('cursor')
    const remote = { isOurs: false, isOn: true, canSwitch: false }
    expect(serverView?.servers).toEqual([
      { name: 'one', kind: 'program', runs: 'tool', ...remote, values: ['TOKEN', '--token'], areValuesKept: false },
      {
        name: 'two',
        kind: 'http',
        runs: 'example.com',
        ...remote,
        values: ['Authorization', 'url'],
        areValuesKept: false,
      },
    ])
  })

  const changeOrders = [
    'setup server -server -setup',
    'setup server -setup -server',
    'server setup -server -setup',
    'server setup -setup -server',
  ]
  const files = [
    { id: 'opencode', path: '.config/opencode/opencode.json', text: '{\n  "theme": "dark"\n}\n' },
    { id: 'codex', path: '.codex/config.toml', text: '[tui]\nnotifications = true\n' },
    { id: 'goose', path: '.config/goose/config.yaml', text: 'theme: dark\n' },
    { id: 'qwen-code', path: '.qwen/settings.json', text: '{\n  "theme": "dark"\n}\n' },
  ]
  it.each(files.flatMap((file) => changeOrders.map((order) => ({ ...file, order }))))(
    'is undone separately in the file of $id that is also set up: $order',
    async ({ id, path, text, order }) => {
      const { harness, run } = startSteps(id)
      harness.writeFileAt(join(harness.home, path), text)
      const treeBefore = harness.tree()
      await run(order)
      expect(harness.tree()).toEqual(treeBefore)
    },
  )

  /** Tools whose settings file also has the servers. */
  const sharedFileTools = mcpTargets.flatMap(({ toolId, path }) =>
    writtenTargets.some(({ id, files: toolFiles }) => id === toolId && toolFiles.some((file) => file.path === path))
      ? [toolId]
      : [],
  )
  const lineOrders = ['setup line -setup -line', 'line setup -line -setup', 'line setup -setup -line']
  const createdServers = [
    // Quick runs try two of the four orders for each tool, all of them for tools that alternate.
    ...sharedFileTools.flatMap((id, tool) =>
      changeOrders.filter((_, index) => isDeepRun || index % 2 === tool % 2).map((order) => ({ id, order })),
    ),
    ...['claude-code', 'qwen-code', 'droid'].flatMap((id) => lineOrders.map((order) => ({ id, order }))),
    { id: 'qwen-code', order: 'setup server line -setup -line -server' },
    { id: 'qwen-code', order: 'line setup server setup -line -server -setup' },
    { id: 'kilo', order: 'setup server setup -setup setup -server -setup' },
  ]
  it.each(createdServers)('leaves neither file nor folder of $id that did not exist: $order', async ({ id, order }) => {
    const { harness, run } = startSteps(id)
    await run(order)
    expect(harness.tree()).toEqual({ '/': '' })
  })

  const editCases = sharedFileTools.flatMap((id) => [
    { id, order: 'setup edit server -setup -server' },
    { id, order: 'server setup edit -server -setup' },
  ])
  it.each(editCases)('leaves only what the user added to a new file of $id: $order', async ({ id, order }) => {
    const { run, settings } = startSteps(id)
    await run(order)
    const metadataKeys = ['$schema', '$version', 'name', 'version', 'schema', 'permission']
    const remainingSettings = Object.entries(settings()).filter(([name]) => !metadataKeys.includes(name))
    expect(remainingSettings).toEqual([['usersOwn', true]])
  })

  it('starts through the shell on Windows, which is required for command files', async () => {
    const { harness, servers } = startTools({ platform: 'win32' })
    const treeBefore = harness.tree()
    const preview = await servers.preview({ toolId: 'qwen-code', what: 'server', action: 'add' })
    const addedTools = preview.tools
      .flatMap(({ files }) => files)
      .flatMap(({ lines }) => lines.flatMap((line) => (line.kind === 'added' ? [line.text] : [])))
    expect(addedTools.join('\n')).toMatch(/"command": "cmd"[\s\S]*"\/c"/)
    expect(harness.tree()).toEqual(treeBefore)
  })
})

/** Settings of the status line of each tool. */
const statusLines: Readonly<Record<string, { file: string; path: readonly string[]; isStrict?: boolean }>> = {
  'claude-code': { file: '.claude/settings.json', path: ['statusLine'], isStrict: true },
  'qwen-code': { file: '.qwen/settings.json', path: ['ui', 'statusLine'] },
  'copilot-cli': { file: '.copilot/settings.json', path: ['statusLine'] },
  droid: { file: '.factory/settings.json', path: ['statusLine'] },
}

it('the list covers every tool with a status line', async () => {
  const tools = await startTools().servers.list()
  expect(tools.flatMap(({ toolId, statusLine }) => (statusLine ? [toolId] : []))).toEqual(Object.keys(statusLines))
})

describe.each(Object.entries(statusLines))('the status line of %s', (toolId, { file, path, isStrict = false }) => {
  const getConfigPath = (harness: ToolHarness): string => join(harness.home, file)
  const nestLine = (line: string): string => path.reduceRight((inner, name) => `{ "${name}": ${inner} }`, line)
  const readConfig = (harness: ToolHarness) => harness.read(getConfigPath(harness))?.toString() ?? '{}'
  const readStatusLine = (harness: ToolHarness): unknown => {
    const settings: unknown = JSON.parse(readConfig(harness).replaceAll(/^\/\/.*$/gm, ''))
    return path.reduce((node, name) => Object(node)[name], settings)
  }
  const command = `${launcher} statusline --tool ${toolId}`

  it('runs our command, keeps an existing one in front, and is undone byte for byte', async () => {
    const { harness, change, view } = startTools()
    const text = nestLine(`{ "type": "command", "command": "~/bin/line 'a b'", "padding": 0 }`)
    const lines = [...(isStrict ? [] : ['// Mine.']), '{ "model": "opus",', text.slice(1), '']
    harness.writeFileAt(getConfigPath(harness), lines.join('\r\n'))
    const treeBefore = harness.tree()
    await change(toolId, 'add', 'statusLine')
    const treeAfterAdd = harness.tree()
    const chainedCommand = `${command} --chain '~/bin/line '\\''a b'\\'''`
    expect(readStatusLine(harness)).toEqual({ type: 'command', padding: 0, command: chainedCommand })
    expect(readConfig(harness).replaceAll('\r\n', '')).not.toContain('\n')
    expect(await view(toolId)).toMatchObject({ statusLine: 'added', server: 'absent' })
    await change(toolId, 'add', 'statusLine')
    expect(harness.tree()).toEqual(treeAfterAdd)
    await change(toolId, 'remove', 'statusLine')
    expect(harness.tree()).toEqual(treeBefore)
  })

  it('shows what a template contains, replaces it, and is undone byte for byte', async () => {
    const { harness, servers, change } = startTools()
    const treeBefore = harness.tree()
    for (const template of ["{model} it's", '{tokens}']) {
      const statusLineAddition = { toolId, what: 'statusLine', action: 'add', template } as const
      await servers.carryOut((await servers.preview(statusLineAddition)).previewId)
    }
    expect(readStatusLine(harness)).toEqual({ type: 'command', command: `${command} --template '{tokens}'` })
    const [{ changes } = { changes: [] }] = await servers.history()
    expect(changes).toEqual([{ toolId, toolName: expect.any(String), kind: 'write' }])
    await change(toolId, 'remove', 'statusLine')
    expect(harness.tree()).toEqual(treeBefore)
  })

  it('is shown as modified after a change by the user', async () => {
    const { harness, change, view } = startTools()
    await change(toolId, 'add', 'statusLine')
    harness.writeFileAt(getConfigPath(harness), nestLine('{ "type": "command", "command": "mine" }'))
    expect(await view(toolId)).toMatchObject({ statusLine: 'modified' })
  })
})

it('a status line that Qwen Code builds from its own items is restored after ours', async () => {
  const { harness, change } = startTools()
  const path = join(harness.home, '.qwen/settings.json')
  harness.writeFileAt(path, '{ "ui": { "statusLine": { "type": "preset", "items": ["model"] } } }\n')
  const treeBefore = harness.tree()
  await change('qwen-code', 'add', 'statusLine')
  const { statusLine } = JSON.parse(harness.read(path)?.toString() ?? '{}').ui
  expect(statusLine).toEqual({ type: 'command', items: ['model'], command: `${launcher} statusline --tool qwen-code` })
  await change('qwen-code', 'remove', 'statusLine')
  expect(harness.tree()).toEqual(treeBefore)
})

it('a tool without a status line is refused by name', async () => {
  const statusLineChange = { toolId: 'cursor', what: 'statusLine', action: 'add' } as const
  await expectFailure(startTools().servers.preview(statusLineChange), 'tool.notFound')
})

const canary = 'canary-of-a-value-0123456789'

/** An MCP server of each kind with a secret value, in the format of Claude Code. */
const serverOfEachKind = {
  stdio: { type: 'stdio', command: 'npx', args: ['-y', 'pkg'], env: { TOKEN: canary, HOME_DIR: `\${HOME}` } },
  http: { type: 'http', url: 'https://mcp.example.com/v1', headers: { Authorization: canary } },
  sse: { type: 'sse', url: 'https://mcp.example.com/sse', headers: { Authorization: canary } },
}

describe.each(otherTargets)('a server copied to $toolId', (target) => {
  const { toolId } = target

  // Our server over HTTP is written in the form of every tool, so quick runs copy such servers only to the sample.
  it.each(isInSample(target) ? (['stdio', 'http', 'sse'] as const) : (['stdio'] as const))(
    'is added as %s in the tool’s form, with values only on request, and is undone byte for byte',
    async (kind) => {
      const { harness, changeServer, view, servers } = startTools()
      const entry = kind === 'stdio' ? { ...serverOfEachKind.stdio, env: { TOKEN: canary } } : serverOfEachKind[kind]
      writeClaudeServers(harness, { wiki: entry })
      harness.writeFileAt(toPath(target, harness), buildConfigText(target, '\r\n'))
      const treeBefore = harness.tree()
      const copy = { toolId: 'claude-code', name: 'wiki', action: 'copy', to: [toolId] } as const
      const copyResult = await changeServer(copy)
      if (target.form.typeByKind[kind] === undefined) {
        expect(copyResult).toMatchObject({ tools: [], left: [{ toolId, failure: { code: 'input.invalid' } }] })
        expect(harness.tree()).toEqual(treeBefore)
        return
      }
      const path = toPath(target, harness)
      expect(harness.read(path)?.toString()).not.toContain(canary)
      const runs = kind === 'stdio' ? 'npx' : 'mcp.example.com'
      const copiedServer = {
        name: 'wiki',
        kind: kind === 'stdio' ? 'program' : kind,
        runs,
        isOurs: false,
        isOn: true,
      }
      expect((await view(toolId))?.servers).toMatchObject([{ name: 'other' }, { ...copiedServer, values: [] }])
      expect(allFiles(harness.place.dataDir).filter((file) => file.includes(canary))).toEqual([])
      const preview = await servers.preview({ what: 'anyServer', ...copy, values: 'plain' })
      expect(JSON.stringify(preview)).not.toContain(canary)
      expect(servers.consentFor(preview.previewId)).toMatchObject({
        server: 'wiki',
        tools: [target.name],
        files: [path],
        values: [kind === 'stdio' ? 'TOKEN' : 'Authorization'],
      })
      await servers.carryOut(preview.previewId)
      expect(harness.read(path)?.toString()).toContain(canary)
      expect((await view(toolId))?.servers[1]?.values).toHaveLength(1)
      const repeatedChange = await changeServer({ ...copy, values: 'plain' })
      expect(repeatedChange.tools[0]?.files.map(({ action }) => action)).toEqual(['none'])
      const toolsWithWiki = (await servers.list()).filter((toolView) =>
        toolView.servers.some(({ name }) => name === 'wiki'),
      )
      expect(toolsWithWiki.map((toolView) => toolView.toolId)).toEqual(['claude-code', toolId])
      await changeServer({ toolId, name: 'wiki', action: 'remove' })
      expect(harness.tree()).toEqual(treeBefore)
    },
  )

  it('is removed, disabled and enabled where the tool supports it, and each change is undone byte for byte', async () => {
    const { harness, changeServer, rewindLastChange, view, servers } = startTools()
    const path = toPath(target, harness)
    const text = buildConfigText(target)
    harness.writeFileAt(path, text)
    await changeServer({ toolId, name: 'other', action: 'remove' })
    expect((await view(toolId))?.servers).toEqual([])
    expect(await servers.history()).toMatchObject([
      { isUndone: false, changes: [{ toolId, server: 'other', kind: 'restore' }] },
    ])
    await rewindLastChange()
    expect(harness.read(path)?.toString()).toBe(text)
    const disablePromise = changeServer({ toolId, name: 'other', action: 'switchOff' })
    if (target.form.toggle === undefined) {
      await expectFailure(disablePromise, 'input.invalid')
      return
    }
    await disablePromise
    expect((await view(toolId))?.servers).toMatchObject([{ name: 'other', isOn: false, canSwitch: true }])
    await changeServer({ toolId, name: 'other', action: 'switchOn' })
    expect((await view(toolId))?.servers).toMatchObject([{ isOn: true }])
    await rewindLastChange()
    await rewindLastChange()
    const changeKinds = (await servers.history()).map(({ changes }) => changes[0]?.kind)
    expect(changeKinds.slice(0, 4)).toEqual(['rewind', 'rewind', 'write', 'write'])
  })
})

it.each(otherTargets.filter(isInSample))(
  'a server copied to $toolId gets its values from the keychain',
  async (target) => {
    const { toolId } = target
    const { harness, changeServer, rewindLastChange, view, servers, keychain } = startTools()
    const env = target.form.syntax?.env ? serverOfEachKind.stdio.env : { TOKEN: canary }
    writeClaudeServers(harness, { wiki: { ...serverOfEachKind.stdio, env } })
    harness.writeFileAt(toPath(target, harness), buildConfigText(target, '\r\n'))
    const treeBefore = harness.tree()
    const copy = { toolId: 'claude-code', name: 'wiki', action: 'copy', to: [toolId], values: 'keychain' } as const
    const { previewId } = await servers.preview({ what: 'anyServer', ...copy })
    const consent = { tools: [target.name], runs: 'npx -y pkg', values: ['TOKEN'], files: [] }
    expect(servers.consentFor(previewId)).toMatchObject(consent)
    expect([...keychain.items]).toEqual([])
    await servers.carryOut(previewId)
    const path = toPath(target, harness)
    expect(JSON.parse([...keychain.items.values()].join())).toEqual({ TOKEN: canary })
    // Only the file from which the server was copied contains the secret.
    expect(allFiles(harness.home).filter((file) => file.includes(canary))).toEqual([
      harness.read(join(harness.home, '.claude.json'))?.toString(),
    ])
    for (const word of [launcher, 'run', 'wiki', 'TOKEN', 'npx', 'pkg', '--'])
      expect(harness.read(path)?.toString()).toContain(word)
    const expectedServer = {
      name: 'wiki',
      kind: 'program',
      runs: 'npx',
      isOurs: false,
      values: ['TOKEN'],
      areValuesKept: true,
    }
    expect((await view(toolId))?.servers[1]).toMatchObject(expectedServer)
    const repeatedChange = await changeServer(copy)
    expect(repeatedChange.tools[0]?.files.map(({ action }) => action)).toEqual(['none'])
    if (target.form.toggle) {
      await changeServer({ toolId, name: 'wiki', action: 'switchOff' })
      expect((await view(toolId))?.servers[1]).toMatchObject({ ...expectedServer, isOn: false })
      await changeServer({ toolId, name: 'wiki', action: 'switchOn' })
    }
    const otherTool = toolId === 'cursor' ? 'opencode' : 'cursor'
    await expectFailure(servers.preview({ what: 'anyServer', ...copy, toolId, to: [otherTool], values: 'plain' }), {
      code: 'input.invalid',
      field: 'values',
    })
    await changeServer({ ...copy, toolId, to: [otherTool] })
    expect((await view(otherTool))?.servers).toMatchObject([expectedServer])
    await changeServer({ toolId: otherTool, name: 'wiki', action: 'remove' })
    expect(keychain.items.size).toBe(1)
    const textWithServer = harness.read(path)?.toString()
    await changeServer({ toolId, name: 'wiki', action: 'remove' })
    expect(harness.tree()).toEqual(treeBefore)
    await rewindLastChange()
    expect(harness.read(path)?.toString()).toBe(textWithServer)
    expect(JSON.parse([...keychain.items.values()].join())).toEqual({ TOKEN: canary })
    for (const preview of await servers.previewRemoveAll()) await servers.carryOut(preview.previewId)
    expect([...keychain.items]).toEqual([])
    expect(harness.tree()).toEqual(treeBefore)
  },
)

describe('servers of tools', () => {
  it('replaces no server of the same name and removes no server of this app', async () => {
    const { harness, change, changeServer } = startTools()
    writeClaudeServers(harness, { wiki: serverOfEachKind.http })
    harness.writeFileAt(join(harness.home, '.cursor/mcp.json'), '{ "mcpServers": { "wiki": { "command": "mine" } } }')
    await change('claude-code', 'add')
    const treeBefore = harness.tree()
    const copy = { toolId: 'claude-code', name: 'wiki', action: 'copy', to: ['cursor'] } as const
    expect(await changeServer(copy)).toMatchObject({ tools: [], left: [{ toolId: 'cursor' }] })
    const ownServerRemoval = { toolId: 'claude-code', name: 'companion', action: 'remove' } as const
    await expectFailure(changeServer(ownServerRemoval), 'input.invalid')
    expect(harness.tree()).toEqual(treeBefore)
  })

  it('stores values in the keychain for programs only, and only if there is a keychain', async () => {
    const { copy, keychain } = startWithServers('claude-code', serverOfEachKind)
    await expectFailure(copy('cursor', 'keychain', 'http'), { code: 'input.invalid', field: 'values' })
    keychain.isLocked = true
    await expectFailure(copy('cursor', 'keychain', 'stdio'), 'vault.unavailable')
  })
})

it.each(['keychain', 'plain'] as const)('copies a value with spaces unchanged (%s)', async (values) => {
  const env = { NOTE: 'two words  and ủ ' }
  const { copy, keychain } = startWithServers('claude-code', { one: { command: 'npx', args: ['-y', 'pkg'], env } })
  const { file } = await copy('cursor', values)
  const savedEnv =
    values === 'plain' ? JSON.parse(file).mcpServers.one.env : JSON.parse([...keychain.items.values()].join())
  expect(savedEnv).toEqual(env)
})

/** Creates a computer with MCP servers in one tool's settings, which the tests copy to other tools. */
function startWithServers(toolId: string, servers: Readonly<Record<string, unknown>>) {
  const harness = startTools()
  const mcp = mcpTarget(toolId)
  const toml = Object.entries(servers).map(([name, text]) => `[mcp_servers.${name}]\n${text}\n`)
  const text = mcp.format === 'toml' ? toml.join('\n') : JSON.stringify({ [mcp.servers[0] ?? '']: servers })
  harness.harness.writeFileAt(toPath(mcp, harness.harness), text)
  const copy = async (targetToolId: string, values: 'none' | 'plain' | 'keychain' = 'none', name = 'one') => {
    const { tools, left } = await harness.changeServer({ toolId, name, action: 'copy', to: [targetToolId], values })
    const file = readFileText(mcpTarget(targetToolId), harness.harness)
    const notes = tools.flatMap(({ warnings }) =>
      warnings.flatMap(({ code, subject }) => (code === 'notCopied' ? [subject] : [])),
    )
    return { file, notes, refusal: left[0]?.failure.message }
  }
  return { ...harness, copy }
}

const jsonEntry = (file: string, section = 'mcpServers'): unknown => JSON.parse(file || '{}')[section]?.one

describe('a copied server', () => {
  const allSettings = [
    'command = "npx"',
    'args = ["-y", "fs", "."]',
    'cwd = "/srv/project"',
    'env_vars = ["LOCAL_TOKEN"]',
    'startup_timeout_sec = 20',
    'tool_timeout_sec = 90',
    'enabled_tools = ["read_file"]',
    'disabled_tools = ["delete_file"]',
    'oauth = "x"',
  ].join('\n')
  const remote = [
    'url = "https://mcp.example.com/mcp"',
    'bearer_token_env_var = "GH_TOKEN"',
    'http_headers = { "X-Team" = "core" }',
    'env_http_headers = { "X-Api-Key" = "MY_KEY_VAR" }',
  ].join('\n')

  it.each([
    [
      'qwen-code',
      allSettings,
      {
        command: 'npx',
        args: ['-y', 'fs', '.'],
        cwd: '/srv/project',
        timeout: 90_000,
        env: { LOCAL_TOKEN: `\${LOCAL_TOKEN}` },
        includeTools: ['read_file'],
        excludeTools: ['delete_file'],
      },
      ['oauth', 'startup_timeout_sec'],
    ],
    [
      'cursor',
      allSettings,
      { command: 'npx', args: ['-y', 'fs', '.'], env: { LOCAL_TOKEN: `\${env:LOCAL_TOKEN}` } },
      ['oauth', 'cwd', 'startup_timeout_sec', 'tool_timeout_sec', 'enabled_tools', 'disabled_tools'],
    ],
    [
      'claude-code',
      remote,
      {
        type: 'http',
        url: 'https://mcp.example.com/mcp',
        headers: { 'X-Team': 'core', Authorization: `Bearer \${GH_TOKEN}`, 'X-Api-Key': `\${MY_KEY_VAR}` },
      },
      [],
    ],
  ])('keeps the settings that %s supports and names the others', async (targetToolId, toml, entry, notes) => {
    const { copy } = startWithServers('codex', { one: toml })
    const copyOutcome = await copy(targetToolId, 'plain')
    expect(jsonEntry(copyOutcome.file)).toEqual(entry)
    expect(copyOutcome.notes).toEqual(notes)
  })

  it('has variables of headers and of its environment where Codex reads them', async () => {
    const headers = { Authorization: `Bearer \${env:GH_TOKEN}`, 'X-Key': `\${env:KEY}` }
    const httpServers = startWithServers('cursor', { one: { url: 'https://mcp.example.com/mcp', headers } })
    const { file } = await httpServers.copy('codex')
    expect(file).toContain('bearer_token_env_var = "GH_TOKEN"')
    expect(file).toMatch(/env_http_headers[^\n]*[\s\S]*"?X-Key"? = "KEY"/)
    const program = startWithServers('cursor', { one: { command: 'x', env: { GH_TOKEN: `\${env:GH_TOKEN}` } } })
    expect((await program.copy('codex')).file).toContain('env_vars = ["GH_TOKEN"]')
    const renamedHarness = startWithServers('cursor', { one: { command: 'x', env: { TOKEN: `\${env:GH_TOKEN}` } } })
    expect((await renamedHarness.copy('codex')).refusal).toContain(`\${env:GH_TOKEN} (TOKEN)`)
  })

  it('stays disabled, or is refused by a tool that cannot disable servers', async () => {
    const disabledSetup = startWithServers('codex', { one: 'command = "node"\nargs = ["server.js"]\nenabled = false' })
    expect(jsonEntry((await disabledSetup.copy('cline')).file)).toMatchObject({ command: 'node', disabled: true })
    expect((await disabledSetup.copy('cursor')).refusal).toContain('switched off')
  })

  it('keeps every setting when disabled and enabled', async () => {
    const { harness, copy, changeServer } = startWithServers('qwen-code', {
      one: { command: 'npx', args: ['x'], cwd: '/srv' },
    })
    await copy('cline')
    const path = toPath(mcpTarget('cline'), harness)
    const settings = JSON.parse(harness.read(path)?.toString() ?? '')
    settings.mcpServers.one.autoApprove = ['read']
    harness.writeFileAt(path, JSON.stringify(settings))
    for (const action of ['switchOff', 'switchOn'] as const)
      await changeServer({ toolId: 'cline', name: 'one', action })
    expect(jsonEntry(harness.read(path)?.toString() ?? '')).toEqual({ ...settings.mcpServers.one, disabled: false })
  })

  const dollar = `\${URL:-http://localhost:1}`
  it.each([
    ['claude-code', { command: 'node', args: ['-u', dollar] }, 'crush', dollar],
    ['claude-code', { command: 'node', args: ['-u', `\${URL}`], env: { A: `\${URL}` } }, 'opencode', '{env:URL}'],
    ['claude-code', { type: 'http', url: `\${BASE}/mcp` }, 'cursor', `"\${env:BASE}/mcp"`],
    ['cursor', { command: 'npx', args: [`--token=\${env:TOKEN}`] }, 'claude-code', `--token=\${TOKEN}`],
    ['cursor', { url: `\${env:BASE}/mcp` }, 'opencode', '{env:BASE}/mcp'],
    [
      'cursor',
      { command: `\${workspaceFolder}/s`, args: [`\${userHome}/x`] },
      'vscode-copilot',
      `\${workspaceFolder}/s`,
    ],
    ['vscode-copilot', { command: 'srv', envFile: `\${workspaceFolder}/.env` }, 'cursor', `\${workspaceFolder}/.env`],
    ['opencode', { type: 'local', command: ['srv', '{file:~/x}'] }, 'kilo', '{file:~/x}'],
    ['opencode', { type: 'local', command: ['srv', '{env:X}'] }, 'qwen-code', `\${X}`],
    ['claude-code', { command: 'x', env: { FOLDER: `\${HOME}` } }, 'opencode', '"FOLDER": "{env:HOME}"'],
    ['claude-code', { command: 'x', env: { FOLDER: `\${HOME}` } }, 'cursor', `"FOLDER": "\${env:HOME}"`],
  ])('has variables in the other tool’s syntax: %s %j to %s', async (from, entry, to, expected) => {
    const { copy } = startWithServers(from, { one: entry })
    const { file, refusal } = await copy(to)
    expect(refusal).toBeUndefined()
    expect(file).toContain(expected)
  })

  it.each([
    ['claude-code', { command: 'node', args: [dollar] }, 'cursor', `${dollar} (argument 1)`],
    ['claude-code', { command: 'node', args: [`\${URL}`] }, 'zed', `\${URL} (argument 1)`],
    ['claude-code', { command: 'x', env: { FOLDER: `\${HOME}` } }, 'zed', `\${HOME} (FOLDER)`],
    ['cursor', { command: `\${workspaceFolder}/s` }, 'claude-code', `\${workspaceFolder} (command)`],
    ['vscode-copilot', { command: 'srv', args: [`\${input:tok}`] }, 'cursor', `\${input:tok} (argument 1)`],
    ['vscode-copilot', { command: 'srv', args: [`\${command:x}`] }, 'opencode', `\${command:x} (argument 1)`],
    ['vscode-copilot', { url: 'https://h/', headers: { A: `\${input:tok}` } }, 'claude-code', `\${input:tok} (A)`],
    ['opencode', { type: 'local', command: ['srv', '{file:~/x}'] }, 'cursor', '{file:~/x} (argument 1)'],
    ['claude-code', { command: 'srv', args: ['$(touch /tmp/x)'] }, 'crush', '$(touch /tmp/x) (argument 1)'],
    ['claude-code', { command: 'srv', args: ['`id`'] }, 'crush', '`id` (argument 1)'],
    ['claude-code', { type: 'http', url: 'https://h/', headers: { A: `$(id) \${HOME}` } }, 'crush', '$(id) (A)'],
    ['claude-code', { command: 'srv', args: [`\${command:x}`] }, 'vscode-copilot', `\${command:x} (argument 1)`],
    ['claude-code', { command: 'srv', args: ['{file:/etc/passwd}'] }, 'kilo', '{file:/etc/passwd} (argument 1)'],
    ['zed', { source: 'custom', command: 'srv', args: [`\${HOME}`] }, 'claude-code', `\${HOME} (argument 1)`],
  ])('is refused by name for what the other tool lacks, replaces or executes: %s %j to %s', async (...row) => {
    const [from, entry, to, named] = row
    const { harness, copy } = startWithServers(from, { one: entry })
    const treeBefore = harness.tree()
    expect((await copy(to)).refusal).toContain(named)
    expect(harness.tree()).toEqual(treeBefore)
  })
})

describe('secrets of a copied server', () => {
  const copyOfOne = { what: 'anyServer', toolId: 'claude-code', name: 'one', action: 'copy' } as const

  it.each([
    [{ command: 'x', env: { TOKEN: `sk-CANARYhalf0123456789\${X}` } }, 'TOKEN'],
    [{ command: 'x', env: { DB: `postgres://u:CANARYpw@h/\${DB}` } }, 'DB'],
    [{ command: 'x', env: { API_TOKEN: `CANARYplain\${X}` } }, 'API_TOKEN'],
    [{ type: 'http', url: 'https://h/', headers: { Authorization: `Bearer CANARYtoken0123\${X}` } }, 'Authorization'],
  ])('are omitted from variables and headers, also next to a reference: %j', async (entry, name) => {
    const { servers, copy, view } = startWithServers('claude-code', { one: entry })
    expect((await view('claude-code'))?.servers[0]?.values).toEqual([name])
    expect((await copy('cursor')).file).not.toContain('CANARY')
    const preview = await servers.preview({ ...copyOfOne, to: ['opencode'], values: 'plain' })
    expect(servers.consentFor(preview.previewId)?.values).toEqual([name])
    expect(JSON.stringify([preview, servers.consentFor(preview.previewId)])).not.toContain('CANARY')
  })

  it.each([
    [{ command: 'npx', args: ['--api-key', 'sk-CANARYargs0123456789abcdef'] }, '--api-key'],
    [{ command: 'npx', args: ['--password', 'CANARY'] }, '--password'],
    [{ command: 'npx', args: ['x', '--token=CANARY0123'] }, 'argument 2'],
    [{ command: 'npx', args: [`postgres://u:CANARYpw@h/\${DB}`] }, 'argument 1'],
    [{ command: 'npx', args: ['mcp-remote', 'https://h/', '--header', 'Cookie: sid=CANARY'] }, '--header'],
    [{ command: 'npx', args: ['mcp-remote', 'https://h/', '--header', 'X-Auth:CANARY'] }, '--header'],
    [{ command: 'docker', args: ['run', '-e', 'AWS_SECRET_ACCESS_KEY=CANARY', 'x'] }, '-e'],
    [{ command: 'docker', args: ['run', '-e', 'DB_PASS=CANARY', 'x'] }, '-e'],
    [{ command: 'curl', args: ['-u', 'me:CANARY'] }, '-u'],
    [{ command: 'x', args: ['--pass', 'CANARY'] }, '--pass'],
    [{ command: 'x', args: ['root:CANARY@localhost:3306/db'] }, 'argument 1'],
    [{ command: 'x', args: ['root:CANARY@tcp(localhost:3306)/db'] }, 'argument 1'],
    [{ command: 'sh', args: ['-c', 'PGPASSWORD=CANARY npx x'] }, '-c'],
    [{ command: 'x', args: ['{"headers":{"X-Api-Key":"CANARY"}}'] }, 'argument 1'],
    [{ command: 'npx', args: ['mcp-remote', 'https://h/', '--header=Authorization: Bearer CANARY0123'] }, 'argument 3'],
    [{ type: 'http', url: 'https://CANARYtoken@h/repository.git' }, 'url'],
    [{ type: 'http', url: 'https://h/sse#access_token=CANARY' }, 'url'],
    [{ type: 'http', url: 'https://h/?X-Api-Key=CANARY' }, 'url'],
    [{ command: 'x', args: ['postgres://u:CANARY/1@h/db'] }, 'argument 1'],
    [{ command: 'x', args: ['postgres://u:p@CANARY@h/db'] }, 'argument 1'],
    [{ command: 'x', args: ['jdbc:sqlserver://h;user=sa;pwd=CANARY'] }, 'argument 1'],
    [{ command: 'x', args: ['AccountName=a;AccountKey=CANARY0123456789+/abc=='] }, 'argument 1'],
    [{ command: 'x', args: ['CANARY0a1b2c3d4e5f60718293a4b5c6'] }, 'argument 1'],
    [{ type: 'http', url: 'https://h/api/mcp/s/CANARY0a1b2c3d4e5f60718293a4b5c6/mcp' }, 'url'],
    [{ type: 'http', url: 'https://h/?code=CANARY' }, 'url'],
    [{ type: 'http', url: 'https://h/?token=CANARYurl0123456789abcdef' }, 'url'],
    [{ type: 'http', url: 'https://h/?key=CANARYurl' }, 'url'],
    [{ type: 'http', url: 'https://user:CANARYuserinfo@h/' }, 'url'],
    [{ type: 'http', url: `https://user:CANARYuserinfo@\${HOST}/` }, 'url'],
  ])('in arguments and addresses are copied as plain text only with consent: %j', async (entry, name) => {
    const { servers, harness, view } = startWithServers('claude-code', { one: entry })
    const treeBefore = harness.tree()
    expect((await view('claude-code'))?.servers[0]?.values).toEqual([name])
    const copy = { ...copyOfOne, to: ['cursor'] }
    await expectFailure(servers.preview(copy), { code: 'input.invalid', field: 'values' })
    expect(harness.tree()).toEqual(treeBefore)
    const preview = await servers.preview({ ...copy, values: 'plain' })
    const consent = servers.consentFor(preview.previewId)
    expect(consent).toMatchObject({ values: [name], files: [expect.stringContaining('mcp.json')] })
    expect(JSON.stringify([preview, consent])).not.toContain('CANARY')
  })

  it.each([
    { env: { TOKEN: `\${TOKEN}` } },
    { env: { TOKEN: `Bearer \${TOKEN}` } },
    { env: { DATABASE: `postgres://u:\${PW}@h/db` } },
    { env: { FOLDER: `\${HOME}/m.json` } },
    { env: { REDIS: `redis://:\${PW}@h` } },
    { args: ['https://h:8080/@scope/name'] },
    { args: ['npm:@scope/name@1.2.3'] },
    { args: ['ghcr.io/github/server:1.0@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'] },
    { args: ['--header=Accept: text/plain'] },
    { args: ['--port=8080'] },
    { args: ['/home/me/projects/a-long-name-of-a-folder/2024'] },
    { args: ['git@github.com:owner/name.git'] },
    { args: ['me@example.com'] },
  ])('are not detected in %j', async (fields) => {
    const { view } = startWithServers('claude-code', { one: { command: 'x', ...fields } })
    expect((await view('claude-code'))?.servers[0]?.values).toEqual([])
  })

  it('with a variable are not stored in the keychain', async () => {
    const { copy } = startWithServers('claude-code', {
      one: { command: 'x', env: { TOKEN: `sk-CANARYhalf0123456789\${X}` } },
    })
    await expectFailure(copy('cursor', 'keychain'), { field: 'values' })
  })
})

describe('a program with values in the keychain', () => {
  it('is the copied one, whatever the names of servers and values', async () => {
    const env = { '--': 'x', '/tmp/evil.sh': 'y', '--data-dir=/tmp': 'z', '-x': 'w', NAME: 'v' }
    const { copy, view, keychain } = startWithServers('claude-code', {
      '--tool=x': { command: 'good', args: ['a', '--'], env },
    })
    const { file } = await copy('cursor', 'keychain', '--tool=x')
    const { command, args } = JSON.parse(file).mcpServers['--tool=x']
    expect(command).toBe(launcher)
    const run = parseRunWords(args)
    expect(args.slice(run?.length)).toEqual(['good', 'a', '--'])
    expect(run?.kept.names).toEqual(Object.keys(env))
    expect([...keychain.items.keys()]).toEqual([run?.kept.account])
    expect((await view('cursor'))?.servers).toMatchObject([{ runs: 'good', areValuesKept: true }])
  })

  it('has a separate keychain item in each data folder', async () => {
    const accounts = [1, 2].map(async () => {
      const { copy, keychain } = startWithServers('claude-code', { one: serverOfEachKind.stdio })
      await copy('cursor', 'keychain')
      return [...keychain.items.keys()].join()
    })
    expect(new Set(await Promise.all(accounts)).size).toBe(2)
  })
})

it('a server over HTTP with an old relay port is shown as modified, and gets the new address when added again', async () => {
  const { harness, change, view, relay } = startTools()
  await change('cursor', 'add', 'server', true)
  relay.port = 5000
  expect(await view('cursor')).toMatchObject({ server: 'modified', isHttp: true })
  await change('cursor', 'add', 'server', true)
  expect(await view('cursor')).toMatchObject({ server: 'added', isHttp: true })
  expect(harness.read(join(harness.home, '.cursor/mcp.json'))?.toString()).toContain(':5000/mcp/')
})

it('a server with a long non-ASCII name is copied and removed', async () => {
  const name = 'máy chủ ngữ cảnh của nhóm phát triển sản phẩm số một tại Hà Nội và Đà Nẵng năm nay'
  const { harness, copy, changeServer, servers } = startWithServers('claude-code', {
    [name]: { command: 'ok', args: [] },
  })
  const treeBefore = harness.tree()
  expect((await copy('cursor', 'none', name)).file).toContain(name)
  expect((await servers.history())[0]?.changes).toMatchObject([{ toolId: 'cursor', server: name }])
  await changeServer({ toolId: 'cursor', name, action: 'remove' })
  expect(harness.tree()).toEqual(treeBefore)
})
