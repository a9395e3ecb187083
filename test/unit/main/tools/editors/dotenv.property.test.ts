import { AppError } from '@shared/failure'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dotenvEditor } from '../../../../../src/main/tools/editors/dotenv'
import type { OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { rounds } from '../../../../support/depth'
import { randomDotenv } from '../support/random-dotenv'

/** The regular expression with which dotenv 16 and 17 parse a text. */
const LINE =
  /(?:^|^)\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?(?:$|$)/gm

/** Parses a text exactly like dotenv. */
function asDotenv(text: string): Record<string, string> {
  const assignments = [...text.replace(/\r\n?/g, '\n').matchAll(LINE)].map(([, name = '', rawValue = '']) => {
    const value = rawValue.trim()
    const bare = value.replace(/^(['"`])([\s\S]*)\1$/gm, '$2')
    return [name, value.startsWith('"') ? bare.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : bare]
  })
  return Object.fromEntries(assignments)
}

const values = fc.constantFrom<string | undefined>(
  undefined,
  '',
  'sk-new',
  "it's new",
  'a b',
  'x#y',
  'C:\\x',
  '$HOME',
  '"',
)

const edits = fc
  .subarray(['GW_KEY', 'OPENAI_API_KEY', 'A', 'NEW', '__proto__'], { minLength: 1, maxLength: 3 })
  .chain((names) => fc.tuple(...names.map((name) => values.map((value): OpenEdit => ({ path: [name], value })))))

function ignoreRefusal(run: () => string): string | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof AppError && error.failure.code === 'file.unparsable' && error.failure.line !== undefined)
      return undefined
    throw error
  }
}

/** Lines of a text that do not assign any of the given names. */
function unrelatedLines(text: string, names: readonly string[]): string[] {
  const body = text.replace(/^\uFEFF/, '')
  const bodyLines = body.replace(/\r?\n$/, '').split('\n')
  const isOwned = (line: string): boolean => names.some((name) => Object.hasOwn(asDotenv(line), name))
  return body === '' ? [] : bodyLines.filter((line) => !isOwned(line)).map((line) => line.replace(/\r$/, ''))
}

const spansLines = (text: string): boolean => /["'`][^"'`\n]*\n/.test(text)

const numRuns = rounds(150, 10_000)

test('an edit changes only owned settings, is idempotent, and its removal restores every byte', () => {
  let editCount = 0
  fc.assert(
    fc.property(randomDotenv, edits, (text, chosen) => {
      const names = chosen.map(({ path }) => path[0] ?? '')
      const editedText = ignoreRefusal(() => dotenvEditor.edit(text, chosen))
      if (editedText === undefined) return
      editCount += 1
      const chosenValues = chosen.map((edit) => [edit.path[0] ?? '', 'value' in edit ? edit.value : undefined] as const)
      const expectedValues = { ...asDotenv(text), ...Object.fromEntries(chosenValues) }
      const keptValues = Object.entries(expectedValues).filter(([, value]) => value !== undefined)
      expect(Object.entries(asDotenv(editedText)).sort()).toEqual(keptValues.sort())
      expect(editedText.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
      if (!spansLines(text)) expect(unrelatedLines(editedText, names)).toEqual(unrelatedLines(text, names))
      expect(dotenvEditor.edit(editedText, chosen)).toBe(editedText)
      expect(dotenvEditor.remove(editedText, chosen, text)).toBe(text)
      const bare = Object.entries(asDotenv(text)).filter(([name]) => !names.includes(name))
      expect(Object.entries(asDotenv(dotenvEditor.remove(editedText, chosen, undefined))).sort()).toEqual(bare.sort())
    }),
    { numRuns },
  )
  expect(editCount / numRuns).toBeGreaterThan(0.5)
})

test('reads the same values as dotenv', () => {
  fc.assert(
    fc.property(randomDotenv, (text) => {
      const parsedDocument = dotenvEditor.parse(text)
      if (parsedDocument.ok)
        expect(Object.entries(parsedDocument.value).sort()).toEqual(Object.entries(asDotenv(text)).sort())
    }),
    { numRuns },
  )
})

test('a removal keeps lines that were added later', () => {
  fc.assert(
    fc.property(randomDotenv, edits, (text, chosen) => {
      const editedText = ignoreRefusal(() => dotenvEditor.edit(text, chosen))
      if (editedText === undefined) return
      const driftedText = `${editedText}${/[\r\n]$/.test(editedText) || editedText === '' ? '' : '\n'}THEIRS='x'\n`
      const back = asDotenv(dotenvEditor.remove(driftedText, chosen, text))
      expect(Object.entries(back).sort()).toEqual(Object.entries({ ...asDotenv(text), THEIRS: 'x' }).sort())
    }),
    { numRuns: numRuns / 5 },
  )
})

test('masking keeps the number of lines and hides every value of a secret name', () => {
  fc.assert(
    fc.property(randomDotenv, (text) => {
      const maskedText = dotenvEditor.mask(text)
      expect(maskedText.split('\n')).toHaveLength(text.split('\n').length)
      expect(maskedText).not.toContain('sk-1234567890')
    }),
    { numRuns: numRuns / 5 },
  )
})
