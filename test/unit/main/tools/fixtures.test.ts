import { AppError } from '@shared/failure'
import { afterEach, describe, expect, test } from 'vitest'
import { prepareApply, type ToolRequest } from '../../../../src/main/tools/apply'
import { toolStatus } from '../../../../src/main/tools/status'
import { type Case, cases, fixturePath } from './support/cases'
import { changeByHand } from './support/change-by-hand'
import { otherRequest, request, Workshop } from './support/workshop'

const open: Workshop[] = []
afterEach(() => {
  for (const workshop of open.splice(0)) workshop.close()
})

/** A home of the fixture's kind, with its files at the paths of the tool. */
function lay(item: Case): Workshop {
  const workshop = new Workshop(item)
  open.push(workshop)
  for (const file of item.before) workshop.writeFileAt(fixturePath(item, file, workshop), file.bytes)
  return workshop
}

const wanted = (item: Case): ToolRequest => ({ ...request, ...item.choice })

/** Compares every golden file with the actual one. */
function compare(item: Case, workshop: Workshop): void {
  for (const file of item.after) {
    const golden = file.bytes.toString().replaceAll('@DATA@', workshop.dataDir).replaceAll('@HOME@', workshop.home)
    expect(workshop.read(fixturePath(item, file, workshop))?.toString()).toBe(golden)
  }
}

const accepted = cases.filter(({ refused }) => refused === undefined)

describe.each(accepted)('$name', (item) => {
  test('matches its fixture', async () => {
    expect(item.after.length).toBeGreaterThan(0)
    const workshop = lay(item)
    await workshop.apply(item.target, wanted(item))
    compare(item, workshop)
    expect(await toolStatus(item.target, wanted(item), workshop.place)).toMatchObject({
      status: 'configured',
      drift: [],
    })
  })

  test('is the same when applied twice', async () => {
    const workshop = lay(item)
    await workshop.apply(item.target, wanted(item))
    const once = workshop.tree()
    const plan = await workshop.apply(item.target, wanted(item))
    expect(plan.files.map(({ action }) => action)).not.toContain('change')
    expect(workshop.tree()).toEqual(once)
  })

  test('is restored byte for byte', async () => {
    const workshop = lay(item)
    const before = workshop.tree()
    await workshop.apply(item.target, wanted(item))
    await workshop.restore(item.target)
    expect(workshop.tree()).toEqual(before)
    expect(workshop.leftOvers()).toEqual([])
  })

  test('keeps nothing of a first plan after a switch to a second, and is restored after both', async () => {
    const workshop = lay(item)
    const before = workshop.tree()
    await workshop.apply(item.target, { ...otherRequest, ...item.choice })
    await workshop.apply(item.target, wanted(item))
    compare(item, workshop)
    await workshop.restore(item.target)
    expect(workshop.tree()).toEqual(before)
  })

  test('keeps changes of others, applied again or not, and restores the rest', async () => {
    for (const isAppliedAgain of [false, true]) {
      const workshop = lay(item)
      await workshop.apply(item.target, wanted(item))
      const kept = changeByHand(item, workshop)
      if (isAppliedAgain) await workshop.apply(item.target, wanted(item))
      await workshop.restore(item.target)
      kept.check()
    }
  })
})

const refused = cases.filter((item) => item.refused !== undefined)

test.each(refused)('$name is refused with the position of the problem', async (item) => {
  const workshop = lay(item)
  const before = workshop.tree()
  const failure = await prepareApply(item.target, wanted(item), workshop.place).then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? error.failure : error),
  )
  expect(failure).toMatchObject(item.refused ?? {})
  const paths = item.before.map((file) => fixturePath(item, file, workshop))
  expect(paths.some((path) => JSON.stringify(failure).includes(JSON.stringify(path).slice(1, -1)))).toBe(true)
  const lines = item.before.flatMap(({ bytes }) => bytes.toString().split('\n'))
  for (const line of lines.filter((text) => text.trim().length > 3))
    expect(JSON.stringify(failure)).not.toContain(line.trim())
  expect(workshop.tree()).toEqual(before)
  expect(workshop.tree(workshop.dataDir)).toEqual({})
})
