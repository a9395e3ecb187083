import { AppError } from '@shared/failure'
import type { Change, RootChange } from './json-changes'
import { type JsonDocument, lineAt, unparsable } from './json-document'
import { itemsFor } from './json-items'
import { membersNamed, type Node, type Span } from './json-tree'

/**
 * Refuses what cannot be edited without guessing: a parent that is no object, a list that is none, a name twice, an
 * element twice.
 */
export function refuseUnreachable(document: JsonDocument, change: RootChange): void {
  const { root, text } = document
  if (root === undefined || (change.kind === 'within' && change.changes.size === 0)) return
  if ((change.kind === 'list') !== (root.type === 'list')) {
    const what = `It does not hold a JSON ${change.kind === 'list' ? 'list' : 'object'}`
    const { code, message, ...details } = unparsable(what, lineAt(text, root.start))
    throw new AppError(code, message, details)
  }
  check(document, root, { change, path: [] })
}

type At = { readonly change: Change; readonly path: readonly string[] }

function check(document: JsonDocument, node: Node, { change, path }: At): void {
  if (change.kind === 'list') {
    if (node.type !== 'list') throw refusal(document, { path, node, what: 'is not a list' })
    for (const [item, [, second]] of itemsFor(node, change.items)) {
      if (item.kind === 'element' && second !== undefined)
        throw refusal(document, { path, node: second, what: 'holds one element twice' })
    }
  }
  if (change.kind !== 'within') return
  if (node.type !== 'object') throw refusal(document, { path, node, what: 'is not an object' })
  for (const [name, [first, second]] of membersNamed(node, change.changes)) {
    const at = [...path, name]
    if (second !== undefined) throw refusal(document, { path: at, node: second, what: 'appears twice' })
    const inner = change.changes.get(name)
    if (first !== undefined && inner !== undefined) check(document, first.value, { change: inner, path: at })
  }
}

type Refusal = { readonly path: readonly string[]; readonly node: Span; readonly what: string }

function refusal({ text }: JsonDocument, { path, node, what }: Refusal): AppError {
  const field = path.join('.')
  const line = lineAt(text, node.start)
  const subject = field === '' ? 'The list' : `The setting ${field}`
  return new AppError('file.unparsable', `${subject} ${what} (line ${line}). Correct it and try again.`, {
    ...(field === '' ? {} : { field }),
    line,
  })
}
