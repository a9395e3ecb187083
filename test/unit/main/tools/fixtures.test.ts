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

/** A home of the fixture's kind with its files where the tool looks for them. */
function lay(each: Case): Workshop {
  const workshop = new Workshop(each)
  open.push(workshop)
  for (const file of each.before) workshop.put(fixturePath(each, file, workshop), file.bytes)
  return workshop
}

const wanted = (each: Case): ToolRequest => ({ ...request, ...each.choice })

/** Every golden file, and what is there. */
function compare(each: Case, workshop: Workshop): void {
  for (const file of each.after) {
    const golden = file.bytes.toString().replaceAll('@DATA@', workshop.dataDir).replaceAll('@HOME@', workshop.home)
    expect(workshop.read(fixturePath(each, file, workshop))?.toString()).toBe(golden)
  }
}

const accepted = cases.filter(({ refused }) => refused === undefined)

describe.each(accepted)('$name', (each) => {
  test('becomes what the fixture says', async () => {
    expect(each.after.length).toBeGreaterThan(0)
    const workshop = lay(each)
    await workshop.apply(each.target, wanted(each))
    compare(each, workshop)
    expect(await toolStatus(each.target, wanted(each), workshop.place)).toMatchObject({
      status: 'configured',
      drift: [],
    })
  })

  test('is the same when applied twice', async () => {
    const workshop = lay(each)
    await workshop.apply(each.target, wanted(each))
    const once = workshop.tree()
    const plan = await workshop.apply(each.target, wanted(each))
    expect(plan.files.map(({ action }) => action)).not.toContain('change')
    expect(workshop.tree()).toEqual(once)
  })

  test('is as it was before, to the byte, when restored', async () => {
    const workshop = lay(each)
    const before = workshop.tree()
    await workshop.apply(each.target, wanted(each))
    await workshop.restore(each.target)
    expect(workshop.tree()).toEqual(before)
    expect(workshop.leftOvers()).toEqual([])
  })

  test('keeps nothing of a first plan after a switch to a second, and is restored after both', async () => {
    const workshop = lay(each)
    const before = workshop.tree()
    await workshop.apply(each.target, { ...otherRequest, ...each.choice })
    await workshop.apply(each.target, wanted(each))
    compare(each, workshop)
    await workshop.restore(each.target)
    expect(workshop.tree()).toEqual(before)
  })

  test('keeps what somebody else changed meanwhile, applied again or not, and gives back the rest', async () => {
    for (const isAppliedAgain of [false, true]) {
      const workshop = lay(each)
      await workshop.apply(each.target, wanted(each))
      const kept = changeByHand(each, workshop)
      if (isAppliedAgain) await workshop.apply(each.target, wanted(each))
      await workshop.restore(each.target)
      kept.check()
    }
  })
})

const refused = cases.filter((each) => each.refused !== undefined)

test.each(refused)('$name is left alone, and the failure says where', async (each) => {
  const workshop = lay(each)
  const before = workshop.tree()
  const failure = await prepareApply(each.target, wanted(each), workshop.place).then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? error.failure : error),
  )
  expect(failure).toMatchObject(each.refused ?? {})
  const paths = each.before.map((file) => fixturePath(each, file, workshop))
  expect(paths.some((path) => JSON.stringify(failure).includes(JSON.stringify(path).slice(1, -1)))).toBe(true)
  const lines = each.before.flatMap(({ bytes }) => bytes.toString().split('\n'))
  for (const line of lines.filter((text) => text.trim().length > 3))
    expect(JSON.stringify(failure)).not.toContain(line.trim())
  expect(workshop.tree()).toEqual(before)
  expect(workshop.tree(workshop.dataDir)).toEqual({})
})
