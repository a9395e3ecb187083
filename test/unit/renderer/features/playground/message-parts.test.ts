import type { BranchStep } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { idsAround } from '../../../../../src/renderer/features/playground/message-log'
import { lastQuestion, placeAmong } from '../../../../../src/renderer/features/playground/message-parts'
import { parentAt } from '../../../../../src/renderer/features/playground/use-chat'

const step = (id: string, siblings: readonly string[] = [id]): BranchStep => ({
  id,
  role: id.startsWith('u') ? 'user' : 'assistant',
  siblings: [...siblings],
})
const branch = [step('u1'), step('a1', ['a1', 'a1b', 'a1c']), step('u2', ['u2x', 'u2']), step('a2')]

describe('a branch', () => {
  it.each([
    ['the first of three', step('a1', ['a1', 'b', 'c']), { at: 1, count: 3, earlier: undefined, later: 'b' }],
    ['one in the middle', step('b', ['a', 'b', 'c']), { at: 2, count: 3, earlier: 'a', later: 'c' }],
    ['the last', step('c', ['a', 'c']), { at: 2, count: 2, earlier: 'a', later: undefined }],
    ['one that stands alone', step('a'), undefined],
  ])('leads from %s to its siblings', (_, one, place) => {
    expect(placeAmong(one)).toEqual(place)
  })

  it('follows the previous message, and starts with none', () => {
    expect([parentAt(branch, 2), parentAt(branch, 0), parentAt(branch, -1)]).toEqual(['a1', undefined, undefined])
  })

  it('knows the last question', () => {
    expect([lastQuestion(branch), lastQuestion([])]).toEqual(['u2', undefined])
  })

  it.each([
    [[0, 3], 10, 0, 10],
    [[9, 10], 10, 0, 20],
    [[95, 99], 10, 90, 100],
    [[0, 0], 40, 0, 40],
  ] as const)('is loaded in whole chunks around %j', (range, chunk, from, to) => {
    const long = Array.from({ length: 100 }, (_, at) => step(`m${at}`))
    const ids = idsAround(long, range, chunk)
    expect([ids[0], ids.at(-1), ids.length]).toEqual([`m${from}`, `m${to - 1}`, to - from])
  })
})
