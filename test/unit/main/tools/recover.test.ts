import { linkSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Disk } from '../../../../src/main/core/files/disk'
import { prepareApply } from '../../../../src/main/tools/apply'
import { readHistory } from '../../../../src/main/tools/history'
import { recover } from '../../../../src/main/tools/recover'
import { prepareRestore } from '../../../../src/main/tools/restore'
import { toolStatus } from '../../../../src/main/tools/status'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { isDeep } from '../../../support/depth'
import { killedAt, refusing } from './support/failing-disk'
import { twoFiles } from './support/two-files'
import { KEY, OTHER_KEY, otherRequest, request, Workshop } from './support/workshop'

type RecoveryTools = Parameters<typeof recover>[0]

vi.setConfig({ testTimeout: 120_000 })

const open: Workshop[] = []
afterEach(() => {
  for (const workshop of open.splice(0)) workshop.close()
})

const tools = [claudeCode, openCode, twoFiles]

/** Three tools with existing settings, one of them configured with a plain-text key. */
async function prepare(): Promise<Workshop> {
  const workshop = new Workshop()
  open.push(workshop)
  workshop.writeFileAt(join(workshop.home, '.claude/settings.json'), '{\n  "theme": "dark"\n}\n')
  workshop.writeFileAt(join(workshop.home, '.two/auth.json'), '// mine\n{ "theirs": { "key": "own" } }\n', 0o600)
  await workshop.apply(twoFiles, { ...otherRequest, delivery: 'plain' })
  return workshop
}

const listPlans = (workshop: Workshop, disk: Disk) =>
  Promise.all(
    tools.map((tool) =>
      prepareApply(tool, tool === twoFiles ? { ...request, delivery: 'plain' } : request, workshop.on(disk)),
    ),
  )

const applyAll = async (workshop: Workshop, disk: Disk): Promise<void> =>
  workshop.commit(await listPlans(workshop, disk), disk)

const removeAll = async (workshop: Workshop, disk: Disk): Promise<void> =>
  workshop.commit(await Promise.all(tools.map((tool) => prepareRestore(tool, workshop.on(disk)))), disk)

const keys: Readonly<Record<string, string>> = { 'plan-1': KEY, 'plan-2': OTHER_KEY }

const restart = (workshop: Workshop, given: Partial<RecoveryTools> = {}) =>
  recover({
    home: workshop.place,
    findContext: async () => workshop.place,
    reveal: async ({ planId }) => keys[planId] ?? '',
    ...given,
  })

const statuses = (workshop: Workshop) =>
  Promise.all(tools.map(async (tool) => (await toolStatus(tool, undefined, workshop.place)).status))

const withoutData = (tree: Record<string, string>, workshop: Workshop): string =>
  JSON.stringify(tree).replaceAll(workshop.dataDir, '@DATA@')

/** Adds a hard link to a settings file of each tool, so that it must be written in place. */
function link(workshop: Workshop): void {
  workshop.writeFileAt(workshop.getFile(openCode), '{\n  "linked": true\n}\n')
  mkdirSync(join(workshop.home, 'links'))
  const paths = [workshop.getFile(claudeCode), workshop.getFile(openCode), join(workshop.home, '.two/auth.json')]
  for (const [at, path] of paths.entries()) linkSync(path, join(workshop.home, 'links', String(at)))
}

type Scenario = (typeof actions)[number]

/** Kills a write into linked files at each change, after this share of the bytes, and counts the kills. */
async function killEverywhere({ earlier, action }: Scenario, share: number): Promise<number> {
  const start = async (): Promise<Workshop> => {
    const workshop = await prepare()
    link(workshop)
    await earlier(workshop)
    return workshop
  }
  const whole = await start()
  const before = withoutData(whole.tree(), whole)
  await action(whole, whole.place.disk)
  const after = withoutData(whole.tree(), whole)
  let kills = 0
  for (let wasKilled = true; wasKilled; kills += 1) {
    const workshop = await start()
    const death = killedAt(kills + 1, share)
    await action(workshop, death.disk).catch(() => undefined)
    wasKilled = death.wasKilled()
    expect((await restart(workshop)).left).toEqual([])
    expect([before, after]).toContain(withoutData(workshop.tree(), workshop))
    for (const at of tools.keys()) expect(statSync(join(workshop.home, 'links', String(at))).nlink).toBe(2)
    workshop.close()
  }
  return kills
}

const actions = [
  { name: 'setting up three tools', earlier: async () => undefined, action: applyAll },
  {
    name: 'taking back three tools',
    earlier: (workshop: Workshop) => applyAll(workshop, workshop.place.disk),
    action: removeAll,
  },
]

describe.each(actions)('$name, killed at any change and restarted,', ({ earlier, action }) => {
  test('is completely done or completely undone, without misplaced keys', async () => {
    const whole = await prepare()
    await earlier(whole)
    const before = { files: withoutData(whole.tree(), whole), statuses: await statuses(whole) }
    await action(whole, whole.place.disk)
    const after = { files: withoutData(whole.tree(), whole), statuses: await statuses(whole) }

    const seen = { undone: 0, finished: 0 }
    let wasKilled = true
    for (let change = 1; wasKilled; change += 1) {
      const workshop = await prepare()
      await earlier(workshop)
      const death = killedAt(change)
      await action(workshop, death.disk).catch(() => undefined)
      wasKilled = death.wasKilled()
      const { undone, left } = await restart(workshop)
      const current = { files: withoutData(workshop.tree(), workshop), statuses: await statuses(workshop) }
      expect(left).toEqual([])
      expect([before, after]).toContainEqual(current)
      if (undone.length > 0) expect(current).toEqual(before)
      if (current.files === before.files) seen.undone += 1
      else seen.finished += 1
      expect(await restart(workshop)).toEqual({ undone: [], left: [] })
      expect(workshop.leftOvers().filter((path) => path.endsWith('.companion-tmp'))).toEqual([])
      for (const [path, content] of Object.entries(workshop.tree(join(workshop.dataDir, 'tools'))))
        expect([path, content.includes(KEY) || content.includes(OTHER_KEY)]).toEqual([path, false])
    }
    expect(seen.undone).toBeGreaterThan(5)
    expect(seen.finished).toBeGreaterThan(1)
  })
})

describe.each(actions)('$name in files with hard links, killed at any change and restarted,', (scenario) => {
  test.each(isDeep ? [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1] : [0.3])(
    'is completely done or undone when %d of a write is done',
    async (share) => {
      expect(await killEverywhere(scenario, share)).toBeGreaterThan(10)
    },
  )
})

describe('a write into a hard-linked file that was killed halfway while the old key is unavailable', () => {
  const path = (workshop: Workshop): string => join(workshop.home, '.two/auth.json')
  const isHalf = (workshop: Workshop, whole: readonly (Buffer | undefined)[]): boolean =>
    !whole.some((bytes) => bytes?.equals(workshop.read(path(workshop)) ?? Buffer.of()))
  const leftBeside = (workshop: Workshop): string[] =>
    Object.keys(workshop.tree()).filter((name) => name.endsWith('.companion-tmp'))

  const applyOne = async (workshop: Workshop, disk: Disk): Promise<void> =>
    workshop.commit(await prepareApply(twoFiles, { ...request, delivery: 'plain' }, workshop.on(disk)), disk)

  /** The file is half old and half new. The old content contains the key of another plan. */
  async function killHalfway() {
    const whole = await prepare()
    link(whole)
    const before = withoutData(whole.tree(), whole)
    const contents = [whole.read(path(whole))]
    await applyOne(whole, whole.place.disk)
    contents.push(whole.read(path(whole)))
    for (let change = 1; ; change += 1) {
      const workshop = await prepare()
      link(workshop)
      const death = killedAt(change, 0.7)
      await applyOne(workshop, death.disk).catch(() => undefined)
      if (isHalf(workshop, contents)) return { workshop, before, contents }
      workshop.close()
      if (!death.wasKilled()) throw new Error('No kill left the file half written.')
    }
  }

  test('waits, reports it at each start, and is undone once the key is available', async () => {
    const { workshop, before, contents } = await killHalfway()
    const locked = new AppError('vault.unavailable', 'The keychain is locked.')
    for (let start = 0; start < 2; start += 1) {
      const recovery = await restart(workshop, { reveal: () => Promise.reject(locked) })
      expect(recovery).toEqual({ undone: [], left: [], waiting: [path(workshop)] })
      expect(isHalf(workshop, contents)).toBe(true)
      expect(leftBeside(workshop)).toHaveLength(1)
    }
    expect((await restart(workshop)).undone.map(({ toolId }) => toolId)).toEqual([twoFiles.id])
    expect(withoutData(workshop.tree(), workshop)).toBe(before)
    expect(await restart(workshop)).toEqual({ undone: [], left: [] })
  })

  test('is given up when the key is permanently gone, naming the file', async () => {
    const { workshop } = await killHalfway()
    const gone = new AppError('vault.keyMissing', 'There is no such key.')
    const { left, waiting } = await restart(workshop, { reveal: () => Promise.reject(gone) })
    expect({ left, waiting }).toEqual({ left: [path(workshop)], waiting: undefined })
    expect(await restart(workshop)).toEqual({ undone: [], left: [] })
  })
})

test('a failure at the third of three tools undoes the first two immediately', async () => {
  const workshop = await prepare()
  const before = workshop.tree()
  const disk = refusing('ENOSPC', (what, path) => what === 'writeFile' && path.includes('.two'))
  await expect(applyAll(workshop, disk)).rejects.toMatchObject({ failure: { code: 'file.unwritable' } })
  expect(workshop.tree()).toEqual(before)
  expect(await statuses(workshop)).toEqual(['absent', 'absent', 'configured'])
  expect(await restart(workshop)).toEqual({ undone: [], left: [] })
})

test('a file that was changed after the kill stays as it is and is named', async () => {
  const workshop = await prepare()
  const path = join(workshop.home, '.claude/settings.json')
  for (let change = 1; !workshop.read(path)?.toString().includes('apiKeyHelper'); change += 1)
    await applyAll(workshop, killedAt(change).disk).catch(() => undefined)
  workshop.writeFileAt(path, '{ "mine": 1 }')
  const { left } = await restart(workshop)
  expect(left).toContain(path)
  expect(workshop.read(path)?.toString()).toBe('{ "mine": 1 }')
})

test('an interrupted write is undone although another process has reused its id', async () => {
  const workshop = await prepare()
  const begun = async () => (await readHistory(workshop.place)).find(({ state }) => state === 'begun')
  for (let change = 1; (await begun()) === undefined; change += 1)
    await applyAll(workshop, killedAt(change).disk).catch(() => undefined)
  const entry = await begun()
  const path = join(workshop.dataDir, 'tools/history', `${entry?.id}.json`)
  workshop.writeFileAt(path, JSON.stringify({ ...entry, pid: process.ppid }), 0o600)
  expect((await restart(workshop)).undone.map(({ toolId }) => toolId)).toEqual(tools.map(({ id }) => id))
})
