import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Machine } from '../support/app'
import { companion } from '../support/companion'
import { type Desk, expect, test } from '../support/desk'
import { claudeFile, installTools } from '../support/tools'

const run = promisify(execFile)
const plan = 'sandbox-pro'

async function succeed(machine: Machine, args: readonly string[], input = ''): Promise<{ out: string; err: string }> {
  const { code, out, err } = await companion(machine, args, { input })
  expect(code, `${args.join(' ')}: ${err}${out}`).toBe(0)
  return { out, err }
}

/** Another person's computer, with its own home and data folder. */
function secondHome({ home, env, ...machine }: Machine): Machine {
  const place = join(home, '../holder')
  const [holderHome, dataDir] = [join(place, 'home'), join(place, 'data')]
  for (const folder of [holderHome, dataDir]) mkdirSync(folder, { recursive: true })
  const own = {
    HOME: holderHome,
    XDG_CONFIG_HOME: join(holderHome, '.config'),
    XDG_DATA_HOME: join(holderHome, '.share'),
  }
  return { ...machine, home: holderHome, dataDir, env: { ...env, ...own } }
}

/** The key in the file that OpenCode reads when it starts. */
function keyOfOpenCode({ home }: Machine): string {
  const text = readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8')
  const [, keyFile = ''] = /\{file:([^}]+)\}/.exec(text) ?? []
  return readFileSync(keyFile, 'utf8').trimEnd()
}

/** The key that Claude Code's helper command prints for each request. */
async function keyOfClaude(machine: Machine): Promise<string> {
  const { apiKeyHelper } = JSON.parse(readFileSync(claudeFile(machine), 'utf8'))
  return (await run('/bin/sh', ['-c', apiKeyHelper], { env: machine.env, cwd: '/' })).stdout.trimEnd()
}

/** Sends requests through the holder's tools until stopped. OpenCode keeps the key that it was started with. */
function useTools({ ask }: Desk, holder: Machine) {
  let inMemory = keyOfOpenCode(holder)
  let isOver = false
  const answers: { readonly tool: string; readonly key: string; readonly status: number }[] = []
  const loop = async (tool: string, key: () => string | Promise<string>): Promise<void> => {
    while (!isOver) {
      const used = await key()
      answers.push({ tool, key: used, status: await ask(used) })
    }
  }
  const loops = [loop('claude-code', () => keyOfClaude(holder)), loop('opencode', () => inMemory)]
  return {
    answers,
    restartOpenCode: () => {
      inMemory = keyOfOpenCode(holder)
    },
    end: async () => {
      isOver = true
      await Promise.all(loops)
    },
  }
}

/** Issues a key to the holder, who opens the file with the command line, and returns the output. */
async function issueAndOpen(lead: Machine, holder: Machine, { name, key }: { name: string; key?: string }) {
  const file = join(lead.home, `${name}.age`)
  const of = key === undefined ? [] : ['--key', key]
  const { err } = await succeed(lead, ['handout', 'create', '--plan', plan, '--holder', 'An', ...of, '--out', file])
  const [, passphrase = ''] = /: ([a-z]+(?:-[a-z]+){5})$/m.exec(err) ?? []
  const { out } = await succeed(holder, ['handout', 'open', file, '--passphrase-stdin', '--accept'], `${passphrase}\n`)
  const [, code = ''] = /Confirmation code, send it back: (\S+)/.exec(out) ?? []
  expect(code).not.toBe('')
  return { out, code }
}

test('a holder who imports and confirms the new key has no failed request while the lead rotates', async ({ desk }) => {
  test.setTimeout(180_000)
  const lead = desk.machine
  installTools(lead)
  // The lead's app disables the old key once the code is entered.
  await desk.start()
  const holder = secondHome(lead)
  const first = await issueAndOpen(lead, holder, { name: 'first' })
  await succeed(lead, ['handout', 'acknowledge', first.code])
  for (const tool of ['claude-code', 'opencode']) await succeed(holder, ['configure', tool, '--plan', plan])
  const old = keyOfOpenCode(holder)
  const tools = useTools(desk, holder)

  await succeed(lead, ['rotate', 'start', '--plan', plan, '--key', 'An', '--name', 'An-2', '--grace', '0', '--yes'])
  expect(await desk.ask(old)).toBe(200)
  const second = await issueAndOpen(lead, holder, { name: 'second', key: 'An-2' })
  expect(second.out).toMatch(/verified +Claude Code/)
  expect(second.out).toMatch(/verified +OpenCode/)
  expect(keyOfOpenCode(holder)).not.toBe(old)
  tools.restartOpenCode()
  await succeed(lead, ['handout', 'acknowledge', second.code])
  await expect.poll(() => desk.ask(old), { timeout: 60_000 }).toBe(401)
  const soFar = tools.answers.length
  await expect.poll(() => tools.answers.length).toBeGreaterThan(soFar + 10)
  await tools.end()

  expect(tools.answers.filter(({ status }) => status !== 200)).toEqual([])
  for (const tool of ['claude-code', 'opencode'])
    expect(new Set(tools.answers.filter((answer) => answer.tool === tool).map(({ key }) => key)).size).toBe(2)
  const [held] = await desk.plansCalled(plan)
  const names = held?.keys.filter(({ deleted }) => !deleted).map(({ name }) => name)
  expect(names).toContain('An-2')
  expect(names).not.toContain('An')
  // Restore the tools, so that no file contains a key any more.
  for (const tool of ['claude-code', 'opencode']) await succeed(holder, ['restore', tool])
})

test('a holder who skips the switch sees what stops and gets the code', { tag: '@deep' }, async ({ desk }) => {
  const lead = desk.machine
  installTools(lead)
  await desk.start()
  const holder = secondHome(lead)
  await issueAndOpen(lead, holder, { name: 'first' })
  await succeed(holder, ['configure', 'opencode', '--plan', plan])
  const old = keyOfOpenCode(holder)
  await succeed(lead, ['rotate', 'start', '--plan', plan, '--key', 'An', '--name', 'An-2', '--grace', '0', '--yes'])
  const file = join(lead.home, 'second.age')
  const made = ['handout', 'create', '--plan', plan, '--holder', 'An', '--key', 'An-2', '--out', file]
  const [, passphrase = ''] = /: ([a-z]+(?:-[a-z]+){5})$/m.exec((await succeed(lead, made)).err) ?? []
  const open = ['handout', 'open', file, '--passphrase-stdin', '--accept', '--keep-tools']
  const { out } = await succeed(holder, open, `${passphrase}\n`)
  expect(out).toContain('OpenCode still uses An and stops when that key is disabled.')
  expect(out).toContain('Confirmation code, send it back: ')
  expect(keyOfOpenCode(holder)).toBe(old)
  await succeed(holder, ['restore', 'opencode'])
})
