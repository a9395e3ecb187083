import { AppError } from '@shared/failure'
import { lineAt, lineStart } from './json-document'
import { type Change, type Changes, itemsOf } from './yaml-changes'
import type { YamlDocument } from './yaml-document'
import { entryOf, isNull, mergedMaps, type YamlCollection, type YamlEntry, type YamlNode } from './yaml-node'

/**
 * Refuses what cannot be edited without guessing: a way through an alias or a merge key, a parent that is no mapping, a
 * list that is none, several elements that match, and what an alias elsewhere stands for.
 */
export function refuseUnreachable(document: YamlDocument, changes: Changes): void {
  if (document.root !== undefined) refuseWithin(document, { map: document.root, changes, path: [] })
}

type Place = { readonly map: YamlCollection; readonly changes: Changes; readonly path: readonly string[] }

function refuseWithin(document: YamlDocument, { map, changes, path }: Place): void {
  for (const [name, change] of changes) {
    const entry = entryOf(map, name)
    const at = [...path, name]
    const refuse: Refuse = (what, offset) => refusal(document, { path: at, what, offset })
    if (document.targets.has(map)) throw refuse('stands under an anchor that is used elsewhere', map.outer)
    const merge = map.entries.find(
      ({ key, value }) => key?.isMerge && mergedMaps(value).some((each) => has(each, name)),
    )
    if (merge !== undefined && entry === undefined) throw refuse('comes from a merge key', merge.start)
    if (entry === undefined) continue
    if (!map.flow && (entry.key?.isExplicit || !startsItsLine(document, entry)))
      throw refuse('is written in a way this app does not edit', entry.start)
    const inner = refuseChange(document, { entry, change, refuse })
    if (inner !== undefined && change.kind === 'within')
      refuseWithin(document, { map: inner, changes: change.changes, path: at })
  }
}

type Refuse = (what: string, offset: number) => AppError
type Found = { readonly entry: YamlEntry; readonly change: Change; readonly refuse: Refuse }

/** Refuses one change; gives back the mapping to look into next. */
function refuseChange({ targets }: YamlDocument, { entry, change, refuse }: Found): YamlCollection | undefined {
  const { value, start } = entry
  if (change.kind === 'set' || change.kind === 'remove') {
    if (isUsedElsewhere(entry, targets)) throw refuse('is used elsewhere through an anchor', start)
    return undefined
  }
  if (value.kind === 'alias') throw refuse('stands for another value', value.start)
  if (targets.has(value)) throw refuse('is used elsewhere through an anchor', start)
  if (isNull(value)) return undefined
  if (change.kind === 'within') {
    if (value.kind !== 'map') throw refuse('is not an object', value.start)
    return value
  }
  if (value.kind !== 'list') throw refuse('is not a list', value.start)
  for (const item of change.items) {
    const [first, second] = itemsOf(value, item)
    if (second !== undefined && item.kind === 'element')
      throw refuse('has more than one of the same kind', second.start)
    if (first === undefined || item.kind === 'member') continue
    if (first.value.kind === 'alias') throw refuse('stands for another value', first.start)
    if (isUsedElsewhere(first, targets)) throw refuse('is used elsewhere through an anchor', first.start)
  }
  return undefined
}

const has = (map: YamlCollection, name: string): boolean =>
  map.entries.some(({ key, value }) =>
    key?.isMerge ? mergedMaps(value).some((each) => has(each, name)) : key?.name === name,
  )

function isUsedElsewhere(entry: YamlEntry, targets: YamlDocument['targets']): boolean {
  if (targets.size === 0) return false
  const isUsed = (node: YamlNode): boolean =>
    targets.has(node) || ((node.kind === 'map' || node.kind === 'list') && node.entries.some(isUsedWithin))
  const isUsedWithin = ({ key, value }: YamlEntry): boolean => isUsed(value) || (key !== undefined && isUsed(key.node))
  return isUsedWithin(entry)
}

function startsItsLine({ text }: YamlDocument, { start }: YamlEntry): boolean {
  return /^ *$/.test(text.slice(lineStart(text, start), start))
}

type Refusal = { readonly path: readonly string[]; readonly what: string; readonly offset: number }

function refusal({ text }: YamlDocument, { path, what, offset }: Refusal): AppError {
  const field = path.join('.')
  const line = lineAt(text, offset)
  return new AppError('file.unparsable', `The setting ${field} ${what} (line ${line}). Correct it and try again.`, {
    field,
    line,
  })
}
