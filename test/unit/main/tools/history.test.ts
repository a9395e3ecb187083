import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { findEntry, prepareRewind, readHistory } from '../../../../src/main/tools/history'
import { prepareRestore, prepareUnmanage } from '../../../../src/main/tools/restore'
import { readToolStatus } from '../../../../src/main/tools/status'
import type { WrittenTarget } from '../../../../src/main/tools/target'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { openCode } from '../../../../src/main/tools/targets/opencode'
import { qwenCode } from '../../../../src/main/tools/targets/qwen-code'
import { expectFailure } from '../../support/failures'
import { twoFileTarget } from './support/two-files'
import { KEY, OTHER_KEY, otherRequest, request, ToolHarness } from './support/workshop'

let harness: ToolHarness
beforeEach(() => {
  harness = new ToolHarness()
})

const keys: Record<string, string> = { 'plan-1': KEY, 'plan-2': OTHER_KEY }
const reveal = async ({ planId }: { planId: string }): Promise<string> => keys[planId] ?? ''

/** Previews the return to the state before a write. 0 is the latest write. */
async function previewRewind(target: WrittenTarget, nth: number) {
  const [tool] = (await readHistory(harness.place))[nth]?.tools ?? []
  if (!tool) throw new Error('no such write')
  return prepareRewind(tool, { target, place: harness.place, reveal })
}

const rewind = async (target: WrittenTarget, nth: number) => harness.commit(await previewRewind(target, nth))

const status = async (target: WrittenTarget) => (await readToolStatus(target, undefined, harness.place)).status

describe.each([
  ['claude-code', claudeCode, 'helper'],
  ['claude-code', claudeCode, 'plain'],
  ['opencode', openCode, 'file'],
  ['qwen-code', qwenCode, 'envFile'],
  ['opencode', openCode, 'plain'],
  ['two-files', twoFileTarget, 'helper'],
  ['two-files', twoFileTarget, 'plain'],
] as const)('%s (%s, %s)', (_name, target, delivery) => {
  test('returns to the state before any of its writes, and forward again', async () => {
    harness.writeFileAt(harness.getFile(target), '{\n  "theme": "dark"\n}\n')
    const states = [harness.tree()]
    for (const toolRequest of [otherRequest, request, { ...otherRequest, delivery }]) {
      await harness.apply(target, { ...toolRequest, delivery })
      states.push(harness.tree())
    }
    await harness.restore(target)
    states.push(harness.tree())
    expect(states[4]).toEqual(states[0])
    for (const [nth, back] of [0, 2, 4, 6].entries()) {
      await rewind(target, back)
      expect(harness.tree()).toEqual(states[3 - nth])
      expect(await status(target)).toBe(nth === 3 ? 'absent' : 'configured')
    }
    await rewind(target, 0)
    expect(harness.tree()).toEqual(states[1])
    expect(await status(target)).toBe('configured')
    await harness.restore(target)
    expect(harness.tree()).toEqual(states[0])
    expect(harness.leftOvers()).toEqual([])
  })

  test('keeps no key in its backups', async () => {
    await harness.apply(target, { ...request, delivery })
    await harness.apply(target, { ...otherRequest, delivery })
    await rewind(target, 0)
    await harness.apply(target, { ...otherRequest, delivery })
    await harness.restore(target)
    for (const [path, content] of Object.entries(harness.tree(join(harness.dataDir, 'tools'))))
      expect([path, content.includes(KEY) || content.includes(OTHER_KEY)]).toEqual([path, false])
  })
})

test('restoring a key that has changed since writes nothing', async () => {
  await harness.apply(claudeCode, { ...request, delivery: 'plain' })
  await harness.restore(claudeCode)
  const treeBefore = harness.tree()
  keys['plan-1'] = 'sk-another-00000000000000000'
  await expectFailure(rewind(claudeCode, 0), 'vault.keyMissing')
  keys['plan-1'] = KEY
  expect(harness.tree()).toEqual(treeBefore)
})

test('the preview shows the removed and added lines, with secrets masked', async () => {
  harness.writeFileAt(harness.getFile(claudeCode), '{\n  "theme": "dark"\n}\n')
  await harness.apply(claudeCode, { ...request, delivery: 'plain' })
  await harness.restore(claudeCode)
  const plan = await previewRewind(claudeCode, 0)
  const text = JSON.stringify(plan.files)
  expect(text).toContain('[secret]')
  expect(text).not.toContain(KEY)
  expect(plan.files[0]).toMatchObject({ action: 'change', holdsKey: true })
})

test.each([
  ['helper', false],
  ['plain', true],
] as const)('the preview of an undo reports whether the file contains the key (%s)', async (delivery, holdsKey) => {
  await harness.apply(claudeCode, { ...request, delivery })
  const { files } = await prepareRestore(claudeCode, harness.place)
  expect(files[0]).toMatchObject({ action: 'delete', holdsKey })
})

test('releasing keeps the files and their key, forgets the tool, and can be undone', async () => {
  await harness.apply(openCode)
  const treeBefore = harness.tree(harness.root)
  await harness.commit(await prepareUnmanage(openCode, harness.place))
  const files = (tree: Record<string, string>): string[] =>
    Object.keys(tree).filter((path) => path.startsWith('/home') || path.includes('key-files'))
  expect(files(harness.tree(harness.root))).toEqual(files(treeBefore))
  expect(await status(openCode)).toBe('otherwise')
  await rewind(openCode, 0)
  expect(await status(openCode)).toBe('configured')
})

test('forgets the oldest of more than 200 writes and their backups', { timeout: 60_000 }, async () => {
  const file = harness.getFile(claudeCode)
  for (let writeIndex = 0; writeIndex < 103; writeIndex += 1) {
    harness.writeFileAt(file, `{ "write": ${writeIndex} }`)
    await harness.apply(claudeCode)
    await harness.restore(claudeCode)
  }
  const entries = await readHistory(harness.place)
  expect(entries).toHaveLength(200)
  const backupPaths = Object.keys(harness.tree(join(harness.dataDir, 'tools/backups')))
  expect(backupPaths.length).toBeLessThanOrEqual(201)
  await expectFailure(findEntry(`${entries[0]?.id}0`, harness.place), 'history.notFound')
})

test('a damaged entry hides no other', async () => {
  await harness.apply(claudeCode)
  await harness.restore(claudeCode)
  const [newest, older] = await readHistory(harness.place)
  writeFileSync(join(harness.dataDir, 'tools/history', `${newest?.id}.json`), '{')
  expect((await readHistory(harness.place)).map(({ id }) => id)).toEqual([older?.id])
  expect(readFileSync(join(harness.dataDir, 'tools/history', `${older?.id}.json`), 'utf8')).not.toContain(KEY)
})

test('while a record is damaged, no original that it may need is dropped', async () => {
  harness.writeFileAt(harness.getFile(openCode), '{ "theme": "theirs" }')
  await harness.apply(openCode)
  const record = join(harness.dataDir, 'tools/opencode.json')
  const listBackups = (): string[] => readdirSync(join(harness.dataDir, 'tools/backups'))
  const [original = ''] = listBackups()
  writeFileSync(record, '{')
  for (const { id } of await readHistory(harness.place)) rmSync(join(harness.dataDir, 'tools/history', `${id}.json`))
  await harness.apply(claudeCode)
  expect(listBackups()).toContain(original)
  rmSync(record)
  await harness.restore(claudeCode)
  expect(listBackups()).not.toContain(original)
})
