import { AppError, type Failure } from '@shared/failure'
import { err, ok, type Result } from '@shared/result'
import { lineAt, unparsable } from './json-document'
import type { Span } from './json-tree'
import { rememberingLast } from './remembered'
import { Misplaced } from './yaml-cursor'
import { jsonOf, type YamlCollection, type YamlNode } from './yaml-node'
import { Refused, takenApart } from './yaml-parse'

/** A YAML text taken apart. Offsets count from behind the byte order mark; `root` is missing in a blank text. */
export type YamlDocument = {
  readonly bom: string
  readonly text: string
  readonly root: YamlCollection | undefined
  readonly comments: readonly Span[]
  /** The values that aliases stand for. */
  readonly targets: ReadonlySet<YamlNode>
}

const BOM = '\uFEFF'

/** The text taken apart, or `file.unparsable` with the line at fault and never its content. */
export const parseYamlDocument = rememberingLast((source: string): Result<YamlDocument, Failure> => {
  const bom = source.startsWith(BOM) ? BOM : ''
  const text = source.slice(bom.length)
  try {
    const lone = /\r(?!\n)/.exec(text)
    if (lone !== null) return err(unparsable('It has a carriage return that ends no line', lineAt(text, lone.index)))
    const { root, comments, targets } = takenApart(text)
    if (root !== undefined && root.kind !== 'map')
      return err(unparsable('It does not hold a mapping', lineAt(text, root.outer)))
    if (root !== undefined) requireOnce(root)
    if (root !== undefined && targets.size > 0) jsonOf(root)
    return ok({ bom, text, root, comments, targets })
  } catch (error) {
    if (error instanceof Refused)
      return err(unparsable(error.message, lineAt(text, Math.min(error.offset, text.trimEnd().length))))
    if (error instanceof Misplaced) return err(unparsable('It is not valid YAML', lineAt(text, error.offset)))
    if (error instanceof RangeError) return err(unparsable('It repeats too much', 1))
    throw error
  }
})

/** As `parseYamlDocument`; throws its failure as an `AppError`. */
export function yamlDocumentOf(source: string): YamlDocument {
  const document = parseYamlDocument(source)
  if (document.ok) return document.value
  const { code, message, ...details } = document.error
  throw new AppError(code, message, details)
}

/** Refuses names that stand twice in one mapping: readers differ in which of them counts. */
function requireOnce(node: YamlNode): void {
  if (node.kind !== 'map' && node.kind !== 'list') return
  const names = node.kind === 'map' && node.entries.length > 1 ? new Set<string>() : undefined
  for (const { key, start, value } of node.entries) {
    if (key !== undefined && names?.has(key.name)) throw new Refused('A setting appears twice', start)
    if (key !== undefined) names?.add(key.name)
    requireOnce(value)
  }
}
