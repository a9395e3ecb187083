import fc from 'fast-check'

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
const values = fc.oneof({ weight: 4, arbitrary: scalars }, lists, inlineTables)

const dottedKeys = fc.array(keys, { minLength: 1, maxLength: 2 }).map((names) => names.join('.'))
const line = fc
  .tuple(fc.constantFrom('', '', '  '), dottedKeys, fc.constantFrom(' = ', '=', '  =  '), values, comments)
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

/** Random tables of one MCP server, as lines that end with a key-value pair. */
export const serverTables = fc
  .tuple(
    fc.constantFrom('', '  ', '\t'),
    fc.array(pairOrComment, { maxLength: 4 }),
    fc.array(
      fc.tuple(fc.constantFrom('env', 'http_headers."x y"', 'tools'), fc.array(pairOrComment, { maxLength: 3 })),
      {
        maxLength: 2,
      },
    ),
  )
  .map(([indent, lines, inner]) =>
    [
      `${indent}[ mcp_servers . "my.srv" ] # [x]`,
      ...lines,
      'command = "npx"',
      ...inner.flatMap(([name, tableLines]) => [
        '',
        `# of ${name}`,
        `[mcp_servers."my.srv".${name}]`,
        ...tableLines,
        'last = 1',
      ]),
      '',
    ].join('\n'),
  )

/** Texts with every syntax for a setting. Many are invalid, because a key or table occurs twice. */
export const randomToml: fc.Arbitrary<string> = fc
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
