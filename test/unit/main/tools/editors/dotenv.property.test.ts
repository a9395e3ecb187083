import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dotenvEditor } from '../../../../../src/main/tools/editors/dotenv'
import type { OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { getRounds } from '../../../../support/depth'
import { randomDotenv } from '../support/random-dotenv'
import { undefinedIfRefused } from '../support/refusals'

/** The regular expression with which dotenv 16 and 17 parse a text. */
const DOTENV_LINE =
  /(?:^|^)\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?(?:$|$)/gm

/** Parses a text exactly like dotenv. */
function parseDotenv(text: string): Record<string, string> {
  const assignments = [...text.replace(/\r\n?/g, '\n').matchAll(DOTENV_LINE)].map(([, name = '', rawValue = '']) => {
    const value = rawValue.trim()
    const unquotedValue = value.replace(/^(['"`])([\s\S]*)\1$/gm, '$2')
    return [name, value.startsWith('"') ? unquotedValue.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : unquotedValue]
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

/** Lines of a text that do not assign any of the given names. */
function unrelatedLines(text: string, names: readonly string[]): string[] {
  const body = text.replace(/^\uFEFF/, '')
  const bodyLines = body.replace(/\r?\n$/, '').split('\n')
  const isOwnedLine = (line: string): boolean => names.some((name) => Object.hasOwn(parseDotenv(line), name))
  return body === '' ? [] : bodyLines.filter((line) => !isOwnedLine(line)).map((line) => line.replace(/\r$/, ''))
}

const spansLines = (text: string): boolean => /["'`][^"'`\n]*\n/.test(text)

const runCount = getRounds(150, 10_000)

test('an edit changes only owned settings, is idempotent, and its removal restores every byte', () => {
  let editCount = 0
  fc.assert(
    fc.property(randomDotenv, edits, (text, chosen) => {
      const names = chosen.map(({ path }) => path[0] ?? '')
      const editedText = undefinedIfRefused(() => dotenvEditor.edit(text, chosen))
      if (editedText === undefined) return
      editCount += 1
      const chosenValues = chosen.map((edit) => [edit.path[0] ?? '', 'value' in edit ? edit.value : undefined] as const)
      const expectedValues = { ...parseDotenv(text), ...Object.fromEntries(chosenValues) }
      const definedValues = Object.entries(expectedValues).filter(([, value]) => value !== undefined)
      expect(Object.entries(parseDotenv(editedText)).sort()).toEqual(definedValues.sort())
      expect(editedText.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
      if (!spansLines(text)) expect(unrelatedLines(editedText, names)).toEqual(unrelatedLines(text, names))
      expect(dotenvEditor.edit(editedText, chosen)).toBe(editedText)
      expect(dotenvEditor.remove(editedText, chosen, text)).toBe(text)
      const otherAssignments = Object.entries(parseDotenv(text)).filter(([name]) => !names.includes(name))
      expect(Object.entries(parseDotenv(dotenvEditor.remove(editedText, chosen, undefined))).sort()).toEqual(
        otherAssignments.sort(),
      )
    }),
    { numRuns: runCount },
  )
  expect(editCount / runCount).toBeGreaterThan(0.5)
})

test('reads the same values as dotenv', () => {
  fc.assert(
    fc.property(randomDotenv, (text) => {
      const parsedDocument = dotenvEditor.parse(text)
      if (parsedDocument.ok)
        expect(Object.entries(parsedDocument.value).sort()).toEqual(Object.entries(parseDotenv(text)).sort())
    }),
    { numRuns: runCount },
  )
})

test('a removal keeps lines that were added later', () => {
  fc.assert(
    fc.property(randomDotenv, edits, (text, chosen) => {
      const editedText = undefinedIfRefused(() => dotenvEditor.edit(text, chosen))
      if (editedText === undefined) return
      const driftedText = `${editedText}${/[\r\n]$/.test(editedText) || editedText === '' ? '' : '\n'}THEIRS='x'\n`
      const restoredValues = parseDotenv(dotenvEditor.remove(driftedText, chosen, text))
      expect(Object.entries(restoredValues).sort()).toEqual(
        Object.entries({ ...parseDotenv(text), THEIRS: 'x' }).sort(),
      )
    }),
    { numRuns: runCount / 5 },
  )
})

test('masking keeps the number of lines and hides every value of a secret name', () => {
  fc.assert(
    fc.property(randomDotenv, (text) => {
      const maskedText = dotenvEditor.mask(text)
      expect(maskedText.split('\n')).toHaveLength(text.split('\n').length)
      expect(maskedText).not.toContain('sk-1234567890')
    }),
    { numRuns: runCount / 5 },
  )
})
