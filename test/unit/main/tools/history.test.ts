import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findEntry, prepareRewind, readHistory } from '../../../../src/main/tools/history'
import { prepareRestore, prepareUnmanage } from '../../../../src/main/tools/restore'
import { toolStatus } from '../../../../src/main/tools/status'
import type { WrittenTarget } from '../../../../src/main/tools/target'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { qwenCode } from '../../../../src/main/tools/targets/qwen-code'
import { twoFiles } from './support/two-files'
import { KEY, OTHER_KEY, otherRequest, request, Workshop } from './support/workshop'

let workshop: Workshop
beforeEach(() => {
  workshop = new Workshop()
})
afterEach(() => workshop.close())

const keys: Record<string, string> = { 'plan-1': KEY, 'plan-2': OTHER_KEY }
const reveal = async ({ planId }: { planId: string }): Promise<string> => keys[planId] ?? ''

/** Restores the state before a write. 0 is the latest write. */
async function rewind(target: WrittenTarget, nth: number): Promise<void> {
  const entry = (await readHistory(workshop.place))[nth]
  const [tool] = entry?.tools ?? []
  if (!tool) throw new Error('no such write')
  await workshop.commit(await prepareRewind(tool, { target, place: workshop.place, reveal }))
}

const status = async (target: WrittenTarget) => (await toolStatus(target, undefined, workshop.place)).status

describe.each([
  ['claude-code', claudeCode, 'helper'],
  ['claude-code', claudeCode, 'plain'],
  ['opencode', openCode, 'file'],
  ['qwen-code', qwenCode, 'envFile'],
  ['opencode', openCode, 'plain'],
  ['two-files', twoFiles, 'helper'],
  ['two-files', twoFiles, 'plain'],
] as const)('%s (%s, %s)', (_name, target, delivery) => {
  test('returns to the state before any of its writes, and forward again', async () => {
    workshop.writeFileAt(workshop.getFile(target), '{\n  "theme": "dark"\n}\n')
    const states = [workshop.tree()]
    for (const wanted of [otherRequest, request, { ...otherRequest, delivery }]) {
      await workshop.apply(target, { ...wanted, delivery })
      states.push(workshop.tree())
    }
    await workshop.restore(target)
    states.push(workshop.tree())
    expect(states[4]).toEqual(states[0])
    for (const [nth, back] of [0, 2, 4, 6].entries()) {
      await rewind(target, back)
      expect(workshop.tree()).toEqual(states[3 - nth])
      expect(await status(target)).toBe(nth === 3 ? 'absent' : 'configured')
    }
    await rewind(target, 0)
    expect(workshop.tree()).toEqual(states[1])
    expect(await status(target)).toBe('configured')
    await workshop.restore(target)
    expect(workshop.tree()).toEqual(states[0])
    expect(workshop.leftOvers()).toEqual([])
  })

  test('keeps no key in its backups', async () => {
    await workshop.apply(target, { ...request, delivery })
    await workshop.apply(target, { ...otherRequest, delivery })
    await rewind(target, 0)
    await workshop.apply(target, { ...otherRequest, delivery })
    await workshop.restore(target)
    for (const [path, content] of Object.entries(workshop.tree(join(workshop.dataDir, 'tools'))))
      expect([path, content.includes(KEY) || content.includes(OTHER_KEY)]).toEqual([path, false])
  })
})

test('restoring a key that has changed since writes nothing', async () => {
  await workshop.apply(claudeCode, { ...request, delivery: 'plain' })
  await workshop.restore(claudeCode)
  const before = workshop.tree()
  keys['plan-1'] = 'sk-another-00000000000000000'
  await expect(rewind(claudeCode, 0)).rejects.toMatchObject({ failure: { code: 'vault.keyMissing' } })
  keys['plan-1'] = KEY
  expect(workshop.tree()).toEqual(before)
})

test('the preview shows the removed and added lines, with secrets masked', async () => {
  workshop.writeFileAt(workshop.getFile(claudeCode), '{\n  "theme": "dark"\n}\n')
  await workshop.apply(claudeCode, { ...request, delivery: 'plain' })
  await workshop.restore(claudeCode)
  const [tool] = (await readHistory(workshop.place))[0]?.tools ?? []
  if (!tool) throw new Error('no write')
  const plan = await prepareRewind(tool, { target: claudeCode, place: workshop.place, reveal })
  const text = JSON.stringify(plan.files)
  expect(text).toContain('[secret]')
  expect(text).not.toContain(KEY)
  expect(plan.files[0]).toMatchObject({ action: 'change', holdsKey: true })
})

test.each([
  ['helper', false],
  ['plain', true],
] as const)(
  'undoing a tool with key delivery by %s reports whether its file contains the key',
  async (delivery, holdsKey) => {
    await workshop.apply(claudeCode, { ...request, delivery })
    const { files } = await prepareRestore(claudeCode, workshop.place)
    expect(files[0]).toMatchObject({ action: 'delete', holdsKey })
  },
)

test('releasing keeps the files and their key, forgets the tool, and can be undone', async () => {
  await workshop.apply(openCode)
  const before = workshop.tree(workshop.root)
  await workshop.commit(await prepareUnmanage(openCode, workshop.place))
  const files = (tree: Record<string, string>): string[] =>
    Object.keys(tree).filter((path) => path.startsWith('/home') || path.includes('key-files'))
  expect(files(workshop.tree(workshop.root))).toEqual(files(before))
  expect(await status(openCode)).toBe('otherwise')
  await rewind(openCode, 0)
  expect(await status(openCode)).toBe('configured')
})

test('forgets the oldest of more than 200 writes and their backups', { timeout: 60_000 }, async () => {
  const file = workshop.getFile(claudeCode)
  for (let write = 0; write < 103; write += 1) {
    workshop.writeFileAt(file, `{ "write": ${write} }`)
    await workshop.apply(claudeCode)
    await workshop.restore(claudeCode)
  }
  const entries = await readHistory(workshop.place)
  expect(entries).toHaveLength(200)
  const kept = Object.keys(workshop.tree(join(workshop.dataDir, 'tools/backups')))
  expect(kept.length).toBeLessThanOrEqual(201)
  await expect(findEntry(`${entries[0]?.id}0`, workshop.place)).rejects.toMatchObject({
    failure: { code: 'history.notFound' },
  })
})

test('a damaged entry hides no other', async () => {
  await workshop.apply(claudeCode)
  await workshop.restore(claudeCode)
  const [newest, older] = await readHistory(workshop.place)
  writeFileSync(join(workshop.dataDir, 'tools/history', `${newest?.id}.json`), '{')
  expect((await readHistory(workshop.place)).map(({ id }) => id)).toEqual([older?.id])
  expect(readFileSync(join(workshop.dataDir, 'tools/history', `${older?.id}.json`), 'utf8')).not.toContain(KEY)
})

test('while a record is damaged, no original that it may need is dropped', async () => {
  workshop.writeFileAt(workshop.getFile(openCode), '{ "theme": "theirs" }')
  await workshop.apply(openCode)
  const record = join(workshop.dataDir, 'tools/opencode.json')
  const kept = (): string[] => readdirSync(join(workshop.dataDir, 'tools/backups'))
  const [original = ''] = kept()
  writeFileSync(record, '{')
  for (const { id } of await readHistory(workshop.place)) rmSync(join(workshop.dataDir, 'tools/history', `${id}.json`))
  await workshop.apply(claudeCode)
  expect(kept()).toContain(original)
  rmSync(record)
  await workshop.restore(claudeCode)
  expect(kept()).not.toContain(original)
})
