import fc from 'fast-check'

/** Syntax options of a random text. */
export type Dialect = {
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

const booleans = [false, true]
const dialects: readonly Dialect[] = booleans.flatMap((comments) =>
  booleans.flatMap((trailingCommas) =>
    [false, false, false, true].flatMap((duplicates) =>
      ['\n', '\r\n'].flatMap((eol) =>
        (['object', 'object', 'list'] as const).map((root) => ({ comments, trailingCommas, duplicates, eol, root })),
      ),
    ),
  ),
)

/** A random text with an object or a list (`isList`) at its root. */
export type RandomJson = { readonly text: string; readonly isList: boolean }

/** Texts with random blanks and line ends, and with comments and trailing commas unless the parser is strict. */
export function randomJson(strict: boolean): fc.Arbitrary<RandomJson> {
  const allowedDialects = dialects.filter(({ comments, trailingCommas }) => !strict || (!comments && !trailingCommas))
  return fc.oneof(
    ...allowedDialects.map((dialect) =>
      arbitraryText(dialect).map((text) => ({ text, isList: dialect.root === 'list' })),
    ),
  )
}
