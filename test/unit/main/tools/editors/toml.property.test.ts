import fc from 'fast-check'
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser'
import { expect, test } from 'vitest'
import type { OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { tomlEditor } from '../../../../../src/main/tools/editors/toml'
import { getRounds } from '../../../../support/depth'
import { applyEdits, isObject } from '../support/expected-settings'
import { createEditCheck, expectReversible, undefinedIfRefused } from '../support/refusals'

const keys = fc.constantFrom('model', 'a', 'b-c', '"x.y"', "'q'", 'model_provider', 'ours', 'name', '1')
const comments = fc.constantFrom('', '', '', ' # note', '  # [a]', ' # model = "x"')
const strings = fc.constantFrom(
  '""',
  '"x"',
  "'C:\\x'",
  '"a # b"',
  '"\\u00e9\\n"',
  '"""one\n  two = 1\n[a]"""',
  "'''\nlit'''",
)
const scalars = fc.oneof(
  strings,
  fc.constantFrom('1', '-0', '1_000', '0xff', '1.5', '1e3', 'inf', 'true', '1979-05-27T07:32:00Z', '07:32:00'),
)
const lists = fc.constantFrom('[]', '[1, 2]', '[ "x", # first\n  "y",\n]', '[{ a = 1 }, {}]')
const inlineTables = fc
  .uniqueArray(fc.tuple(fc.constantFrom('ours', 'name', 'a.b', '"x y"', 'base_url'), scalars), {
    selector: ([key]) => key,
    maxLength: 3,
  })
  .map((pairs) =>
    pairs.length === 0
      ? '{}'
      : `{ ${pairs.map(([key, value]) => `${key} = ${value.includes('\n') ? '1' : value}`).join(', ')} }`,
  )
const tomlValues = fc.oneof({ weight: 4, arbitrary: scalars }, lists, inlineTables)

const dottedKeys = fc.array(keys, { minLength: 1, maxLength: 2 }).map((names) => names.join('.'))
const line = fc
  .tuple(fc.constantFrom('', '', '  '), dottedKeys, fc.constantFrom(' = ', '=', '  =  '), tomlValues, comments)
  .map((parts) => parts.join(''))
const otherLines = fc.constantFrom('', '', '# a comment', '  # model = "old"', '\t')
const headers = fc
  .tuple(
    fc.array(fc.constantFrom('model_providers', 'ours', 'mcp', 'a', '"x.y"', 'platform-companion'), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.constantFrom('', '', ' # table'),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([names, comment, kind]) => (kind === 0 ? `[[l.${names.join('.')}]]` : `[${names.join('.')}]`) + comment)

const pairOrComment = fc.oneof({ weight: 4, arbitrary: line }, { weight: 1, arbitrary: fc.constantFrom('# mine', '') })

const innerTable = fc.tuple(
  fc.constantFrom('env', 'http_headers."x y"', 'tools'),
  fc.array(pairOrComment, { maxLength: 3 }),
)

/** Random tables of one MCP server, as lines that end with a key-value pair. */
const serverTables = fc
  .tuple(
    fc.constantFrom('', '  ', '\t'),
    fc.array(pairOrComment, { maxLength: 4 }),
    fc.array(innerTable, { maxLength: 2 }),
  )
  .map(([indent, lines, inner]) =>
    [
      `${indent}[ mcp_servers . "my.srv" ] # [x]`,
      ...lines,
      'command = "npx"',
      ...inner.flatMap(([name, tableLines]) => [
        `\n# of ${name}\n[mcp_servers."my.srv".${name}]`,
        ...tableLines,
        'last = 1',
      ]),
      '',
    ].join('\n'),
  )

/** Texts with every syntax for a setting. Many are invalid, because a key or table occurs twice. */
const randomToml: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(
      fc.oneof({ weight: 4, arbitrary: line }, { weight: 2, arbitrary: otherLines }, { weight: 3, arbitrary: headers }),
      { maxLength: 8 },
    ),
    fc.constantFrom('\n', '\n', '\r\n'),
    fc.boolean(),
    fc.constantFrom('', '', '\uFEFF'),
  )
  .map(
    ([lines, eol, isEnded, bom]) =>
      bom + (lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : '')).replaceAll('\n', eol),
  )

const runCount = getRounds(150, 2_500)

const validToml = randomToml.filter((text) => tomlEditor.parse(text).ok)

const values = fc.oneof(
  fc.constant(undefined),
  fc.string({ maxLength: 6, unit: 'grapheme' }),
  fc.constantFrom('x', 'C:\\x', "it's", 'two\nlines', '\u007f', 7, true, -1.5),
  fc.constantFrom([], ['key', 'print'], [['a'], [1]], { a: 1, 'x y': ['z'] }, {}),
)

const paths = [
  ['model'],
  ['model_provider'],
  ['model_providers', 'ours', 'name'],
  ['model_providers', 'ours', 'base_url'],
  ['model_providers', 'ours', 'auth', 'command'],
  ['a', 'new'],
  ['x.y', 'q'],
  ['fresh', 'with blank', 'z'],
]

const edits = fc
  .subarray(paths, { minLength: 1 })
  .chain((chosen) => fc.tuple(...chosen.map((path) => values.map((value): OpenEdit => ({ path, value })))))

/** Parses a text with the TOML library and returns a comparable form of its values. */
function readToml(text: string): unknown {
  return JSON.parse(toCanonicalText(getStaticTOMLValue(parseTOML(text.replace(/^\uFEFF/, '')))))
}

function toCanonicalText(value: unknown): string {
  if (value instanceof Date || typeof value === 'string') return JSON.stringify(String(value))
  if (Array.isArray(value)) return `[${value.map(toCanonicalText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(Number.isFinite(value) ? value : String(value))
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${toCanonicalText(inner)}`)
  return `{${members.sort().join()}}`
}

/** Expected settings after edits. Omits empty tables, which may appear and disappear with their settings. */
const expectSettings = (text: string, chosen: readonly OpenEdit[]): unknown =>
  withoutEmpty(JSON.parse(toCanonicalText(applyEdits(readToml(text), chosen))))

function withoutEmpty(value: unknown): unknown {
  if (!isObject(value)) return value
  const cleanedEntries = Object.entries(value).map(([name, inner]) => [name, withoutEmpty(inner)] as const)
  return Object.fromEntries(cleanedEntries.filter(([, inner]) => !isObject(inner) || Object.keys(inner).length > 0))
}

const listComments = (text: string): string[] =>
  parseTOML(text.replace(/^\uFEFF/, '')).comments.map(({ value }) => value)

const checkEdits = createEditCheck(tomlEditor, validToml, edits)

test('an edit changes only owned settings, is idempotent, and its removal restores every byte', () => {
  const share = checkEdits(runCount, (text, chosen, editedText) => {
    expect(withoutEmpty(readToml(editedText))).toEqual(expectSettings(text, chosen))
    expectReversible(tomlEditor, text, chosen, editedText)
  })
  expect(share).toBeGreaterThan(0.5)
})

test('removing a table removes its subtables, keeps every other byte, and can be undone', () => {
  let deletionCount = 0
  fc.assert(
    fc.property(
      randomToml,
      serverTables,
      randomToml,
      fc.constantFrom('\n', '\r\n'),
      (tomlAbove, table, tomlBelow, eol) => {
        const [above, below] = [tomlAbove, tomlBelow].map((text) => text.replaceAll('\r\n', '\n'))
        const textBefore = above === undefined || above === '' ? '' : `${above.trimEnd()}\n`
        const textAfter = `# theirs\n[theirs]\n${(below ?? '').replace('\uFEFF', '')}`
        const [text = '', remainingText = ''] = [`${textBefore}\n${table}${textAfter}`, textBefore + textAfter].map(
          (lfText) => lfText.replaceAll('\n', eol),
        )
        if (!tomlEditor.parse(text).ok) return
        deletionCount += 1
        const path = ['mcp_servers', 'my.srv']
        expect(tomlEditor.edit(text, [{ path, value: undefined }])).toBe(remainingText)
        expect(tomlEditor.edit(remainingText, [{ path, value: undefined }])).toBe(remainingText)
        expect(tomlEditor.remove(remainingText, [{ path }], text)).toBe(text)
        const driftedText = `${remainingText.trimEnd()}${eol}[new]${eol}x = 1${eol}`
        const restoredText = tomlEditor.remove(driftedText, [{ path }], text)
        expect(restoredText).toBe(`${driftedText}${eol}${table.replaceAll('\n', eol)}`)
        expect(tomlEditor.edit(restoredText, [{ path, value: undefined }])).toBe(driftedText)
      },
    ),
    { numRuns: runCount },
  )
  expect(deletionCount / runCount).toBeGreaterThan(0.3)
})

test('any table can be removed alone and restored', () => {
  let deletionCount = 0
  fc.assert(
    fc.property(validToml, fc.nat(), (text, pathIndex) => {
      const parsedDocument = tomlEditor.parse(text)
      const paths = tablePaths(parsedDocument.ok ? parsedDocument.value : {})
      const path = paths[pathIndex % Math.max(1, paths.length)]
      if (path === undefined) return
      const edit = { path, value: undefined }
      const editedText = undefinedIfRefused(() => tomlEditor.edit(text, [edit]))
      if (editedText === undefined) return
      deletionCount += 1
      expect(withoutEmpty(readToml(editedText))).toEqual(expectSettings(text, [edit]))
      expect(tomlEditor.remove(editedText, [{ path }], text)).toBe(text)
      const restoredText = tomlEditor.remove(
        `${editedText}${/\n$/.test(editedText) ? '' : '\n'}[theirs]\nx = 1\n`,
        [{ path }],
        text,
      )
      expect(withoutEmpty(readToml(restoredText))).toEqual(
        withoutEmpty({ ...Object(readToml(text)), theirs: { x: 1 } }),
      )
    }),
    { numRuns: runCount },
  )
  expect(deletionCount / runCount).toBeGreaterThan(0.3)
})

/** Paths of all tables, independent of their notation. */
function tablePaths(value: unknown, above: readonly string[] = []): (readonly string[])[] {
  if (!isObject(value)) return []
  const nestedPaths = Object.entries(value).flatMap(([name, item]) => tablePaths(item, [...above, name]))
  return above.length === 0 ? nestedPaths : [above, ...nestedPaths]
}

test('every text is read like the library and masked line by line, without the value of a secret name', () => {
  fc.assert(
    fc.property(validToml, (text) => {
      const parsedDocument = tomlEditor.parse(text)
      const settings = parsedDocument.ok ? parsedDocument.value : undefined
      expect(Object.keys(settings ?? {}).sort()).toEqual(Object.keys(Object(readToml(text))).sort())
      const line = 'api_key = "very-1234567890"\n'
      const maskedText = tomlEditor.mask(text.startsWith('\uFEFF') ? `\uFEFF${line}${text.slice(1)}` : line + text)
      expect(maskedText.split('\n')).toHaveLength(text.split('\n').length + 1)
      expect(maskedText).not.toContain('very-1234567890')
    }),
    { numRuns: getRounds(80, 500) },
  )
})

test('a removal keeps lines that were added later', () => {
  checkEdits(getRounds(130, 800), (text, chosen, editedText) => {
    const driftedText = `${editedText}${/\n$/.test(editedText) || editedText === '' ? '' : '\n'}# theirs\n[theirs]\nkept = 1\n`
    const restoredText = tomlEditor.remove(driftedText, chosen, text)
    const expectedSettings = withoutEmpty({ ...Object(readToml(text)), theirs: { kept: 1 } })
    expect(withoutEmpty(readToml(restoredText))).toEqual(expectedSettings)
    expect(listComments(restoredText)).toContain(' theirs')
  })
})
