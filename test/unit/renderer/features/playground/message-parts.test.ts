import type { BranchStep } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { getLastUserMessage } from '../../../../../src/renderer/features/playground/message-parts'

const step = (id: string, siblings: readonly string[] = [id]): BranchStep => ({
  id,
  role: id.startsWith('u') ? 'user' : 'assistant',
  siblings: [...siblings],
})
const branch = [step('u1'), step('a1', ['a1', 'a1b', 'a1c']), step('u2', ['u2x', 'u2']), step('a2')]

describe('a branch', () => {
  it('knows the last question', () => {
    expect([getLastUserMessage(branch), getLastUserMessage([])]).toEqual(['u2', undefined])
  })
})
