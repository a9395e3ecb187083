import { AppError, type Failure } from '@shared/failure'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Editor, OpenEdit } from '../../../../../src/main/tools/editors/editor'

/** The failure that `run` throws, else its result. */
export function catchFailure(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error instanceof AppError ? error.failure : error
  }
}

const isUnparsableLine = ({ code, line }: Failure): boolean => code === 'file.unparsable' && line !== undefined

/** Undefined if the text is refused, by default as unparsable with the line of the problem. */
export function undefinedIfRefused(run: () => string, isRefusal = isUnparsableLine): string | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof AppError && isRefusal(error.failure)) return undefined
    throw error
  }
}

/** Returns a function that checks accepted edits of random texts, and returns the share of accepted edits. */
export function createEditCheck(
  editor: Editor,
  texts: fc.Arbitrary<string>,
  edits: fc.Arbitrary<readonly OpenEdit[]>,
  isRefusal = isUnparsableLine,
) {
  return (runCount: number, check: (text: string, edits: readonly OpenEdit[], editedText: string) => void): number => {
    let editCount = 0
    const property = fc.property(texts, edits, (text, chosen) => {
      const editedText = undefinedIfRefused(() => editor.edit(text, chosen), isRefusal)
      if (editedText === undefined) return
      editCount += 1
      check(text, chosen, editedText)
    })
    fc.assert(property, { numRuns: runCount })
    return editCount / runCount
  }
}

/** Checks that an edit keeps the byte order mark, is idempotent, and that its removal restores every byte. */
export function expectReversible(
  editor: Editor,
  text: string,
  edits: readonly OpenEdit[],
  editedText = editor.edit(text, edits),
): void {
  expect(editedText.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
  expect(editor.edit(editedText, edits)).toBe(editedText)
  expect(editor.remove(editedText, edits, text)).toBe(text)
}
