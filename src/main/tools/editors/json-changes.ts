import { AppError } from '@shared/failure'
import type { Node } from 'jsonc-parser'
import { type JsonDocument, lineAt } from './json-document'
import { type Json, membersOf } from './json-value'

/** A property as it stood in another text, to be put back to the letter: its value, and the whole with its name. */
export class RawJson {
  constructor(
    readonly text: string,
    readonly whole: string,
    readonly value: Json,
  ) {}
}

/**
 * One owned setting: its value (undefined removes it), or whether a list holds a member; a list is never created.
 * `path` is made of property names.
 */
export type JsonEdit =
  | { readonly path: readonly string[]; readonly value: Json | RawJson | undefined }
  | { readonly path: readonly string[]; readonly member: string; readonly present: boolean }

/** What happens to one property of an object. */
export type Change =
  | { readonly kind: 'set'; readonly value: Json | RawJson }
  | { readonly kind: 'remove' }
  | { readonly kind: 'member'; readonly member: string; readonly present: boolean }
  | { readonly kind: 'within'; readonly changes: Changes }

/** What happens to an object, by property name. */
export type Changes = Map<string, Change>

/** The edits as a tree. Two edits of one place are a mistake of the caller. */
export function changesOf(edits: readonly JsonEdit[]): Changes {
  const root: Changes = new Map()
  for (const edit of edits) {
    const name = edit.path.at(-1)
    const parent = edit.path.slice(0, -1).reduce(descend, root)
    if (name === undefined || parent.has(name)) throw twice(edit.path)
    parent.set(name, changeOf(edit))
  }
  return root
}

/** Refuses what cannot be edited without guessing: a parent that is no object, a list that is none, a name twice. */
export function refuseUnreachable(document: JsonDocument, changes: Changes): void {
  const check = (node: Node | undefined, inner: Changes, path: readonly string[]): void => {
    for (const [name, change] of inner) {
      const at = [...path, name]
      const found = membersOf(node).filter((member) => member.name === name)
      if (found.length > 1) throw refusal(document, { path: at, node: found[1]?.whole, what: 'appears twice' })
      const value = found[0]?.value
      if (value === undefined) continue
      if (change.kind === 'member' && value.type !== 'array')
        throw refusal(document, { path: at, node: value, what: 'is not a list' })
      if (change.kind !== 'within') continue
      if (value.type !== 'object') throw refusal(document, { path: at, node: value, what: 'is not an object' })
      check(value, change.changes, at)
    }
  }
  check(document.root, changes, [])
}

function descend(parent: Changes, name: string): Changes {
  const existing = parent.get(name)
  if (existing?.kind === 'within') return existing.changes
  if (existing !== undefined) throw twice([name])
  const changes: Changes = new Map()
  parent.set(name, { kind: 'within', changes })
  return changes
}

function changeOf(edit: JsonEdit): Change {
  if ('member' in edit) return { kind: 'member', member: edit.member, present: edit.present }
  return edit.value === undefined ? { kind: 'remove' } : { kind: 'set', value: edit.value }
}

const twice = (path: readonly string[]): Error => new Error(`Two edits own ${path.join('.')}`)

type Refusal = { readonly path: readonly string[]; readonly node: Node | undefined; readonly what: string }

function refusal({ text }: JsonDocument, { path, node, what }: Refusal): AppError {
  const field = path.join('.')
  const line = lineAt(text, node?.offset ?? 0)
  return new AppError('file.unparsable', `The setting ${field} ${what} (line ${line}). Correct it and try again.`, {
    field,
    line,
  })
}
