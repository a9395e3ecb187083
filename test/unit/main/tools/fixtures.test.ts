import { describe, expect, test } from 'vitest'
import { prepareApply, type ToolRequest } from '../../../../src/main/tools/apply'
import { readToolStatus } from '../../../../src/main/tools/status'
import { isDeepRun } from '../../../support/depth'
import { allCases, fixturePath, type TargetCase } from './support/cases'
import { editManually } from './support/change-by-hand'
import { catchFailure, otherRequest, request, ToolHarness } from './support/workshop'

/** A home of the fixture's kind, with its files at the paths of the tool. */
function lay(item: TargetCase): ToolHarness {
  const harness = new ToolHarness(item)
  for (const file of item.before) harness.writeFileAt(fixturePath(item, file, harness), file.bytes)
  return harness
}

const buildRequest = (item: TargetCase): ToolRequest => ({ ...request, ...item.choice })

/** Compares every golden file with the actual one. */
function compare(item: TargetCase, harness: ToolHarness): void {
  for (const file of item.after) {
    const golden = file.bytes.toString().replaceAll('@DATA@', harness.dataDir).replaceAll('@HOME@', harness.home)
    expect(harness.read(fixturePath(item, file, harness))?.toString()).toBe(golden)
  }
}

const accepted = allCases.filter(({ refused }) => refused === undefined)

describe.each(accepted.map((item, index) => ({ ...item, index })))('$name', (item) => {
  test('matches its fixture, is restored byte for byte, and is the same when applied twice', async () => {
    expect(item.after.length).toBeGreaterThan(0)
    const harness = lay(item)
    const treeBefore = harness.tree()
    await harness.apply(item.target, buildRequest(item))
    compare(item, harness)
    expect(await readToolStatus(item.target, buildRequest(item), harness.place)).toMatchObject({
      status: 'configured',
      drift: [],
    })
    await harness.restore(item.target)
    expect(harness.tree()).toEqual(treeBefore)
    expect(harness.leftOvers()).toEqual([])
    await harness.apply(item.target, buildRequest(item))
    const treeAfterFirstApply = harness.tree()
    const plan = await harness.apply(item.target, buildRequest(item))
    expect(plan.files.map(({ action }) => action)).not.toContain('change')
    expect(harness.tree()).toEqual(treeAfterFirstApply)
  })

  test('keeps nothing of a first plan after a switch to a second, and is restored after both', async () => {
    const harness = lay(item)
    const treeBefore = harness.tree()
    await harness.apply(item.target, { ...otherRequest, ...item.choice })
    await harness.apply(item.target, buildRequest(item))
    compare(item, harness)
    await harness.restore(item.target)
    expect(harness.tree()).toEqual(treeBefore)
  })

  test('keeps changes of others, applied again or not, and restores the rest', async () => {
    // Quick runs alternate between the fixtures.
    for (const isAppliedAgain of isDeepRun ? [false, true] : [item.index % 2 === 1]) {
      const harness = lay(item)
      await harness.apply(item.target, buildRequest(item))
      const userChange = editManually(item, harness)
      if (isAppliedAgain) await harness.apply(item.target, buildRequest(item))
      await harness.restore(item.target)
      userChange.check()
    }
  })
})

const refused = allCases.filter((item) => item.refused !== undefined)

test.each(refused)('$name is refused with the position of the problem', async (item) => {
  const harness = lay(item)
  const treeBefore = harness.tree()
  const failure = await catchFailure(prepareApply(item.target, buildRequest(item), harness.place))
  expect(failure).toMatchObject(item.refused ?? {})
  const paths = item.before.map((file) => fixturePath(item, file, harness))
  expect(paths.some((path) => JSON.stringify(failure).includes(JSON.stringify(path).slice(1, -1)))).toBe(true)
  const lines = item.before.flatMap(({ bytes }) => bytes.toString().split('\n'))
  for (const line of lines.filter((text) => text.trim().length > 3))
    expect(JSON.stringify(failure)).not.toContain(line.trim())
  expect(harness.tree()).toEqual(treeBefore)
  expect(harness.tree(harness.dataDir)).toEqual({})
})
