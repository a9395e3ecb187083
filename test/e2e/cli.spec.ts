import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { listProcessesWith } from '../../scripts/lib/process-table.mjs'
import { ToolView } from '../../src/shared/contract/tools'
import { expect, freePort, type Machine, root } from '../support/app'
import { fileMode } from '../support/canary'
import { type CommandOutcome, cliPath, runCompanion, startCompanion } from '../support/companion'
import { test as base, startSandbox, type TestSandbox } from '../support/sandbox'
import { installTools, writeUserFile } from '../support/tools'
import { listFilesWithKey, takeSnapshot } from '../tools/folder-snapshot'
import { settingsCases } from '../tools/settings-cases'

const run = promisify(execFile)
const planName = 'team-plan'
const canary = `sk-canary-${'0a1b2c3d'.repeat(5)}`
const tools = ['claude-code', 'opencode'] as const

/** A simulated computer with a running sandbox, whose plan was added by the command line. */
interface Harness {
  readonly machine: Machine
  readonly sandbox: TestSandbox
  readonly gatewayUrl: string
  readonly key: string
  readonly succeed: (...args: readonly string[]) => Promise<string>
  /** Runs `companion --json`, which must fail, and returns the failure. */
  readonly catchFailure: (...args: readonly string[]) => Promise<unknown>
}

const test = base.extend<{ harness: Harness }>({
  harness: async ({ machine, sandbox }, use) => {
    const key = findKey(sandbox)
    const runSuccessfully: Harness['succeed'] = async (...args) => {
      const { code, out, err } = await runCompanion(machine, args)
      expect(code, `companion ${args.join(' ')}\n${err}`).toBe(0)
      return out
    }
    const catchFailure: Harness['catchFailure'] = async (...args) => {
      const { code, out, err } = await runCompanion(machine, ['--json', ...args])
      expect({ code, err }, out).toEqual({ code: 1, err: '' })
      const { ok, failure } = JSON.parse(out)
      expect(ok).toBe(false)
      return failure
    }
    const { gatewayUrl } = sandbox.ready
    await ensurePlan(machine, { gateway: gatewayUrl, key, models: ['aurora-large', 'aurora-small'] })
    await use({ machine, sandbox, gatewayUrl, key, succeed: runSuccessfully, catchFailure })
  },
})

interface PlanInput {
  readonly name?: string
  readonly gateway?: string
  readonly key?: string
  readonly models?: readonly string[]
  readonly more?: readonly string[]
}

function addPlan(machine: Machine, planInput: PlanInput, run = runCompanion): Promise<CommandOutcome> {
  const { name = planName, gateway = 'https://gateway.example.com', key = canary, models = [], more = [] } = planInput
  const codes = models.flatMap((code) => ['--model', code])
  const args = ['plan', 'add', '--name', name, '--gateway', gateway, '--key-stdin', ...codes, ...more]
  return run(machine, args, { input: key })
}

async function ensurePlan(machine: Machine, planInput: PlanInput): Promise<void> {
  const { code, err } = await addPlan(machine, planInput)
  expect(code, err).toBe(0)
}

function findKey({ ready }: TestSandbox): string {
  const key = ready.plans.find(({ name }) => name === 'sandbox-pro')?.keys.find(({ name }) => name === 'default-key')
  if (!key) throw new Error('The sandbox printed no key.')
  return key.key
}

const snapshotMachine = ({ home }: Machine): Record<string, string> => takeSnapshot(join(home, '..'))
const claudeFile = ({ home }: Machine): string => join(home, '.claude/settings.json')
const openCodeFile = ({ home }: Machine): string => join(home, '.config/opencode/opencode.json')

test.describe('plan', () => {
  test('adds a plan with the key from standard input and reports corrections on standard error', async ({
    machine,
  }) => {
    const pastedAddress = '  HTTPS://Gateway.Example.com/v1/chat/completions/ '
    const planInput = { gateway: pastedAddress, key: `  Authorization: Bearer ${canary}\r\n`, models: ['m'] }
    const addedPlan = await addPlan(machine, planInput, startCompanion)
    expect(addedPlan).toMatchObject({
      code: 0,
      out: 'Added team-plan at https://gateway.example.com. The key is in the OS keychain.\n',
    })
    expect(addedPlan.err).toMatch(/^Corrected address: https:\/\/gateway\.example\.com \(.*path removed.*\)\n$/)
    expect(await runCompanion(machine, ['key', 'print', '--plan', planName])).toMatchObject({
      out: `${canary}\n`,
      err: '',
    })
  })

  test('reports nothing for a correct address', async ({ machine }) => {
    expect(await addPlan(machine, {})).toMatchObject({ code: 0, err: '' })
  })

  const refusals: readonly (readonly [string, PlanInput, { readonly code: number; readonly failure?: string }])[] = [
    ['no key on standard input', { key: '' }, { code: 1, failure: 'clipboard.noKey' }],
    ['blanks instead of a key', { key: ' \n\n' }, { code: 1, failure: 'clipboard.noKey' }],
    ['several lines instead of a key', { key: `${canary}\n${canary}\n` }, { code: 1, failure: 'clipboard.noKey' }],
    [
      'an address that would send the key unprotected',
      { gateway: 'http://gateway.example.com' },
      { code: 1, failure: 'address.insecure' },
    ],
    [
      'an address with a password',
      { gateway: 'https://me:pass@gateway.example.com' },
      { code: 1, failure: 'address.credentials' },
    ],
    [
      'an address with a strange path',
      { gateway: 'https://gateway.example.com/hello' },
      { code: 1, failure: 'address.path' },
    ],
    ['no address', { gateway: '' }, { code: 1, failure: 'address.empty' }],
    ['a name that a plan has already', { name: 'first' }, { code: 1, failure: 'plan.nameTaken' }],
    ['a name with a space', { name: 'team plan' }, { code: 2 }],
    ['an empty name', { name: '' }, { code: 2 }],
    ['a name of 51 characters', { name: 'x'.repeat(51) }, { code: 2 }],
    ['a model code with a space', { models: ['a b'] }, { code: 2 }],
    ['a date that is none', { more: ['--expires', 'soon'] }, { code: 2 }],
    ['a context window that is no number', { more: ['--context-tokens', 'many'] }, { code: 2 }],
    ['a key as an argument', { more: ['--key', canary] }, { code: 2 }],
  ]
  for (const [name, planInput, expected] of refusals) {
    test(`refuses ${name} and saves nothing`, async ({ machine }) => {
      await ensurePlan(machine, { name: 'first', key: 'sk-of-the-first-plan' })
      const snapshotBefore = snapshotMachine(machine)
      const firstOutput = await addPlan(machine, planInput)
      expect(firstOutput, firstOutput.err).toMatchObject({ code: expected.code, out: '' })
      expect(firstOutput.err).not.toMatch(/\n\s+at /)
      expect(firstOutput.err).not.toContain(canary)
      const jsonRun = await addPlan(machine, { ...planInput, more: [...(planInput.more ?? []), '--json'] })
      expect(jsonRun.code).toBe(expected.code)
      if (expected.failure !== undefined) {
        expect(JSON.parse(jsonRun.out)).toMatchObject({ ok: false, failure: { code: expected.failure } })
        expect(firstOutput.err).toBe(`companion: ${JSON.parse(jsonRun.out).failure.message}\n`)
      }
      expect(snapshotMachine(machine)).toEqual(snapshotBefore)
    })
  }

  test('refuses to add a plan without the option to read the key from standard input', async ({ machine }) => {
    const args = ['plan', 'add', '--name', planName, '--gateway', 'https://gateway.example.com']
    expect(await runCompanion(machine, args, { input: canary })).toMatchObject({ code: 2, out: '' })
  })

  test('lists the plans as lines and as JSON, never with a key', async ({ machine }) => {
    const extraOptions = ['--expires', '2031-02-03', '--context-tokens', '200000']
    await ensurePlan(machine, { models: ['large', 'small', 'large'], more: extraOptions })
    await ensurePlan(machine, { name: 'other', key: 'sk-of-another-plan-1234' })
    const { out } = await runCompanion(machine, ['plan', 'list', '--json'])
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    const anyTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
    const keyView = { id, name: 'default-key', masked: expect.any(String), addedAt: anyTimestamp, kept: 'keychain' }
    const sharedFields = {
      id,
      source: 'handed-over',
      gatewayUrl: 'https://gateway.example.com',
      createdAt: anyTimestamp,
      usedBy: [],
      defaultKeyId: id,
    }
    expect(JSON.parse(out)).toEqual([
      {
        ...sharedFields,
        name: planName,
        models: ['large', 'small'],
        contextTokens: 200_000,
        expiresAt: '2031-02-03T00:00:00.000Z',
        keys: [{ ...keyView, masked: expect.stringContaining(canary.slice(-4)) }],
      },
      { ...sharedFields, name: 'other', models: [], contextTokens: 128_000, keys: [keyView] },
    ])
    expect(out).not.toContain(canary)
    const lines = (await runCompanion(machine, ['plan', 'list'])).out
    expect(lines).toMatch(
      /^NAME +GATEWAY +KEY +MODELS +USED BY\nteam-plan +https:\/\/gateway\.example\.com +\S+ +large, small +-\nother /,
    )
    expect(lines).not.toContain(canary)
  })

  test('explains how to add a plan when there is none', async ({ machine }) => {
    expect(await runCompanion(machine, ['plan', 'list'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('companion plan add'),
    })
    expect(await runCompanion(machine, ['--json', 'plan', 'list'])).toMatchObject({ code: 0, out: '[]\n' })
  })

  test('checks a plan with one real request, and removes it with its key', async ({ harness }) => {
    const { succeed, catchFailure, sandbox } = harness
    expect(await succeed('plan', 'check', planName)).toMatch(
      /^ok: POST .*\/v1\/chat\/completions \(.* ms, .*\)\naurora-large responded: /,
    )
    expect(await sandbox.completionLines()).toEqual(['POST /v1/chat/completions 200'])
    await succeed('configure', 'claude-code', '--plan', planName)
    expect(await catchFailure('plan', 'remove', planName)).toMatchObject({ code: 'plan.inUse' })
    await succeed('restore', 'claude-code')
    await succeed('plan', 'remove', planName)
    expect(await catchFailure('key', 'print', '--plan', planName)).toMatchObject({ code: 'plan.notFound' })
  })
})

test.describe('key print', () => {
  test('prints exactly the key and a line end, by name or id of plan and key', async ({ harness }) => {
    const { machine, key, succeed } = harness
    const [plan] = JSON.parse(await succeed('plan', 'list', '--json'))
    for (const args of [
      ['--plan', planName],
      ['--plan', plan.id, '--key', plan.keys[0].id],
      ['--plan', planName, '--key', 'default-key'],
    ]) {
      expect(await runCompanion(machine, ['key', 'print', ...args])).toEqual({ code: 0, out: `${key}\n`, err: '' })
    }
    expect(JSON.parse(await succeed('key', 'print', '--plan', planName, '--json'))).toEqual({ key })
  })

  test('key print reports a hanging keychain in time, and prints the key once it responds', async ({ harness }) => {
    const { machine, key } = harness
    const startKeyPrint = () => startCompanion(machine, ['key', 'print', '--plan', planName])
    const keyrings = listProcessesWith('PRIVATE_DESKTOP', machine.env.PRIVATE_DESKTOP ?? '').filter((id) =>
      readFileSync(`/proc/${id}/comm`, 'utf8').startsWith('gnome-keyring'),
    )
    expect(keyrings).not.toEqual([])
    for (const id of keyrings) process.kill(id, 'SIGSTOP')
    const { code, out, err } = await startKeyPrint().finally(() => {
      for (const id of keyrings) process.kill(id, 'SIGCONT')
    })
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('The keychain (Secret Service) did not answer within 3 seconds.'),
    })
    expect(await startKeyPrint()).toEqual({ code: 0, out: `${key}\n`, err: '' })
  })

  test('prints nothing on standard output when there is no such plan or key', async ({ harness }) => {
    const { machine, catchFailure } = harness
    expect(await runCompanion(machine, ['key', 'print', '--plan', 'none'])).toMatchObject({ code: 1, out: '' })
    expect(await runCompanion(machine, ['key', 'print', '--plan', planName, '--key', 'none'])).toMatchObject({
      code: 1,
      out: '',
    })
    expect(await runCompanion(machine, ['key', 'print'])).toMatchObject({ code: 2, out: '' })
    expect(await catchFailure('key', 'print', '--plan', 'none')).toMatchObject({ code: 'plan.notFound' })
    expect(await catchFailure('key', 'print', '--plan', planName, '--key', 'none')).toMatchObject({
      code: 'key.notFound',
    })
  })
})

test.describe('tools', () => {
  const claude = { id: 'claude-code', name: 'Claude Code', kind: 'written', standard: 'messages' }
  const openCode = { id: 'opencode', name: 'OpenCode', kind: 'written', standard: 'chat-completions' }

  test('shows every tool as the window does, without a key', async ({ harness }) => {
    const { machine, succeed, key, gatewayUrl } = harness
    const list = async (env = {}): Promise<Record<string, ToolView>> => {
      const { code, out, err } = await runCompanion(machine, ['tools', '--json'], { env })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).not.toContain(key)
      return Object.fromEntries(
        ToolView.array()
          .parse(JSON.parse(out))
          .map((tool) => [tool.id, tool]),
      )
    }
    const planListWithoutPath = await list({ PATH: '/nowhere' })
    expect(planListWithoutPath['claude-code']).toMatchObject({ ...claude, installed: false, status: 'absent' })
    expect(planListWithoutPath.opencode).toMatchObject({ ...openCode, installed: false, status: 'absent' })
    expect(planListWithoutPath.codex).toMatchObject({ kind: 'written', routes: ['relay'], status: 'absent' })
    expect(planListWithoutPath['cherry-studio']).toMatchObject({ kind: 'guided' })
    expect(Object.keys(planListWithoutPath).length).toBeGreaterThan(20)

    installTools(machine)
    await succeed('configure', 'claude-code', '--plan', planName)
    await succeed('configure', 'opencode', '--plan', planName)
    writeFileSync(openCodeFile(machine), readFileSync(openCodeFile(machine), 'utf8').replace('/v1"', '"'))
    const { 'claude-code': configured, opencode: drifted } = await list()
    expect(configured).toMatchObject({
      ...claude,
      installed: true,
      version: '2.1.330',
      status: 'configured',
      drift: [],
      files: [{ path: claudeFile(machine), exists: true }],
      applied: { planName, modelCode: 'aurora-large', requestAddress: `${gatewayUrl}/v1/messages` },
    })
    expect(drifted).toMatchObject({ ...openCode, installed: true, version: '1.18.33', status: 'drifted' })
    expect(drifted?.drift).toEqual(['provider.platform-companion.options.baseURL'])
    writeFileSync(openCodeFile(machine), '{ "model": ')
    expect((await list()).opencode).toMatchObject({ status: 'unreadable', problem: { code: 'file.unparsable' } })
    expect(await succeed('tools')).toMatch(
      /^TOOL +VERSION +STATUS +PLAN +MODEL\nclaude-code +2\.1\.330 +configured +team-plan +aurora-large\nopencode +1\.18\.33 +unreadable.*\nkilo .* not configured /,
    )
  })

  test('lists the known tools when asked for another', async ({ harness }) => {
    for (const args of [
      ['configure', 'nano', '--plan', planName],
      ['restore', 'nano'],
      ['verify', 'nano'],
    ]) {
      const failure = await harness.catchFailure(...args)
      expect(failure).toMatchObject({
        code: 'tool.notFound',
        message: expect.stringContaining('claude-code, opencode'),
      })
    }
  })
})

test.describe('configure', () => {
  test('with --dry-run prints the diff and the final address, and writes nothing at all', async ({ harness }) => {
    const { machine, gatewayUrl, key, succeed } = harness
    writeUserFile(claudeFile(machine), '{\n  "theme": "dark"\n}\n')
    const snapshotBefore = snapshotMachine(machine)
    const dryRunOutput = await succeed('configure', 'claude-code', '--plan', planName, '--dry-run')
    expect(dryRunOutput).toContain(`change ${claudeFile(machine)}\n`)
    expect(dryRunOutput).toContain(`+     "ANTHROPIC_BASE_URL": "${gatewayUrl}"`)
    expect(dryRunOutput).toContain('+   "apiKeyHelper": ')
    expect(dryRunOutput).toContain(`Requests go to ${gatewayUrl}/v1/messages\n`)
    expect(dryRunOutput).toMatch(/Nothing was written \(--dry-run\)\.\n$/)
    const otherPreview = await succeed('configure', 'opencode', '--plan', planName, '--dry-run')
    expect(otherPreview).toContain(`create ${openCodeFile(machine)}\n`)
    expect(otherPreview).toContain(`Requests go to ${gatewayUrl}/v1/chat/completions\n`)
    for (const tool of tools) {
      const args = ['configure', tool, '--plan', planName, '--dry-run', '--delivery', 'plain']
      const firstOutput = await succeed(...args)
      expect(firstOutput).toContain('[secret]')
      expect(firstOutput + dryRunOutput + otherPreview + (await succeed(...args, '--json'))).not.toContain(key)
    }
    expect(snapshotMachine(machine)).toEqual(snapshotBefore)
  })

  test('prints the result as JSON', async ({ harness }) => {
    const { machine, gatewayUrl, succeed } = harness
    const args = ['configure', 'opencode', '--plan', planName, '--model', 'aurora-small', '--json']
    const preview = JSON.parse(await succeed(...args, '--dry-run'))
    expect(preview).toMatchObject({
      toolId: 'opencode',
      kind: 'apply',
      written: false,
      base: `${gatewayUrl}/v1`,
      requestAddress: `${gatewayUrl}/v1/chat/completions`,
      files: [
        { path: openCodeFile(machine), action: 'create', holdsKey: false },
        { action: 'create', holdsKey: true, lines: [] },
      ],
    })
    expect(JSON.parse(await succeed(...args))).toMatchObject({ written: true })
    expect(JSON.parse(readFileSync(openCodeFile(machine), 'utf8')).model).toBe('platform-companion/aurora-small')
  })

  test('writes the key of OpenCode into a file that only its owner can read', async ({ harness }) => {
    const { machine, key, succeed } = harness
    await succeed('configure', 'opencode', '--plan', planName)
    const [, path = ''] = /\{file:([^}]+)\}/.exec(readFileSync(openCodeFile(machine), 'utf8')) ?? []
    expect(readFileSync(path, 'utf8').trim()).toBe(key)
    expect(fileMode(path)).toBe(0o600)
    expect(fileMode(join(path, '..'))).toBe(0o700)
  })

  test('changes nothing on a second run', async ({ harness }) => {
    const { machine, succeed } = harness
    for (const tool of tools) await succeed('configure', tool, '--plan', planName)
    const snapshotBefore = takeSnapshot(machine.home)
    for (const tool of tools) {
      expect(await succeed('configure', tool, '--plan', planName)).toContain('Nothing to change.')
    }
    expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
  })

  test('refuses a key delivery that the tool does not support', async ({ harness }) => {
    const snapshotBefore = takeSnapshot(harness.machine.home)
    for (const [tool, delivery] of [
      ['opencode', 'helper'],
      ['claude-code', 'file'],
      ['claude-code', 'telepathy'],
    ] as const) {
      const args = ['configure', tool, '--plan', planName, '--delivery', delivery]
      expect(await runCompanion(harness.machine, args)).toMatchObject({ code: 2, out: '' })
    }
    expect(takeSnapshot(harness.machine.home)).toEqual(snapshotBefore)
  })

  test('asks for a model code when the plan names none', async ({ machine }) => {
    await ensurePlan(machine, {})
    const args = ['configure', 'claude-code', '--plan', planName]
    expect(await runCompanion(machine, args)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('--model'),
    })
    expect(await runCompanion(machine, [...args, '--model', 'large'])).toMatchObject({ code: 0 })
  })

  test('refuses a comment that Claude Code would not load, unless comments may move', async ({ harness }) => {
    const { machine, succeed, catchFailure } = harness
    const jsonWithComments = '{\n  // mine\n  "theme": "dark" // at night\n}\n'
    writeUserFile(claudeFile(machine), jsonWithComments)
    const snapshotBefore = takeSnapshot(machine.home)
    const failure = await catchFailure('configure', 'claude-code', '--plan', planName)
    expect(failure).toMatchObject({
      code: 'file.notStrict',
      line: 2,
      message: expect.stringContaining(claudeFile(machine)),
    })
    expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)

    const dryRunOutput = await succeed('configure', 'claude-code', '--plan', planName, '--move-comments')
    expect(dryRunOutput).toContain('A copy with the comments is saved as')
    expect(JSON.parse(readFileSync(claudeFile(machine), 'utf8')).theme).toBe('dark')
    const otherFiles = readdirSync(join(machine.home, '.claude')).filter((name) => name !== 'settings.json')
    expect(otherFiles).toHaveLength(1)
    expect(readFileSync(join(machine.home, '.claude', otherFiles[0] ?? ''), 'utf8')).toBe(jsonWithComments)
    await succeed('restore', 'claude-code')
    expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
  })

  test('leaves an invalid JSON file unchanged and names the line', async ({ harness }) => {
    const { machine, catchFailure } = harness
    writeUserFile(openCodeFile(machine), '{\n  "model": "a/b"\n  "theme": "x"\n}\n')
    const snapshotBefore = takeSnapshot(machine.home)
    expect(await catchFailure('configure', 'opencode', '--plan', planName)).toMatchObject({
      code: 'file.unparsable',
      line: 3,
    })
    expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
  })

  test('writes a helper command that runs in any folder and prints only the key', async ({ harness }) => {
    const { machine, key } = harness
    const dataDir = join(machine.dataDir, `it's $HOME "quoted" & spaced`)
    const otherMachine = { ...machine, dataDir }
    await ensurePlan(otherMachine, { key, models: ['aurora-large'] })
    expect(await runCompanion(otherMachine, ['configure', 'claude-code', '--plan', planName])).toMatchObject({
      code: 0,
    })
    const { apiKeyHelper } = JSON.parse(readFileSync(claudeFile(machine), 'utf8'))
    expect(apiKeyHelper).not.toContain(key)
    const { HOME = '', DBUS_SESSION_BUS_ADDRESS = '' } = machine.env
    const env = { HOME, DBUS_SESSION_BUS_ADDRESS, PATH: '/usr/bin:/bin' }
    expect(await run('/bin/sh', ['-c', apiKeyHelper], { env, cwd: '/' })).toEqual({ stdout: `${key}\n`, stderr: '' })
    expect(await runCompanion(otherMachine, ['restore', 'claude-code'])).toMatchObject({ code: 0 })
  })
})

test.describe('restore', () => {
  for (const tool of tools) {
    for (const { name, write } of settingsCases[tool] ?? []) {
      test(`restores the files of ${tool} byte for byte: ${name}`, async ({ harness }) => {
        const { machine, succeed } = harness
        write(machine.home)
        const snapshotBefore = takeSnapshot(machine.home)
        await succeed('configure', tool, '--plan', planName)
        expect(takeSnapshot(machine.home)).not.toEqual(snapshotBefore)
        await succeed('configure', tool, '--plan', planName, '--model', 'aurora-small', '--delivery', 'plain')
        const configured = takeSnapshot(machine.home)
        expect(await succeed('restore', tool, '--dry-run')).toMatch(/Nothing was written \(--dry-run\)\.\n$/)
        expect(takeSnapshot(machine.home)).toEqual(configured)
        await succeed('restore', tool)
        expect(takeSnapshot(machine.home)).toEqual(snapshotBefore)
      })
    }
  }

  test('keeps later changes and removes only its own settings', async ({ harness }) => {
    const { machine, succeed } = harness
    writeUserFile(claudeFile(machine), '{\n  "permissions": { "allow": [] }\n}\n')
    await succeed('configure', 'claude-code', '--plan', planName)
    const configured = readFileSync(claudeFile(machine), 'utf8')
    writeFileSync(claudeFile(machine), configured.replace('"allow": []', '"allow": ["Read(~/.zshrc)"]'))
    expect(await succeed('restore', 'claude-code')).toContain('was modified after it was configured')
    expect(readFileSync(claudeFile(machine), 'utf8')).toBe('{\n  "permissions": { "allow": ["Read(~/.zshrc)"] }\n}\n')
  })

  test('reports that there is nothing to undo', async ({ harness }) => {
    for (const tool of tools)
      expect(await harness.catchFailure('restore', tool)).toMatchObject({ code: 'tool.notConfigured' })
  })
})

test.describe('verify', () => {
  test('sends one real request in the standard of the tool and prints the answer', async ({ harness }) => {
    const { gatewayUrl, sandbox, succeed, catchFailure } = harness
    expect(await catchFailure('verify', 'opencode')).toMatchObject({ code: 'tool.notConfigured' })
    for (const tool of tools) await succeed('configure', tool, '--plan', planName)
    expect(await succeed('verify', 'claude-code')).toMatch(
      /^ok: POST http:\/\/127\.0\.0\.1:\d+\/v1\/messages \(\d+ ms, \d+ tokens in, \d+ out\)\naurora-large responded: .+\n$/,
    )
    expect(JSON.parse(await succeed('verify', 'opencode', '--json'))).toMatchObject({
      ok: true,
      standard: 'chat-completions',
      requestAddress: `${gatewayUrl}/v1/chat/completions`,
      modelCode: 'aurora-large',
      inputTokens: expect.any(Number),
    })
    expect(await sandbox.completionLines()).toEqual(['POST /v1/messages 200', 'POST /v1/chat/completions 200'])
  })

  /** Failures, each with a pattern of the expected remedy. */
  const wrongCases: readonly (readonly [string, string, RegExp, WrongCase])[] = [
    [
      'a disabled key',
      'gateway.keyRejected',
      /check that it is active/,
      { spoil: ({ sandbox }) => sandbox.control('/keys/key-pro-default', { status: 'DISABLED' }) },
    ],
    [
      'an expired plan',
      'gateway.planExpired',
      /Buy the plan again/,
      { spoil: ({ sandbox }) => sandbox.control('/plans/plan-sandbox-pro', { status: 'EXPIRED' }) },
    ],
    [
      'a model outside the plan',
      'gateway.modelNotInPlan',
      /Use a model code of the plan/,
      { model: 'not-in-this-plan' },
    ],
    ['a model whose allowance is used up', 'gateway.quotaExhausted', /use another model/, { model: 'nova-vision' }],
    [
      'a suffix changed by hand',
      'gateway.wrongSuffix',
      /Set the base address to http:\/\/127\.0\.0\.1:\d+/,
      { spoil: corruptSuffix },
    ],
    ['a gateway that is gone', 'net.refused', /nothing listens there/, { spoil: ({ sandbox }) => sandbox.stop() }],
  ]
  for (const [name, code, remedy, { model = 'aurora-large', spoil }] of wrongCases) {
    test(`explains ${name} as ${code} with its remedy`, async ({ harness }) => {
      const { machine, key, succeed } = harness
      for (const tool of tools) await succeed('configure', tool, '--plan', planName, '--model', model)
      await spoil?.(harness)
      for (const tool of tools) {
        const jsonRun = await runCompanion(machine, ['--json', 'verify', tool])
        expect(jsonRun.code).toBe(1)
        const check = JSON.parse(jsonRun.out)
        expect(check).toMatchObject({ ok: false, failure: { code, message: expect.stringMatching(remedy) } })
        const textRun = await runCompanion(machine, ['verify', tool])
        expect(textRun).toMatchObject({ code: 1, err: '' })
        expect(textRun.out).toBe(`failed: POST ${check.requestAddress}\n${check.failure.message}\n`)
        expect(jsonRun.out + textRun.out).not.toContain(key)
      }
    })
  }

  test('distinguishes a missing or foreign helper from a gateway that rejects the key', async ({ harness }) => {
    const { machine, sandbox, succeed, catchFailure } = harness
    await succeed('configure', 'claude-code', '--plan', planName)
    const configured = readFileSync(claudeFile(machine), 'utf8')
    rmSync(join(machine.dataDir, 'bin'), { recursive: true })
    expect(await catchFailure('verify', 'claude-code')).toMatchObject({ code: 'tool.helperFailed' })
    await succeed('configure', 'claude-code', '--plan', planName)
    await succeed('verify', 'claude-code')
    writeFileSync(
      claudeFile(machine),
      configured.replace(/("apiKeyHelper": )"[^"]+"/, `$1"touch ${join(machine.home, 'ran')}"`),
    )
    expect(await catchFailure('verify', 'claude-code')).toMatchObject({ code: 'tool.helperFailed' })
    expect(existsSync(join(machine.home, 'ran'))).toBe(false)
    expect(await sandbox.completionLines()).toEqual(['POST /v1/messages 200'])
  })

  test('sends no key to an address that is not the gateway of the plan', async ({ harness }) => {
    const { machine, gatewayUrl, sandbox, succeed, catchFailure } = harness
    const otherPreview = await startSandbox()
    for (const tool of tools) await succeed('configure', tool, '--plan', planName)
    for (const file of [claudeFile(machine), openCodeFile(machine)]) {
      writeFileSync(file, readFileSync(file, 'utf8').replace(gatewayUrl, otherPreview.ready.gatewayUrl))
    }
    for (const tool of tools) expect(await catchFailure('verify', tool)).toMatchObject({ code: 'tool.otherGateway' })
    expect(await otherPreview.requestLines()).toEqual([])
    expect(await sandbox.completionLines()).toEqual([])
    await otherPreview.stop()
  })
})

interface WrongCase {
  readonly model?: string
  readonly spoil?: (harness: Harness) => unknown
}

function corruptSuffix({ machine, gatewayUrl }: Harness): void {
  const changes = [
    [claudeFile(machine), `"${gatewayUrl}"`, `"${gatewayUrl}/v1"`],
    [openCodeFile(machine), `"${gatewayUrl}/v1"`, `"${gatewayUrl}"`],
  ] as const
  for (const [file, correctAddress, wrongAddress] of changes) {
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(correctAddress)
    writeFileSync(file, text.replace(correctAddress, wrongAddress))
  }
}

test.describe('the command itself', () => {
  const wrongCalls = [['nonsense'], ['plan'], ['plan', 'nonsense'], ['configure'], ['--nonsense'], ['verify']]
  for (const args of wrongCalls) {
    test(`exits with 2 for an invalid command: companion ${args.join(' ')}`, async ({ machine }) => {
      const snapshotBefore = snapshotMachine(machine)
      expect(await runCompanion(machine, args)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/\S/) })
      expect(snapshotMachine(machine)).toEqual(snapshotBefore)
    })
  }

  test('prints help and version with exit code 0', async ({ machine }) => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(await runCompanion(machine, ['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
    const help = await runCompanion(machine, ['--help'])
    expect(help).toMatchObject({ code: 0, err: '' })
    for (const command of ['plan', 'tools', 'configure', 'restore', 'verify', 'key', 'sandbox'])
      expect(help.out).toContain(`  ${command}`)
    expect(await runCompanion(machine, ['plan', 'add', '--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('--key-stdin'),
    })
  })

  test('accepts --data-dir and --json before and after the subcommand, relative to the working directory', async ({
    harness,
  }) => {
    const { machine } = harness
    const cwd = join(machine.dataDir, '..')
    for (const args of [
      ['--data-dir', machine.dataDir, '--json', 'plan', 'list'],
      ['plan', '--data-dir', machine.dataDir, 'list', '--json'],
      ['plan', 'list', '--json', '--data-dir', machine.dataDir],
      ['plan', 'list', '--json', '--data-dir=data'],
    ]) {
      const { stdout } = await run(process.execPath, [cliPath, ...args], { env: machine.env, cwd })
      expect(JSON.parse(stdout)).toMatchObject([{ name: planName }])
    }
  })

  test("stores its files in the user's configuration folder by default", async ({ machine }) => {
    const { stdout } = await run(process.execPath, [cliPath, 'plan', 'list', '--json'], { env: machine.env })
    expect(stdout).toBe('[]\n')
    const input = ['plan', 'add', '--name', planName, '--gateway', 'https://gateway.example.com', '--key-stdin']
    const child = spawn(process.execPath, [cliPath, ...input], {
      env: machine.env,
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    child.stdin.end(canary)
    expect(await once(child, 'close')).toEqual([0, null])
    const settings = join(machine.home, '.config/platform-companion/settings.json')
    expect(readFileSync(settings, 'utf8')).toContain(planName)
    expect(fileMode(settings)).toBe(0o600)
  })

  test('starts by name with npx in the project, and through a link from anywhere', async ({ machine }) => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const { stdout } = await run('npx', ['--offline', '--no-install', 'companion', '--version'], {
      env: machine.env,
      cwd: root,
    })
    expect(stdout).toBe(`${version}\n`)
    symlinkSync(cliPath, join(machine.bin, 'companion'))
    const env = { ...machine.env, COLUMNS: '80' }
    expect(await run('companion', ['--version'], { env, cwd: machine.home })).toMatchObject({ stdout: `${version}\n` })
    await ensurePlan(machine, { models: ['large'] })
    const args = ['--data-dir', machine.dataDir, 'configure', 'claude-code', '--plan', planName]
    await run('companion', args, { env, cwd: machine.home })
    const { apiKeyHelper } = JSON.parse(readFileSync(claudeFile(machine), 'utf8'))
    expect((await run('/bin/sh', ['-c', apiKeyHelper], { env, cwd: '/' })).stdout).toBe(`${canary}\n`)
  })

  test('without a keychain adds no plan, writes nothing and says what to install', async ({ machine }) => {
    const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(machine.home, 'no-bus')}` }
    const snapshotBefore = snapshotMachine(machine)
    const withoutKeychain: typeof runCompanion = (targetMachine, args, options) =>
      startCompanion(targetMachine, args, { ...options, env })
    const refusedRun = await addPlan(machine, {}, withoutKeychain)
    expect(refusedRun).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^companion: .*keychain.*\n$/) })
    expect(refusedRun.err).toMatch(/install|gnome-keyring|Secret Service/i)
    const jsonRun = await addPlan(machine, { more: ['--json'] }, withoutKeychain)
    expect(JSON.parse(jsonRun.out)).toMatchObject({ ok: false, failure: { code: 'vault.unavailable' } })
    expect(snapshotMachine(machine)).toEqual(snapshotBefore)
    await ensurePlan(machine, {})
    const key = await withoutKeychain(machine, ['key', 'print', '--plan', planName])
    expect(key).toMatchObject({ code: 1, out: '' })
    const configure = ['configure', 'claude-code', '--plan', planName, '--model', 'm']
    const configured = await withoutKeychain(machine, configure)
    expect(configured).toMatchObject({ code: 1, out: '' })
    expect(existsSync(claudeFile(machine))).toBe(false)
  })

  test('leaves the key only in the file that OpenCode reads', async ({ harness }) => {
    const { machine, key, succeed } = harness
    const folder = join(machine.home, '..')
    const outputLines: string[] = []
    for (const tool of tools) {
      outputLines.push(await succeed('configure', tool, '--plan', planName, '--dry-run', '--json'))
      outputLines.push(await succeed('configure', tool, '--plan', planName), await succeed('verify', tool, '--json'))
    }
    outputLines.push(await succeed('plan', 'check', planName, '--json'), await succeed('plan', 'list', '--json'))
    outputLines.push(
      (
        await runCompanion(machine, ['plan', 'add', '--name', planName, '--gateway', key, '--key-stdin'], {
          input: key,
        })
      ).err,
    )
    expect(outputLines.join('\n')).not.toContain(key)
    const holders = listFilesWithKey(folder, key)
    expect(holders).toEqual([expect.stringContaining(join(machine.dataDir, 'key-files/opencode'))])
    for (const tool of tools) await succeed('restore', tool)
    expect(listFilesWithKey(folder, key)).toEqual([])
  })
})

test.describe('sandbox', () => {
  test('runs until stopped and has the same keys at the next start, with and without a state file', async ({
    machine,
  }) => {
    const state = join(machine.home, 'sandbox.json')
    const firstSandbox = await runSandbox(machine, ['--state', state])
    const secondSandbox = await runSandbox(machine, ['--state', state])
    const [third, fourth] = [await runSandbox(machine, []), await runSandbox(machine, [])]
    expect(fourth.ready.plans).toEqual(third.ready.plans)
    expect(firstSandbox.ready).toMatchObject({
      kind: 'ready',
      gatewayUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    })
    expect(firstSandbox.ended).toEqual([0, null])
    expect(secondSandbox.ready.plans).toEqual(firstSandbox.ready.plans)
    expect(fileMode(state)).toBe(0o600)
  })

  test('reports that its port is in use, and fails', async ({ harness }) => {
    const { machine, gatewayUrl } = harness
    const { port } = new URL(gatewayUrl)
    const args = ['sandbox', '--gateway-port', port, '--platform-port', String(await freePort())]
    expect(await startCompanion(machine, args)).toMatchObject({ code: 1, err: expect.stringContaining(port) })
    expect(await startCompanion(machine, ['sandbox', '--gateway-port', 'many'])).toMatchObject({ code: 2 })
  })
})

async function runSandbox(machine: Machine, extraArgs: readonly string[]) {
  const args = [cliPath, 'sandbox', '--gateway-port', '0', '--platform-port', '0', '--json', ...extraArgs]
  const child = spawn(process.execPath, args, { env: machine.env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line]: unknown[] = await once(createInterface(child.stdout), 'line')
  child.kill('SIGTERM')
  return { ready: JSON.parse(String(line)), ended: await once(child, 'close') }
}
