import type { Failure } from '@shared/failure'
import { err, ok, type Result } from '@shared/result'
import { createScanner, type Node, type ParseError, parseTree, visit } from 'jsonc-parser'

/** A stretch of text: from `start` up to, not including, `end`. */
export type Span = { readonly start: number; readonly end: number }

/** A JSON text taken apart. Offsets count from behind the byte order mark; `root` is missing in a blank text. */
export type JsonDocument = {
  readonly bom: string
  readonly text: string
  readonly root: Node | undefined
  readonly comments: readonly Span[]
  readonly trailingCommas: readonly Span[]
}

/** What stands between two values: commas and comments, never whitespace. */
export type GapToken = Span & { readonly kind: 'comma' | 'line-comment' | 'block-comment' }

/** How a tool's own parser reads its file: `strict` takes neither comments nor trailing commas. */
export type Strictness = { readonly strict: boolean }

const BOM = '\uFEFF'

/** jsonc-parser's numbers for the tokens of a gap; its enum exists for its own compiler only. */
const gapKinds: Readonly<Record<number, GapToken['kind']>> = { 5: 'comma', 12: 'line-comment', 13: 'block-comment' }
const END_OF_FILE = 17

/** The text taken apart, or `file.unparsable` or `file.notStrict` with the line at fault and never its content. */
export function parseDocument(source: string, { strict }: Strictness): Result<JsonDocument, Failure> {
  const bom = source.startsWith(BOM) ? BOM : ''
  const text = source.slice(bom.length)
  try {
    const errors: ParseError[] = []
    const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
    const [first] = errors
    if (first !== undefined) return err(unparsable('It is not valid JSON', lineAt(text, first.offset)))
    const document = { bom, text, root, ...findExtras(text) }
    if (root !== undefined && root.type !== 'object')
      return err(unparsable('It does not hold a JSON object', lineAt(text, root.offset)))
    return strict ? requireStrict(document) : ok(document)
  } catch (error) {
    if (error instanceof RangeError) return err(unparsable('It is nested too deeply', 1))
    throw error
  }
}

/** The 1-based number of the line that holds this offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\n|\r/).length
}

/** Where the line that holds this offset begins. */
export function lineStart(text: string, offset: number): number {
  let start = offset
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start -= 1
  return start
}

/** The commas and comments of a stretch that holds nothing else but whitespace. */
export function gapTokens(text: string, { start, end }: Span): GapToken[] {
  const scanner = createScanner(text.slice(start, end), false)
  const tokens: GapToken[] = []
  for (let token: number = scanner.scan(); token !== END_OF_FILE; token = scanner.scan()) {
    const kind = gapKinds[token]
    const offset = start + scanner.getTokenOffset()
    if (kind !== undefined) tokens.push({ kind, start: offset, end: offset + scanner.getTokenLength() })
  }
  return tokens
}

function requireStrict(document: JsonDocument): Result<JsonDocument, Failure> {
  const { text, comments, trailingCommas } = document
  const extras = [...comments, ...trailingCommas].map(({ start }) => start)
  if (extras.length > 0) return err(notStrict(lineAt(text, Math.min(...extras))))
  try {
    if (document.root !== undefined) JSON.parse(text)
    return ok(document)
  } catch {
    return err(unparsable('It is not valid JSON', 1))
  }
}

function findExtras(text: string): Pick<JsonDocument, 'comments' | 'trailingCommas'> {
  const comments: Span[] = []
  const trailingCommas: Span[] = []
  let comma: Span | undefined
  const forget = (): void => {
    comma = undefined
  }
  const close = (): void => {
    if (comma !== undefined) trailingCommas.push(comma)
    comma = undefined
  }
  visit(
    text,
    {
      onComment: (offset, length) => comments.push({ start: offset, end: offset + length }),
      onSeparator: (character, offset) => {
        comma = character === ',' ? { start: offset, end: offset + 1 } : undefined
      },
      onObjectProperty: forget,
      onLiteralValue: forget,
      onObjectBegin: forget,
      onArrayBegin: forget,
      onObjectEnd: close,
      onArrayEnd: close,
    },
    { allowTrailingComma: true, allowEmptyContent: true },
  )
  return { comments, trailingCommas }
}

const unparsable = (what: string, line: number): Failure => ({
  code: 'file.unparsable',
  message: `${what} (line ${line}). Correct that line and try again.`,
  line,
})

const notStrict = (line: number): Failure => ({
  code: 'file.notStrict',
  message: `Its tool reads strict JSON, and there is a comment or a trailing comma in line ${line}.`,
  line,
})
