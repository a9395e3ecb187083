import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Disk } from '../../../../src/main/core/files/disk'
import { prepareApply, type ToolRequest } from '../../../../src/main/tools/apply'
import { prepareRestore } from '../../../../src/main/tools/restore'
import { readTool } from '../../../../src/main/tools/status'
import type { FoundSettings, WrittenTarget } from '../../../../src/main/tools/target'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { killedAt } from './support/failing-disk'
import { KEY, OTHER_KEY, otherRequest, request, Workshop } from './support/workshop'

vi.setConfig({ testTimeout: 60_000 })

type Scenario = {
  readonly name: string
  readonly target: WrittenTarget
  readonly before?: string
  /** Steps before the action, all of which succeed. */
  readonly earlier?: (workshop: Workshop) => Promise<unknown>
  readonly action: (workshop: Workshop, disk: Disk) => Promise<void>
  /** Expected file after the undo, if the file was edited manually before. */
  readonly restored?: string
  /** State after a kill that is accepted in addition to the states before and after the action. */
  readonly between?: string
}

const settings = '{\n  "theme": "dark"\n}\n'
const commented = '{\n  // mine\n  "theme": "dark"\n}\n'
const moved: ToolRequest = { ...request, moveCommentsToCopy: true }

const applying = (target: WrittenTarget, wanted: ToolRequest) => async (workshop: Workshop, disk: Disk) =>
  workshop.commit(await prepareApply(target, wanted, workshop.on(disk)), disk)
const restoring = (target: WrittenTarget) => async (workshop: Workshop, disk: Disk) =>
  workshop.commit(await prepareRestore(target, workshop.on(disk)), disk)

/** Adds a user setting at the beginning. */
function edit(workshop: Workshop, target: WrittenTarget): void {
  const path = workshop.getFile(target)
  workshop.writeFileAt(path, readFileSync(path, 'utf8').replace('{\n', '{\n  "mine": 1,\n'))
}

const scenarios: readonly Scenario[] = [
  { name: 'applying to an absent file', target: claudeCode, action: applying(claudeCode, request) },
  { name: 'applying to a file', target: claudeCode, before: settings, action: applying(claudeCode, request) },
  {
    name: 'applying with the key in plain text',
    target: claudeCode,
    before: settings,
    action: applying(claudeCode, { ...request, delivery: 'plain' }),
  },
  { name: 'moving comments', target: claudeCode, before: commented, action: applying(claudeCode, moved) },
  { name: 'applying with a key file', target: openCode, before: settings, action: applying(openCode, request) },
  { name: 'applying with a key file to no file', target: openCode, action: applying(openCode, request) },
  {
    name: 'switching plans',
    target: openCode,
    before: settings,
    earlier: (workshop) => workshop.apply(openCode, otherRequest),
    action: applying(openCode, request),
  },
  {
    name: 'switching from a key file to plain text',
    target: openCode,
    before: settings,
    earlier: (workshop) => workshop.apply(openCode, otherRequest),
    action: applying(openCode, { ...request, delivery: 'plain' }),
  },
  {
    name: 'switching plans in a file that was changed by hand',
    target: openCode,
    before: settings,
    earlier: async (workshop) => {
      await workshop.apply(openCode, otherRequest)
      edit(workshop, openCode)
    },
    action: applying(openCode, request),
    restored: '{\n  "mine": 1,\n  "theme": "dark"\n}\n',
  },
  {
    name: 'following a settings file to its new name',
    target: openCode,
    before: settings,
    earlier: async (workshop) => {
      await workshop.apply(openCode, otherRequest)
      workshop.writeFileAt(join(workshop.home, '.config/opencode/opencode.jsonc'), '// new\n{}\n')
    },
    action: applying(openCode, request),
    between: `${settings}\n---\n// new\n{}\n`,
  },
  {
    name: 'restoring a file',
    target: openCode,
    before: settings,
    earlier: (workshop) => workshop.apply(openCode, request),
    action: restoring(openCode),
  },
  {
    name: 'restoring to no file',
    target: openCode,
    earlier: (workshop) => workshop.apply(openCode, request),
    action: restoring(openCode),
  },
  {
    name: 'restoring moved comments',
    target: claudeCode,
    before: commented,
    earlier: (workshop) => workshop.apply(claudeCode, moved),
    action: restoring(claudeCode),
  },
  {
    name: 'restoring a file that was changed by hand',
    target: openCode,
    before: settings,
    earlier: async (workshop) => {
      await workshop.apply(openCode, request)
      edit(workshop, openCode)
    },
    action: restoring(openCode),
    restored: '{\n  "mine": 1,\n  "theme": "dark"\n}\n',
  },
]

const open: Workshop[] = []
afterEach(() => {
  for (const workshop of open.splice(0)) workshop.close()
})

async function prepare({ target, before, earlier }: Scenario): Promise<{ workshop: Workshop; path: string }> {
  const workshop = new Workshop()
  open.push(workshop)
  const path = workshop.getFile(target)
  if (before !== undefined) workshop.writeFileAt(path, before)
  await earlier?.(workshop)
  return { workshop, path }
}

/** Requires that the tool starts and sends a key only to its own gateway. */
async function requireSafe(target: WrittenTarget, workshop: Workshop): Promise<void> {
  const found = await readTool(target, workshop.place).catch((error: unknown) => {
    if (error instanceof AppError && error.failure.code === 'file.notStrict') return {}
    throw error
  })
  const { base, credential }: FoundSettings = found
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
async function undo(target: WrittenTarget, workshop: Workshop): Promise<void> {
  await workshop.restore(target).catch((error: unknown) => {
    if (!(error instanceof AppError && error.failure.code === 'tool.notConfigured')) throw error
  })
}

const settingsTree = (workshop: Workshop): Record<string, string> =>
  Object.fromEntries(Object.entries(workshop.tree()).filter(([path]) => !path.endsWith('.companion-tmp')))

describe.each(scenarios)('$name, killed between any two changes,', (scenario) => {
  test('leaves the tool unchanged or configured, and can be undone', async () => {
    const pristine = new Workshop()
    open.push(pristine)
    if (scenario.before !== undefined) pristine.writeFileAt(pristine.getFile(scenario.target), scenario.before)
    const original = pristine.tree()
    const whole = await prepare(scenario)
    const wholeBefore = workshopText(whole)
    await scenario.action(whole.workshop, whole.workshop.place.disk)
    const wholeAfter = workshopText(whole)

    let wasKilled = true
    let kills = 0
    for (let change = 1; wasKilled; change += 1) {
      const attempt = await prepare(scenario)
      const death = killedAt(change)
      await scenario.action(attempt.workshop, death.disk).catch(() => undefined)
      wasKilled = death.wasKilled()
      if (wasKilled) kills += 1

      expect([wholeBefore, wholeAfter, scenario.between]).toContain(workshopText(attempt))
      await requireSafe(scenario.target, attempt.workshop)
      await undo(scenario.target, attempt.workshop)
      if (scenario.restored !== undefined) expect(readFileSync(attempt.path, 'utf8')).toBe(scenario.restored)
      else if (!scenario.name.startsWith('following')) expect(settingsTree(attempt.workshop)).toEqual(original)
      await requireSafe(scenario.target, attempt.workshop)
    }
    expect(kills).toBeGreaterThan(3)
  })
})

const resumed = [
  'moving comments',
  'applying with a key file',
  'switching plans',
  'following a settings file to its new name',
  'restoring a file',
]

describe.each(scenarios.filter(({ name }) => resumed.includes(name)))(
  '$name, killed between any two changes,',
  (scenario) => {
    test('can be applied again and then fully restored', async () => {
      let wasKilled = true
      for (let change = 1; wasKilled; change += 1) {
        const attempt = await prepare(scenario)
        const death = killedAt(change)
        await scenario.action(attempt.workshop, death.disk).catch(() => undefined)
        wasKilled = death.wasKilled()
        await attempt.workshop.apply(scenario.target, { ...request, moveCommentsToCopy: true })
        await requireSafe(scenario.target, attempt.workshop)
        await attempt.workshop.restore(scenario.target)
        const left = Object.entries(attempt.workshop.tree())
        expect(left.filter(([path]) => path.includes('companion-tmp'))).toEqual([])
        expect(JSON.stringify(left)).not.toContain('platform-companion')
        expect(JSON.stringify(left)).not.toContain('ANTHROPIC')
        const kept = Object.keys(attempt.workshop.tree(attempt.workshop.dataDir)).filter((path) => !path.endsWith('/'))
        expect(kept.filter((path) => path.includes('key-files'))).toEqual([])
      }
    })
  },
)

/** The tool's settings without the random name of the data folder. */
function workshopText({ workshop, path }: { readonly workshop: Workshop; readonly path: string }): string | undefined {
  const files = [path, path.replace(/json$/, 'jsonc')].map((item) => workshop.read(item)?.toString() ?? 'absent')
  return files.join('\n---\n').replaceAll(workshop.dataDir, '@DATA@')
}
