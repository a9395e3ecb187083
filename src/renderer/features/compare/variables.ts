import { most } from './limits'

/** A stretch of a text: what is sent as it stands, or the place of a variable. */
export interface TextPart {
  readonly kind: 'text' | 'variable'
  readonly text: string
  /** Where it begins. */
  readonly at: number
}

/** `{{name}}`; blanks around the name do not count. Main reads texts the same way. */
const place = /\{\{([^{}]{1,200})\}\}/g

const isName = (name: string): boolean => name !== '' && name.length <= most.nameLength

/** The names of the variables in texts, each once, in the order they come. */
export const variablesIn = (...texts: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(
    texts.flatMap((text = '') => [...text.matchAll(place)].map(([, name = '']) => name.trim()).filter(isName)),
  ),
]

/** A text cut at its variables. */
export function partsOf(text: string): readonly TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const match of text.matchAll(place)) {
    if (!isName((match[1] ?? '').trim())) continue
    if (match.index > at) parts.push({ kind: 'text', text: text.slice(at, match.index), at })
    parts.push({ kind: 'variable', text: match[0], at: match.index })
    at = match.index + match[0].length
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at), at })
  return parts
}

/** The text with what is known of its variables filled in; what is not known stays. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(place, (whole, name: string) =>
    Object.hasOwn(values, name.trim()) ? (values[name.trim()] ?? whole) : whole,
  )
