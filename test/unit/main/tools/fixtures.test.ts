import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { applyEdits, modify, parse, visit } from 'jsonc-parser'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { planApply, type ToolRequest } from '../../../../src/main/tools/apply'
import { toolStatus } from '../../../../src/main/tools/status'
import { type Case, cases } from './support/cases'
import { otherRequest, request, Workshop } from './support/workshop'

let workshop: Workshop
beforeEach(() => {
  workshop = new Workshop()
})
afterEach(() => workshop.close())

const pathOf = ({ target, extension }: Case): string =>
  target.id === 'opencode'
    ? join(workshop.home, `.config/opencode/opencode.${extension}`)
    : join(workshop.home, '.claude/settings.json')

/** Puts a fixture where its tool looks for it; gives back what there is then. */
function lay(each: Case): Record<string, string> {
  if (each.before) workshop.put(pathOf(each), each.before)
  return workshop.tree()
}

const wanted = (each: Case): ToolRequest => ({ ...request, ...each.choice })
const golden = (each: Case): string => (each.after?.toString() ?? '').replaceAll('@DATA@', workshop.dataDir)
const now = (each: Case): string => workshop.read(pathOf(each))?.toString() ?? ''

function commentsOf(text: string): string[] {
  const body = text.replace('\uFEFF', '')
  const found: string[] = []
  visit(body, { onComment: (offset, length) => found.push(body.slice(offset, offset + length)) })
  return found
}

/** A change by somebody else's hand: a new setting at the end, and one of ours replaced. */
function changeByHand(each: Case): void {
  const bom = now(each).startsWith('\uFEFF') ? '\uFEFF' : ''
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } }
  const text = now(each).slice(bom.length)
  const ours = each.target.id === 'opencode' ? ['provider', 'platform-companion', 'name'] : ['env', 'ANTHROPIC_MODEL']
  const foreign = applyEdits(text, modify(text, ['foreign'], { kept: [1, 2] }, options))
  workshop.put(pathOf(each), bom + applyEdits(foreign, modify(foreign, ours, 'by hand', options)))
}

const settingsIn = (text: string): Record<string, unknown> =>
  parse(text.replace('\uFEFF', ''), [], { allowTrailingComma: true }) ?? {}

const accepted = cases.filter(({ refused }) => refused === undefined)

describe.each(accepted)('$name', (each) => {
  test('becomes what the fixture says', async () => {
    lay(each)
    await workshop.apply(each.target, wanted(each))
    expect(now(each)).toBe(golden(each))
    expect((await toolStatus(each.target, wanted(each), workshop.place)).status).toBe('configured')
  })

  test('is the same when applied twice', async () => {
    lay(each)
    await workshop.apply(each.target, wanted(each))
    const once = workshop.tree()
    const plan = await workshop.apply(each.target, wanted(each))
    expect(plan.files.map(({ action }) => action)).not.toContain('change')
    expect(workshop.tree()).toEqual(once)
  })

  test('is as it was before, to the byte, when restored', async () => {
    const before = lay(each)
    await workshop.apply(each.target, wanted(each))
    await workshop.restore(each.target)
    expect(workshop.tree()).toEqual(before)
    expect(Object.keys(workshop.tree(workshop.dataDir)).filter((path) => !path.endsWith('/'))).toEqual([])
  })

  test('keeps nothing of a first plan after a switch to a second, and is restored after both', async () => {
    const before = lay(each)
    await workshop.apply(each.target, { ...otherRequest, ...each.choice })
    await workshop.apply(each.target, wanted(each))
    expect(now(each)).toBe(golden(each))
    await workshop.restore(each.target)
    expect(workshop.tree()).toEqual(before)
  })

  test('keeps what somebody else changed meanwhile, and gives back the rest', async () => {
    lay(each)
    await workshop.apply(each.target, wanted(each))
    changeByHand(each)
    await workshop.restore(each.target)
    const left = now(each)
    const before = each.before?.toString() ?? ''
    expect(settingsIn(left)).toEqual({ ...settingsIn(before), foreign: { kept: [1, 2] } })
    if (each.choice.moveCommentsToCopy)
      expect(workshop.read(`${pathOf(each)}.with-comments.jsonc`)).toEqual(each.before)
    else expect(commentsOf(left)).toEqual(commentsOf(before))
  })

  test('keeps what somebody else changed meanwhile when applied again, and never calls it ours', async () => {
    lay(each)
    await workshop.apply(each.target, wanted(each))
    changeByHand(each)
    await workshop.apply(each.target, wanted(each))
    expect((await toolStatus(each.target, wanted(each), workshop.place)).status).toBe('configured')
    await workshop.restore(each.target)
    expect(settingsIn(now(each))).toEqual({ ...settingsIn(each.before?.toString() ?? ''), foreign: { kept: [1, 2] } })
  })
})

const refused = cases.filter((each) => each.refused !== undefined)

test.each(refused)('$name is left alone, and the failure says where', async (each) => {
  const before = lay(each)
  const failure = await planApply(each.target, wanted(each), workshop.place).then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? error.failure : error),
  )
  expect(failure).toMatchObject(each.refused ?? {})
  expect(failure).toMatchObject({ message: expect.stringContaining(pathOf(each)) })
  for (const line of (each.before?.toString() ?? '').split('\n').filter((text) => text.trim().length > 3))
    expect(JSON.stringify(failure)).not.toContain(line.trim())
  expect(workshop.tree()).toEqual(before)
  expect(workshop.tree(workshop.dataDir)).toEqual({})
})
