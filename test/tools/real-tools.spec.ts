import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { test as base, expect, type Machine } from '../support/app'
import { fileMode } from '../support/canary'
import { runCompanion } from '../support/companion'
import { startSandbox, type TestSandbox } from '../support/sandbox'
import { listFilesWithKey, takeSnapshot } from './folder-snapshot'
import { type RealTool, realTool, realTools } from './real-tools'
import { claudeRewriteCase, settingsCases, settingsPaths } from './settings-cases'
import { addToPath, recordTriedVersion, runPrompt, type ToolOutcome, toShellVariables } from './tool-runs'

const Requests = z.object({
  requests: z.array(
    z.object({
      path: z.string(),
      status: z.number(),
      keyName: z.string().optional(),
      modelCode: z.string().optional(),
      credentialHeaders: z.array(z.string()),
    }),
  ),
})
const Report = z.object({
  findings: z.array(
    z.object({ check: z.string(), outcome: z.string(), failure: z.object({ code: z.string() }).optional() }),
  ),
})
const Tools = z.array(
  z.object({ id: z.string(), version: z.string().optional(), files: z.array(z.object({ path: z.string() })) }),
)
const Check = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), requestAddress: z.string(), answer: z.string().optional() }),
  z.object({ ok: z.literal(false), failure: z.object({ code: z.string(), message: z.string() }) }),
])

const prompt = 'Reply with the word PONG.'
const planName = 'sandbox'
const modelCode = 'aurora-large'
const smallModelCode = 'aurora-small'

interface Harness {
  readonly machine: Machine
  readonly sandbox: TestSandbox
  readonly key: string
  /** Runs `companion`, which must succeed. */
  readonly command: (args: readonly string[], input?: string) => Promise<string>
}

/** A simulated computer with a running sandbox whose plan was added. */
const test = base.extend<{ harness: Harness }>({
  harness: async ({ machine }, use) => {
    const sandbox = await startSandbox()
    const key = findKey(sandbox)
    const command = async (args: readonly string[], input = ''): Promise<string> => {
      const { code, out, err } = await runCompanion(machine, args, { input })
      expect(code, `companion ${args.join(' ')}\n${err}`).toBe(0)
      return out
    }
    const gateway = ['--gateway', sandbox.ready.gatewayUrl, '--model', modelCode, '--model', smallModelCode]
    await command(['plan', 'add', '--name', planName, ...gateway, '--key-stdin'], `${key}\n`)
    await use({ machine, sandbox, key, command })
    await sandbox.stop()
  },
})

function findKey({ ready }: TestSandbox): string {
  const key = ready.plans.find(({ name }) => name === 'sandbox-pro')?.keys.find(({ name }) => name === 'default-key')
  if (!key) throw new Error('The sandbox printed no key.')
  return key.key
}

/** Contents of the user's settings files, without files that the tools use internally. */
function readSettings({ home }: Machine): Record<string, string> {
  const allFiles = Object.entries(takeSnapshot(home))
  return Object.fromEntries(
    allFiles.filter(([path]) =>
      settingsPaths.some((settingsPath) => path === settingsPath || path.startsWith(settingsPath)),
    ),
  )
}

/** Requests to a model, without those for the list of models. */
async function listRequests({ sandbox }: Harness) {
  const { requests } = Requests.parse(await sandbox.control('/requests'))
  return requests.filter(({ path }) => path !== '/v1/models')
}

async function promptTool({ machine, key }: Harness, tool: RealTool): Promise<ToolOutcome> {
  return runPrompt(tool, machine, { prompt, key })
}

async function configure({ command }: Harness, { id, delivery }: RealTool, options: readonly string[] = []) {
  await command(['configure', id, '--plan', planName, '--delivery', delivery, ...options])
}

async function verify({ machine, key }: Harness, tool: RealTool) {
  const { out } = await runCompanion(machine, ['--json', 'verify', tool.id], { env: toShellVariables(tool, key) })
  return Check.parse(JSON.parse(out))
}

/** Runs the doctor for a tool and returns its findings. */
async function findings({ machine, key }: Harness, tool: RealTool) {
  const { out } = await runCompanion(machine, ['--json', 'doctor', tool.id], { env: toShellVariables(tool, key) })
  return Report.parse(JSON.parse(out)).findings
}

async function findTool({ command }: Harness, { id }: RealTool) {
  return Tools.parse(JSON.parse(await command(['tools', '--json']))).find((tool) => tool.id === id)
}

/** Appends a wrong path to the gateway address in a tool's settings file. */
function corruptSuffix({ machine, sandbox }: Harness, { addressFile, requestLine }: RealTool): void {
  const { gatewayUrl } = sandbox.ready
  const file = join(machine.home, addressFile)
  const text = readFileSync(file, 'utf8')
  const [correctAddress, wrongAddress] = requestLine.includes('/messages')
    ? [gatewayUrl, `${gatewayUrl}/v1`]
    : [`${gatewayUrl}/v1`, gatewayUrl]
  expect(text).toContain(correctAddress)
  writeFileSync(file, text.replaceAll(correctAddress, wrongAddress))
}

for (const tool of realTools) {
  for (const { name, write } of settingsCases[tool.id] ?? []) {
    test(`${tool.id}: answers through the gateway, and its settings are restored byte for byte (${name})`, async ({
      harness,
    }) => {
      const { machine, sandbox, command } = harness
      const version = addToPath(tool, machine)
      write(machine.home)
      const settingsBefore = readSettings(machine)

      await configure(harness, tool)
      const answer = await promptTool(harness, tool)
      expect(answer, answer.err).toMatchObject({ code: 0, out: expect.stringMatching(/\bPONG\b/) })
      expect(new Set(await sandbox.completionLines())).toEqual(new Set([tool.requestLine]))
      const requests = await listRequests(harness)
      expect(requests.map((request) => request.modelCode)).toContain(modelCode)
      for (const { keyName, modelCode: model, credentialHeaders } of requests) {
        expect(keyName).toBe('default-key')
        // Some tools use the small model for titles.
        expect([modelCode, smallModelCode]).toContain(model)
        expect([...credentialHeaders].sort()).toEqual([...tool.headers].sort())
      }
      expect(await verify(harness, tool)).toMatchObject({ ok: true, answer: expect.stringMatching(/\w/) })
      expect((await findings(harness, tool)).filter(({ outcome }) => outcome === 'failed')).toEqual([])

      const files = (await findTool(harness, tool))?.files ?? []
      await command(['restore', tool.id])
      expect(readSettings(machine)).toEqual(settingsBefore)
      const remainingFiles = files.filter(
        ({ path }) => existsSync(path) && !(relative(machine.home, path) in settingsBefore),
      )
      for (const { path } of remainingFiles) expect(readFileSync(path, 'utf8')).not.toMatch(/platform.companion/i)
      recordTriedVersion(tool, version)
    })
  }

  test(`${tool.id}: is detected with its installed version`, async ({ harness }) => {
    const version = addToPath(tool, harness.machine)
    expect((await findTool(harness, tool))?.version).toBe(version)
  })

  for (const wrongCase of wrongCases(tool)) {
    test(`${tool.id}: ${wrongCase.name} is explained as ${wrongCase.code}`, async ({ harness }) => {
      addToPath(tool, harness.machine)
      await configure(harness, tool, wrongCase.options)
      await wrongCase.spoil?.(harness)
      const answer = await promptTool(harness, tool)
      process.stdout.write(`    ${tool.id} itself prints: ${describeOutcome(answer)}\n`)
      expect(answer.out).not.toMatch(/^\s*PONG\s*$/m)
      expect(await verify(harness, tool)).toMatchObject({ ok: false, failure: { code: wrongCase.code } })
      const failedFindings = (await findings(harness, tool)).filter(({ outcome }) => outcome === 'failed')
      expect(failedFindings.map(({ failure }) => failure?.code)).toContain(wrongCase.code)
    })
  }
}

test('claude-code: its own changes to its settings stay, and nothing of ours remains', async ({ harness }) => {
  const { machine, command } = harness
  const claude = realTool('claude-code')
  addToPath(claude, machine)
  claudeRewriteCase.write(machine.home)
  const file = join(machine.home, '.claude/settings.json')
  await configure(harness, claude)
  const configured = readFileSync(file, 'utf8')
  await promptTool(harness, claude)
  expect(readFileSync(file, 'utf8')).not.toBe(configured)
  await command(['restore', claude.id])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    permissions: { allow: ['Read(~/.zshrc)'] },
    model: expect.stringContaining('opus'),
  })
})

test('cline: keeps and uses a provider that the user added while it was configured', async ({ harness }) => {
  const { machine, sandbox, key, command } = harness
  const cline = realTool('cline')
  addToPath(cline, machine)
  const file = join(machine.home, cline.addressFile)
  await configure(harness, cline)
  const addedSettings = JSON.parse(readFileSync(file, 'utf8'))
  addedSettings.lastUsedProvider = 'anthropic'
  addedSettings.providers.anthropic = {
    settings: { provider: 'anthropic', apiKey: key, model: modelCode, baseUrl: `${sandbox.ready.gatewayUrl}/v1` },
    updatedAt: '2026-02-01T10:00:00.000Z',
    tokenSource: 'manual',
  }
  writeFileSync(file, JSON.stringify(addedSettings, null, 2))
  expect(await promptTool(harness, cline)).toMatchObject({ code: 0 })
  await command(['restore', cline.id])
  expect(await promptTool(harness, cline)).toMatchObject({ code: 0, out: expect.stringMatching(/\bPONG\b/) })
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).providers)).toEqual(['anthropic'])
})

test('kilo: still asks before it runs a command', async ({ harness }) => {
  const { machine } = harness
  const kilo = realTool('kilo')
  addToPath(kilo, machine)
  await configure(harness, kilo)
  await promptTool(harness, kilo)
  expect(readFileSync(join(machine.home, kilo.addressFile), 'utf8')).not.toContain('"bash": "allow"')
})

test('the key is only in private files of tools that need it', async ({ harness }) => {
  test.setTimeout(900_000)
  const { machine, key, command } = harness
  const folder = join(machine.home, '..')
  for (const tool of realTools) {
    addToPath(tool, machine)
    await configure(harness, tool)
    await promptTool(harness, tool)
  }
  expect((await listRequests(harness)).map(({ status }) => status)).not.toHaveLength(0)
  const holders = listFilesWithKey(folder, key)
  const keyFiles = realTools.flatMap(({ keyFile }) =>
    keyFile === undefined
      ? []
      : [keyFile.startsWith('@DATA@') ? keyFile.replace('@DATA@', machine.dataDir) : join(machine.home, keyFile)],
  )
  expect(holders.filter((path) => !keyFiles.some((keyFile) => path.startsWith(keyFile)))).toEqual([])
  for (const keyFile of keyFiles) expect(holders).toContainEqual(expect.stringContaining(keyFile))
  for (const path of holders) expect([path, fileMode(path)]).toEqual([path, 0o600])
  for (const tool of realTools) await command(['restore', tool.id])
  expect(listFilesWithKey(folder, key)).toEqual([])
})

interface FailureCase {
  readonly name: string
  readonly code: string
  readonly options?: readonly string[]
  readonly spoil?: (harness: Harness) => unknown
}

/** Failure cases of a tool. The most used tools are tested with every fault, the others only with a wrong address. */
function wrongCases(tool: RealTool): readonly FailureCase[] {
  const suffix: FailureCase = {
    name: 'a wrong suffix written by hand',
    code: 'gateway.wrongSuffix',
    spoil: (harness) => corruptSuffix(harness, tool),
  }
  if (!['claude-code', 'opencode'].includes(tool.id)) return [suffix]
  return [
    suffix,
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
    { name: 'a gateway that is gone', code: 'net.refused', spoil: ({ sandbox }) => sandbox.stop() },
  ]
}

function describeOutcome({ code, out, err }: ToolOutcome): string {
  const text = `${out}\n${err}`.replace(/\s+/g, ' ').trim()
  return `${text === '' ? 'nothing' : text.slice(0, 400)} (exit code ${code ?? 'none: ended because it took too long'})`
}
