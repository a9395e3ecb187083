import { AppError } from '@shared/failure'
import { type Change, type ItemChange, type ListChange, plain, type RootChange } from './json-changes'
import type { JsonDocument } from './json-document'
import { itemsFor } from './json-items'
import { itemsOf, type Member, membersNamed, membersOf, type Node, type Span, toJson } from './json-tree'
import { sameJson } from './json-value'

/** Throws unless every owned setting is as wanted and everything else, to the letter and in order, is as it was. */
export function proveEdit(before: JsonDocument, after: JsonDocument, change: RootChange): void {
  if (!isDone(after.root, change)) throw unproven('a setting did not take its value')
  if (before === after) return
  if (!sameParts(unownedParts(before, change), unownedParts(after, change)))
    throw unproven('another setting would change')
  if (!sameParts(commentsLeft(before, change), commentsLeft(after, change))) throw unproven('a comment would change')
}

function isDone(node: Node | undefined, change: Change): boolean {
  switch (change.kind) {
    case 'remove':
      return node === undefined
    case 'set':
      return node !== undefined && sameJson(toJson(node), plain(change.value))
    case 'list':
      return [...itemsFor(node, change.items)].every(([item, found]) => isItemDone(node, item, found))
    case 'within': {
      const found = membersNamed(node, change.changes)
      return [...change.changes].every(([name, inner]) => isDone(found.get(name)?.at(-1)?.value, inner))
    }
  }
}

function isItemDone(list: Node | undefined, item: ItemChange, found: readonly Node[]): boolean {
  if (item.kind === 'member') return list === undefined || found.length > 0 === item.present
  const { value } = item
  if (value === undefined) return found.length === 0
  return found.length === 1 && found.every((each) => sameJson(toJson(each), plain(value)))
}

/** Everything that is not owned, to the letter. What only holds what is owned counts as not there. */
function unownedParts({ text, root }: JsonDocument, change: RootChange): string[] {
  const parts: string[] = []
  const add = ({ start, end }: Span): void => void parts.push(text.slice(start, end))
  const addInside = (node: Node, inner: Change): void => {
    if (inner.kind === 'within' && node.type === 'object')
      for (const member of node.members) {
        const own = inner.changes.get(member.name)
        if (own === undefined) add(member)
        else if (own.kind === 'within' || own.kind === 'list') addNamed(member, own)
      }
    else if (inner.kind === 'list' && node.type === 'list') {
      const owned = ownedItems(node, inner)
      for (const item of node.items) if (!owned.has(item)) add(item)
    } else add(node)
  }
  const addNamed = ({ name, value }: Member, own: RootChange): void => {
    const isKept = own.kind === 'list' && own.items.every(({ kind }) => kind === 'member')
    const empty = parts.push(`${JSON.stringify(name)}:`)
    addInside(value, own)
    if (parts.length > empty || isKept) parts.push(';')
    else parts.pop()
  }
  if (root !== undefined) addInside(root, change)
  return parts
}

/** The comments outside of owned settings, in order. */
function commentsLeft({ text, root, comments }: JsonDocument, change: RootChange): string[] {
  const owned = root === undefined || comments.length === 0 ? [] : ownedSpans(root, change)
  const left: string[] = []
  let at = 0
  for (const { start, end } of comments) {
    while (at < owned.length && (owned[at]?.end ?? 0) <= start) at += 1
    if (start < (owned[at]?.start ?? text.length)) left.push(text.slice(start, end))
  }
  return left
}

/** What is ours, in the order of the text. */
function ownedSpans(node: Node, change: Change): readonly Span[] {
  if (change.kind === 'list') {
    const owned = ownedItems(node, change)
    return itemsOf(node).filter((item) => owned.has(item))
  }
  if (change.kind !== 'within') return []
  return membersOf(node).flatMap((member) => {
    const own = change.changes.get(member.name)
    if (own === undefined) return []
    return own.kind === 'set' || own.kind === 'remove' ? [member] : ownedSpans(member.value, own)
  })
}

const ownedItems = (node: Node, { items }: ListChange): ReadonlySet<Node> =>
  new Set([...itemsFor(node, items).values()].flat())

const sameParts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((part, at) => part === b[at])

function unproven(why: string): AppError {
  return new AppError(
    'internal.unexpected',
    `The file was left alone: after the edit ${why}. This is a bug: report it.`,
  )
}
