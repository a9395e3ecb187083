import type { Failure, Result } from '@shared/failure'
import {
  isHarmlessSetting,
  isPasswordSetting,
  isSecretArgument,
  isSecretSetting,
  MASKED,
  maskSecretForms,
  splitWords,
} from '../../core/secret'
import { replaceRange, splice, type TextEdit } from './editor'
import type { Span } from './text'
import type { Entry, ScalarNode, TreeDocument, TreeNode } from './tree'

/** Variable names, placeholders and commands that refer to a secret without containing it. */
const references: readonly RegExp[] = [
  /^(?:(?:bearer|basic)\s+)?(?:\{(?:env|file):[^}]*\}|\$\{\{[^}]*\}\}|\$\{[^}]*\}|\$[A-Za-z_]\w*|%\w+%)$/i,
  /^(?:!|\$\()["']?[^"'|;&$`]*["']? key print --plan [\w-]+ --key [\w-]+\)?$/,
]

/** A value with its source text (`raw`) and the property names around it. `whole`: the completely masked value. */
type MaskedValue = {
  readonly raw: string
  readonly value: unknown
  readonly names: readonly string[]
  readonly whole: string
}

export function maskValue({ raw, value, names, whole }: MaskedValue): string {
  if (typeof value !== 'string') return typeof value === 'number' && names.some(isPasswordSetting) ? whole : raw
  if (value === '' || references.some((reference) => reference.test(value))) return raw
  const hasSecretName = names.some(isSecretSetting) && !names.slice(-1).some(isHarmlessSetting)
  const nameWords = splitWords(names.at(-1) ?? '')
  const isTokenCount = /^\d{1,9}$/.test(value) && nameWords.includes('tokens')
  // A setting such as `envKey` contains the name of a variable.
  const isVariableName = /^[A-Z][A-Z0-9_]*$/.test(value) && nameWords.includes('env')
  if (hasSecretName && !isTokenCount && !isVariableName) return whole
  const maskedForms = maskSecretForms(raw)
  if (maskedForms !== raw) return maskedForms
  const isSecret = isSecretArgument(value, names.at(-1)) || maskSecretForms(value) !== value
  return isSecret ? whole : raw
}

/** Differences of a format. */
type MaskOptions = {
  /** The value of a scalar, and its completely masked text with the same number of lines. Default: in quotes. */
  readonly describe?: (node: ScalarNode, raw: string) => Pick<MaskedValue, 'value' | 'whole'>
  readonly maskComment?: (raw: string, span: Span) => string
}

/** Masks values of secret names and secret-like texts. Keeps the number of lines. Hides all lines of an invalid text. */
export function maskText(source: string, document: Result<TreeDocument, Failure>, options: MaskOptions = {}): string {
  if (!document.ok) return source.replace(/[^\r\n]+/g, MASKED)
  const { bom, text, root, comments } = document.value
  const { describe = describeQuoted, maskComment = maskSecretForms } = options
  const edits = new Map<number, TextEdit>()
  const seenAliases = new Set<TreeNode>()
  const mask = (span: Span, getContent: (raw: string) => string): void => {
    const raw = text.slice(span.start, span.end)
    const content = getContent(raw)
    const previous = edits.get(span.start)
    // An alias gives a value a second name. The shorter text hides more.
    if (content !== raw && (previous === undefined || content.length < previous.content.length))
      edits.set(span.start, replaceRange(span.start, span.end, content))
  }
  const maskNode = (node: TreeNode, names: readonly string[]): void => {
    if (node.kind === 'scalar') {
      if (node.end > node.start) mask(node, (raw) => maskValue({ raw, names, ...describe(node, raw) }))
    } else if (node.kind === 'alias') {
      if (seenAliases.has(node)) return
      seenAliases.add(node)
      maskNode(node.target, names)
    } else for (const [index, entry] of node.entries.entries()) maskEntry(entry, names, node.entries[index - 1])
  }
  const maskEntry = (entry: Entry, names: readonly string[], previous: Entry | undefined): void => {
    const { key, value } = entry
    if (key !== undefined && key.node.kind !== 'alias') maskNode(key.node, [])
    maskNode(value, listNames(entry, names, previous))
  }
  for (const comment of comments) mask(comment, (raw) => maskComment(raw, comment))
  if (root !== undefined) maskNode(root, [])
  return bom + splice(text, [...edits.values()])
}

const describeQuoted = ({ value }: ScalarNode, raw: string) => ({ value, whole: `"${MASKED}"${lineBreaksIn(raw)}` })

export const lineBreaksIn = (raw: string): string => (raw.match(/\r\n|\n|\r/g) ?? []).join('')

/** Names of a value. In a list of arguments, an option such as `--api-key` is the name of the item after it. */
function listNames({ key }: Entry, names: readonly string[], previous: Entry | undefined): readonly string[] {
  if (key !== undefined) return key.isMerge ? names : [...names, key.name]
  const option = previous?.value.kind === 'scalar' ? String(previous.value.value) : ''
  if (!option.startsWith('-')) return names
  return names.slice(-1).some(isHarmlessSetting) ? [option] : [...names, option]
}
