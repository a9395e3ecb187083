import { AppError } from '@shared/failure'
import type { Span } from './json-tree'
import { sameJson } from './json-value'
import { type Change, type Changes, itemsOf, type ListChange, plain } from './yaml-changes'
import type { YamlDocument } from './yaml-document'
import { entryOf, isNull, jsonOf, type YamlEntry, type YamlNode } from './yaml-node'

/** Throws unless every owned setting is as wanted and everything else, to the letter and in order, is as it was. */
export function proveEdit(before: YamlDocument, after: YamlDocument, changes: Changes): void {
  if (!isDone(after.root, changes)) throw unproven('a setting did not take its value')
  if (unownedOf(before, changes) !== unownedOf(after, changes)) throw unproven('another setting would change')
  if (commentsLeft(before, changes) !== commentsLeft(after, changes)) throw unproven('a comment would change')
}

/** True when two documents say the same beside what is owned, their comments included. */
export function isSameBeside([a, b]: readonly [YamlDocument, YamlDocument], changes: Changes): boolean {
  return unownedOf(a, changes) === unownedOf(b, changes) && commentsLeft(a, changes) === commentsLeft(b, changes)
}

/** Everything that is not owned, to the letter. A collection that only holds what is owned counts as not there. */
function unownedOf({ text, root }: YamlDocument, changes: Changes): string {
  const slice = ({ start, end }: Span): string => text.slice(start, end)
  const mapText = (node: YamlNode, inner: Changes): string => {
    if (node.kind !== 'map') return isNull(node) ? '' : slice(node)
    return node.entries.map((entry) => entryText(entry, inner)).join('')
  }
  const entryText = (entry: YamlEntry, inner: Changes): string => {
    const change = entry.key === undefined || entry.key.isMerge ? undefined : inner.get(entry.key.name)
    if (change === undefined) return `${slice(entry)};`
    const key = JSON.stringify(entry.key?.name ?? '')
    if (change.kind === 'within') return wrapped(key, mapText(entry.value, change.changes))
    return change.kind === 'list' ? wrapped(key, listText(entry.value, change.items)) : ''
  }
  const listText = (node: YamlNode, items: readonly ListChange[]): string => {
    if (node.kind !== 'list') return isNull(node) ? '' : slice(node)
    const owned = new Set(items.flatMap((item) => itemsOf(node, item)))
    return node.entries.flatMap((item) => (owned.has(item) ? [] : [slice(item)])).join(',')
  }
  const wrapped = (key: string, inner: string): string => (inner === '' ? '' : `${key}:{${inner}};`)
  return root === undefined ? '' : mapText(root, changes)
}

function isDone(node: YamlNode | undefined, changes: Changes): boolean {
  return [...changes].every(([name, change]) => isChangeDone(entryOf(node, name)?.value, change))
}

function isChangeDone(value: YamlNode | undefined, change: Change): boolean {
  switch (change.kind) {
    case 'remove':
      return value === undefined
    case 'set':
      return value !== undefined && sameJson(jsonOf(value), plain(change.value))
    case 'list':
      return change.items.every((item) => isItemDone(value, item))
    case 'within':
      return isDone(value, change.changes)
  }
}

function isItemDone(list: YamlNode | undefined, change: ListChange): boolean {
  if (list?.kind !== 'list') return change.kind === 'member' || change.value === undefined
  if (change.kind === 'member') return itemsOf(list, change).length > 0 === change.present
  const wanted = change.value === undefined ? undefined : plain(change.value)
  if (wanted === undefined) return itemsOf(list, change).length === 0
  return list.entries.some(({ value }) => sameJson(jsonOf(value), wanted))
}

/** The comments outside of owned values, in order. */
function commentsLeft({ text, root, comments }: YamlDocument, changes: Changes): string {
  const owned = root === undefined ? [] : ownedSpans(root, changes)
  return comments
    .filter((comment) => !owned.some((span) => span.start <= comment.start && comment.end <= span.end))
    .map(({ start, end }) => text.slice(start, end))
    .join('\n')
}

function ownedSpans(node: YamlNode, changes: Changes): Span[] {
  if (node.kind !== 'map') return []
  return node.entries.flatMap(({ key, value }) => {
    const change = key === undefined ? undefined : changes.get(key.name)
    if (change === undefined) return []
    if (change.kind === 'within') return ownedSpans(value, change.changes)
    if (change.kind !== 'list') return [{ start: value.outer, end: value.end }]
    return value.kind === 'list' ? change.items.flatMap((item) => itemsOf(value, item)) : []
  })
}

function unproven(why: string): AppError {
  return new AppError(
    'internal.unexpected',
    `The file was left alone: after the edit ${why}. This is a bug: report it.`,
  )
}
