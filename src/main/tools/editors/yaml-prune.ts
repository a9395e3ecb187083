import { type Changes, isRemoval, itemsOf } from './yaml-changes'
import type { YamlDocument } from './yaml-document'
import { entryAt, isInBrackets, isNull, type YamlEntry, type YamlNode } from './yaml-node'
import { rawOf } from './yaml-raw'

/**
 * Turns "take all out of this collection" into "take it away" where `old` had none, and into "make it empty as it was"
 * where `old` had it empty; a collection that holds a comment stays.
 */
export function pruneEmptied(document: YamlDocument, changes: Changes, old: YamlDocument): void {
  const prune = (inner: Changes, path: readonly string[]): void => {
    for (const [name, change] of inner) {
      const at = [...path, name]
      if (change.kind === 'within') prune(change.changes, at)
      const entry = entryAt(document.root, at)
      if (entry === undefined || !isEmptiedBy(document, entry, inner)) continue
      const before = entryAt(old.root, at)
      if (before === undefined) inner.set(name, { kind: 'remove' })
      else if (isEmpty(before.value))
        inner.set(name, { kind: 'set', value: rawOf(old, before, isInBrackets(old.root, path)) })
    }
  }
  prune(changes, [])
}

function isEmptiedBy({ comments }: YamlDocument, { key, value }: YamlEntry, changes: Changes): boolean {
  const change = changes.get(key?.name ?? '')
  if (value.kind !== 'map' && value.kind !== 'list') return false
  if (value.entries.length === 0 || comments.some(({ start }) => start > value.outer && start < value.end)) return false
  if (change?.kind === 'within')
    return value.entries.every((entry) => change.changes.get(entry.key?.name ?? '')?.kind === 'remove')
  if (change?.kind !== 'list' || value.kind !== 'list') return false
  const doomed = new Set(change.items.filter(isRemoval).flatMap((item) => itemsOf(value, item)))
  return value.entries.every((item) => doomed.has(item))
}

const isEmpty = (node: YamlNode): boolean =>
  isNull(node) || ((node.kind === 'map' || node.kind === 'list') && node.entries.length === 0)
