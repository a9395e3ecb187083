import { AppError } from '@shared/failure'
import { lineAt, lineStart } from './json-document'
import { type Change, type Changes, itemsOf } from './yaml-changes'
import type { YamlDocument } from './yaml-document'
import { entryOf, isNull, mergedMaps, type YamlCollection, type YamlEntry, type YamlNode } from './yaml-node'

/**
 * Refuses what cannot be edited without guessing: a way through an alias or a merge key, what an alias elsewhere stands
 * for, a set, and a key that does not begin its line (`file.notEditable`: it may well be as its owner wants it); a parent
 * that is no mapping, a list that is none, and several elements that match (`file.unparsable`).
 */
export function refuseUnreachable(document: YamlDocument, changes: Changes): void {
  if (document.root !== undefined) refuseWithin(document, { map: document.root, changes, path: [] })
}

type Place = { readonly map: YamlCollection; readonly changes: Changes; readonly path: readonly string[] }

function refuseWithin(document: YamlDocument, { map, changes, path }: Place): void {
  for (const [name, change] of changes) {
    const entry = entryOf(map, name)
    const at = [...path, name]
    const refuse: Refuse = (reason, offset) => refusal(document, { path: at, reason, offset })
    if (map.isSet) throw refuse('inSet', map.outer)
    if (document.targets.has(map)) throw refuse('underAnchor', map.outer)
    const merge = map.entries.find(
      ({ key, value }) => key?.isMerge && mergedMaps(value).some((each) => has(each, name)),
    )
    if (merge !== undefined && entry === undefined) throw refuse('merged', merge.start)
    if (entry === undefined) continue
    if (!map.flow && (entry.key?.isExplicit || !startsItsLine(document, entry))) throw refuse('unusualKey', entry.start)
    const inner = refuseChange(document, { entry, change, refuse })
    if (inner !== undefined && change.kind === 'within')
      refuseWithin(document, { map: inner, changes: change.changes, path: at })
  }
}

/** What is valid and yet not edited, and what the tool itself could not read. */
const reasons = {
  inSet: { code: 'file.notEditable', what: 'would stand in a set (!!set), whose keys have no values' },
  underAnchor: { code: 'file.notEditable', what: 'stands under an anchor that is used elsewhere' },
  merged: { code: 'file.notEditable', what: 'comes from a merge key' },
  unusualKey: { code: 'file.notEditable', what: 'has its key behind a question mark, an anchor, a tag or another key' },
  usedElsewhere: { code: 'file.notEditable', what: 'is used elsewhere through an anchor' },
  alias: { code: 'file.notEditable', what: 'stands for another value' },
  noObject: { code: 'file.unparsable', what: 'is not an object' },
  noList: { code: 'file.unparsable', what: 'is not a list' },
  twice: { code: 'file.unparsable', what: 'has more than one of the same kind' },
} as const

type Refuse = (reason: keyof typeof reasons, offset: number) => AppError
type Found = { readonly entry: YamlEntry; readonly change: Change; readonly refuse: Refuse }

/** Refuses one change; gives back the mapping to look into next. */
function refuseChange({ targets }: YamlDocument, { entry, change, refuse }: Found): YamlCollection | undefined {
  const { value, start } = entry
  if (change.kind === 'set' || change.kind === 'remove') {
    if (isUsedElsewhere(entry, targets)) throw refuse('usedElsewhere', start)
    return undefined
  }
  if (value.kind === 'alias') throw refuse('alias', value.start)
  if (targets.has(value)) throw refuse('usedElsewhere', start)
  if (isNull(value)) return undefined
  if (change.kind === 'within') {
    if (value.kind !== 'map') throw refuse('noObject', value.start)
    return value
  }
  if (value.kind !== 'list') throw refuse('noList', value.start)
  for (const item of change.items) {
    const [first, second] = itemsOf(value, item)
    if (second !== undefined && item.kind === 'element') throw refuse('twice', second.start)
    if (first === undefined || item.kind === 'member') continue
    if (first.value.kind === 'alias') throw refuse('alias', first.start)
    if (isUsedElsewhere(first, targets)) throw refuse('usedElsewhere', first.start)
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

type Refusal = { readonly path: readonly string[]; readonly reason: keyof typeof reasons; readonly offset: number }

function refusal({ text }: YamlDocument, { path, reason, offset }: Refusal): AppError {
  const field = path.join('.')
  const line = lineAt(text, offset)
  const { code, what } = reasons[reason]
  const remedy =
    code === 'file.notEditable'
      ? 'This app cannot edit that: write the line plainly, or enter the settings by hand.'
      : 'Correct it and try again.'
  return new AppError(code, `The setting ${field} ${what} (line ${line}). ${remedy}`, { field, line })
}
