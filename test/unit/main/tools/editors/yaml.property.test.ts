import type { Failure } from '@shared/failure'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import type { OpenEdit } from '../../../../../src/main/tools/editors/editor'
import { yamlEditor } from '../../../../../src/main/tools/editors/yaml'
import { getRounds } from '../../../../support/depth'
import { applyEdits, assign, isObject } from '../support/expected-settings'
import { createEditCheck, expectReversible, undefinedIfRefused } from '../support/refusals'

/** Syntax options of a random text. */
type YamlDialect = {
  readonly comments: boolean
  readonly anchors: boolean
  readonly flow: boolean
  /** Whether to use block scalars (`|` or `>`) for multi-line texts. */
  readonly blocks: boolean
  readonly eol: string
  readonly unit: number
  /** Indentation of a list relative to its key. */
  readonly listStep: number
}

type Tree =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'lines'; readonly head: string; readonly lines: readonly string[] }
  | { readonly kind: 'map'; readonly flow: boolean; readonly entries: readonly (readonly [string, Tree])[] }
  | { readonly kind: 'list'; readonly flow: boolean; readonly items: readonly Tree[] }

const names = fc.constantFrom(
  ...`models env name a b c.d provider x-y 's' "a#b" __proto__ constructor 1 http://k`.split(' '),
  '"q r"',
)

const plainScalar = fc.constantFrom(
  ...'~ null true No 0 -0 1.50 0x1F 1e400 .inf 2001-01-01 abc x#y a:b -x 12:30:45'.split(' '),
  ...['', 'a b'],
)

const texts = fc.oneof(
  fc.constantFrom(`""`, `''`, `"x"`, `'it''s'`, `"\\u0041\\/ # no"`, `'- a: b'`, `"[secret]"`),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
)

const lines = fc.record({
  kind: fc.constant('lines' as const),
  head: fc.constantFrom('|', '|-', '>', '>+', '|+', '|1'),
  lines: fc.array(fc.constantFrom('text', '# no comment', 'key: value', '- item', '  deeper', ''), {
    minLength: 1,
    maxLength: 4,
  }),
})

const trees = fc.letrec<{ tree: Tree; map: Tree; list: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    plainScalar.map((text): Tree => ({ kind: 'plain', text })),
    texts.map((text): Tree => ({ kind: 'text', text })),
    lines,
    tie('map'),
    tie('list'),
  ),
  map: fc
    .tuple(fc.boolean(), fc.uniqueArray(fc.tuple(names, tie('tree')), { maxLength: 4, selector: ([name]) => name }))
    .map(([flow, entries]): Tree => ({ kind: 'map', flow, entries })),
  list: fc
    .tuple(fc.boolean(), fc.array(tie('tree'), { maxLength: 3 }))
    .map(([flow, items]): Tree => ({ kind: 'list', flow, items })),
}))

/** A text with a mapping at its root, and random comments, blank lines, anchors, aliases, merge keys and markers. */
function randomYaml(dialect: YamlDialect): fc.Arbitrary<string> {
  const bom = fc.constantFrom('', '\uFEFF')
  const head = fc.constantFrom('', '', '---', '# top', '%YAML 1.2#---', '--- # start')
  const documentEnd = fc.constantFrom('', '', '...', '# end', '#')
  return fc
    .tuple(trees.map, fc.infiniteStream(fc.nat({ max: 999 })), bom, head, documentEnd, fc.boolean())
    .map(([tree, dice, mark, start, end, hasFinalBreak]) => {
      const { eol } = dialect
      const writer = new Writer(dialect, (sides) => (dice.next().value ?? 0) % sides)
      const body = writer.root(tree)
      const linesBefore = start.replace('#---', `${eol}---`)
      const text = `${linesBefore === '' ? '' : linesBefore + eol}${body}${end === '' ? '' : end + eol}`
      return mark + (hasFinalBreak ? text : text.replace(/(?:\r?\n)+$/, ''))
    })
}

class Writer {
  #comment = 0
  #anchor = 0
  /** Anchors that an alias may use, and whether their value is a mapping. */
  readonly #anchors: { name: string; isMap: boolean }[] = []

  constructor(
    readonly dialect: YamlDialect,
    readonly roll: (sides: number) => number,
  ) {}

  root(tree: Tree): string {
    const { eol } = this.dialect
    if (tree.kind !== 'map') return ''
    if (tree.entries.length === 0) return this.gap(0, true)
    if (tree.flow && this.dialect.flow) return `${this.flow(tree, 0)}${this.trail()}${eol}`
    return this.map(tree.entries, 0) + this.gap(0, false)
  }

  /** Writes a value after a colon or dash in this column, including the line end. */
  value(tree: Tree, column: number, isItem: boolean): string {
    const alias = this.alias()
    if (alias !== undefined) return ` ${alias}${this.trail()}${this.dialect.eol}`
    this.#anchor += 1
    const anchor = this.dialect.anchors && this.roll(8) === 0 ? `&n${this.#anchor}` : ''
    const props = anchor === '' ? '' : ` ${anchor}`
    const contentText = this.content(tree, column, isItem, props)
    if (anchor !== '') this.#anchors.push({ name: anchor.slice(1), isMap: tree.kind === 'map' })
    return contentText
  }

  content(tree: Tree, column: number, isItem: boolean, props: string): string {
    const { eol, unit, listStep } = this.dialect
    if (tree.kind === 'plain' || tree.kind === 'text')
      return `${props}${tree.text === '' ? '' : ` ${tree.text}`}${this.trail()}${eol}`
    if (tree.kind === 'lines' && !this.dialect.blocks) return `${props} line${this.trail()}${eol}`
    if (tree.kind === 'lines') {
      const indent = ' '.repeat(column + (tree.head === '|1' ? 1 : unit))
      const firstIndex = tree.lines.findIndex((line) => line !== '')
      const outputLines = tree.lines.map(
        (line, index) => (line === '' ? '' : indent + (index === firstIndex ? line.trim() : line)) + eol,
      )
      return `${props} ${tree.head}${eol}${outputLines.join('')}`
    }
    const isEmpty = tree.kind === 'map' ? tree.entries.length === 0 : tree.items.length === 0
    if (isEmpty || (tree.flow && this.dialect.flow)) return `${props} ${this.flow(tree, column)}${this.trail()}${eol}`
    const isCompact = isItem && props === '' && this.roll(4) !== 0
    const innerColumn = column + (isCompact ? 2 : tree.kind === 'list' && !isItem ? listStep : unit)
    const block = tree.kind === 'map' ? this.map(tree.entries, innerColumn) : this.list(tree.items, innerColumn)
    return isCompact
      ? ` ${block.slice(innerColumn)}`
      : `${props}${this.trail()}${eol}${this.gap(innerColumn, true)}${block}`
  }

  map(entries: readonly (readonly [string, Tree])[], column: number): string {
    const indentation = ' '.repeat(column)
    const merge = this.#anchors.filter(({ isMap }) => isMap).at(-1)
    const mergeLine =
      merge !== undefined && this.roll(6) === 0
        ? `${indentation}<<: *${merge.name}${this.trail()}${this.dialect.eol}`
        : ''
    return (
      mergeLine +
      entries
        .map(([name, tree], index) => {
          const gapText = index === 0 && mergeLine === '' ? '' : this.gap(column, false)
          return `${gapText}${indentation}${this.keyProperties()}${name}:${this.value(tree, column, false)}`
        })
        .join('')
    )
  }

  /** Returns a random anchor or tag to put before a key, usually none. */
  keyProperties(): string {
    if (!this.dialect.anchors || this.roll(8) !== 0) return ''
    this.#anchor += 1
    return ['!!str ', `&k${this.#anchor} `, `&k${this.#anchor} !!str `][this.roll(3)] ?? ''
  }

  list(items: readonly Tree[], column: number): string {
    return items
      .map(
        (tree, index) =>
          `${index === 0 ? '' : this.gap(column, false)}${' '.repeat(column)}-${this.value(tree, column, true)}`,
      )
      .join('')
  }

  flow(tree: Tree, column: number): string {
    if (tree.kind === 'plain') return /^$|:|#/.test(tree.text) ? '~' : tree.text
    if (tree.kind === 'text') return tree.text
    if (tree.kind === 'lines') return '"l"'
    const entries =
      tree.kind === 'map'
        ? tree.entries.map(([name, value]) =>
            this.roll(9) === 0
              ? name
              : `${name}:${name.startsWith('"') && this.roll(3) === 0 ? '' : ' '}${this.flow(value, column)}`,
          )
        : tree.items.map((item) => this.flow(item, column))
    const [open, close] = tree.kind === 'map' ? '{}' : '[]'
    const body = entries.map((entry) => this.blank(column) + entry + this.blank(column)).join(',')
    const hasTrailingComma = entries.length > 0 && this.roll(4) === 0
    return `${open}${body}${hasTrailingComma ? `,${this.blank(column)}` : ''}${close}`
  }

  /** Returns random white space within brackets, sometimes with a line break and a comment. */
  blank(column: number): string {
    const { eol } = this.dialect
    const lineBreak = `${eol}${' '.repeat(column + 1 + this.roll(4))}`
    return (
      ['', '', '', ' ', ' ', lineBreak, this.dialect.comments ? ` ${this.note()}${lineBreak}` : ' '][this.roll(7)] ?? ''
    )
  }

  alias(): string | undefined {
    const anchor = this.#anchors[this.roll(12)]
    return anchor === undefined ? undefined : `*${anchor.name}`
  }

  note(): string {
    this.#comment += 1
    return `# c${this.#comment} "x": y`
  }

  trail(): string {
    return this.dialect.comments && this.roll(5) === 0 ? `  ${this.note()}` : this.roll(15) === 0 ? ' ' : ''
  }

  /** Lines between two entries. Comments are not deeper than the entries, since a block scalar may precede. */
  gap(column: number, isFirst: boolean): string {
    const { eol, comments } = this.dialect
    const depth = isFirst ? column + this.roll(3) : this.roll(column + 1)
    const randomSide = this.roll(8)
    if (randomSide === 0 && !isFirst) return eol
    if (randomSide === 1 && comments) return `${' '.repeat(depth)}${this.note()}${eol}`
    return randomSide === 2 && comments ? `${' '.repeat(column)}${this.note()}${eol}${eol}` : ''
  }
}

/** All combinations of YAML syntax that tools write. */
const yamlDialects: fc.Arbitrary<YamlDialect> = fc.record({
  comments: fc.boolean(),
  anchors: fc.boolean(),
  flow: fc.boolean(),
  blocks: fc.boolean(),
  eol: fc.constantFrom('\n', '\r\n'),
  unit: fc.constantFrom(2, 2, 4, 3),
  listStep: fc.constantFrom(0, 2, 4),
})

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
  fc.constantFrom('yes', '1e3', '~', '', '*a', '# x', '- a', 'a: b'),
  fc.constantFrom(`\${{ secrets.X }}`, 'vendor/gw-coder:free', 'two\nlines'),
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
