import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { type Machine, test as terminalTest } from '../support/app'
import { cliPath, runCompanion } from '../support/companion'
import { callControl } from '../support/control'
import { expect, test } from '../support/desk'
import { openTool } from '../support/tools'
import { codex, realTool } from './real-tools'
import { addToPath } from './tool-runs'

const prompt = "'Say hello'"

/** A tool, its name in the window, and the arguments of one prompt without a terminal. */
const walkedTools = [
  { tool: realTool('claude-code'), name: 'Claude Code', args: `-p ${prompt}` },
  { tool: realTool('opencode'), name: 'OpenCode', args: `run ${prompt}` },
  { tool: realTool('qwen-code'), name: 'Qwen Code', args: `-p ${prompt}` },
  { tool: realTool('copilot-cli'), name: 'GitHub Copilot CLI', args: `-p ${prompt}` },
  { tool: realTool('cline'), name: 'Cline CLI', args: `-y ${prompt}` },
  { tool: codex, name: 'Codex CLI', args: `exec --skip-git-repo-check ${prompt}` },
]

/** Cline prints only that the model called its completion tool. */
const answerPattern = /hello|Submission recorded/i

const Requests = z.object({ requests: z.array(z.object({ path: z.string(), status: z.number() })) })

/** Most requests of one short prompt. An agent loop that does not end sends hundreds. */
const maxRequests = 8

function startInShell({ home, bin, env }: Machine, command: string) {
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  const path = [join(home, '.local/bin'), bin, env.PATH].join(':')
  return spawn('sh', ['-c', command], {
    cwd: project,
    // Without it, Copilot looks for a GitHub account.
    env: { ...env, COPILOT_OFFLINE: 'true', PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 150_000,
    killSignal: 'SIGKILL',
  })
}

async function runInShell(machine: Machine, command: string) {
  const child = startInShell(machine, command)
  const exitPromise = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exitPromise])
  return { code, out, err }
}

async function succeed(machine: Machine, command: string): Promise<string> {
  const { code, out, err } = await runInShell(machine, command)
  expect(code, `${command}\n${out}\n${err}`).toBe(0)
  return out + err
}

/** Puts `companion` on PATH, as an installation does. */
function installCompanion({ bin, dataDir }: Machine): void {
  const path = join(bin, 'companion')
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' --data-dir '${dataDir}' "$@"\n`)
  chmodSync(path, 0o755)
}

/** Starts a command that runs until it is stopped, and waits for a text of its output. */
async function startUntil(machine: Machine, command: string, ready: RegExp) {
  const child = startInShell(machine, `exec ${command}`)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  await expect.poll(() => output, { timeout: 30_000 }).toMatch(ready)
  return { output, stop: () => child.kill('SIGTERM') }
}

const findQuotedCommand = (output: string, pattern: RegExp): string | undefined => pattern.exec(output)?.[1]

terminalTest('in a terminal, the printed commands lead to the first answer of each tool', async ({ machine }) => {
  terminalTest.setTimeout(900_000)
  installCompanion(machine)
  for (const { tool } of walkedTools) addToPath(tool, machine)
  machine.env.COMPANION_SANDBOX_CONTROL_TOKEN = 'walk'
  const sandbox = await startUntil(machine, 'companion sandbox --gateway-port 0 --platform-port 0', /Stop it with/)
  const platformUrl = /Console +(\S+)\/console/.exec(sandbox.output)?.[1] ?? ''
  const countRequests = async (): Promise<number> => {
    const answer = await callControl({ platformUrl, controlToken: 'walk' }, '/requests?area=gateway')
    return Requests.parse(answer).requests.length
  }
  const running = [sandbox]
  try {
    const printed = [...sandbox.output.matchAll(/^ {2}((?:printf .*\| )?companion .*)$/gm)].map(([, line = '']) => line)
    expect(printed).toHaveLength(3)
    const [addPlan = '', configure = '', verify = ''] = printed
    await succeed(machine, addPlan)
    for (const { tool, args } of walkedTools) {
      const [ownConfigure, ownVerify] = [configure, verify].map((line) => line.replace('claude-code', tool.id))
      const first = await runInShell(machine, ownConfigure ?? '')
      const consent = findQuotedCommand(first.err, /run "(companion [^"]*)"/)
      const output = first.code === 0 ? first.out : await succeed(machine, consent ?? `false # ${first.err}`)
      const relay = findQuotedCommand(output, /the relay is not running \(start the app or "(companion [^"]*)"\)/)
      if (relay !== undefined) running.push(await startUntil(machine, relay, /127\.0\.0\.1/))
      await succeed(machine, ownVerify ?? '')
      const before = await countRequests()
      const start = findQuotedCommand(output, /with "([^"]*)"/) ?? tool.command
      expect(await succeed(machine, `${start} ${args}`)).toMatch(answerPattern)
      expect((await countRequests()) - before, tool.id).toBeLessThanOrEqual(maxRequests)
    }
    expect(await succeed(machine, 'companion restore --all --yes')).toContain('Undid 6 configurations')
  } finally {
    for (const { stop } of running) stop()
  }
})

test('in the window, the shown start command leads to the first answer of each tool', async ({ harness }) => {
  test.setTimeout(900_000)
  const { machine } = harness
  for (const { tool } of walkedTools) addToPath(tool, machine)
  const page = await harness.start()
  for (const { tool, name, args } of walkedTools) {
    await openTool(page, name)
    const consent = page.getByLabel('Write the key as plain text')
    if (tool.delivery === 'plain') await consent.click()
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await expect(page.getByText('Start it with')).toBeVisible()
    const start = await page.getByText('Start it with').locator('code').innerText()
    expect(await succeed(machine, `${start} ${args}`)).toMatch(answerPattern)
  }
  expect(await runCompanion(machine, ['restore', '--all', '--yes'])).toMatchObject({ code: 0 })
})
