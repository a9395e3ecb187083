import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { test as base, expect, type Machine } from '../support/app'
import { modeOf } from '../support/canary'
import { companion } from '../support/companion'
import { startSandbox, type TestSandbox } from '../support/sandbox'
import { keyHolders, snapshotOf } from './folder-snapshot'
import { rewrittenByClaude, settingsCases, settingsPaths } from './settings-cases'
import { ask, putOnPath, type RealTool, realTools } from './tool-runs'

const Requests = z.object({
  requests: z.array(z.object({ path: z.string(), status: z.number(), keyName: z.string().optional() })),
})
const Check = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), requestAddress: z.string(), answer: z.string().optional() }),
  z.object({ ok: z.literal(false), failure: z.object({ code: z.string(), message: z.string() }) }),
])

const prompt = 'Reply with the word PONG.'
const planName = 'sandbox'

interface Desk {
  readonly machine: Machine
  readonly sandbox: TestSandbox
  readonly key: string
  /** Runs `companion`, which must succeed. */
  readonly command: (args: readonly string[], input?: string) => Promise<string>
}

/** A machine with the sandbox running and its plan added. */
const test = base.extend<{ desk: Desk }>({
  desk: async ({ machine }, use) => {
    const sandbox = await startSandbox()
    const key = keyOf(sandbox)
    const command = async (args: readonly string[], input = ''): Promise<string> => {
      const { code, out, err } = await companion(machine, args, { input })
      expect(code, `companion ${args.join(' ')}\n${err}`).toBe(0)
      return out
    }
    const gateway = ['--gateway', sandbox.ready.gatewayUrl, '--model', 'aurora-large', '--model', 'aurora-small']
    await command(['plan', 'add', '--name', planName, ...gateway, '--key-stdin'], `${key}\n`)
    await use({ machine, sandbox, key, command })
    await sandbox.stop()
  },
})

function keyOf({ ready }: TestSandbox): string {
  const key = ready.plans.find(({ name }) => name === 'sandbox-pro')?.keys.find(({ name }) => name === 'default-key')
  if (!key) throw new Error('The sandbox told no key.')
  return key.key
}

/** The person's own settings files; what the tools keep for themselves is left out. */
function settingsOf({ home }: Machine): Record<string, string> {
  const all = Object.entries(snapshotOf(home))
  return Object.fromEntries(all.filter(([path]) => settingsPaths.some((own) => path === own || path.startsWith(own))))
}

async function requestsOf({ sandbox }: Desk) {
  return Requests.parse(await sandbox.control('/requests')).requests
}

async function verify({ machine }: Desk, { id }: RealTool) {
  const { out } = await companion(machine, ['--json', 'verify', id])
  return Check.parse(JSON.parse(out))
}

for (const tool of realTools) {
  for (const { name, write } of settingsCases[tool.id]) {
    test(`${tool.id}: answers through the gateway and its settings come back to the byte (${name})`, async ({
      desk,
    }) => {
      const { machine, sandbox, command } = desk
      putOnPath(tool, machine)
      write(machine.home)
      const before = settingsOf(machine)

      await command(['configure', tool.id, '--plan', planName])
      const answer = await ask(tool, machine, prompt)
      expect(answer, answer.err).toMatchObject({ code: 0, out: expect.stringMatching(/\bPONG\b/) })
      const lines = await sandbox.requestLines()
      expect(new Set(lines)).toEqual(new Set([tool.requestLine]))
      expect(new Set((await requestsOf(desk)).map(({ keyName }) => keyName))).toEqual(new Set(['default-key']))
      expect(await verify(desk, tool)).toMatchObject({ ok: true, answer: expect.stringMatching(/\w/) })

      await command(['restore', tool.id])
      expect(settingsOf(machine)).toEqual(before)
    })
  }

  test(`${tool.id}: is found with the version that was installed`, async ({ desk }) => {
    const version = putOnPath(tool, desk.machine)
    const tools = z.array(z.object({ id: z.string(), version: z.string().nullable() }))
    const found = tools.parse(JSON.parse(await desk.command(['tools', '--json'])))
    expect(found.find(({ id }) => id === tool.id)?.version).toBe(version)
  })

  for (const wrong of wrongCases(tool)) {
    test(`${tool.id}: ${wrong.name} is explained as ${wrong.code}`, async ({ desk }) => {
      putOnPath(tool, desk.machine)
      await desk.command(['configure', tool.id, '--plan', planName, ...(wrong.options ?? [])])
      await wrong.spoil?.(desk)
      const answer = await ask(tool, desk.machine, prompt)
      process.stdout.write(`    ${tool.id} itself prints: ${wordsOf(answer)}\n`)
      expect(answer.out).not.toMatch(/^\s*PONG\s*$/m)
      const check = await verify(desk, tool)
      expect(check).toMatchObject({ ok: false, failure: { code: wrong.code } })
    })
  }
}

test('claude-code: what it rewrote in its settings by itself stays, and nothing of ours is left', async ({ desk }) => {
  const { machine, command } = desk
  const [claude] = realTools
  if (claude === undefined) throw new Error('no tool')
  putOnPath(claude, machine)
  rewrittenByClaude.write(machine.home)
  const file = join(machine.home, '.claude/settings.json')
  await command(['configure', claude.id, '--plan', planName])
  const configured = readFileSync(file, 'utf8')
  await ask(claude, machine, prompt)
  expect(readFileSync(file, 'utf8')).not.toBe(configured)
  await command(['restore', claude.id])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    permissions: { allow: ['Read(~/.zshrc)'] },
    model: expect.stringContaining('opus'),
  })
})

test('the key stands in no file but the one that OpenCode is pointed at, which only its owner can read', async ({
  desk,
}) => {
  const { machine, key, command } = desk
  const folder = join(machine.home, '..')
  for (const tool of realTools) {
    putOnPath(tool, machine)
    await command(['configure', tool.id, '--plan', planName])
    await ask(tool, machine, prompt)
    await verify(desk, tool)
  }
  expect((await requestsOf(desk)).map(({ status }) => status)).not.toHaveLength(0)
  const [holder = '', ...others] = keyHolders(folder, key)
  expect(others).toEqual([])
  expect(holder).toContain(join(machine.dataDir, 'key-files', 'opencode'))
  expect(modeOf(holder)).toBe(0o600)
  for (const tool of realTools) await command(['restore', tool.id])
  expect(keyHolders(folder, key)).toEqual([])
})

interface WrongCase {
  readonly name: string
  readonly code: string
  readonly options?: readonly string[]
  readonly spoil?: (desk: Desk) => unknown
}

function wrongCases({ id }: RealTool): readonly WrongCase[] {
  return [
    {
      name: 'a disabled key',
      code: 'gateway.keyRejected',
      spoil: ({ sandbox }) => sandbox.control('/keys/key-pro-default', { status: 'DISABLED' }),
    },
    {
      name: 'an expired plan',
      code: 'gateway.planExpired',
      spoil: ({ sandbox }) => sandbox.control('/plans/plan-sandbox-pro', { status: 'EXPIRED' }),
    },
    { name: 'a model outside the plan', code: 'gateway.modelNotInPlan', options: ['--model', 'not-in-this-plan'] },
    { name: 'a model whose allowance is used up', code: 'gateway.quotaExhausted', options: ['--model', 'nova-vision'] },
    {
      name: 'a wrong suffix written by hand',
      code: 'gateway.wrongSuffix',
      spoil: ({ machine, sandbox }) => {
        const { gatewayUrl } = sandbox.ready
        const [path, right, wrong] =
          id === 'claude-code'
            ? ['.claude/settings.json', `"${gatewayUrl}"`, `"${gatewayUrl}/v1"`]
            : ['.config/opencode/opencode.json', `"${gatewayUrl}/v1"`, `"${gatewayUrl}"`]
        const file = join(machine.home, path)
        const text = readFileSync(file, 'utf8')
        expect(text).toContain(right)
        writeFileSync(file, text.replace(right, wrong))
      },
    },
    { name: 'a gateway that is gone', code: 'net.refused', spoil: ({ sandbox }) => sandbox.stop() },
  ]
}

function wordsOf({ code, out, err }: { code: number | null; out: string; err: string }): string {
  const words = `${out}\n${err}`.replace(/\s+/g, ' ').trim()
  return `${words === '' ? 'nothing' : words.slice(0, 400)} (exit code ${code ?? 'none: ended because it took too long'})`
}
