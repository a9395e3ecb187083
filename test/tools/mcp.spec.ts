import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '../support/cli-desk'
import { realTool } from './real-tools'
import { putOnPath, shellOf } from './tool-runs'

const run = promisify(execFile)

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
