import fc from 'fast-check'

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
export const randomDotenv: fc.Arbitrary<string> = fc.oneof(
  lineEndArbitrary('\n'),
  lineEndArbitrary('\n'),
  lineEndArbitrary('\r\n'),
)
