import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Machine } from '../support/app'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/desk'
import { claudeFile, installTools } from '../support/tools'

const run = promisify(execFile)
const plan = 'sandbox-pro'
const rotateArgs = ['rotate', 'start', '--plan', plan, ...'--key An --name An-2 --grace 0 --yes'.split(' ')]

async function runSuccessfully(
  machine: Machine,
  args: readonly string[],
  input = '',
): Promise<{ out: string; err: string }> {
  const { code, out, err } = await runCompanion(machine, args, { input })
  expect(code, `${args.join(' ')}: ${err}${out}`).toBe(0)
  return { out, err }
}

/** Simulates another person's computer, with its own home and data folder. */
function secondHome({ home, env, ...machine }: Machine): Machine {
  const holderFolder = join(home, '../holder')
  const [holderHome, dataDir] = [join(holderFolder, 'home'), join(holderFolder, 'data')]
  for (const folder of [holderHome, dataDir]) mkdirSync(folder, { recursive: true })
  const holderEnv = {
    HOME: holderHome,
    XDG_CONFIG_HOME: join(holderHome, '.config'),
    XDG_DATA_HOME: join(holderHome, '.share'),
  }
  return { ...machine, home: holderHome, dataDir, env: { ...env, ...holderEnv } }
}

/** The key in the file that OpenCode reads when it starts. */
function readOpenCodeKey({ home }: Machine): string {
  const text = readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8')
  const [, keyFile = ''] = /\{file:([^}]+)\}/.exec(text) ?? []
  return readFileSync(keyFile, 'utf8').trimEnd()
}

/** The key that Claude Code's helper command prints for each request. */
async function readClaudeKey(machine: Machine): Promise<string> {
  const { apiKeyHelper } = JSON.parse(readFileSync(claudeFile(machine), 'utf8'))
  return (await run('/bin/sh', ['-c', apiKeyHelper], { env: machine.env, cwd: '/' })).stdout.trimEnd()
}

/** Sends requests through the holder's tools until stopped. OpenCode keeps the key that it was started with. */
function useTools({ ask }: AppHarness, holder: Machine) {
  let loadedKey = readOpenCodeKey(holder)
  let hasEnded = false
  const answers: { readonly tool: string; readonly key: string; readonly status: number }[] = []
  const loop = async (tool: string, key: () => string | Promise<string>): Promise<void> => {
    while (!hasEnded) {
      const usedKey = await key()
      answers.push({ tool, key: usedKey, status: await ask(usedKey) })
    }
  }
  const loops = [loop('claude-code', () => readClaudeKey(holder)), loop('opencode', () => loadedKey)]
  return {
    answers,
    restartOpenCode: () => {
      loadedKey = readOpenCodeKey(holder)
    },
    end: async () => {
      hasEnded = true
      await Promise.all(loops)
    },
  }
}

/**
 * Creates a key file for the holder and opens it on the holder's computer with the command line. Returns the output.
 */
async function issueAndOpenKeyFile(
  leadMachine: Machine,
  holder: Machine,
  { name, key }: { name: string; key?: string },
) {
  const file = join(leadMachine.home, `${name}.age`)
  const keyArgs = key === undefined ? [] : ['--key', key]
  const { err } = await runSuccessfully(leadMachine, [
    'handout',
    'create',
    '--plan',
    plan,
    '--holder',
    'An',
    ...keyArgs,
    '--out',
    file,
  ])
  const [, passphrase = ''] = /: ([a-z]+(?:-[a-z]+){5})$/m.exec(err) ?? []
  const { out } = await runSuccessfully(
    holder,
    ['handout', 'open', file, '--passphrase-stdin', '--accept'],
    `${passphrase}\n`,
  )
  const [, code = ''] = /Confirmation code, send it back: (\S+)/.exec(out) ?? []
  expect(code).not.toBe('')
  return { out, code }
}

test('a holder who imports and confirms the new key has no failed request while the lead rotates', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(180_000)
  const leadMachine = harness.machine
  installTools(leadMachine)
  // The lead's app must run, because it disables the old key once the confirmation code is entered.
  await harness.start()
  const holder = secondHome(leadMachine)
  const firstHandout = await issueAndOpenKeyFile(leadMachine, holder, { name: 'first' })
  await runSuccessfully(leadMachine, ['handout', 'acknowledge', firstHandout.code])
  for (const tool of ['claude-code', 'opencode']) await runSuccessfully(holder, ['configure', tool, '--plan', plan])
  const oldKey = readOpenCodeKey(holder)
  const tools = useTools(harness, holder)

  await runSuccessfully(leadMachine, rotateArgs)
  expect(await harness.ask(oldKey)).toBe(200)
  const secondKeyFile = await issueAndOpenKeyFile(leadMachine, holder, { name: 'second', key: 'An-2' })
  expect(secondKeyFile.out).toMatch(/verified +Claude Code/)
  expect(secondKeyFile.out).toMatch(/verified +OpenCode/)
  expect(readOpenCodeKey(holder)).not.toBe(oldKey)
  tools.restartOpenCode()
  await runSuccessfully(leadMachine, ['handout', 'acknowledge', secondKeyFile.code])
  await expect.poll(() => harness.ask(oldKey), { timeout: 60_000 }).toBe(401)
  const countBefore = tools.answers.length
  await expect.poll(() => tools.answers.length).toBeGreaterThan(countBefore + 10)
  await tools.end()

  expect(tools.answers.filter(({ status }) => status !== 200)).toEqual([])
  for (const tool of ['claude-code', 'opencode'])
    expect(new Set(tools.answers.filter((answer) => answer.tool === tool).map(({ key }) => key)).size).toBe(2)
  const [planState] = await harness.plansCalled(plan)
  const names = planState?.keys.filter(({ deleted }) => !deleted).map(({ name }) => name)
  expect(names).toContain('An-2')
  expect(names).not.toContain('An')
  // Restore the tools, so that no file contains a key any more.
  for (const tool of ['claude-code', 'opencode']) await runSuccessfully(holder, ['restore', tool])
})

test('a holder who skips the switch sees what stops and gets the code', { tag: '@deep' }, async ({ harness }) => {
  const leadMachine = harness.machine
  installTools(leadMachine)
  await harness.start()
  const holder = secondHome(leadMachine)
  await issueAndOpenKeyFile(leadMachine, holder, { name: 'first' })
  await runSuccessfully(holder, ['configure', 'opencode', '--plan', plan])
  const oldKey = readOpenCodeKey(holder)
  await runSuccessfully(leadMachine, rotateArgs)
  const file = join(leadMachine.home, 'second.age')
  const keyFileArgs = ['handout', 'create', '--plan', plan, '--holder', 'An', '--key', 'An-2', '--out', file]
  const [, passphrase = ''] =
    /: ([a-z]+(?:-[a-z]+){5})$/m.exec((await runSuccessfully(leadMachine, keyFileArgs)).err) ?? []
  const openKeyFileArgs = ['handout', 'open', file, '--passphrase-stdin', '--accept', '--keep-tools']
  const { out } = await runSuccessfully(holder, openKeyFileArgs, `${passphrase}\n`)
  expect(out).toContain('OpenCode still uses An and stops when that key is disabled.')
  expect(out).toContain('Confirmation code, send it back: ')
  expect(readOpenCodeKey(holder)).toBe(oldKey)
  await runSuccessfully(holder, ['restore', 'opencode'])
})
