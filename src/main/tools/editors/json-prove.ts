import { AppError } from '@shared/failure'
import type { Node } from 'jsonc-parser'
import { type Change, type Changes, RawJson } from './json-changes'
import type { JsonDocument, Span } from './json-document'
import { elementsOf, type Json, type Member, memberOf, membersOf, sameJson, toJson } from './json-value'

/** Throws unless every owned setting is as wanted and everything else, to the letter and in order, is as it was. */
export function proveEdit(before: JsonDocument, after: JsonDocument, changes: Changes): void {
  if (!isDone(after.root, changes)) throw unproven('a setting did not take its value')
  const left = [unownedOf(before, changes), unownedOf(after, changes)]
  if (left[0] !== left[1]) throw unproven('another setting would change')
  if (commentsLeft(before, changes) !== commentsLeft(after, changes)) throw unproven('a comment would change')
}

function isDone(node: Node | undefined, changes: Changes): boolean {
  return [...changes].every(([name, change]) => isChangeDone(memberOf(node, name)?.value, change))
}

function isChangeDone(value: Node | undefined, change: Change): boolean {
  switch (change.kind) {
    case 'remove':
      return value === undefined
    case 'set':
      return value !== undefined && sameJson(toJson(value), plain(change.value))
    case 'member':
      return value === undefined || elementsOf(value).some((item) => item.value === change.member) === change.present
    case 'within':
      return isDone(value, change.changes)
  }
}

const plain = (value: Json | RawJson): Json => (value instanceof RawJson ? value.value : value)

/** Everything that is not owned, to the letter. An object that only holds what is owned counts as not there. */
function unownedOf({ text, root }: JsonDocument, changes: Changes): string {
  const slice = (node: Node): string => text.slice(node.offset, node.offset + node.length)
  const objectText = (node: Node, inner: Changes): string =>
    membersOf(node)
      .map((member) => memberText(member, inner))
      .join('')
  const memberText = ({ name, value, whole }: Member, inner: Changes): string => {
    const change = inner.get(name)
    if (change === undefined) return `${JSON.stringify(name)}:${slice(value)};`
    if (change.kind === 'within' && value.type === 'object') return wrap(name, objectText(value, change.changes))
    if (change.kind !== 'member') return change.kind === 'within' ? slice(whole) : ''
    const others = elementsOf(value).filter((item) => item.value !== change.member)
    return `${JSON.stringify(name)}:[${others.map(slice).join(',')}];`
  }
  const wrap = (name: string, text: string): string => (text === '' ? '' : `${JSON.stringify(name)}:{${text}};`)
  return root === undefined ? '' : objectText(root, changes)
}

/** The comments outside of owned settings, in order. */
function commentsLeft({ text, root, comments }: JsonDocument, changes: Changes): string {
  const owned = root === undefined ? [] : ownedSpans(root, changes)
  return comments
    .filter((comment) => !owned.some((span) => span.start <= comment.start && comment.end <= span.end))
    .map(({ start, end }) => text.slice(start, end))
    .join('\n')
}

function ownedSpans(node: Node, changes: Changes): Span[] {
  return membersOf(node).flatMap(({ name, value, whole }) => {
    const change = changes.get(name)
    if (change === undefined || change.kind === 'member') return []
    if (change.kind === 'within') return ownedSpans(value, change.changes)
    return [{ start: whole.offset, end: whole.offset + whole.length }]
  })
}

function unproven(why: string): AppError {
  return new AppError(
    'internal.unexpected',
    `The file was left alone: after the edit ${why}. This is a bug: report it.`,
  )
}
