import fc from 'fast-check'

/** How a random text may be written. */
export type Dialect = { readonly comments: boolean; readonly trailingCommas: boolean; readonly eol: string }

type Tree =
  | { readonly literal: string }
  | { readonly open: string; readonly close: string; readonly entries: readonly (readonly [string, Tree])[] }

const names = fc.oneof(
  fc.constantFrom('env', 'provider', 'model', 'permissions', 'hooks', 'a', 'b', 'c.d', '__proto__', 'constructor', ''),
  fc.string({ maxLength: 5 }),
)

const literals = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1.50',
    '1e400',
    '12345678901234567890',
    '""',
    '"x"',
    '"\\u0041\\/"',
  ),
  fc.string({ maxLength: 8, unit: 'binary' }).map((text) => JSON.stringify(text)),
)

const trees = fc.letrec<{ tree: Tree; object: Tree; list: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    literals.map((literal): Tree => ({ literal })),
    tie('object'),
    tie('list'),
  ),
  object: fc.uniqueArray(fc.tuple(names, tie('tree')), { maxLength: 4, selector: ([name]) => name }).map(
    (members): Tree => ({
      open: '{',
      close: '}',
      entries: members.map(([name, value]) => [JSON.stringify(name), value]),
    }),
  ),
  list: fc.array(tie('tree'), { maxLength: 3 }).map(
    (items): Tree => ({
      open: '[',
      close: ']',
      entries: items.map((item) => ['', item]),
    }),
  ),
}))

/** A text with an object at its root, written with random blanks, line ends, comments and trailing commas. */
export function randomJson({ comments, trailingCommas, eol }: Dialect): fc.Arbitrary<string> {
  const blanks = fc.constantFrom('', '', ' ', eol, `${eol}  `, `${eol}\t`, `  ${eol}${eol}    `)
  const comment = fc.constantFrom(`// note${eol}`, `  // "x": 1, {${eol}  `, '/* c */', `/* one${eol} two */`, '/**/ ')
  const gap = comments
    ? fc.tuple(blanks, fc.option(comment, { freq: 5, nil: '' }), blanks).map((parts) => parts.join(''))
    : blanks
  const gaps = fc.infiniteStream(gap)
  const commas = fc.infiniteStream(trailingCommas ? fc.boolean() : fc.constant(false))
  return fc.tuple(trees.object, gaps, commas, fc.constantFrom('', '\uFEFF')).map(([tree, nextGap, nextComma, bom]) => {
    const blank = (): string => nextGap.next().value ?? ''
    const write = (node: Tree): string => {
      if ('literal' in node) return node.literal
      const entries = node.entries.map(([key, value]) => {
        const name = key === '' ? '' : `${key}${blank()}:${blank()}`
        return `${blank()}${name}${write(value)}${blank()}`
      })
      const isTrailing = entries.length > 0 && nextComma.next().value === true
      return (
        node.open + entries.join(',') + (isTrailing ? `,${blank()}` : entries.length > 0 ? '' : blank()) + node.close
      )
    }
    return bom + blank() + write(tree) + blank()
  })
}

/** Every dialect of the tools. */
export const dialects: fc.Arbitrary<Dialect> = fc.record({
  comments: fc.boolean(),
  trailingCommas: fc.boolean(),
  eol: fc.constantFrom('\n', '\r\n'),
})
