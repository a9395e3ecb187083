import { ImageText } from './images'

/** How a language writes values that JSON knows. */
export interface LiteralStyle {
  readonly indent: string
  /** After the last item of a list; the empty text where a language forbids it. */
  readonly lastComma: string
  text(text: string): string
  name(name: string): string
  /** A number, a truth value or null. */
  plain(value: unknown): string
  image(image: ImageText): string
}

/** A JSON value as a literal over several lines; the first line is not indented, the others are by `margin`. */
export function literal(value: unknown, style: LiteralStyle, margin = ''): string {
  if (typeof value === 'string') return style.text(value)
  if (value instanceof ImageText) return style.image(value)
  if (typeof value !== 'object' || value === null) return style.plain(value)
  const inner = margin + style.indent
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + literal(item, style, inner))
    return block('[]', items, { margin, style })
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${style.name(name)}: ${literal(member, style, inner)}`,
  )
  return block('{}', members, { margin, style })
}

interface Place {
  readonly margin: string
  readonly style: LiteralStyle
}

function block(brackets: '[]' | '{}', lines: readonly string[], { margin, style }: Place): string {
  if (lines.length === 0) return brackets
  return `${brackets[0]}\n${lines.join(',\n')}${style.lastComma}\n${margin}${brackets[1]}`
}
