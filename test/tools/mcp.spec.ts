import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { addPlan, type CliHarness, expect, test } from '../support/cli-desk'
import { runCompanion } from '../support/companion'
import { killRelays, startRelay } from '../support/relay-command'
import { writeUserFile } from '../support/tools'
import { codex, realTool } from './real-tools'
import { startToolCallingModel } from './tool-calling-model'
import { addToPath, runPrompt, toShellVariables } from './tool-runs'

const run = promisify(execFile)

test.afterEach(killRelays)

/** Tools that can list their MCP servers without a user and a model. */
for (const [id, args] of [
  ['claude-code', ['mcp', 'list']],
  ['opencode', ['mcp', 'list']],
] as const) {
  test(`${id} starts and reaches the MCP server that was added to it, and not once it is removed`, async ({
    harness,
  }) => {
    const { machine, succeed } = harness
    const tool = realTool(id)
    addToPath(tool, machine)
    const list = async (): Promise<string> => {
      const env = { ...machine.env, ...toShellVariables(tool, '') }
      const { stdout, stderr } = await run(tool.command, [...args], { env, cwd: machine.home, timeout: 60_000 })
      return stdout + stderr
    }
    await succeed('mcp', 'add', id)
    expect(await list()).toMatch(/companion.*connected/is)
    await succeed('mcp', 'remove', id)
    expect(await list()).not.toMatch(/companion/i)
  })
}

/** The sandbox's platform as the active connection. */
async function connect({ machine, sandbox }: CliHarness): Promise<void> {
  const { addresses, iam } = sandbox.ready
  const file = join(machine.home, 'connection.json')
  const tokenSource = { kind: 'client-credentials', tokenUrl: iam.tokenUrl, clientId: iam.clientId }
  writeFileSync(file, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
  const input = iam.clientSecret.expose()
  expect(await runCompanion(machine, ['connection', 'add', '--file', file, '--secret-stdin'], { input })).toMatchObject(
    {
      code: 0,
    },
  )
}

/** A memory of the sandbox at the active connection. */
async function addMemory(harness: CliHarness, name: string): Promise<void> {
  await connect(harness)
  const body = JSON.stringify({ name, longTermMemoryStrategies: [{ name: 'facts', type: 'SEMANTIC' }] })
  await harness.succeed('api', 'call', 'memory.memories.create', '--body', body)
}

const quota = { name: 'quota', input: {} }
const search = { name: 'memory_search', input: { memory: 'mcp-notes', query: 'tea' } }

/** A client that calls MCP tools: command-line arguments that skip its confirmations, and the tools that it calls. */
interface Caller {
  readonly args: readonly string[]
  readonly calls?: readonly (typeof quota | typeof search)[]
}
const callers: Readonly<Record<string, Caller>> = {
  'claude-code': { args: [quota, search].flatMap(({ name }) => ['--allowedTools', `mcp__companion__${name}`]) },
  opencode: { args: [] },
  kilo: { args: ['--auto'] },
  'qwen-code': { args: ['-y'] },
  continue: { args: ['--auto'] },
  cline: { args: ['--auto-approve', 'true'] },
  'copilot-cli': { args: ['--allow-all-tools'] },
  // These tools pass no session variables to servers, and the tests' keychain is not at its default address.
  nanocoder: { args: ['--mode', 'yolo'], calls: [quota] },
  codex: { args: ['--dangerously-bypass-approvals-and-sandbox'], calls: [quota] },
}

for (const [id, { args, calls = [quota, search] }] of Object.entries(callers))
  for (const transport of ['stdio', 'http'] as const)
    test(`${id} calls the server over ${transport} at its model’s request, and sends the result to the model`, async ({
      harness,
    }) => {
      const { machine, succeed } = harness
      const tool = id === codex.id ? codex : realTool(id)
      addToPath(tool, machine)
      await addMemory(harness, 'mcp-notes')
      const model = await startToolCallingModel(calls)
      const key = 'sk-scripted-key-1'
      await addPlan(machine, { name: 'scripted', gateway: model.url, key, models: ['aurora-large'] })
      await succeed('configure', id, '--plan', 'scripted', '--delivery', tool.delivery)
      await succeed('mcp', 'add', id, ...(transport === 'http' ? ['--http'] : []))
      const relay = transport === 'http' || id === codex.id ? await startRelay(machine) : undefined
      const oneShotArgs = (prompt: string) => [...tool.oneShot(prompt), ...args]
      const { code, out, err } = await runPrompt({ ...tool, oneShot: oneShotArgs }, machine, {
        prompt: 'What is left of my plans?',
        key,
      })
      expect([code, out], err).toEqual([0, expect.stringContaining('Done.')])
      expect(model.conversation()).toMatch(/call_of_quota.*aurora-large/s)
      if (calls.includes(search))
        expect(model.conversation()).toMatch(/call_of_memory_search.*mcp-notes.{1,12}records/s)
      expect(await succeed('mcp', 'list')).toMatch(new RegExp(`^${id} +added`, 'm'))
      await model.stop()
      await relay?.stop()
    })

interface Terminal {
  /** Its arguments. */
  readonly program: string
  /** Path of the tool's settings file for the status line, and settings that already have a status line. */
  readonly settings: string
  readonly before: object
  /** File that answers the questions which the tool asks at its first start. */
  readonly answers?: { readonly file: string; readonly of: (project: string) => object }
}

const ownStatusLine = { statusLine: { type: 'command', command: 'echo mine' } }
const terminals: Readonly<Record<string, Terminal>> = {
  'claude-code': {
    program: 'claude',
    settings: '.claude/settings.json',
    before: ownStatusLine,
    answers: {
      file: '.claude.json',
      of: (project) => {
        const projects = { [project]: { hasTrustDialogAccepted: true } }
        return { theme: 'dark', hasCompletedOnboarding: true, projects }
      },
    },
  },
  'qwen-code': { program: 'qwen', settings: '.qwen/settings.json', before: { ui: ownStatusLine } },
  'copilot-cli': {
    program: '~/.local/bin/copilot-companion',
    settings: '.copilot/settings.json',
    before: ownStatusLine,
    answers: { file: '.copilot/config.json', of: (project) => ({ trustedFolders: [project] }) },
  },
}

/** Connects to the sandbox, and configures a tool and its status line. Returns a project folder. */
async function setUpMcp(harness: CliHarness, id: string): Promise<string> {
  const { machine, succeed } = harness
  const tool = realTool(id)
  addToPath(tool, machine)
  await connect(harness)
  await succeed('key', 'keep', 'sandbox-pro', 'default-key')
  await succeed('configure', id, '--plan', 'sandbox-pro', '--delivery', tool.delivery)
  await succeed('statusline', 'add', id)
  expect(await succeed('usage', '--line')).toContain('sandbox-pro')
  const project = join(machine.home, 'project')
  mkdirSync(project)
  return project
}

for (const [id, { program, settings, before, answers }] of Object.entries(terminals))
  test(`${id} shows the status line in its terminal after the existing one`, async ({ harness }) => {
    test.skip(process.platform !== 'linux', 'needs script of util-linux, which gives a program a terminal')
    const { machine } = harness
    writeUserFile(join(machine.home, settings), JSON.stringify(before))
    const project = await setUpMcp(harness, id)
    if (answers) writeUserFile(join(machine.home, answers.file), JSON.stringify(answers.of(project)))
    const command = `echo $$ > ${machine.home}/pid; stty cols 120 rows 34; exec ${program}`
    const env = { ...machine.env, ...toShellVariables(realTool(id), ''), TERM: 'xterm-256color' }
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], { cwd: project, env })
    let screen = ''
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      screen += chunk
    })
    // In terminal output, words are separated by spaces or by escape sequences that move the cursor.
    const line = ['mine', '│', '.{0,40}aurora-large.{0,40}', '·', 'sandbox-pro', '\\d+%', 'left', '·', '\\d+'].join(
      '(?:\\s|\\x1b\\[[\\d;]*[A-Za-z])+',
    )
    await expect.poll(() => screen, { timeout: 60_000 }).toMatch(new RegExp(line))
    // Kill the tool's own session, which writes into its home until it ends.
    const terminalClosed = once(terminal, 'close')
    process.kill(-Number(readFileSync(join(machine.home, 'pid'), 'utf8')), 'SIGKILL')
    await terminalClosed
  })

test('droid runs the status line like its own, and contains its output', async ({ harness }) => {
  const { machine } = harness
  const project = await setUpMcp(harness, 'droid')
  const path = join(machine.home, '.factory/settings.json')
  // Droid runs no commands in an untrusted folder.
  writeUserFile(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), trustedFolders: { [project]: {} } }))
  const { stdout } = await run('droid', ['statusline-probe'], { env: machine.env, cwd: project, timeout: 60_000 })
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, stdout: expect.stringMatching(/Probe · sandbox-pro \d+% left/) })
})
