import { err, type Failure, ok, type Result } from '@shared/failure'
import { Composer, type CST, type Document, Parser } from 'yaml'
import { memoizeLatest, splitBom } from './editor'
import { buildUnparsableFailure, getLineNumber } from './text'
import { type Collection, nodeToJson, type TreeDocument, type TreeNode } from './tree'
import { buildYamlParts, MisplacedError } from './yaml-node'

/** Nesting limit: the library is recursive, and a stack overflow can end the process. */
const MAX_DEPTH = 200

const options = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
} as const

/** Parses a text with the library. Throws `RefusedError` for invalid YAML or several documents. */
function parseTokens(text: string): Document.Parsed {
  const tokens = [...new Parser().parse(text)]
  for (const token of tokens) rejectDeepNesting(token)
  const [document, second] = [...new Composer(options).compose(tokens, true, text.length)]
  const error = document?.errors[0]
  if (error !== undefined) throw new RefusedError(reasons[error.code] ?? 'It is not valid YAML', error.pos[0])
  if (second !== undefined) throw new RefusedError('It holds several documents', second.range[0])
  if (document === undefined) throw new RefusedError('It is not valid YAML', 0)
  return document
}

const reasons: { readonly [code: string]: string } = { TAB_AS_INDENT: 'It is indented with tabs' }

function rejectDeepNesting(root: CST.Token): void {
  const pendingTokens: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }]
  for (let pendingToken = pendingTokens.pop(); pendingToken !== undefined; pendingToken = pendingTokens.pop()) {
    const { token, depth } = pendingToken
    if (depth > MAX_DEPTH) throw new RefusedError('It is nested too deeply', 'offset' in token ? token.offset : 0)
    for (const childToken of listChildTokens(token)) pendingTokens.push({ token: childToken, depth: depth + 1 })
  }
}

function listChildTokens(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value]
  if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') return []
  return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat())
}

class RefusedError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message)
  }
}

/** A parsed YAML text. `targets`: nodes to which aliases refer. */
export type YamlDocument = TreeDocument & {
  readonly root: Collection | undefined
  readonly targets: ReadonlySet<TreeNode>
}

/** Parses the text. Fails with `file.unparsable`. The failure contains the line number but not its text. */
export const parseYamlDocument = memoizeLatest((source: string): Result<YamlDocument, Failure> => {
  const { bom, text } = splitBom(source)
  try {
    const loneCarriageReturn = /\r(?!\n)/.exec(text)
    if (loneCarriageReturn !== null)
      return err(
        buildUnparsableFailure(
          'It has a carriage return that ends no line',
          getLineNumber(text, loneCarriageReturn.index),
        ),
      )
    const { root, comments, targets } = buildYamlParts(text, parseTokens(text))
    if (root !== undefined && root.kind !== 'map')
      return err(buildUnparsableFailure('It does not hold a mapping', getLineNumber(text, root.outer)))
    if (root !== undefined) requireUniqueKeys(root)
    if (root !== undefined && targets.size > 0) nodeToJson(root)
    return ok({ bom, text, root, comments, targets })
  } catch (error) {
    if (error instanceof RefusedError)
      return err(
        buildUnparsableFailure(error.message, getLineNumber(text, Math.min(error.offset, text.trimEnd().length))),
      )
    if (error instanceof MisplacedError)
      return err(buildUnparsableFailure('It is not valid YAML', getLineNumber(text, error.offset)))
    if (error instanceof RangeError) return err(buildUnparsableFailure('It repeats too much', 1))
    throw error
  }
})

/** Rejects duplicate names in a mapping, because parsers disagree on which one counts. */
function requireUniqueKeys(node: TreeNode): void {
  if (node.kind !== 'map' && node.kind !== 'list') return
  const names = node.kind === 'map' && node.entries.length > 1 ? new Set<string>() : undefined
  for (const { key, start, value } of node.entries) {
    if (key !== undefined && names?.has(key.name)) throw new RefusedError('A setting appears twice', start)
    if (key !== undefined) names?.add(key.name)
    requireUniqueKeys(value)
  }
}
