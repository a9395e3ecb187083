import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { expect, test, vi } from 'vitest'
import type { Disk } from '../../../../src/main/core/files/disk'
import { prepareApply, type ToolRequest } from '../../../../src/main/tools/apply'
import { prepareRestore } from '../../../../src/main/tools/restore'
import { readFiles, toSettingsByFile } from '../../../../src/main/tools/status'
import type { WrittenTarget } from '../../../../src/main/tools/target'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { createCrashingDisk } from './support/failing-disk'
import { KEY, OTHER_KEY, otherRequest, request, ToolHarness } from './support/workshop'

vi.setConfig({ testTimeout: 60_000 })

type Scenario = {
  readonly name: string
  readonly target: WrittenTarget
  readonly before?: string
  /** Steps that prepare the action. They are not interrupted. */
  readonly earlier?: (harness: ToolHarness) => Promise<unknown>
  readonly action: (harness: ToolHarness, disk: Disk) => Promise<void>
  /** Expected file after the undo, if the file was edited manually before. */
  readonly restored?: string
  /** File content that is accepted after a kill, in addition to the content before and after the action. */
  readonly between?: string
}

const settings = '{\n  "theme": "dark"\n}\n'
const jsonWithComments = '{\n  // mine\n  "theme": "dark"\n}\n'
const moveCommentsRequest: ToolRequest = { ...request, moveCommentsToCopy: true }

const apply = (target: WrittenTarget, toolRequest: ToolRequest): Pick<Scenario, 'target' | 'action'> => ({
  target,
  action: async (harness, disk) => harness.commit(await prepareApply(target, toolRequest, harness.on(disk)), disk),
})
const restore = (target: WrittenTarget): Pick<Scenario, 'target' | 'action'> => ({
  target,
  action: async (harness, disk) => harness.commit(await prepareRestore(target, harness.on(disk)), disk),
})

/** Simulates a user who adds a setting at the beginning of the tool's file. */
function edit(harness: ToolHarness): void {
  const path = harness.getFile(openCode)
  harness.writeFileAt(path, readFileSync(path, 'utf8').replace('{\n', '{\n  "mine": 1,\n'))
}

const setUp =
  (toolRequest: ToolRequest, change?: (harness: ToolHarness) => void) =>
  async (harness: ToolHarness): Promise<void> => {
    await harness.apply(openCode, toolRequest)
    change?.(harness)
  }
const addFile = (harness: ToolHarness): void =>
  harness.writeFileAt(join(harness.home, '.config/opencode/opencode.jsonc'), '// new\n{}\n')
const plainRequest: ToolRequest = { ...request, delivery: 'plain' }
const editedSettings = '{\n  "mine": 1,\n  "theme": "dark"\n}\n'

const scenarios: readonly Scenario[] = [
  { name: 'applying to an absent file', ...apply(claudeCode, request) },
  { name: 'applying to a file', before: settings, ...apply(claudeCode, request) },
  { name: 'applying with the key in plain text', before: settings, ...apply(claudeCode, plainRequest) },
  { name: 'moving comments', before: jsonWithComments, ...apply(claudeCode, moveCommentsRequest) },
  { name: 'applying with a key file', before: settings, ...apply(openCode, request) },
  { name: 'applying with a key file to no file', ...apply(openCode, request) },
  { name: 'switching plans', before: settings, earlier: setUp(otherRequest), ...apply(openCode, request) },
  {
    name: 'switching from a key file to plain text',
    before: settings,
    earlier: setUp(otherRequest),
    ...apply(openCode, plainRequest),
  },
  {
    name: 'switching plans in a file that was changed by hand',
    before: settings,
    earlier: setUp(otherRequest, edit),
    ...apply(openCode, request),
    restored: editedSettings,
  },
  {
    name: 'following a settings file to its new name',
    before: settings,
    earlier: setUp(otherRequest, addFile),
    ...apply(openCode, request),
    between: `${settings}\n---\n// new\n{}\n`,
  },
  { name: 'restoring a file', before: settings, earlier: setUp(request), ...restore(openCode) },
  { name: 'restoring to no file', earlier: setUp(request), ...restore(openCode) },
  {
    name: 'restoring moved comments',
    before: jsonWithComments,
    earlier: (harness) => harness.apply(claudeCode, moveCommentsRequest),
    ...restore(claudeCode),
  },
  {
    name: 'restoring a file that was changed by hand',
    before: settings,
    earlier: setUp(request, edit),
    ...restore(openCode),
    restored: editedSettings,
  },
]

type Attempt = { readonly harness: ToolHarness; readonly path: string }

async function prepare({ target, before, earlier }: Scenario): Promise<Attempt> {
  const harness = new ToolHarness()
  const path = harness.getFile(target)
  if (before !== undefined) harness.writeFileAt(path, before)
  await earlier?.(harness)
  return { harness, path }
}

/** Runs the action once for each of its changes, kills it there, and checks the result. Returns the number of kills. */
async function killAtEachChange(scenario: Scenario, check: (attempt: Attempt) => Promise<void>): Promise<number> {
  for (let change = 1; ; change += 1) {
    const attempt = await prepare(scenario)
    const crashingDisk = createCrashingDisk(change)
    await scenario.action(attempt.harness, crashingDisk.disk).catch(() => undefined)
    await check(attempt)
    if (!crashingDisk.wasKilled()) return change - 1
  }
}

/** Requires that the tool starts and sends a key only to its own gateway. */
async function requireRecoverableState(target: WrittenTarget, harness: ToolHarness): Promise<void> {
  const files = await readFiles(target, harness.place)
  expect(files.flatMap(({ problem }) => problem?.code ?? []).filter((code) => code !== 'file.notStrict')).toEqual([])
  const { base, credential } = target.readBack(toSettingsByFile(files), harness.place.environment)
  if (base === undefined) return
  expect(credential).toBeDefined()
  const key =
    credential?.kind === 'file'
      ? readFileSync(credential.path, 'utf8')
      : credential?.kind === 'plain'
        ? credential.text.expose()
        : undefined
  if (key !== undefined) expect(key).toBe(base.startsWith(otherRequest.gatewayUrl) ? OTHER_KEY : KEY)
}

/** Undoes a tool's configuration. Ignores that there is none if nothing was written. */
async function undoSetup(target: WrittenTarget, harness: ToolHarness): Promise<void> {
  await harness.restore(target).catch((error: unknown) => {
    if (!(error instanceof AppError && error.failure.code === 'tool.notConfigured')) throw error
  })
}

const settingsTree = (harness: ToolHarness): Record<string, string> =>
  Object.fromEntries(Object.entries(harness.tree()).filter(([path]) => !path.endsWith('.companion-tmp')))

test.each(scenarios)('$name, killed at any change, leaves a consistent tool and can be undone', async (scenario) => {
  const pristineHarness = new ToolHarness()
  if (scenario.before !== undefined)
    pristineHarness.writeFileAt(pristineHarness.getFile(scenario.target), scenario.before)
  const originalTree = pristineHarness.tree()
  const finishedRun = await prepare(scenario)
  const textBeforeAll = readTestFile(finishedRun)
  await scenario.action(finishedRun.harness, finishedRun.harness.place.disk)
  const textAfterAll = readTestFile(finishedRun)

  const killCount = await killAtEachChange(scenario, async (attempt) => {
    expect([textBeforeAll, textAfterAll, scenario.between]).toContain(readTestFile(attempt))
    await requireRecoverableState(scenario.target, attempt.harness)
    await undoSetup(scenario.target, attempt.harness)
    if (scenario.restored !== undefined) expect(readFileSync(attempt.path, 'utf8')).toBe(scenario.restored)
    else if (!scenario.name.startsWith('following')) expect(settingsTree(attempt.harness)).toEqual(originalTree)
    await requireRecoverableState(scenario.target, attempt.harness)
  })
  expect(killCount).toBeGreaterThan(3)
})

const resumedScenarios = scenarios.filter(({ name }) =>
  [
    'moving comments',
    'applying with a key file',
    'switching plans',
    'following a settings file to its new name',
    'restoring a file',
  ].includes(name),
)

test.each(resumedScenarios)('$name, killed at any change, can be applied again and restored', async (scenario) => {
  await killAtEachChange(scenario, async (attempt) => {
    await attempt.harness.apply(scenario.target, { ...request, moveCommentsToCopy: true })
    await requireRecoverableState(scenario.target, attempt.harness)
    await attempt.harness.restore(scenario.target)
    const remainingFiles = Object.entries(attempt.harness.tree())
    expect(remainingFiles.filter(([path]) => path.includes('companion-tmp'))).toEqual([])
    expect(JSON.stringify(remainingFiles)).not.toContain('platform-companion')
    expect(JSON.stringify(remainingFiles)).not.toContain('ANTHROPIC')
    const dataFiles = Object.keys(attempt.harness.tree(attempt.harness.dataDir)).filter((path) => !path.endsWith('/'))
    expect(dataFiles.filter((path) => path.includes('key-files'))).toEqual([])
  })
})

/** The tool's settings without the random name of the data folder. */
function readTestFile({ harness, path }: Attempt): string {
  const files = [path, path.replace(/json$/, 'jsonc')].map((item) => harness.read(item)?.toString() ?? 'absent')
  return files.join('\n---\n').replaceAll(harness.dataDir, '@DATA@')
}
