import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dotenvEditor } from '../../../../../src/main/tools/editors/dotenv'
import type { OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { getRounds } from '../../../../support/depth'
import { createEditCheck, expectReversible } from '../support/refusals'

const names = fc.constantFrom('GW_KEY', 'OPENAI_API_KEY', 'A', 'B', 'b.c', 'x-y', '__proto__', 'EXPORT', 'LONG_NAME_1')

const unquotedValues = fc.oneof(
  fc.constantFrom(...`x sk-1234567890 it's a"b x#y = a=b $HOME \\n ünï`.split(' '), '', 'a b', 'x # note', '  '),
  fc.string({ maxLength: 8 }).map((text) => text.replace(/["'`\r\n]/g, '')),
)

/** Text between quotes, with escapes and line ends but without that quote. */
const quotedValues = (eol: string) =>
  fc
    .tuple(
      fc.constantFrom('"', "'", '`'),
      fc.array(fc.constantFrom('x', ' ', '#', '=', eol, '\\n', '\\', '"', "'", '`', 'B=1'), { maxLength: 6 }),
    )
    .map(([quote, parts]) => quote + parts.join('').replaceAll(quote, '').replace(/\\$/, '') + quote)

const prefixes = fc.constantFrom('', '', '', 'export ', '  ', 'export  ', '\t')
const assignmentSigns = fc.constantFrom('=', '=', '=', ' = ', '= ', ': ')
const lineEndings = fc.constantFrom('', '', '', ' # note', '  ', " # it's")
const otherLines = fc.constantFrom(
  ...['', '', '# note', '  # GW_KEY=old', '#', 'no sign here', 'export A', '   ', "# it's a comment"],
)

const assignments = (values: fc.Arbitrary<string>) =>
  fc.tuple(prefixes, names, assignmentSigns, values, lineEndings).map((parts) => parts.join(''))

const lines = (eol: string) =>
  fc.oneof(
    { weight: 3, arbitrary: assignments(unquotedValues) },
    { weight: 2, arbitrary: assignments(quotedValues(eol)) },
    { weight: 2, arbitrary: otherLines },
  )

const lineEndArbitrary = (eol: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(lines(eol), { maxLength: 7 }), fc.constantFrom(eol, eol, ''), fc.constantFrom('', '\uFEFF'))
    .map(([textLines, end, bom]) => bom + textLines.join(eol) + (textLines.length === 0 ? '' : end))

/** Texts with every syntax that dotenv reads, and lines that it ignores. */
const randomDotenv: fc.Arbitrary<string> = fc.constantFrom('\n', '\n', '\r\n').chain(lineEndArbitrary)

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

const newTexts = ['', 'sk-new', "it's new", 'a b', 'x#y', 'C:\\x', '$HOME', '"']
const values = fc.constantFrom<string | undefined>(undefined, ...newTexts)

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

const checkEdits = createEditCheck(dotenvEditor, randomDotenv, edits)

test('an edit changes only owned settings, is idempotent, and its removal restores every byte', () => {
  const share = checkEdits(runCount, (text, chosen, editedText) => {
    const names = chosen.map(({ path }) => path[0] ?? '')
    const chosenValues = chosen.map((edit) => [edit.path[0] ?? '', 'value' in edit ? edit.value : undefined] as const)
    const expectedValues = { ...parseDotenv(text), ...Object.fromEntries(chosenValues) }
    const definedValues = Object.entries(expectedValues).filter(([, value]) => value !== undefined)
    expect(Object.entries(parseDotenv(editedText)).sort()).toEqual(definedValues.sort())
    if (!spansLines(text)) expect(unrelatedLines(editedText, names)).toEqual(unrelatedLines(text, names))
    expectReversible(dotenvEditor, text, chosen, editedText)
    const otherAssignments = Object.entries(parseDotenv(text)).filter(([name]) => !names.includes(name))
    const removedText = dotenvEditor.remove(editedText, chosen, undefined)
    expect(Object.entries(parseDotenv(removedText)).sort()).toEqual(otherAssignments.sort())
  })
  expect(share).toBeGreaterThan(0.5)
})

test('every text is read like dotenv and masked line by line', () => {
  fc.assert(
    fc.property(randomDotenv, (text) => {
      const parsedDocument = dotenvEditor.parse(text)
      if (parsedDocument.ok)
        expect(Object.entries(parsedDocument.value).sort()).toEqual(Object.entries(parseDotenv(text)).sort())
      const maskedText = dotenvEditor.mask(text)
      expect(maskedText.split('\n')).toHaveLength(text.split('\n').length)
      expect(maskedText).not.toContain('sk-1234567890')
    }),
    { numRuns: runCount },
  )
})

test('a removal keeps lines that were added later', () => {
  checkEdits(runCount / 5, (text, chosen, editedText) => {
    const driftedText = `${editedText}${/[\r\n]$/.test(editedText) || editedText === '' ? '' : '\n'}THEIRS='x'\n`
    const restoredValues = parseDotenv(dotenvEditor.remove(driftedText, chosen, text))
    const expectedValues = { ...parseDotenv(text), THEIRS: 'x' }
    expect(Object.entries(restoredValues).sort()).toEqual(Object.entries(expectedValues).sort())
  })
})
