import type { Change, RootChange } from './json-changes'
import type { JsonDocument } from './json-document'
import { itemsFor } from './json-items'
import { holdsSetting, jsonOf } from './json-strict'
import { entriesOf, type Member, membersNamed, type Node } from './json-tree'
import { sameJson } from './json-value'

/** Turns "remove all that is in this" into "remove this", where `old` had none of it and no comment is in it. */
export function pruneEmptied(current: JsonDocument, change: RootChange, old: JsonDocument): void {
  const prune = (inner: Change, node: Node | undefined, was: Node | undefined): void => {
    if (inner.kind !== 'within') return
    const found = membersNamed(node, inner.changes)
    const past = membersNamed(was, inner.changes)
    for (const [name, each] of inner.changes) {
      const member = found.get(name)?.at(-1)
      const before = past.get(name)?.at(-1)?.value
      prune(each, member?.value, before)
      if (member !== undefined && before === undefined && isEmptiedBy(current, member, each))
        inner.changes.set(name, { kind: 'remove' })
    }
  }
  prune(change, current.root, old.root)
}

function isEmptiedBy({ comments }: JsonDocument, member: Member, change: Change): boolean {
  const node = member.value
  if (node.type === 'literal' || entriesOf(node).length === 0) return false
  if (comments.some(({ start }) => start > member.start && start < member.end)) return false
  if (change.kind === 'within' && node.type === 'object')
    return node.members.every(({ name }) => change.changes.get(name)?.kind === 'remove')
  if (change.kind !== 'list' || node.type !== 'list') return false
  const isWanted = change.items.some((item) => (item.kind === 'member' ? item.present : item.value !== undefined))
  const gone = new Set([...itemsFor(node, change.items).values()].flat())
  return !isWanted && gone.size === node.items.length
}

/** True when two texts hold the same settings and the same comments; a blank one is like one without any setting. */
export function sameContent(a: JsonDocument, b: JsonDocument): boolean {
  if (a.root === undefined || b.root === undefined) {
    if (holdsSetting(a) || holdsSetting(b)) return false
  } else if (!sameJson(jsonOf(a), jsonOf(b))) return false
  return sameJson(commentsOf(a), commentsOf(b))
}

const commentsOf = ({ text, comments }: JsonDocument): string[] =>
  comments.map(({ start, end }) => text.slice(start, end)).sort()
