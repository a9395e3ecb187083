import { linkSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { describe, expect, test, vi } from 'vitest'
import type { Disk } from '../../../../src/main/core/files/disk'
import { prepareApply } from '../../../../src/main/tools/apply'
import { recover } from '../../../../src/main/tools/commit'
import { prepareRestore } from '../../../../src/main/tools/restore'
import { readToolStatus } from '../../../../src/main/tools/status'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { isDeepRun } from '../../../support/depth'
import { createCrashingDisk, createFailingDisk } from './support/failing-disk'
import { twoFileTarget } from './support/two-files'
import { KEY, OTHER_KEY, otherRequest, request, ToolHarness } from './support/workshop'

type RecoveryTools = Parameters<typeof recover>[0]

vi.setConfig({ testTimeout: 120_000 })

const tools = [claudeCode, openCode, twoFileTarget]

/** Three tools with existing settings, one of them configured with a plain-text key. */
async function prepare(): Promise<ToolHarness> {
  const harness = new ToolHarness()
  harness.writeFileAt(join(harness.home, '.claude/settings.json'), '{\n  "theme": "dark"\n}\n')
  harness.writeFileAt(join(harness.home, '.two/auth.json'), '// mine\n{ "theirs": { "key": "own" } }\n', 0o600)
  await harness.apply(twoFileTarget, { ...otherRequest, delivery: 'plain' })
  return harness
}

const listPlans = (harness: ToolHarness, disk: Disk) =>
  Promise.all(
    tools.map((tool) =>
      prepareApply(tool, tool === twoFileTarget ? { ...request, delivery: 'plain' } : request, harness.on(disk)),
    ),
  )

const applyAll = async (harness: ToolHarness, disk = harness.place.disk): Promise<void> =>
  harness.commit(await listPlans(harness, disk), disk)

const removeAll = async (harness: ToolHarness, disk: Disk): Promise<void> =>
  harness.commit(await Promise.all(tools.map((tool) => prepareRestore(tool, harness.on(disk)))), disk)

const keys: Readonly<Record<string, string>> = { 'plan-1': KEY, 'plan-2': OTHER_KEY }

const restart = (harness: ToolHarness, overrides: Partial<RecoveryTools> = {}) =>
  recover({
    home: harness.place,
    findContext: async () => harness.place,
    reveal: async ({ planId }) => keys[planId] ?? '',
    ...overrides,
  })

const statuses = (harness: ToolHarness) =>
  Promise.all(tools.map(async (tool) => (await readToolStatus(tool, undefined, harness.place)).status))

const excludeAppData = (tree: Record<string, string>, harness: ToolHarness): string =>
  JSON.stringify(tree).replaceAll(harness.dataDir, '@DATA@')

/** Adds a hard link to a settings file of each tool, so that it must be written in place. */
function link(harness: ToolHarness): void {
  harness.writeFileAt(harness.getFile(openCode), '{\n  "linked": true\n}\n')
  mkdirSync(join(harness.home, 'links'))
  const paths = [harness.getFile(claudeCode), harness.getFile(openCode), join(harness.home, '.two/auth.json')]
  for (const [index, path] of paths.entries()) linkSync(path, join(harness.home, 'links', String(index)))
}

type Scenario = (typeof actions)[number]

const readState = async (harness: ToolHarness) => ({
  files: excludeAppData(harness.tree(), harness),
  statuses: await statuses(harness),
})

/**
 * Runs an action once for each disk change, kills it there after `share` of the bytes, and restarts. Returns how often
 * the action was undone and finished.
 */
async function killAtEveryStep({ earlier, action }: Scenario, share?: number, hasLinks = false) {
  const start = async (): Promise<ToolHarness> => {
    const harness = await prepare()
    if (hasLinks) link(harness)
    await earlier(harness)
    return harness
  }
  const referenceHarness = await start()
  const stateBefore = await readState(referenceHarness)
  await action(referenceHarness, referenceHarness.place.disk)
  const stateAfter = await readState(referenceHarness)
  const outcomeCounts = { undone: 0, finished: 0 }
  let wasKilled = true
  for (let change = 1; wasKilled; change += 1) {
    const harness = await start()
    const crashingDisk = createCrashingDisk(change, share)
    await action(harness, crashingDisk.disk).catch(() => undefined)
    wasKilled = crashingDisk.wasKilled()
    const { undone, left } = await restart(harness)
    const state = await readState(harness)
    expect(left).toEqual([])
    expect([stateBefore, stateAfter]).toContainEqual(state)
    if (undone.length > 0) expect(state).toEqual(stateBefore)
    if (state.files === stateBefore.files) outcomeCounts.undone += 1
    else outcomeCounts.finished += 1
    expect(await restart(harness)).toEqual({ undone: [], left: [] })
    expect(harness.leftOvers().filter((path) => path.endsWith('.companion-tmp'))).toEqual([])
    for (const [path, content] of Object.entries(harness.tree(join(harness.dataDir, 'tools'))))
      expect([path, content.includes(KEY) || content.includes(OTHER_KEY)]).toEqual([path, false])
    for (const index of hasLinks ? tools.keys() : [])
      expect(statSync(join(harness.home, 'links', String(index))).nlink).toBe(2)
    harness.close()
  }
  return outcomeCounts
}

const actions = [
  { name: 'setting up three tools', earlier: async () => undefined, action: applyAll },
  { name: 'taking back three tools', earlier: (harness: ToolHarness) => applyAll(harness), action: removeAll },
]

describe.each(actions)('$name, killed at any change and restarted,', (scenario) => {
  test('is completely done or completely undone, without misplaced keys', async () => {
    const { undone, finished } = await killAtEveryStep(scenario)
    expect(undone).toBeGreaterThan(5)
    expect(finished).toBeGreaterThan(1)
  })

  test.each(isDeepRun ? [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1] : [0.3])(
    'is done or undone in files with hard links (%d)',
    async (share) => {
      const { undone, finished } = await killAtEveryStep(scenario, share, true)
      expect(undone + finished).toBeGreaterThan(10)
    },
  )
})

describe('a write into a hard-linked file that was killed halfway while the old key is unavailable', () => {
  const path = (harness: ToolHarness): string => join(harness.home, '.two/auth.json')
  const isHalfWritten = (harness: ToolHarness, wholeContents: readonly (Buffer | undefined)[]): boolean =>
    !wholeContents.some((bytes) => bytes?.equals(harness.read(path(harness)) ?? Buffer.of()))
  const listBackupFiles = (harness: ToolHarness): string[] =>
    Object.keys(harness.tree()).filter((name) => name.endsWith('.companion-tmp'))

  const applyTwoFileTool = async (harness: ToolHarness, disk: Disk): Promise<void> =>
    harness.commit(await prepareApply(twoFileTarget, { ...request, delivery: 'plain' }, harness.on(disk)), disk)

  /** The file is half old and half new. The old content contains the key of another plan. */
  async function killHalfway() {
    const referenceHarness = await prepare()
    link(referenceHarness)
    const treeBeforeKill = excludeAppData(referenceHarness.tree(), referenceHarness)
    const contents = [referenceHarness.read(path(referenceHarness))]
    await applyTwoFileTool(referenceHarness, referenceHarness.place.disk)
    contents.push(referenceHarness.read(path(referenceHarness)))
    for (let change = 1; ; change += 1) {
      const harness = await prepare()
      link(harness)
      const crashingDisk = createCrashingDisk(change, 0.7)
      await applyTwoFileTool(harness, crashingDisk.disk).catch(() => undefined)
      if (isHalfWritten(harness, contents)) return { harness, before: treeBeforeKill, contents }
      harness.close()
      if (!crashingDisk.wasKilled()) throw new Error('No kill left the file half written.')
    }
  }

  test('waits, reports it at each start, and is undone once the key is available', async () => {
    const { harness, before, contents } = await killHalfway()
    const lockedError = new AppError('vault.unavailable', 'The keychain is locked.')
    for (let start = 0; start < 2; start += 1) {
      const recovery = await restart(harness, { reveal: () => Promise.reject(lockedError) })
      expect(recovery).toEqual({ undone: [], left: [], waiting: [path(harness)] })
      expect(isHalfWritten(harness, contents)).toBe(true)
      expect(listBackupFiles(harness)).toHaveLength(1)
    }
    expect((await restart(harness)).undone.map(({ toolId }) => toolId)).toEqual([twoFileTarget.id])
    expect(excludeAppData(harness.tree(), harness)).toBe(before)
    expect(await restart(harness)).toEqual({ undone: [], left: [] })
  })

  test('is given up when the key is permanently gone, naming the file', async () => {
    const { harness } = await killHalfway()
    const keyMissingError = new AppError('vault.keyMissing', 'There is no such key.')
    const { left, waiting } = await restart(harness, { reveal: () => Promise.reject(keyMissingError) })
    expect({ left, waiting }).toEqual({ left: [path(harness)], waiting: undefined })
    expect(await restart(harness)).toEqual({ undone: [], left: [] })
  })
})

test('a failure at the third of three tools undoes the first two immediately', async () => {
  const harness = await prepare()
  const treeBefore = harness.tree()
  const disk = createFailingDisk('ENOSPC', (operation, path) => operation === 'writeFile' && path.includes('.two'))
  await expect(applyAll(harness, disk)).rejects.toMatchObject({ failure: { code: 'file.unwritable' } })
  expect(harness.tree()).toEqual(treeBefore)
  expect(await statuses(harness)).toEqual(['absent', 'absent', 'configured'])
  expect(await restart(harness)).toEqual({ undone: [], left: [] })
})

test('a file that was changed after the kill stays as it is and is named', async () => {
  const harness = await prepare()
  const path = join(harness.home, '.claude/settings.json')
  for (let change = 1; !harness.read(path)?.toString().includes('apiKeyHelper'); change += 1)
    await applyAll(harness, createCrashingDisk(change).disk).catch(() => undefined)
  harness.writeFileAt(path, '{ "mine": 1 }')
  const { left } = await restart(harness)
  expect(left).toContain(path)
  expect(harness.read(path)?.toString()).toBe('{ "mine": 1 }')
})
