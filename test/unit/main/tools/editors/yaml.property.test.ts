import type { Failure } from '@shared/failure'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import type { OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { yamlEditor } from '../../../../../src/main/tools/editors/yaml'
import { getRounds } from '../../../../support/depth'
import { randomYaml, yamlDialects } from '../support/random-yaml'
import { createEditCheck, expectReversible, undefinedIfRefused } from '../support/refusals'

const runCount = getRounds(150, 10_000)
/** For tests that only add a detail to the first property. */
const fewerRuns = runCount / 5
const documents = yamlDialects.chain(randomYaml)

const paths = [
  ['env', 'BASE'],
  ['env', 'a'],
  ['a'],
  ['name'],
  ['provider', 'ours', 'options', 'url'],
  ['provider', 'ours', 'models', 'm/1'],
  ['__proto__', 'x'],
  ['c.d', 'name'],
]

const values = fc.oneof(
  fc.constant(undefined),
  fc.string({ maxLength: 6 }),
  fc.string({ maxLength: 6, unit: 'binary' }),
  fc.constantFrom(
    'yes',
    '1e3',
    '~',
    '',
    `\${{ secrets.X }}`,
    'vendor/gw-coder:free',
    '*a',
    '# x',
    'two\nlines',
    '- a',
    'a: b',
  ),
  fc.constantFrom([], {}, null, true, 7, ['x', ['y']], { limit: { context: 5 } }, [{ a: 1, 'b c': [] }]),
)

const element = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()).map(([isGone, isFirst, isLong]): OpenEdit => {
  const value = { name: 'ours', model: 'vendor/gw:free', ...(isLong ? { roles: ['chat'], more: { x: '# 1' } } : {}) }
  return { path: ['models'], element: { name: 'ours' }, value: isGone ? undefined : value, isFirst }
})

const member = fc.boolean().map((present): OpenEdit => ({ path: ['x-y'], member: 'x', present }))

const edits = fc
  .subarray(paths, { minLength: 1 })
  .chain((chosen) =>
    fc.tuple(
      fc.tuple(...chosen.map((path) => values.map((value): OpenEdit => ({ path, value })))),
      fc.option(element, { nil: undefined }),
      fc.option(member, { nil: undefined }),
    ),
  )
  .map(([settings, ...lists]): OpenEdit[] => [...settings, ...lists.filter((item) => item !== undefined)])

const readBody = (text: string): string => text.replace(/^\uFEFF/, '')

/** Reads a text with the library, with `__proto__` as an ordinary name. */
function readYaml(text: string): unknown {
  const document = parseDocument(readBody(text), { schema: 'core', merge: true, resolveKnownTags: false })
  expect(document.errors).toEqual([])
  return (document.contents === null ? null : document.toJS()) ?? {}
}

/** Converts a value to a comparable text with sorted names. Also distinguishes numbers that JSON lacks, such as NaN. */
function toCanonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalText).join()}]`
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value)
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}:${toCanonicalText(inner)}`)
    .sort()
    .join()}}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const getOwnProperty = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

function assign(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Applies edits to parsed settings independently of the tested editor. Creates missing parents. */
function applyEdits(settings: unknown, chosen: readonly OpenEdit[]): unknown {
  const root = isObject(settings) ? structuredClone(settings) : {}
  for (const edit of chosen) {
    const parent = readParentId(root, edit)
    if (parent !== undefined) applyEdit(parent, edit.path.at(-1) ?? '', edit)
  }
  return root
}

function readParentId(root: Record<string, unknown>, edit: OpenEdit): Record<string, unknown> | undefined {
  const isAddition = !('member' in edit) && edit.value !== undefined
  let node = root
  for (const name of edit.path.slice(0, -1)) {
    const nestedNode = getOwnProperty(node, name)
    if (!isAddition && !isObject(nestedNode)) return undefined
    const child = isObject(nestedNode) ? nestedNode : {}
    assign(node, name, child)
    node = child
  }
  return node
}

function applyEdit(parent: Record<string, unknown>, name: string, edit: OpenEdit): void {
  const list = getOwnProperty(parent, name)
  if ('member' in edit) {
    if (Array.isArray(list)) assign(parent, name, withMember(list, edit.member, edit.present))
    else if (list === null && edit.present) assign(parent, name, [edit.member])
  } else if ('element' in edit) {
    const items: unknown[] = Array.isArray(list) ? list : []
    const index = items.findIndex((item) =>
      Object.entries(edit.element).every(([key, text]) => getOwnProperty(item, key) === text),
    )
    const remainingItems = items.filter((_item, item) => item !== index)
    if (edit.value === undefined) {
      if (index >= 0) assign(parent, name, remainingItems)
    } else if (index >= 0) assign(parent, name, items.with(index, edit.value))
    else assign(parent, name, edit.isFirst === true ? [edit.value, ...items] : [...items, edit.value])
  } else if (edit.value === undefined) delete parent[name]
  else assign(parent, name, edit.value)
}

const withMember = (list: readonly unknown[], member: string, present: boolean): unknown[] => {
  if (!present) return list.filter((item) => item !== member)
  return list.includes(member) ? [...list] : [...list, member]
}

/** Comments of the generator are numbered, so each is unique. */
const listComments = (text: string): string[] => text.match(/# c\d+ "x": y/g) ?? []

const isRefusal = ({ code, field }: Failure): boolean =>
  /^file\.(unparsable|notEditable)$/.test(code) && field !== undefined
const checkEdits = createEditCheck(yamlEditor, documents, edits, isRefusal)

test('every generated text is parsed like the library and masked line by line', () => {
  fc.assert(
    fc.property(documents, (text) => {
      const parsedDocument = yamlEditor.parse(text)
      expect(parsedDocument.ok && toCanonicalText(parsedDocument.value)).toBe(toCanonicalText(readYaml(text)))
      expect(yamlEditor.mask(text).split('\n')).toHaveLength(text.split('\n').length)
    }),
    { numRuns: fewerRuns },
  )
})

test('an edit sets only its own settings, is idempotent, and its removal restores every byte', () => {
  const share = checkEdits(runCount, (text, chosen, editedText) => {
    expect(toCanonicalText(readYaml(editedText))).toBe(toCanonicalText(applyEdits(readYaml(text), chosen)))
    expectReversible(yamlEditor, text, chosen, editedText)
  })
  expect(share).toBeGreaterThan(0.5)
})

test('an edit that only adds keeps every line unchanged and in order', () => {
  const additions: OpenEdit[] = [
    { path: ['new', 'deep'], value: { list: ['x'] } },
    { path: ['fresh'], element: { name: 'ours' }, value: { name: 'ours' } },
  ]
  fc.assert(
    fc.property(documents, (text) => {
      const editedText = undefinedIfRefused(() => yamlEditor.edit(text, additions), isRefusal)
      if (editedText === undefined || readBody(text).includes('{') || readBody(text) === '') return
      const remainingLines = readBody(editedText).split(/\r?\n/)
      for (const line of readBody(text).split(/\r?\n/)) {
        const index = remainingLines.indexOf(line)
        if (line !== '') expect(index).toBeGreaterThanOrEqual(0)
        remainingLines.splice(0, index + 1)
      }
    }),
    { numRuns: fewerRuns },
  )
})

test('changes by others between edit and removal survive, and so does nearly every line', () => {
  const remoteEdit: OpenEdit = { path: ['theirs'], value: 'x' }
  let [restored, toTheLine] = [0, 0]
  checkEdits(fewerRuns, (text, chosen, editedText) => {
    const restoredText = yamlEditor.remove(yamlEditor.edit(editedText, [remoteEdit]), chosen, text)
    expect(toCanonicalText(readYaml(restoredText))).toBe(toCanonicalText(applyEdits(readYaml(text), [remoteEdit])))
    restored += 1
    if (readLines(yamlEditor.remove(restoredText, [remoteEdit], undefined)) === readLines(text)) toTheLine += 1
  })
  expect(toTheLine / restored).toBeGreaterThan(0.95)
})

const readLines = (text: string): string =>
  readBody(text)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .sort()
    .join('\n')

test('a removal without an original leaves the user’s settings', () => {
  checkEdits(fewerRuns, (text, chosen, editedText) => {
    const removalEdits = chosen.map(
      (edit): OpenEdit => ('member' in edit ? { ...edit, present: false } : { ...edit, value: undefined }),
    )
    const removedText = yamlEditor.remove(editedText, chosen, undefined)
    expect(withoutEmpty(readYaml(removedText))).toBe(withoutEmpty(applyEdits(readYaml(text), removalEdits)))
    const remainingComments = listComments(removedText)
    const unownedComments = listComments(yamlEditor.remove(text, chosen, undefined))
    expect(remainingComments.filter((comment) => unownedComments.includes(comment))).toEqual(remainingComments)
  })
})

const withoutEmpty = (value: unknown): string => toCanonicalText(pruneEmptyValues(value) ?? {})

/** Removes empty collections, nulls, and parents that contain nothing else. */
function pruneEmptyValues(value: unknown): unknown {
  if (!isObject(value)) return Array.isArray(value) && value.length === 0 ? undefined : (value ?? undefined)
  const copy: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    const prunedValue = pruneEmptyValues(inner)
    if (prunedValue !== undefined) assign(copy, name, prunedValue)
  }
  return Object.keys(copy).length === 0 ? undefined : copy
}
