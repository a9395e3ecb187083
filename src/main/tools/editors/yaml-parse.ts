import { Composer, type CST, type Document, Parser } from 'yaml'
import { compose, type YamlParts } from './yaml-compose'
import { readLines } from './yaml-lines'

/** From this many characters on, a text of plain lines is read without the library, which takes seconds for megabytes. */
const LONG = 200_000

/** The library composes by calling itself, and a full stack can end the whole process, so that depth is looked at before. */
const DEEPEST = 200

const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
} as const

/** The values of a text, each where it stands. Throws `Refused` for a text that is no YAML, or not of one document. */
export function takenApart(text: string): YamlParts {
  const read = text.length < LONG ? undefined : readLines(text)
  return read ?? compose(text, parsed(text))
}

function parsed(text: string): Document.Parsed {
  const tokens = [...new Parser().parse(text)]
  for (const token of tokens) refuseDeep(token)
  const [document, second] = [...new Composer(options).compose(tokens, true, text.length)]
  const error = document?.errors[0]
  if (error !== undefined) throw new Refused(reasons[error.code] ?? 'It is not valid YAML', error.pos[0])
  if (second !== undefined) throw new Refused('It holds several documents', second.range[0])
  if (document === undefined) throw new Refused('It is not valid YAML', 0)
  return document
}

const reasons: { readonly [code: string]: string } = { TAB_AS_INDENT: 'It is indented with tabs' }

function refuseDeep(root: CST.Token): void {
  const left: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { token, depth } = next
    if (depth > DEEPEST) throw new Refused('It is nested too deeply', 'offset' in token ? token.offset : 0)
    for (const inner of insideOf(token)) left.push({ token: inner, depth: depth + 1 })
  }
}

function insideOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value]
  if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') return []
  return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat())
}

/** Thrown for a text that is not edited; the offset is of the place at fault. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message)
  }
}
