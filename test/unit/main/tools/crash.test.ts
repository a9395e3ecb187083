import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { describe, expect, test, vi } from 'vitest'
import type { Disk } from '../../../../src/main/core/files/disk'
import { prepareApply, type ToolRequest } from '../../../../src/main/tools/apply'
import { prepareRestore } from '../../../../src/main/tools/restore'
import { readTool } from '../../../../src/main/tools/status'
import type { FoundSettings, WrittenTarget } from '../../../../src/main/tools/target'
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

const createApplyRun = (target: WrittenTarget, toolRequest: ToolRequest) => async (harness: ToolHarness, disk: Disk) =>
  harness.commit(await prepareApply(target, toolRequest, harness.on(disk)), disk)
const createRestore = (target: WrittenTarget) => async (harness: ToolHarness, disk: Disk) =>
  harness.commit(await prepareRestore(target, harness.on(disk)), disk)

/** Simulates a user who adds a setting at the beginning of a tool's file. */
function edit(harness: ToolHarness, target: WrittenTarget): void {
  const path = harness.getFile(target)
  harness.writeFileAt(path, readFileSync(path, 'utf8').replace('{\n', '{\n  "mine": 1,\n'))
}

const scenarios: readonly Scenario[] = [
  { name: 'applying to an absent file', target: claudeCode, action: createApplyRun(claudeCode, request) },
  { name: 'applying to a file', target: claudeCode, before: settings, action: createApplyRun(claudeCode, request) },
  {
    name: 'applying with the key in plain text',
    target: claudeCode,
    before: settings,
    action: createApplyRun(claudeCode, { ...request, delivery: 'plain' }),
  },
  {
    name: 'moving comments',
    target: claudeCode,
    before: jsonWithComments,
    action: createApplyRun(claudeCode, moveCommentsRequest),
  },
  { name: 'applying with a key file', target: openCode, before: settings, action: createApplyRun(openCode, request) },
  { name: 'applying with a key file to no file', target: openCode, action: createApplyRun(openCode, request) },
  {
    name: 'switching plans',
    target: openCode,
    before: settings,
    earlier: (harness) => harness.apply(openCode, otherRequest),
    action: createApplyRun(openCode, request),
  },
  {
    name: 'switching from a key file to plain text',
    target: openCode,
    before: settings,
    earlier: (harness) => harness.apply(openCode, otherRequest),
    action: createApplyRun(openCode, { ...request, delivery: 'plain' }),
  },
  {
    name: 'switching plans in a file that was changed by hand',
    target: openCode,
    before: settings,
    earlier: async (harness) => {
      await harness.apply(openCode, otherRequest)
      edit(harness, openCode)
    },
    action: createApplyRun(openCode, request),
    restored: '{\n  "mine": 1,\n  "theme": "dark"\n}\n',
  },
  {
    name: 'following a settings file to its new name',
    target: openCode,
    before: settings,
    earlier: async (harness) => {
      await harness.apply(openCode, otherRequest)
      harness.writeFileAt(join(harness.home, '.config/opencode/opencode.jsonc'), '// new\n{}\n')
    },
    action: createApplyRun(openCode, request),
    between: `${settings}\n---\n// new\n{}\n`,
  },
  {
    name: 'restoring a file',
    target: openCode,
    before: settings,
    earlier: (harness) => harness.apply(openCode, request),
    action: createRestore(openCode),
  },
  {
    name: 'restoring to no file',
    target: openCode,
    earlier: (harness) => harness.apply(openCode, request),
    action: createRestore(openCode),
  },
  {
    name: 'restoring moved comments',
    target: claudeCode,
    before: jsonWithComments,
    earlier: (harness) => harness.apply(claudeCode, moveCommentsRequest),
    action: createRestore(claudeCode),
  },
  {
    name: 'restoring a file that was changed by hand',
    target: openCode,
    before: settings,
    earlier: async (harness) => {
      await harness.apply(openCode, request)
      edit(harness, openCode)
    },
    action: createRestore(openCode),
    restored: '{\n  "mine": 1,\n  "theme": "dark"\n}\n',
  },
]

async function prepare({ target, before, earlier }: Scenario): Promise<{ harness: ToolHarness; path: string }> {
  const harness = new ToolHarness()
  const path = harness.getFile(target)
  if (before !== undefined) harness.writeFileAt(path, before)
  await earlier?.(harness)
  return { harness, path }
}

/** Requires that the tool starts and sends a key only to its own gateway. */
async function requireRecoverableState(target: WrittenTarget, harness: ToolHarness): Promise<void> {
  const toolState = await readTool(target, harness.place).catch((error: unknown) => {
    if (error instanceof AppError && error.failure.code === 'file.notStrict') return {}
    throw error
  })
  const { base, credential }: FoundSettings = toolState
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

describe.each(scenarios)('$name, killed between any two changes,', (scenario) => {
  test('leaves the tool unchanged or configured, and can be undone', async () => {
    const pristineHarness = new ToolHarness()
    if (scenario.before !== undefined)
      pristineHarness.writeFileAt(pristineHarness.getFile(scenario.target), scenario.before)
    const originalTree = pristineHarness.tree()
    const finishedRun = await prepare(scenario)
    const textBeforeAll = readTestFile(finishedRun)
    await scenario.action(finishedRun.harness, finishedRun.harness.place.disk)
    const textAfterAll = readTestFile(finishedRun)

    let wasKilled = true
    let killCount = 0
    for (let change = 1; wasKilled; change += 1) {
      const attempt = await prepare(scenario)
      const crashingDisk = createCrashingDisk(change)
      await scenario.action(attempt.harness, crashingDisk.disk).catch(() => undefined)
      wasKilled = crashingDisk.wasKilled()
      if (wasKilled) killCount += 1

      expect([textBeforeAll, textAfterAll, scenario.between]).toContain(readTestFile(attempt))
      await requireRecoverableState(scenario.target, attempt.harness)
      await undoSetup(scenario.target, attempt.harness)
      if (scenario.restored !== undefined) expect(readFileSync(attempt.path, 'utf8')).toBe(scenario.restored)
      else if (!scenario.name.startsWith('following')) expect(settingsTree(attempt.harness)).toEqual(originalTree)
      await requireRecoverableState(scenario.target, attempt.harness)
    }
    expect(killCount).toBeGreaterThan(3)
  })
})

const resumedScenarios = [
  'moving comments',
  'applying with a key file',
  'switching plans',
  'following a settings file to its new name',
  'restoring a file',
]

describe.each(scenarios.filter(({ name }) => resumedScenarios.includes(name)))(
  '$name, killed between any two changes,',
  (scenario) => {
    test('can be applied again and then fully restored', async () => {
      let wasKilled = true
      for (let change = 1; wasKilled; change += 1) {
        const attempt = await prepare(scenario)
        const crashingDisk = createCrashingDisk(change)
        await scenario.action(attempt.harness, crashingDisk.disk).catch(() => undefined)
        wasKilled = crashingDisk.wasKilled()
        await attempt.harness.apply(scenario.target, { ...request, moveCommentsToCopy: true })
        await requireRecoverableState(scenario.target, attempt.harness)
        await attempt.harness.restore(scenario.target)
        const remainingFiles = Object.entries(attempt.harness.tree())
        expect(remainingFiles.filter(([path]) => path.includes('companion-tmp'))).toEqual([])
        expect(JSON.stringify(remainingFiles)).not.toContain('platform-companion')
        expect(JSON.stringify(remainingFiles)).not.toContain('ANTHROPIC')
        const dataFiles = Object.keys(attempt.harness.tree(attempt.harness.dataDir)).filter(
          (path) => !path.endsWith('/'),
        )
        expect(dataFiles.filter((path) => path.includes('key-files'))).toEqual([])
      }
    })
  },
)

/** The tool's settings without the random name of the data folder. */
function readTestFile({ harness, path }: { readonly harness: ToolHarness; readonly path: string }): string | undefined {
  const files = [path, path.replace(/json$/, 'jsonc')].map((item) => harness.read(item)?.toString() ?? 'absent')
  return files.join('\n---\n').replaceAll(harness.dataDir, '@DATA@')
}
