import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { McpChange, McpPermission } from '@shared/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/secret'
import { McpServers } from '../../../../src/main/tools/mcp-servers'
import { type McpTarget, mcpTargets } from '../../../../src/main/tools/targets/mcp-servers'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { createVault } from '../../../../src/main/vault/vault'
import { MemoryKeychain } from '../../../support/memory-keychain'
import { Workshop } from './support/workshop'

const open: Workshop[] = []
afterEach(() => {
  for (const workshop of open.splice(0)) workshop.close()
})

const launcher = '/opt/companion/companion'
const token = 'relay-0123456789abcdefghijklmnopqrstuvwxyz'

function start(options: ConstructorParameters<typeof Workshop>[0] = {}) {
  const workshop = new Workshop(options)
  open.push(workshop)
  const noted: unknown[] = []
  const revoked: string[] = []
  const overHttp = new Set<string>()
  const keychain = new MemoryKeychain()
  const servers = new McpServers({
    machine: {
      place: workshop.place,
      distributions: { list: async () => [], open: () => Promise.reject(new Error()) },
    },
    launcher: { path: launcher, ensure: () => undefined },
    audit: { note: async (entry) => void noted.push(entry) },
    permissions: (): McpPermission[] => [],
    vault: createVault({ keychain, install: 'Install one.', sessionAllowed: true }),
    revoke: (toolId) => void revoked.push(toolId),
    relay: {
      isOn: async () => true,
      mcpAccess: async (toolId) => ({ url: `http://127.0.0.1:4862/mcp/${toolId}`, token: new Secret(token) }),
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
  const view = async (toolId: string) => (await servers.list()).find((one) => one.toolId === toolId)
  return { workshop, servers, change, changeServer, view, noted, revoked, overHttp, keychain }
}

const pathOf = ({ path }: McpTarget, { place }: Workshop): string => path(place.environment) ?? ''

/** A file of a tool that somebody has servers and comments in already. */
function textWith({ format, servers: [section = ''], isList }: McpTarget, end = '\n'): string {
  const lines: Readonly<Record<string, readonly string[]>> = {
    json: [
      '{',
      '\t"theme":   "dark",',
      `\t"${section}": { "other": { "command": "npx", "args": ["-y", "other"] } }`,
      '}',
    ],
    jsonc: [
      ...['{', '  // Mine.', '  "theme": "dark",'],
      ...[`  "${section}": {`, '    /* theirs */', '    "other": { "command": "npx", "args": ["-y"] },', '  },', '}'],
    ],
    yaml: isList
      ? ['# Mine.', 'theme: dark', `${section}:`, '  - name: other # theirs', '    command: npx']
      : ['# Mine.', 'theme: dark', `${section}:`, '  other: # theirs', '    cmd: npx', '    type: stdio'],
    toml: ['# Mine.', 'theme = "dark"', '', `[${section}.other] # theirs`, 'command = "npx"'],
  }
  return (lines[format] ?? []).join(end) + end
}

describe.each(mcpTargets.map((target) => [target.toolId, target] as const))('the server in %s', (toolId, target) => {
  it('is added to a file that is not there, and the file is gone again when it is removed', async () => {
    const { workshop, change, view, noted, revoked } = start()
    const before = workshop.tree()
    expect(await view(toolId)).toMatchObject({ server: 'absent', exists: false, servers: [] })
    await change(toolId, 'add')
    const text = workshop.read(pathOf(target, workshop))?.toString() ?? ''
    for (const part of [launcher, 'mcp', '--tool', toolId]) expect(text).toContain(part)
    expect(await view(toolId)).toMatchObject({
      server: 'added',
      servers: [{ name: 'companion', kind: 'program', isOurs: true }],
    })
    expect(noted).toEqual([{ what: 'toolWritten', subject: `${target.name} (MCP)` }])
    expect(revoked).toEqual([])
    await change(toolId, 'remove')
    expect(workshop.tree()).toEqual(before)
    expect(revoked).toEqual([toolId])
  })

  it.each(['\n', '\r\n'])(
    'stands beside other servers and comments, added twice is added once, undone to the byte (%j)',
    async (end) => {
      const { workshop, change, view } = start()
      workshop.put(pathOf(target, workshop), textWith(target, end))
      const before = workshop.tree()
      await change(toolId, 'add')
      const once = workshop.tree()
      const again = await change(toolId, 'add')
      expect(again.files.map(({ action }) => action)).toEqual(['none'])
      expect(workshop.tree()).toEqual(once)
      const text = workshop.read(pathOf(target, workshop))?.toString() ?? ''
      expect(text.match(/other/g)?.length).toBe(textWith(target).match(/other/g)?.length)
      if (end === '\r\n') expect(text.replaceAll('\r\n', '')).not.toContain('\n')
      expect((await view(toolId))?.servers.map(({ name, isOurs }) => [name, isOurs])).toEqual([
        ['other', false],
        ['companion', true],
      ])
      await change(toolId, 'remove')
      expect(workshop.tree()).toEqual(before)
    },
  )

  it('is told as modified or gone when somebody changed it; added again it is ours, and undone it is theirs as a whole', async () => {
    const { workshop, change, view } = start()
    const path = pathOf(target, workshop)
    workshop.put(path, textWith(target))
    await change(toolId, 'add')
    const text = (workshop.read(path)?.toString() ?? '')
      .replace(launcher, '/elsewhere/companion')
      .replace('dark', 'light')
    workshop.put(path, text)
    expect((await view(toolId))?.server).toMatch(/^(modified|absent)$/)
    await change(toolId, 'add')
    expect(await view(toolId)).toMatchObject({ server: 'added' })
    await change(toolId, 'remove')
    expect(workshop.read(path)?.toString()).toContain('light')
    // In a list the name alone makes an entry ours.
    const theirs = target.isList ? [] : [['companion', false]]
    const left = (await view(toolId))?.servers.map(({ name, isOurs }) => [name, isOurs])
    expect(left).toEqual([['other', false], ...theirs])
  })
})

describe.each(
  mcpTargets.filter(({ form }) => form.kinds.http !== undefined).map((target) => [target.toolId, target] as const),
)('the server over HTTP in %s', (toolId, target) => {
  it('stands in its file with address and token, the token nowhere else, and is undone to the byte', async () => {
    const { workshop, change, view, overHttp } = start()
    workshop.put(pathOf(target, workshop), textWith(target))
    const before = workshop.tree()
    const preview = await change(toolId, 'add', 'server', true)
    expect(JSON.stringify(preview)).not.toContain(token)
    const text = workshop.read(pathOf(target, workshop))?.toString() ?? ''
    expect(text).toContain(token)
    expect(text).toContain(`http://127.0.0.1:4862/mcp/${toolId}`)
    expect([...overHttp]).toEqual([toolId])
    expect(await view(toolId)).toMatchObject({ server: 'added', servers: [{}, { name: 'companion', isOurs: true }] })
    const again = await change(toolId, 'add', 'server', true)
    expect(again.files.map(({ action }) => action)).toEqual(['none'])
    await change(toolId, 'add')
    expect([workshop.read(pathOf(target, workshop))?.includes(token), [...overHttp]]).toEqual([false, []])
    expect(allFiles(join(workshop.place.dataDir)).filter((file) => file.includes(token))).toEqual([])
    await change(toolId, 'remove')
    expect(workshop.tree()).toEqual(before)
  })
})

/** The contents of every file below a folder. */
function allFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
}

describe('the companion in the settings of tools', () => {
  it('writes nothing for a file that it cannot read, and says which line', async () => {
    const { workshop, servers, view } = start()
    workshop.put(join(workshop.home, '.cursor/mcp.json'), '{\n  "mcpServers": {,\n}\n')
    const before = workshop.tree()
    await expect(servers.preview({ toolId: 'cursor', what: 'server', action: 'add' })).rejects.toMatchObject({
      failure: { code: 'file.unparsable', line: 2 },
    })
    expect(workshop.tree()).toEqual(before)
    expect(await view('cursor')).toMatchObject({ server: 'unreadable', problem: { line: 2 }, servers: [] })
  })

  it('refuses a preview once the file has changed', async () => {
    const { workshop, servers } = start()
    const path = join(workshop.home, '.cursor/mcp.json')
    workshop.put(path, '{}\n')
    const { previewId } = await servers.preview({ toolId: 'cursor', what: 'server', action: 'add' })
    workshop.put(path, '{ "mcpServers": {} }\n')
    await expect(servers.carryOut(previewId)).rejects.toMatchObject({ failure: { code: 'file.changed' } })
    expect(workshop.read(path)?.toString()).toBe('{ "mcpServers": {} }\n')
  })

  it('shows of other servers neither arguments nor variables nor addresses beyond the host', async () => {
    const { workshop, view } = start()
    const servers = {
      one: { command: '/usr/bin/tool', args: ['--token', 'sk-abcdefghijklmnop'], env: { TOKEN: 'secret-in-env' } },
      two: { url: 'https://example.com/secret-path?key=1', headers: { Authorization: 'Bearer secret-in-header' } },
    }
    workshop.put(join(workshop.home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: servers }))
    const shown = await view('cursor')
    const theirs = { isOurs: false, isOn: true, canSwitch: false }
    expect(shown?.servers).toEqual([
      { name: 'one', kind: 'program', runs: 'tool', ...theirs, values: ['TOKEN'], areValuesKept: false },
      { name: 'two', kind: 'http', runs: 'example.com', ...theirs, values: ['Authorization'], areValuesKept: false },
    ])
  })

  it.each(['setup first', 'server first'])('is undone on its own in a file that is also set up: %s', async (first) => {
    const { workshop, change } = start()
    const path = join(workshop.home, '.config/opencode/opencode.json')
    workshop.put(path, '{\n  "theme": "dark"\n}\n')
    const before = workshop.tree()
    if (first === 'setup first') {
      await workshop.apply(openCode)
      const setUp = workshop.read(path)?.toString()
      await change('opencode', 'add')
      await change('opencode', 'remove')
      expect(workshop.read(path)?.toString()).toBe(setUp)
      await change('opencode', 'add')
      await workshop.restore(openCode)
      expect(workshop.read(path)?.toString()).toContain(launcher)
      await change('opencode', 'remove')
    } else {
      await change('opencode', 'add')
      await workshop.apply(openCode)
      await change('opencode', 'remove')
      expect(workshop.read(path)?.toString()).not.toContain('companion mcp')
      await workshop.restore(openCode)
    }
    expect(workshop.tree()).toEqual(before)
  })

  it('is started through the shell on Windows, which starts no command file without it', async () => {
    const { workshop, servers } = start({ platform: 'win32' })
    const before = workshop.tree()
    const preview = await servers.preview({ toolId: 'qwen-code', what: 'server', action: 'add' })
    const added = preview.tools
      .flatMap(({ files }) => files)
      .flatMap(({ lines }) => lines.flatMap((line) => (line.kind === 'added' ? [line.text] : [])))
    expect(added.join('\n')).toMatch(/"command": "cmd"[\s\S]*"\/c"/)
    expect(workshop.tree()).toEqual(before)
  })
})

/** Where a tool has its status line. */
const statusLines: Readonly<Record<string, { file: string; path: readonly string[]; isStrict?: boolean }>> = {
  'claude-code': { file: '.claude/settings.json', path: ['statusLine'], isStrict: true },
  'qwen-code': { file: '.qwen/settings.json', path: ['ui', 'statusLine'] },
  'copilot-cli': { file: '.copilot/settings.json', path: ['statusLine'] },
  droid: { file: '.factory/settings.json', path: ['statusLine'] },
}

it('the status lines are those of the tools that have one', async () => {
  const tools = await start().servers.list()
  expect(tools.flatMap(({ toolId, statusLine }) => (statusLine ? [toolId] : []))).toEqual(Object.keys(statusLines))
})

describe.each(Object.entries(statusLines))('the status line of %s', (toolId, { file, path, isStrict = false }) => {
  const pathIn = (workshop: Workshop): string => join(workshop.home, file)
  const within = (line: string): string => path.reduceRight((inner, name) => `{ "${name}": ${inner} }`, line)
  const read = (workshop: Workshop) => workshop.read(pathIn(workshop))?.toString() ?? '{}'
  const lineIn = (workshop: Workshop): unknown => {
    const settings: unknown = JSON.parse(read(workshop).replaceAll(/^\/\/.*$/gm, ''))
    return path.reduce((found, name) => Object(found)[name], settings)
  }
  const command = `${launcher} statusline --tool ${toolId}`

  it('runs our command, keeps one that was there in front, and is undone to the byte', async () => {
    const { workshop, change, view } = start()
    const text = within(`{ "type": "command", "command": "~/bin/line 'a b'", "padding": 0 }`)
    const lines = [...(isStrict ? [] : ['// Mine.']), '{ "model": "opus",', text.slice(1), '']
    workshop.put(pathIn(workshop), lines.join('\r\n'))
    const before = workshop.tree()
    await change(toolId, 'add', 'statusLine')
    const once = workshop.tree()
    const chained = `${command} --chain '~/bin/line '\\''a b'\\'''`
    expect(lineIn(workshop)).toEqual({ type: 'command', padding: 0, command: chained })
    expect(read(workshop).replaceAll('\r\n', '')).not.toContain('\n')
    expect(await view(toolId)).toMatchObject({ statusLine: 'added', server: 'absent' })
    await change(toolId, 'add', 'statusLine')
    expect(workshop.tree()).toEqual(once)
    await change(toolId, 'remove', 'statusLine')
    expect(workshop.tree()).toEqual(before)
  })

  it('shows what a template says, another one in its place, and is undone to the byte', async () => {
    const { workshop, servers, change } = start()
    const before = workshop.tree()
    for (const template of ["{model} it's", '{tokens}']) {
      const added = { toolId, what: 'statusLine', action: 'add', template } as const
      await servers.carryOut((await servers.preview(added)).previewId)
    }
    expect(lineIn(workshop)).toEqual({ type: 'command', command: `${command} --template '{tokens}'` })
    const [{ changes } = { changes: [] }] = await servers.history()
    expect(changes).toEqual([{ toolId, toolName: expect.any(String), kind: 'write' }])
    await change(toolId, 'remove', 'statusLine')
    expect(workshop.tree()).toEqual(before)
  })

  it('is told as modified when somebody changes it', async () => {
    const { workshop, change, view } = start()
    await change(toolId, 'add', 'statusLine')
    workshop.put(pathIn(workshop), within('{ "type": "command", "command": "mine" }'))
    expect(await view(toolId)).toMatchObject({ statusLine: 'modified' })
  })
})

it('a status line that Qwen Code makes of its own items is there again after ours', async () => {
  const { workshop, change } = start()
  const path = join(workshop.home, '.qwen/settings.json')
  workshop.put(path, '{ "ui": { "statusLine": { "type": "preset", "items": ["model"] } } }\n')
  const before = workshop.tree()
  await change('qwen-code', 'add', 'statusLine')
  const { statusLine } = JSON.parse(workshop.read(path)?.toString() ?? '{}').ui
  expect(statusLine).toEqual({ type: 'command', items: ['model'], command: `${launcher} statusline --tool qwen-code` })
  await change('qwen-code', 'remove', 'statusLine')
  expect(workshop.tree()).toEqual(before)
})

it('a tool without a status line is refused by name', async () => {
  const wish = { toolId: 'cursor', what: 'statusLine', action: 'add' } as const
  await expect(start().servers.preview(wish)).rejects.toMatchObject({ failure: { code: 'tool.notFound' } })
})

const canary = 'canary-of-a-value-0123456789'

/** A server of each kind, with a value, as Claude Code has it. */
const everyKind = {
  stdio: { type: 'stdio', command: 'npx', args: ['-y', 'pkg'], env: { TOKEN: canary, HOME_DIR: `\${HOME}` } },
  http: { type: 'http', url: 'https://mcp.example.com/v1', headers: { Authorization: canary } },
  sse: { type: 'sse', url: 'https://mcp.example.com/sse', headers: { Authorization: canary } },
}

const others = mcpTargets.filter(({ toolId }) => toolId !== 'claude-code')

describe.each(others.map((target) => [target.toolId, target] as const))(
  'a server that is copied to %s',
  (toolId, target) => {
    it.each(['stdio', 'http', 'sse'] as const)(
      'is %s as the tool has it, with values only on demand, and is undone to the byte',
      async (kind) => {
        const { workshop, changeServer, view, servers } = start()
        const entry = kind === 'stdio' ? { ...everyKind.stdio, env: { TOKEN: canary } } : everyKind[kind]
        workshop.put(join(workshop.home, '.claude.json'), JSON.stringify({ mcpServers: { wiki: entry } }))
        workshop.put(pathOf(target, workshop), textWith(target, '\r\n'))
        const before = workshop.tree()
        const copy = { toolId: 'claude-code', name: 'wiki', action: 'copy', to: [toolId] } as const
        const bare = await changeServer(copy)
        if (target.form.kinds[kind] === undefined) {
          expect(bare).toMatchObject({ tools: [], left: [{ toolId, failure: { code: 'input.invalid' } }] })
          expect(workshop.tree()).toEqual(before)
          return
        }
        const path = pathOf(target, workshop)
        expect(workshop.read(path)?.toString()).not.toContain(canary)
        const runs = kind === 'stdio' ? 'npx' : 'mcp.example.com'
        const copied = { name: 'wiki', kind: kind === 'stdio' ? 'program' : kind, runs, isOurs: false, isOn: true }
        expect((await view(toolId))?.servers).toMatchObject([{ name: 'other' }, { ...copied, values: [] }])
        expect(allFiles(workshop.place.dataDir).filter((file) => file.includes(canary))).toEqual([])
        const preview = await servers.preview({ what: 'anyServer', ...copy, values: 'plain' })
        expect(JSON.stringify(preview)).not.toContain(canary)
        expect(servers.consentFor(preview.previewId)).toMatchObject({
          ...{ server: 'wiki', tools: [target.name], files: [path] },
          values: [kind === 'stdio' ? 'TOKEN' : 'Authorization'],
        })
        await servers.carryOut(preview.previewId)
        expect(workshop.read(path)?.toString()).toContain(canary)
        expect((await view(toolId))?.servers[1]?.values).toHaveLength(1)
        const again = await changeServer({ ...copy, values: 'plain' })
        expect(again.tools[0]?.files.map(({ action }) => action)).toEqual(['none'])
        const having = (await servers.list()).filter((one) => one.servers.some(({ name }) => name === 'wiki'))
        expect(having.map((one) => one.toolId)).toEqual(['claude-code', toolId])
        await changeServer({ toolId, name: 'wiki', action: 'remove' })
        expect(workshop.tree()).toEqual(before)
      },
    )

    it('gets its values from the keychain, which no file holds, and they stay for an undo of its removal', async () => {
      const { workshop, changeServer, view, servers, keychain } = start()
      const env = target.form.reference ? everyKind.stdio.env : { TOKEN: canary }
      const entry = { ...everyKind.stdio, env }
      workshop.put(join(workshop.home, '.claude.json'), JSON.stringify({ mcpServers: { wiki: entry } }))
      workshop.put(pathOf(target, workshop), textWith(target, '\r\n'))
      const before = workshop.tree()
      const copy = { toolId: 'claude-code', name: 'wiki', action: 'copy', to: [toolId], values: 'keychain' } as const
      const { previewId } = await servers.preview({ what: 'anyServer', ...copy })
      const consent = { tools: [target.name], runs: 'npx -y pkg', values: ['TOKEN'], files: [] }
      expect(servers.consentFor(previewId)).toMatchObject(consent)
      expect([...keychain.items]).toEqual([])
      await servers.carryOut(previewId)
      const path = pathOf(target, workshop)
      expect(JSON.parse(keychain.items.get('mcp:claude-code:wiki') ?? '')).toEqual({ TOKEN: canary })
      // The one that it was copied from.
      expect(allFiles(workshop.home).filter((file) => file.includes(canary))).toEqual([
        workshop.read(join(workshop.home, '.claude.json'))?.toString(),
      ])
      for (const word of [launcher, 'run', 'wiki', 'TOKEN', 'npx', 'pkg', '--'])
        expect(workshop.read(path)?.toString()).toContain(word)
      const kept = { name: 'wiki', kind: 'program', runs: 'npx', isOurs: false, values: ['TOKEN'], areValuesKept: true }
      expect((await view(toolId))?.servers[1]).toMatchObject(kept)
      const again = await changeServer(copy)
      expect(again.tools[0]?.files.map(({ action }) => action)).toEqual(['none'])
      if (target.form.toggle) {
        await changeServer({ toolId, name: 'wiki', action: 'switchOff' })
        expect((await view(toolId))?.servers[1]).toMatchObject({ ...kept, isOn: false })
      }
      const other = toolId === 'cursor' ? 'opencode' : 'cursor'
      await expect(
        servers.preview({ what: 'anyServer', ...copy, toolId, to: [other], values: 'plain' }),
      ).rejects.toMatchObject({ failure: { code: 'input.invalid', field: 'values' } })
      await changeServer({ ...copy, toolId, to: [other] })
      expect((await view(other))?.servers).toMatchObject([kept])
      await changeServer({ toolId: other, name: 'wiki', action: 'remove' })
      expect(keychain.items.size).toBe(1)
      const having = workshop.read(path)?.toString()
      await changeServer({ toolId, name: 'wiki', action: 'remove' })
      expect(workshop.tree()).toEqual(before)
      const [removal] = await servers.history()
      const { previewId: undo } = await servers.preview({ what: 'rewind', entryId: removal?.id ?? '' })
      await servers.carryOut(undo)
      expect(workshop.read(path)?.toString()).toBe(having)
      expect(JSON.parse(keychain.items.get('mcp:claude-code:wiki') ?? '')).toEqual({ TOKEN: canary })
      for (const one of await servers.previewRemoveAll()) await servers.carryOut(one.previewId)
      expect([...keychain.items]).toEqual([])
      expect(workshop.tree()).toEqual(before)
    })

    it('is removed, switched off and on where the tool can, and each change is undone to the byte', async () => {
      const { workshop, changeServer, view, servers } = start()
      const path = pathOf(target, workshop)
      const text = textWith(target)
      workshop.put(path, text)
      const back = async (): Promise<void> => {
        const [entry] = await servers.history()
        const { previewId } = await servers.preview({ what: 'rewind', entryId: entry?.id ?? '' })
        await servers.carryOut(previewId)
      }
      await changeServer({ toolId, name: 'other', action: 'remove' })
      expect((await view(toolId))?.servers).toEqual([])
      expect(await servers.history()).toMatchObject([
        { isUndone: false, changes: [{ toolId, server: 'other', kind: 'restore' }] },
      ])
      await back()
      expect(workshop.read(path)?.toString()).toBe(text)
      const off = changeServer({ toolId, name: 'other', action: 'switchOff' })
      if (target.form.toggle === undefined) {
        await expect(off).rejects.toMatchObject({ failure: { code: 'input.invalid' } })
        return
      }
      await off
      expect((await view(toolId))?.servers).toMatchObject([{ name: 'other', isOn: false, canSwitch: true }])
      await changeServer({ toolId, name: 'other', action: 'switchOn' })
      expect((await view(toolId))?.servers).toMatchObject([{ isOn: true }])
      await back()
      await back()
      const kinds = (await servers.history()).map(({ changes }) => changes[0]?.kind)
      expect(kinds.slice(0, 4)).toEqual(['rewind', 'rewind', 'write', 'write'])
    })
  },
)

describe('servers of tools', () => {
  it('keeps variables that a tool reads from the environment, in the words of the other', async () => {
    const { workshop, changeServer } = start()
    workshop.put(join(workshop.home, '.claude.json'), JSON.stringify({ mcpServers: { wiki: everyKind.stdio } }))
    const to = ['opencode', 'cursor', 'crush', 'zed']
    const { left } = await changeServer({ toolId: 'claude-code', name: 'wiki', action: 'copy', to })
    expect(left).toMatchObject([{ toolId: 'zed', failure: { code: 'input.invalid' } }])
    const textOf = (path: string) => workshop.read(join(workshop.home, path))?.toString()
    expect(textOf('.config/opencode/opencode.json')).toContain('"HOME_DIR": "{env:HOME}"')
    expect(textOf('.cursor/mcp.json')).toContain(`"HOME_DIR": "\${env:HOME}"`)
  })

  it('writes over no server of the same name, and takes out no server of this app', async () => {
    const { workshop, change, changeServer } = start()
    workshop.put(join(workshop.home, '.claude.json'), JSON.stringify({ mcpServers: { wiki: everyKind.http } }))
    workshop.put(join(workshop.home, '.cursor/mcp.json'), '{ "mcpServers": { "wiki": { "command": "mine" } } }')
    await change('claude-code', 'add')
    const before = workshop.tree()
    const copy = { toolId: 'claude-code', name: 'wiki', action: 'copy', to: ['cursor'] } as const
    expect(await changeServer(copy)).toMatchObject({ tools: [], left: [{ toolId: 'cursor' }] })
    const ours = { toolId: 'claude-code', name: 'companion', action: 'remove' } as const
    await expect(changeServer(ours)).rejects.toMatchObject({ failure: { code: 'input.invalid' } })
    expect(workshop.tree()).toEqual(before)
  })

  it('keeps values in the keychain for programs only, and only where there is one', async () => {
    const { workshop, servers, keychain } = start()
    workshop.put(join(workshop.home, '.claude.json'), JSON.stringify({ mcpServers: everyKind }))
    const copy = {
      what: 'anyServer',
      toolId: 'claude-code',
      action: 'copy',
      to: ['cursor'],
      values: 'keychain',
    } as const
    const refused = { failure: { code: 'input.invalid', field: 'values' } }
    await expect(servers.preview({ ...copy, name: 'http' })).rejects.toMatchObject(refused)
    keychain.isLocked = true
    await expect(servers.preview({ ...copy, name: 'stdio' })).rejects.toMatchObject({
      failure: { code: 'vault.unavailable' },
    })
  })

  it('takes out what it copied with everything else', async () => {
    const { workshop, change, changeServer, servers } = start()
    workshop.put(join(workshop.home, '.claude.json'), JSON.stringify({ mcpServers: { wiki: everyKind.http } }))
    const before = workshop.tree()
    await change('cursor', 'add')
    await changeServer({ toolId: 'claude-code', name: 'wiki', action: 'copy', to: ['cursor', 'droid'] })
    for (const { previewId } of await servers.previewRemoveAll())
      await servers.carryOut(previewId).catch(() => undefined)
    for (const { previewId } of await servers.previewRemoveAll()) await servers.carryOut(previewId)
    expect(workshop.tree()).toEqual(before)
  })
})

it.each(['keychain', 'plain'] as const)('copies a value with spaces as it is (%s)', async (values) => {
  const { workshop, changeServer, keychain } = start()
  const value = 'two words  and ủ '
  const entry = { command: 'npx', args: ['-y', 'pkg'], env: { NOTE: value } }
  workshop.put(join(workshop.home, '.claude.json'), JSON.stringify({ mcpServers: { wiki: entry } }))
  await changeServer({ toolId: 'claude-code', name: 'wiki', action: 'copy', to: ['cursor'], values })
  const text = workshop.read(join(workshop.home, '.cursor', 'mcp.json'))?.toString() ?? ''
  const written = values === 'plain' ? JSON.parse(text).mcpServers.wiki.env : keychain.items.get('mcp:claude-code:wiki')
  expect(typeof written === 'string' ? JSON.parse(written) : written).toEqual({ NOTE: value })
})
