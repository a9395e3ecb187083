import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { Machine } from '../support/app'

const Installed = z.record(
  z.string(),
  z.union([z.strictObject({ executable: z.string(), version: z.string() }), z.strictObject({ failure: z.string() })]),
)

/** A real tool of this run: how it is started with one prompt, and what it sends to a gateway. */
export interface RealTool {
  readonly id: 'claude-code' | 'opencode'
  readonly command: string
  readonly oneShot: (prompt: string) => readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly requestLine: string
}

/** What a tool printed. */
export interface ToolOutcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Retries of Claude Code would hide a refused key for minutes; neither tool shall look for updates. */
export const realTools: readonly RealTool[] = [
  {
    id: 'claude-code',
    command: 'claude',
    oneShot: (prompt) => ['-p', prompt],
    env: { CLAUDE_CODE_MAX_RETRIES: '0', DISABLE_AUTOUPDATER: '1' },
    requestLine: 'POST /v1/messages 200',
  },
  {
    id: 'opencode',
    command: 'opencode',
    oneShot: (prompt) => ['run', prompt],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    requestLine: 'POST /v1/chat/completions 200',
  },
]

/** OpenCode tries a gateway that is gone, or an allowance that is used up, again for more than a minute. */
const longestRunMs = 150_000
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** Puts a tool on the machine's path; fails when it could not be installed. Returns the version that was installed. */
export function putOnPath({ id, command }: RealTool, machine: Machine): string {
  const found = Installed.parse(JSON.parse(process.env.REAL_TOOLS ?? '{}'))[id]
  if (!found) throw new Error('Start these tests with "npm run test:tools": it installs the tools.')
  if ('failure' in found) throw new Error(`${id} could not be installed: ${found.failure}`)
  symlinkSync(found.executable, join(machine.bin, command))
  return found.version
}

/** Gives the tool one prompt in an empty project and waits for its end. */
export async function ask(tool: RealTool, machine: Machine, prompt: string): Promise<ToolOutcome> {
  const project = join(machine.home, 'project')
  mkdirSync(project, { recursive: true })
  const child = spawn(join(machine.bin, tool.command), [...tool.oneShot(prompt)], {
    cwd: project,
    env: { ...machine.env, ...tool.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestRunMs,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out: out.replace(colours, ''), err: err.replace(colours, '') }
}
