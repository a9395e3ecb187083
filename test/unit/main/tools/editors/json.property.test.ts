import fc from 'fast-check'
import { type Node, parseTree, stripComments, visit } from 'jsonc-parser'
import { expect, test } from 'vitest'
import type { Editor, Json, OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { jsoncEditor, jsonEditor } from '../../../../../src/main/tools/editors/json'
import { getRounds } from '../../../../support/depth'
import { expectReversible, undefinedIfRefused } from '../support/refusals'

/** Syntax options of a random text. */
type Dialect = {
  readonly comments: boolean
  readonly trailingCommas: boolean
  /** Whether a name may occur twice in one object. */
  readonly duplicates: boolean
  readonly eol: string
  readonly root: 'object' | 'list'
}

type Tree =
  | { readonly literal: string }
  | { readonly open: string; readonly close: string; readonly entries: readonly (readonly [string, Tree])[] }

const settingNames = 'env provider providers model permissions hooks a b c.d __proto__ constructor'.split(' ')
const names = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...settingNames, '') },
  { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
)

const literals = fc.oneof(
  fc.constantFrom(...'null true false 0 -0 1.50 1e400 12345678901234567890 "" "x" "\\u0041\\/"'.split(' ')),
  fc.string({ maxLength: 8, unit: 'binary' }).map((text) => JSON.stringify(text)),
)

const toList = (items: readonly Tree[]): Tree => ({ open: '[', close: ']', entries: items.map((item) => ['', item]) })

const toObject = (members: readonly (readonly [string, Tree])[]): Tree => ({
  open: '{',
  close: '}',
  entries: members.map(([name, value]) => [JSON.stringify(name), value]),
})

/** List elements as tools write them, identified by a name. */
const elements = fc
  .tuple(fc.constantFrom('ours', 'second', 'theirs', 'x', 'y'), fc.constantFrom('1', '"v"', 'null'), fc.boolean())
  .map(([name, value, isBare]) =>
    toObject([['name', { literal: JSON.stringify(name) }], ...(isBare ? [] : [['v', { literal: value }] as const])]),
  )

const arbitraryTrees = (hasDuplicates: boolean) =>
  fc.letrec<{ tree: Tree; object: Tree; list: Tree; elements: Tree }>((tie) => {
    const member = fc.tuple(names, tie('tree'))
    const members = hasDuplicates
      ? fc.array(member, { maxLength: 4 })
      : fc.uniqueArray(member, { maxLength: 4, selector: ([name]) => name })
    return {
      tree: fc.oneof(
        { maxDepth: 3 },
        literals.map((literal): Tree => ({ literal })),
        tie('object'),
        tie('list'),
        tie('elements'),
      ),
      object: members.map(toObject),
      list: fc.array(tie('tree'), { maxLength: 3 }).map(toList),
      elements: fc.array(fc.oneof({ weight: 4, arbitrary: elements }, tie('tree')), { maxLength: 4 }).map(toList),
    }
  })

const trees = { once: arbitraryTrees(false), twice: arbitraryTrees(true) }

function arbitraryText({ comments, trailingCommas, duplicates, eol, root }: Dialect): fc.Arbitrary<string> {
  const blanks = fc.constantFrom('', '', ' ', eol, `${eol}  `, `${eol}\t`, `  ${eol}${eol}    `)
  const comment = fc.constantFrom(`// note${eol}`, `  // "x": 1, {${eol}  `, '/* c */', `/* one${eol} two */`, '/**/ ')
  const arbitraryGap = comments
    ? fc.tuple(blanks, fc.option(comment, { freq: 5, nil: '' }), blanks).map((parts) => parts.join(''))
    : blanks
  const gaps = fc.array(arbitraryGap, { minLength: 6, maxLength: 12 })
  const commas = fc.array(trailingCommas ? fc.boolean() : fc.constant(false), { minLength: 3, maxLength: 3 })
  const tree = duplicates ? trees.twice : trees.once
  const top = root === 'list' ? tree.elements : tree.object
  return fc.tuple(top, gaps, commas, fc.constantFrom('', '\uFEFF')).map(([node, someGaps, someCommas, bom]) => {
    let gapIndex = 0
    const getNextGap = (): string => someGaps[gapIndex++ % someGaps.length] ?? ''
    const formatTree = (item: Tree): string => {
      if ('literal' in item) return item.literal
      const entries = item.entries.map(([key, value]) => {
        const name = key === '' ? '' : `${key}${getNextGap()}:${getNextGap()}`
        return `${getNextGap()}${name}${formatTree(value)}${getNextGap()}`
      })
      const hasTrailingComma = entries.length > 0 && someCommas[gapIndex % someCommas.length] === true
      return (
        item.open +
        entries.join(',') +
        (hasTrailingComma ? `,${getNextGap()}` : entries.length > 0 ? '' : getNextGap()) +
        item.close
      )
    }
    return bom + getNextGap() + formatTree(node) + getNextGap()
  })
}

/** Texts with random blanks and line ends, and with comments and trailing commas unless the parser is strict. */
function randomJson(strict: boolean) {
  const dialects = fc.record<Dialect>({
    comments: strict ? fc.constant(false) : fc.boolean(),
    trailingCommas: strict ? fc.constant(false) : fc.boolean(),
    duplicates: fc.constantFrom(false, false, false, true),
    eol: fc.constantFrom('\n', '\r\n'),
    root: fc.constantFrom('object', 'object', 'list'),
  })
  return dialects.chain((dialect) =>
    fc.record({ text: arbitraryText(dialect), isList: fc.constant(dialect.root === 'list') }),
  )
}

const paths = [
  ['env', 'BASE'],
  ['env', 'TOKEN'],
  ['apiKeyHelper'],
  ['a'],
  ['model'],
  ['provider', 'ours', 'options', 'url'],
  ['provider', 'ours', 'models', 'm/1'],
  ['__proto__', 'x'],
]

const values = fc.oneof(
  fc.constant(undefined),
  fc.string({ maxLength: 6 }),
  fc.constantFrom<Json>(7, null, [], ['x', 'y'], { limit: { context: 5 } }),
)

const arbitraryElement = (path: readonly string[], name: string): fc.Arbitrary<OpenEdit> =>
  fc
    .tuple(fc.constantFrom<Json | undefined>(undefined, { name }, { name, v: [1, { x: 2 }] }), fc.boolean())
    .map(([value, isFirst]) => ({ path, element: { name }, value, isFirst }))

const arbitraryElements = (path: readonly string[]): fc.Arbitrary<OpenEdit[]> =>
  fc
    .constantFrom(['ours'], ['second', 'ours'])
    .chain((names) => fc.tuple(...names.map((name) => arbitraryElement(path, name))))

const settings = fc
  .tuple(
    fc
      .subarray(paths, { maxLength: 4 })
      .chain((chosen) => fc.tuple(...chosen.map((path) => values.map((value): OpenEdit => ({ path, value }))))),
    fc.option(arbitraryElements(['providers']), { nil: [] }),
    fc.option(arbitraryElements(['b', 'list']), { nil: [], freq: 1 }),
    fc.constantFrom<OpenEdit[]>([], [{ path: ['hooks'], member: 'x', present: true }]),
  )
  .map((parts) => parts.flat())

/** Random documents, each with edits that suit its root (object or array). */
const buildCases = (strict: boolean) =>
  fc
    .tuple(randomJson(strict), settings, arbitraryElements([]))
    .map(([document, inObject, inList]) => ({ ...document, edits: document.isList ? inList : inObject }))

const stripJsonExtras = (text: string): string =>
  stripComments(text.replace(/^\uFEFF/, '')).replace(
    /("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g,
    (_match, quoted: string | undefined) => quoted ?? '',
  )

/** Parses a text independently of the tested editor. Sorts names and treats `__proto__` as an ordinary name. */
function json(text: string, withoutEmpty = false): unknown {
  const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 1
  const toSortedTree = (value: unknown): unknown => {
    if (Array.isArray(value)) return ['list', ...value.map(toSortedTree)]
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value)
      .map(([name, inner]) => [name, toSortedTree(inner)] as const)
      .filter(([, inner]) => !withoutEmpty || !isEmpty(inner))
    return ['object', ...members.sort(([a], [b]) => (a < b ? -1 : 1))]
  }
  return toSortedTree(JSON.parse(stripJsonExtras(text)))
}

/** Settings that no edit changes, in order, parsed independently of the tested editor. */
function listUnownedParts(text: string, edits: readonly OpenEdit[]): string[] {
  const body = text.replace(/^\uFEFF/, '')
  const parts: string[] = []
  const slice = ({ offset, length }: Node): string => body.slice(offset, offset + length)
  const isOwnedItem = (item: Node, path: readonly string[]): boolean =>
    edits.some((edit) => {
      if (edit.path.join('/') !== path.join('/')) return false
      if ('member' in edit) return item.value === edit.member
      const name = item.children?.findLast(({ children }) => children?.[0]?.value === 'name')?.children?.[1]
      return 'element' in edit && item.type === 'object' && name?.value === edit.element.name
    })
  const walk = (node: Node, path: readonly string[]): void => {
    const nestedEdits = edits.filter((edit) => path.every((name, index) => edit.path[index] === name))
    const owner = nestedEdits.find((edit) => edit.path.length === path.length)
    if (nestedEdits.length === 0) parts.push(slice(node))
    else if (owner === undefined && node.type === 'object')
      for (const { children: [key, value] = [] } of node.children ?? []) {
        const insertIndex = parts.length
        if (value !== undefined) walk(value, [...path, String(key?.value)])
        if (parts.length > insertIndex) parts.splice(insertIndex, 0, String(key?.value))
      }
    else if (owner !== undefined && node.type === 'array' && ('member' in owner || 'element' in owner))
      for (const item of node.children ?? []) {
        if (!isOwnedItem(item, path)) parts.push(slice(item))
      }
    else if (owner === undefined || 'member' in owner || 'element' in owner) parts.push(slice(node))
  }
  const root = parseTree(body, [], { allowTrailingComma: true })
  if (root !== undefined) walk(root, [])
  return parts
}

const listComments = (text: string): string[] => {
  const nodeTexts: string[] = []
  const body = text.replace(/^\uFEFF/, '')
  visit(body, { onComment: (offset, length) => nodeTexts.push(body.slice(offset, offset + length)) })
  return nodeTexts
}

type EditCase = { readonly text: string; readonly edits: readonly OpenEdit[] }

function check(editor: Editor, { text, edits }: EditCase): boolean {
  const editedText = undefinedIfRefused(() => editor.edit(text, edits))
  if (editedText === undefined) return false
  expect(listUnownedParts(editedText, edits)).toEqual(listUnownedParts(text, edits))
  expectReversible(editor, text, edits, editedText)
  const removedText = editor.remove(editedText, edits, undefined)
  const cleanText = editor.remove(text, edits, undefined)
  expect(json(removedText, true)).toEqual(json(cleanText, true))
  expect(listComments(removedText)).toEqual(listComments(cleanText))
  return true
}

const runCount = getRounds(150, 10_000)

test.each([
  ['json', jsonEditor],
  ['jsonc', jsoncEditor],
])('%s: an edit changes only owned settings, is idempotent, and its removal restores every byte', (format, editor) => {
  let editCount = 0
  fc.assert(
    fc.property(buildCases(format === 'json'), (item) => {
      if (check(editor, item)) editCount += 1
      if (format === 'json') JSON.parse(item.text.replace(/^\uFEFF/, ''))
    }),
    { numRuns: runCount },
  )
  expect(editCount / runCount).toBeGreaterThan(0.5)
})

/** Settings that a user may add while the file contains the app's settings. */
const arbitraryDrift = fc.constantFrom<OpenEdit>(
  { path: ['theirs'], value: { deep: [1] } },
  { path: ['env', 'THEIRS'], value: 'x' },
  { path: ['providers'], element: { name: 'new' }, value: { name: 'new' } },
)

test('a removal from a text that changed restores every owned setting and keeps the change', () => {
  fc.assert(
    fc.property(buildCases(false), arbitraryDrift, ({ text, isList, edits }, change) => {
      if (isList) return
      const editedText = undefinedIfRefused(() => jsoncEditor.edit(text, edits))
      const driftedText =
        editedText === undefined ? undefined : undefinedIfRefused(() => jsoncEditor.edit(editedText, [change]))
      const expectedText = undefinedIfRefused(() => jsoncEditor.edit(text, [change]))
      if (driftedText === undefined || expectedText === undefined) return
      expect(json(jsoncEditor.remove(driftedText, edits, text), true)).toEqual(json(expectedText, true))
    }),
    { numRuns: runCount / 5 },
  )
})

test('the strict form has the same content as the text with comments and trailing commas', () => {
  fc.assert(
    fc.property(randomJson(false), ({ text }) => {
      const strictText = jsonEditor.toStrict?.(text) ?? ''
      expect(json(strictText)).toEqual(json(text))
      expect(JSON.parse(strictText.replace(/^\uFEFF/, ''))).toEqual(JSON.parse(stripJsonExtras(text)))
      expect(listComments(strictText)).toEqual([])
    }),
    { numRuns: runCount / 10 },
  )
})
