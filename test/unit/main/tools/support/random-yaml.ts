import fc from 'fast-check'

/** Syntax options of a random text. */
export type YamlDialect = {
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
export function randomYaml(dialect: YamlDialect): fc.Arbitrary<string> {
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
    const { eol, unit, listStep } = this.dialect
    const alias = this.alias()
    if (alias !== undefined) return ` ${alias}${this.trail()}${eol}`
    this.#anchor += 1
    const anchor = this.dialect.anchors && this.roll(8) === 0 ? `&n${this.#anchor}` : ''
    const props = anchor === '' ? '' : ` ${anchor}`
    const contentText = this.content(tree, { column, isItem, props, unit, listStep })
    if (anchor !== '') this.#anchors.push({ name: anchor.slice(1), isMap: tree.kind === 'map' })
    return contentText
  }

  content(
    tree: Tree,
    layout: { column: number; isItem: boolean; props: string; unit: number; listStep: number },
  ): string {
    const { column, isItem, props, unit, listStep } = layout
    const { eol } = this.dialect
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
export const yamlDialects: fc.Arbitrary<YamlDialect> = fc.record({
  comments: fc.boolean(),
  anchors: fc.boolean(),
  flow: fc.boolean(),
  blocks: fc.boolean(),
  eol: fc.constantFrom('\n', '\r\n'),
  unit: fc.constantFrom(2, 2, 4, 3),
  listStep: fc.constantFrom(0, 2, 4),
})
