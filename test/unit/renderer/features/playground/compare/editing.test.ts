import type { ComparisonSetup, ComparisonView } from '@shared/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createEditing } from '../../../../../../src/renderer/features/playground/compare/editing'
import { CallError } from '../../../../../../src/renderer/ipc'
import { setup, view } from './comparison'

interface PendingSave {
  readonly setup: ComparisonSetup
  readonly answer: (updatedAt: string) => void
  readonly refuse: () => void
}

/** An editor whose saves are answered one by one. */
function startEditing(initialView: ComparisonView = view()) {
  const saves: PendingSave[] = []
  const save = (setupToSave: ComparisonSetup): Promise<ComparisonView> =>
    new Promise((resolve, reject) => {
      saves.push({
        setup: setupToSave,
        answer: (updatedAt) => resolve(view({ setup: setupToSave, updatedAt })),
        refuse: () => reject(new CallError({ code: 'playground.unavailable', message: 'no' })),
      })
    })
  const editSession = createEditing(initialView, save)
  const type = (prompt: string): void => editSession.edit((currentSetup) => ({ ...currentSetup, prompt }), 'prompt')
  const state = () => editSession.store.getState()
  return { editing: editSession, saves, type, state, prompt: () => state().setup.prompt }
}

const formatTimeAt = (seconds: number): string => `2026-01-01T00:00:${String(seconds).padStart(2, '0')}.000Z`
const waitForSave = () => vi.advanceTimersByTimeAsync(600)

describe('editing a comparison', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('saves once, shortly after the last letter', async () => {
    const { saves, type } = startEditing()
    type('H')
    await vi.advanceTimersByTimeAsync(300)
    type('Hi')
    await waitForSave()
    expect(saves.map((save) => save.setup.prompt)).toEqual(['Hi'])
  })

  it('keeps edits made during a save, and saves them too', async () => {
    const { saves, type, prompt } = startEditing()
    type('one')
    await waitForSave()
    type('one two')
    saves[0]?.answer(formatTimeAt(1))
    await waitForSave()
    expect(prompt()).toBe('one two')
    expect(saves.map((save) => save.setup.prompt)).toEqual(['one', 'one two'])
  })

  it('ignores an older version from main, however late it arrives', async () => {
    const { editing, saves, type, prompt } = startEditing()
    type('new')
    await waitForSave()
    saves[0]?.answer(formatTimeAt(2))
    await waitForSave()
    editing.hear(view({ setup: setup({ prompt: 'old' }), updatedAt: formatTimeAt(1) }))
    expect(prompt()).toBe('new')
  })

  it('accepts outside changes when nothing is unsaved', () => {
    const { editing, prompt } = startEditing()
    editing.hear(view({ setup: setup({ prompt: 'elsewhere' }), updatedAt: formatTimeAt(1) }))
    expect(prompt()).toBe('elsewhere')
  })

  it('reports a failed save, keeps the edits, and saves them with the next attempt', async () => {
    const { editing, saves, type, state, prompt } = startEditing()
    type('kept')
    const firstFlush = editing.flush()
    saves[0]?.refuse()
    await expect(firstFlush).rejects.toThrow(CallError)
    expect(state().failure?.code).toBe('playground.unavailable')
    expect(prompt()).toBe('kept')
    const secondFlush = editing.flush()
    saves[1]?.answer(formatTimeAt(1))
    await secondFlush
    expect(state().failure).toBeUndefined()
    expect(saves[1]?.setup.prompt).toBe('kept')
  })

  it('undoes typing by field and other edits individually, and redoes them', () => {
    const { editing, type, prompt, state } = startEditing()
    type('a')
    type('ab')
    editing.edit((currentSetup) => ({ ...currentSetup, cases: [] }))
    editing.undo()
    expect(state().setup.cases).toHaveLength(3)
    expect(prompt()).toBe('ab')
    editing.undo()
    expect(prompt()).toBe('Greet {{name}}')
    editing.redo()
    expect(prompt()).toBe('ab')
  })

  it('keeps the undo history when only runs changed in main', () => {
    const { editing, type, state } = startEditing()
    type('a')
    editing.undo()
    expect(state().future).toHaveLength(1)
    editing.hear(view({ updatedAt: formatTimeAt(5) }))
    expect(state().future).toHaveLength(1)
  })
})
