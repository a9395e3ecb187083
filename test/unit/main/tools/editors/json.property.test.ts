import { AppError } from '@shared/failure'
import fc from 'fast-check'
import { type Node, parseTree, stripComments, visit } from 'jsonc-parser'
import { expect, test } from 'vitest'
import type { Editor, Json, OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { jsoncEditor, jsonEditor } from '../../../../../src/main/tools/editors/json'
import { rounds } from '../../../../support/depth'
import { randomJson } from '../support/random-json'

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

/** A document and edits that fit its root. */
const cases = (strict: boolean) =>
  fc
    .tuple(randomJson(strict), settings, arbitraryElements([]))
    .map(([document, inObject, inList]) => ({ ...document, edits: document.isList ? inList : inObject }))

const bare = (text: string): string =>
  stripComments(text.replace(/^\uFEFF/, '')).replace(
    /("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g,
    (_match, quoted: string | undefined) => quoted ?? '',
  )

/** Parses a text without the editor, with sorted names and `__proto__` as an ordinary name. */
function json(text: string, withoutEmpty = false): unknown {
  const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 1
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return ['list', ...value.map(sorted)]
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value)
      .map(([name, inner]) => [name, sorted(inner)] as const)
      .filter(([, inner]) => !withoutEmpty || !isEmpty(inner))
    return ['object', ...members.sort(([a], [b]) => (a < b ? -1 : 1))]
  }
  return sorted(JSON.parse(bare(text)))
}

/** Settings that no edit owns, unchanged and in order, parsed without the editor. */
function unowned(text: string, edits: readonly OpenEdit[]): string[] {
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
    const leads = edits.filter((edit) => path.every((name, at) => edit.path[at] === name))
    const owner = leads.find((edit) => edit.path.length === path.length)
    if (leads.length === 0) parts.push(slice(node))
    else if (owner === undefined && node.type === 'object')
      for (const { children: [key, value] = [] } of node.children ?? []) {
        const at = parts.length
        if (value !== undefined) walk(value, [...path, String(key?.value)])
        if (parts.length > at) parts.splice(at, 0, String(key?.value))
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
  const found: string[] = []
  const body = text.replace(/^\uFEFF/, '')
  visit(body, { onComment: (offset, length) => found.push(body.slice(offset, offset + length)) })
  return found
}

/** The outcome, or undefined for a documented refusal. */
function unlessRefused(run: () => string): string | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof AppError && error.failure.code === 'file.unparsable' && error.failure.line !== undefined)
      return undefined
    throw error
  }
}

type Case = { readonly text: string; readonly edits: readonly OpenEdit[] }

function check(editor: Editor, { text, edits }: Case): boolean {
  const after = unlessRefused(() => editor.edit(text, edits))
  if (after === undefined) return false
  expect(unowned(after, edits)).toEqual(unowned(text, edits))
  expect(after.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
  expect(editor.edit(after, edits)).toBe(after)
  expect(editor.remove(after, edits, text)).toBe(text)
  const left = editor.remove(after, edits, undefined)
  const before = editor.remove(text, edits, undefined)
  expect(json(left, true)).toEqual(json(before, true))
  expect(listComments(left)).toEqual(listComments(before))
  return true
}

const numRuns = rounds(400, 10_000)

test.each([
  ['json', jsonEditor],
  ['jsonc', jsoncEditor],
])('%s: an edit changes only owned settings, is idempotent, and its removal restores every byte', (format, editor) => {
  let edited = 0
  fc.assert(
    fc.property(cases(format === 'json'), (item) => {
      if (check(editor, item)) edited += 1
      if (format === 'json') JSON.parse(item.text.replace(/^\uFEFF/, ''))
    }),
    { numRuns },
  )
  expect(edited / numRuns).toBeGreaterThan(0.5)
})

/** Other settings that a user may add while ours are in the file. */
const drift = fc.constantFrom<OpenEdit>(
  { path: ['theirs'], value: { deep: [1] } },
  { path: ['env', 'THEIRS'], value: 'x' },
  { path: ['providers'], element: { name: 'new' }, value: { name: 'new' } },
)

test('a removal from a text that changed restores every owned setting and keeps the change', () => {
  fc.assert(
    fc.property(cases(false), drift, ({ text, isList, edits }, change) => {
      if (isList) return
      const after = unlessRefused(() => jsoncEditor.edit(text, edits))
      const drifted = after === undefined ? undefined : unlessRefused(() => jsoncEditor.edit(after, [change]))
      const expected = unlessRefused(() => jsoncEditor.edit(text, [change]))
      if (drifted === undefined || expected === undefined) return
      expect(json(jsoncEditor.remove(drifted, edits, text), true)).toEqual(json(expected, true))
    }),
    { numRuns: numRuns / 5 },
  )
})

test('the strict form has the same content as the text with comments and trailing commas', () => {
  fc.assert(
    fc.property(randomJson(false), ({ text }) => {
      const strict = jsonEditor.toStrict?.(text) ?? ''
      expect(json(strict)).toEqual(json(text))
      expect(JSON.parse(strict.replace(/^\uFEFF/, ''))).toEqual(JSON.parse(bare(text)))
      expect(listComments(strict)).toEqual([])
    }),
    { numRuns: numRuns / 10 },
  )
})
