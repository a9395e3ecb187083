import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { addPlan, type CliDesk, expect, test } from '../support/cli-desk'
import { companion } from '../support/companion'
import { endRelays, startRelay } from '../support/relay-command'
import { realTool } from './real-tools'
import { startToolCallingModel } from './tool-calling-model'
import { ask, putOnPath, shellOf } from './tool-runs'

const run = promisify(execFile)

test.afterEach(endRelays)

/** The tools that can be asked which MCP servers they reach, without a person and without a model. */
for (const [id, args] of [
  ['claude-code', ['mcp', 'list']],
  ['opencode', ['mcp', 'list']],
] as const) {
  test(`${id} starts the MCP server that was added to it and reaches it, and not once it is taken out`, async ({
    desk,
  }) => {
    const { machine, succeed } = desk
    const tool = realTool(id)
    putOnPath(tool, machine)
    const list = async (): Promise<string> => {
      const env = { ...machine.env, ...shellOf(tool, '') }
      const { stdout, stderr } = await run(tool.command, [...args], { env, cwd: machine.home, timeout: 60_000 })
      return stdout + stderr
    }
    await succeed('mcp', 'add', id)
    expect(await list()).toMatch(/companion.*connected/is)
    await succeed('mcp', 'remove', id)
    expect(await list()).not.toMatch(/companion/i)
  })
}

/** A memory of the sandbox at the active connection. */
async function addMemory({ machine, sandbox, succeed }: CliDesk, name: string): Promise<void> {
  const { addresses, iam } = sandbox.ready
  const file = join(machine.home, 'connection.json')
  const tokenSource = { kind: 'client-credentials', tokenUrl: iam.tokenUrl, clientId: iam.clientId }
  writeFileSync(file, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
  const input = iam.clientSecret.expose()
  expect(await companion(machine, ['connection', 'add', '--file', file, '--secret-stdin'], { input })).toMatchObject({
    code: 0,
  })
  const body = JSON.stringify({ name, longTermMemoryStrategies: [{ name: 'facts', type: 'SEMANTIC' }] })
  await succeed('api', 'call', 'memory.memories.create', '--body', body)
}

const calls = [
  { name: 'quota', input: {} },
  { name: 'memory_search', input: { memory: 'mcp-notes', query: 'tea' } },
]

for (const id of ['claude-code', 'opencode'] as const)
  for (const way of ['stdio', 'http'] as const)
    test(`${id} calls the server over ${way} when its model asks for it, and hands the model what it says`, async ({
      desk,
    }) => {
      const { machine, succeed } = desk
      const tool = realTool(id)
      putOnPath(tool, machine)
      await addMemory(desk, 'mcp-notes')
      const model = await startToolCallingModel(calls)
      await addPlan(machine, {
        name: 'scripted',
        gateway: model.url,
        key: 'sk-scripted-key-1',
        models: ['aurora-large'],
      })
      await succeed('configure', id, '--plan', 'scripted', '--delivery', tool.delivery)
      await succeed('mcp', 'add', id, ...(way === 'http' ? ['--http'] : []))
      const relay = way === 'http' ? await startRelay(machine) : undefined
      // Claude Code asks its model without a server that takes long to connect: the first request starts ours.
      const env = { ...machine.env, ...shellOf(tool, '') }
      if (relay) await run(tool.command, ['mcp', 'list'], { env, cwd: machine.home, timeout: 60_000 })
      const allowed = calls.flatMap(({ name }) => ['--allowedTools', `mcp__companion__${name}`])
      const oneShot = (prompt: string) => [...tool.oneShot(prompt), ...(id === 'claude-code' ? allowed : [])]
      const { code, out, err } = await ask({ ...tool, oneShot }, machine, {
        prompt: 'What is left of my plans?',
        key: '',
      })
      expect([code, out], err).toEqual([0, expect.stringContaining('Done.')])
      expect(model.conversation()).toMatch(
        /call_of_quota.*aurora-large.*call_of_memory_search.*mcp-notes.{1,12}records/s,
      )
      expect(await succeed('mcp', 'list')).toMatch(new RegExp(`^${id} +added`, 'm'))
      await model.stop()
      await relay?.stop()
    })
