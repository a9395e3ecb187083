/** A fence or formula that was opened: what closes it, and how far its content is moved in. */
export interface Opening {
  readonly mark: string
  readonly indent: number
  /** What follows the mark: the language of a fence, the beginning of a formula. */
  readonly rest: string
}

const tabWidth = 4

/** Columns of white space before a line's first character. */
export function indentOf(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns += 1
    else if (character === '\t') columns += tabWidth - (columns % tabWidth)
    else break
  }
  return columns
}

export const isBlank = (line: string): boolean => line.trim() === ''

const marker = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\r?$)/

/** Whether a line begins an item of a list (or may do so). */
export const isItem = (line: string): boolean => marker.test(line)

export const isHeading = (line: string): boolean => /^ {0,3}#{1,6}(?:[ \t]|\r?$)/.test(line)

/** The fence that a line opens. */
export function fenceOf(line: string): Opening | undefined {
  const found = /^([ \t]*)(`{3,}|~{3,})([^\r\n]*)/.exec(line)
  const [, space = '', mark = '', rest = ''] = found ?? []
  if (!found || (mark.startsWith('`') && rest.includes('`'))) return undefined
  return { mark, indent: indentOf(space), rest: rest.trim() }
}

/** The fence that a line opens inside an item, its markers left out. */
export const fenceInItem = (line: string): Opening | undefined =>
  fenceOf(line.replace(/^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+/, ''))

/** Whether a line closes a fence. */
export function closesFence(line: string, { mark }: Opening): boolean {
  const words = line.trim()
  const character = mark.charAt(0)
  return words.length >= mark.length && words === character.repeat(words.length)
}

/** The displayed formula that a line opens or holds whole; `$$` or `\[`. */
export function formulaOf(line: string): (Opening & { readonly isWhole: boolean }) | undefined {
  const words = line.trim()
  const mark = words.startsWith('$$') ? '$$' : words.startsWith('\\[') ? '\\]' : undefined
  if (mark === undefined || words.startsWith('$$$')) return undefined
  const inside = words.slice(2)
  const end = inside.indexOf(mark)
  if (end < 0) return { mark, indent: 0, rest: inside.trim(), isWhole: false }
  // Words after the formula: it stands in a paragraph.
  if (end !== inside.length - 2 || end === 0) return undefined
  return { mark, indent: 0, rest: inside.slice(0, end).trim(), isWhole: true }
}

/** Whether a line is drawn across, or makes a heading of what stands above it. */
export const isRule = (line: string): boolean => /^[ \t*_=-]+$/.test(line)

/** Whether a line is the second one of a table. */
export const isTableRule = (line: string): boolean =>
  line.includes('|') && /^[ \t|:-]+\r?$/.test(line) && line.includes('-')

/** The label that a line defines for links, in lower case. */
export function labelOf(line: string): string | undefined {
  return /^ {0,3}\[([^\]^[][^\][]{0,99})\]:[ \t]*\S/.exec(line)?.[1]?.toLowerCase()
}

/** Whether blank lines do not end what a line begins: indented code and footnotes. */
export const beginsIndented = (line: string): boolean => indentOf(line) >= tabWidth || /^ {0,3}\[\^[^\]]+\]:/.test(line)

/** A line without so many columns of white space at its beginning. */
export function outdent(line: string, columns: number): string {
  let at = 0
  while (at < columns && line[at] === ' ') at += 1
  return line.slice(at)
}
