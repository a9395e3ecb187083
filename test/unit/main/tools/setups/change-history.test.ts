import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { prepareApply } from '../../../../../src/main/tools/apply'
import type { ChangeSet } from '../../../../../src/main/tools/change-set'
import { commit } from '../../../../../src/main/tools/commit'
import { type Entry, readHistory, writeEntry } from '../../../../../src/main/tools/history'
import {
  createRevealKey,
  entryView,
  Previews,
  recoverChanges,
} from '../../../../../src/main/tools/setups/change-history'
import { findContext } from '../../../../../src/main/tools/setups/config-scopes'
import { buildToolRequest } from '../../../../../src/main/tools/setups/setup-request'
import { writtenTarget } from '../../../../../src/main/tools/targets'
import { createHarness, key } from './bench'

const claude = writtenTarget('claude-code')

async function createWrittenSetup() {
  const harness = createHarness()
  const { machine, deps } = harness
  const choice = { toolId: 'claude-code', planId: 'p1', modelCode: 'large' }
  const request = await buildToolRequest(claude, choice, deps)
  await commit([await prepareApply(claude, request, await findContext(machine))], machine.place)
  const [entry] = await readHistory(machine.place)
  if (!entry) throw new Error('Nothing is in the history.')
  return { ...harness, entry, file: join(harness.home, '.claude/settings.json') }
}

describe('a write in the history', () => {
  it('of a removed plan has no plan name', async () => {
    const { entry } = await createWrittenSetup()
    const [view] = entryView(entry, { list: () => [] })
    expect(view?.tools[0]).not.toHaveProperty('planName')
    expect(view?.tools[0]).toMatchObject({ modelCode: 'large' })
  })

  test.each<[Entry['state'], string[]]>([
    ['begun', []],
    ['written', ['done']],
    ['done', ['done']],
    ['undone', ['undone']],
  ])('in the state %s is shown as %j', async (state, expectedStates) => {
    const { entry, deps } = await createWrittenSetup()
    expect(entryView({ ...entry, state }, deps.plans).map((view) => view.state)).toEqual(expectedStates)
  })

  test.each([
    ['none', 'a'.repeat(64), 'a'.repeat(64)],
    ['create', undefined, 'a'.repeat(64)],
    ['change', 'a'.repeat(64), 'b'.repeat(64)],
    ['delete', 'a'.repeat(64), null],
  ] as const)('marks a file as %s from its content before and after', async (action, hashBefore, hashAfter) => {
    const { entry, deps, file } = await createWrittenSetup()
    const changeBefore = hashBefore === undefined ? {} : { before: { file: 'kept', hash: hashBefore, mode: 0o644 } }
    const files = [{ path: file, realPath: file, format: 'json' as const, after: hashAfter, ...changeBefore }]
    const [view] = entryView({ ...entry, tools: entry.tools.map((tool) => ({ ...tool, files })) }, deps.plans)
    expect(view?.tools[0]?.files).toEqual([{ path: file, action }])
  })
})

it('an interrupted write is undone and shown as undone in the history', async () => {
  const { entry, machine, deps, home, file } = await createWrittenSetup()
  // No process has this id.
  await writeEntry({ ...entry, state: 'begun', pid: 2 ** 30 }, machine.place)
  // Undo the last step of the write, which saved the tool's record.
  writeFileSync(join(machine.place.dataDir, 'tools', 'claude-code.json'), '{}')
  expect(await recoverChanges(machine, deps)).toEqual({
    undone: [{ toolId: 'claude-code', site: { kind: 'user' }, at: entry.at }],
    left: [],
  })
  expect([existsSync(file), existsSync(join(home, '.claude'))]).toEqual([false, false])
  expect((await readHistory(machine.place)).map(({ state }) => state)).toEqual(['undone'])
  expect(await recoverChanges(machine, deps)).toEqual({ undone: [], left: [] })
})

it('a key whose save was not recorded is requested from its plan', async () => {
  const { deps } = createHarness()
  expect(await createRevealKey(deps)({ planId: 'p1', keyId: 'k1' })).toBe(key.expose())
  await expect(createRevealKey(deps)({ planId: 'none' })).rejects.toMatchObject({ failure: { code: 'plan.notFound' } })
})

function buildPlan(overrides: Partial<ChangeSet> = {}): ChangeSet {
  const { machine } = createHarness()
  return {
    kind: 'apply',
    toolId: 'claude-code',
    place: { ...machine.place, site: { kind: 'user' } },
    files: [{ path: '/x', action: 'create', holdsKey: false, lines: [] }],
    warnings: [{ code: 'restartNeeded' }],
    base: 'https://gw.example.com',
    requestAddress: 'https://gw.example.com/v1/messages',
    preconditions: [],
    steps: [{ kind: 'remove', path: '/secret-step' }],
    tidying: [],
    past: { journal: undefined, next: undefined, files: [], newFolders: [], newKeyFiles: [] },
    ...overrides,
  }
}

const noRelay = { getUpstream: () => undefined }

describe('previews', () => {
  it('show only permitted fields of a plan, and return the whole plan once', () => {
    const previews = new Previews(noRelay)
    const plan = buildPlan()
    const { previewId, ...shown } = previews.keepOne(plan)
    expect(shown).toEqual({
      toolId: 'claude-code',
      site: { kind: 'user' },
      kind: 'apply',
      files: plan.files,
      warnings: plan.warnings,
      base: plan.base,
      requestAddress: plan.requestAddress,
    })
    expect(previews.take(previewId)).toEqual([plan])
    expect(() => previews.take(previewId)).toThrow('This preview has expired')
  })

  it('show which files a release keeps', () => {
    expect(new Previews(noRelay).keepOne(buildPlan({ kind: 'letGo' })).kind).toBe('restore')
  })

  it('keep the latest twenty', () => {
    const previews = new Previews(noRelay)
    const ids = Array.from({ length: 21 }, () => previews.keepOne(buildPlan()).previewId)
    expect(() => previews.take(ids[0] ?? '')).toThrow('Preview the changes again')
    for (const id of ids.slice(1)) expect(previews.take(id)).toHaveLength(1)
  })
})
