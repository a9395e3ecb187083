/** A fence or formula that was opened: what closes it, and how far its content is moved in. */
interface Opening {
  readonly mark: string
  readonly indent: number
  /** What follows the mark: the language of a fence, the beginning of a formula. */
  readonly rest: string
}

const tabWidth = 4

/** Columns of white space before a line's first character. */
export function countIndent(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns += 1
    else if (character === '\t') columns += tabWidth - (columns % tabWidth)
    else break
  }
  return columns
}

const isBlank = (line: string): boolean => line.trim() === ''

const marker = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\r?$)/

/** Whether a line begins an item of a list (or may do so). */
const isItem = (line: string): boolean => marker.test(line)

const isHeading = (line: string): boolean => /^ {0,3}#{1,6}(?:[ \t]|\r?$)/.test(line)

/** The fence that a line opens. */
function fenceOf(line: string): Opening | undefined {
  const found = /^([ \t]*)(`{3,}|~{3,})([^\r\n]*)/.exec(line)
  const [, space = '', mark = '', rest = ''] = found ?? []
  if (!found || (mark.startsWith('`') && rest.includes('`'))) return undefined
  return { mark, indent: countIndent(space), rest: rest.trim() }
}

/** The fence that a line opens inside an item, its markers left out. */
const fenceInItem = (line: string): Opening | undefined =>
  fenceOf(line.replace(/^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+/, ''))

/** Whether a line closes a fence. */
function closesFence(line: string, { mark }: Opening): boolean {
  const words = line.trim()
  const character = mark.charAt(0)
  return words.length >= mark.length && words === character.repeat(words.length)
}

/** The displayed formula that a line opens or holds whole; `$$` or `\[`. */
function formulaOf(line: string): (Opening & { readonly isWhole: boolean }) | undefined {
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
const isRule = (line: string): boolean => /^[ \t*_=-]+$/.test(line)

/** Whether a line is the second one of a table. */
const isTableRule = (line: string): boolean => line.includes('|') && /^[ \t|:-]+\r?$/.test(line) && line.includes('-')

/** The label that a line defines for links, in lower case. */
function labelOf(line: string): string | undefined {
  return /^ {0,3}\[([^\]^[][^\][]{0,99})\]:[ \t]*\S/.exec(line)?.[1]?.toLowerCase()
}

/** Whether blank lines do not end what a line begins: indented code and footnotes. */
const beginsIndented = (line: string): boolean => countIndent(line) >= tabWidth || /^ {0,3}\[\^[^\]]+\]:/.test(line)

/** A line without so many columns of white space at its beginning. */
function outdent(line: string, columns: number): string {
  let at = 0
  while (at < columns && line[at] === ' ') at += 1
  return line.slice(at)
}

/** Markdown that stands for itself. `definitions` are link definitions from elsewhere in the document that it speaks of. */
export interface TextBlock {
  readonly kind: 'text'
  readonly source: string
  readonly definitions: string
}

/** A fence of the top level. The segments together are its text; each is small enough to be drawn by itself. */
export interface CodeBlock {
  readonly kind: 'code'
  readonly language: string
  readonly segments: readonly string[]
  /** Whether no more will come. */
  readonly isClosed: boolean
}

/** A displayed formula in TeX. */
interface MathBlock {
  readonly kind: 'math'
  readonly source: string
  readonly isClosed: boolean
}

/** What is too long to be read as Markdown. */
interface PlainBlock {
  readonly kind: 'plain'
  readonly source: string
}

/** A part of a document that is read without the others. */
export type Block = TextBlock | CodeBlock | MathBlock | PlainBlock

/** Blocks that are drawn together; a new object whenever something in it is new. */
export interface BlockSection {
  readonly blocks: readonly Block[]
  /** Characters in it. */
  readonly length: number
}

const sectionBlocks = 12
const sectionLength = 2_000

/** How many characters a block has. */
export const blockLength = (block: Block): number =>
  block.kind === 'code' ? block.segments.reduce((sum, { length }) => sum + length, 0) : block.source.length

/** The sections with one block more: in the last one as long as that is small. */
function withBlock(sections: readonly BlockSection[], block: Block): readonly BlockSection[] {
  const last = sections.at(-1)
  const length = blockLength(block)
  if (!last || last.blocks.length >= sectionBlocks || last.length >= sectionLength)
    return [...sections, { blocks: [block], length }]
  return [...sections.slice(0, -1), { blocks: [...last.blocks, block], length: last.length + length }]
}

/** Parts of a text with where each begins, which is what it is known by: those before it do not change. */
export function placed<T>(parts: readonly T[], length: (part: T) => number): readonly { part: T; at: number }[] {
  let next = 0
  return parts.map((part) => {
    const at = next
    next += length(part) + 1
    return { part, at }
  })
}

const segmentLines = 60
const segmentLength = 4_000

/** The content of a fence as it grows, in segments that do not change once they are full. */
class CodeLines {
  readonly #opening: Opening
  readonly #full: string[] = []
  #last = ''
  #lines = 0
  /** Whether what comes next goes on in the same line. */
  isMidLine = false

  constructor(opening: Opening) {
    this.#opening = opening
  }

  closes(line: string): boolean {
    return closesFence(line, this.#opening)
  }

  /** Adds a line, or with `isPart` the beginning of one that is too long. */
  add(line: string, isPart: boolean): void {
    const words = this.isMidLine ? line : outdent(line, this.#opening.indent)
    this.#last += isPart ? words : `${words}\n`
    this.#lines += 1
    this.isMidLine = isPart
    if (this.#lines < segmentLines && this.#last.length < segmentLength) return
    this.#full.push(this.#last)
    this.#last = ''
    this.#lines = 0
  }

  /** The block as it stands, with the beginning of a line that is not complete. */
  block(partial: string, isClosed = false): CodeBlock {
    const rest = this.#last + (this.isMidLine ? partial : outdent(partial, this.#opening.indent))
    return {
      kind: 'code',
      language: this.#opening.rest.split(/[\s{,]/)[0] ?? '',
      segments: rest === '' ? [...this.#full] : [...this.#full, rest],
      isClosed,
    }
  }
}

/** A document as it is drawn: what is settled, and the last block, which may still grow. */
export interface Reading {
  readonly sections: readonly BlockSection[]
  readonly tail: Block | undefined
}

/** A paragraph, quote or table that is longer is read in several parts. */
const longText = 3_000
/** So is a list, if one item of it is as long. */
const longItem = 12_000
const longFormula = 4_000
const plainPart = 2_000
/** What is repeated in other blocks has an end: the head of a table, and definitions of links. */
const longestHead = 1_000
const longestDefinition = 1_000
const mostDefinitions = 300

type Kind = 'text' | 'list' | 'indented' | 'plain'

interface Formula {
  readonly opening: Opening
  readonly lines: string[]
  length: number
}

/**
 * Finds the borders of blocks in a document that grows, line by line and each line once. A border is set only where what
 * follows cannot change the meaning of what came before; so that the pieces in which a text comes make no difference.
 */
export class BlockReader {
  #sections: readonly BlockSection[] = []
  #lines: string[] = []
  #length = 0
  #kind: Kind = 'text'
  #hasGap = false
  #code: CodeLines | undefined
  #formula: Formula | undefined
  #inner: Opening | undefined
  #tableHead: readonly string[] = []
  readonly #definitions = new Map<string, string>()

  get sections(): readonly BlockSection[] {
    return this.#sections
  }

  /** Takes a whole line, without its end; `isPart` when it is the beginning of one that is too long. */
  line(line: string, isPart = false): void {
    if (this.#code) this.#codeLine(this.#code, line, isPart)
    else if (this.#formula) this.#formulaLine(this.#formula, line)
    else if (!this.#inner || !this.#innerLine(this.#inner, line)) this.#openLine(line)
  }

  #openLine(line: string): void {
    if (isBlank(line)) {
      this.#blankLine()
      return
    }
    if (this.#hasGap && !this.#goesOn(line)) this.#settle()
    if (this.#kind === 'plain' && countIndent(line) < 2) this.#settle()
    if (!this.#opens(line)) this.#textLine(line)
  }

  /** What is not settled, with the beginning of a line that is not complete. */
  tail(partial: string): Block | undefined {
    if (this.#code) return this.#code.block(this.#code.closes(partial) ? '' : partial)
    if (this.#formula)
      return { kind: 'math', source: [...this.#formula.lines, partial].join('\n').trim(), isClosed: false }
    const source = [...this.#lines, partial].join('\n')
    if (isBlank(source)) return undefined
    return this.#kind === 'plain' ? { kind: 'plain', source } : this.#text(source)
  }

  /** Settles what is open: nothing more will come. */
  end(): void {
    if (this.#code) this.#add(this.#code.block('', true))
    this.#code = undefined
    if (this.#formula) this.#giveUp(this.#formula)
    this.#settle()
  }

  #codeLine(code: CodeLines, line: string, isPart: boolean): void {
    if (!code.isMidLine && !isPart && code.closes(line)) {
      this.#add(code.block('', true))
      this.#code = undefined
    } else code.add(line, isPart)
  }

  #formulaLine(formula: Formula, line: string): void {
    const words = line.trim()
    formula.length += line.length
    if (words.endsWith(formula.opening.mark)) {
      formula.lines.push(words.slice(0, -2))
      this.#formula = undefined
      this.#add({ kind: 'math', source: formula.lines.join('\n').trim(), isClosed: true })
      return
    }
    formula.lines.push(line)
    // No formula has an empty line, unless it was never meant to be one.
    if (words === '' || formula.length > longFormula) this.#giveUp(formula)
  }

  #giveUp({ opening, lines }: Formula): void {
    this.#formula = undefined
    const mark = opening.mark === '$$' ? '$$' : '\\['
    this.#add({ kind: 'plain', source: `${mark}${lines.join('\n')}`.trimEnd() })
  }

  /** A line inside a fence of a list's item; false when the line is not in that item. */
  #innerLine(inner: Opening, line: string): boolean {
    const isOut = (!isBlank(line) && countIndent(line) < 2) || this.#length > longItem
    if (isOut || closesFence(line, inner)) this.#inner = undefined
    if (!isOut) this.#push(line)
    return !isOut
  }

  #blankLine(): void {
    if (this.#lines.length === 0) return
    if (this.#kind === 'text') this.#settle()
    else {
      this.#push('')
      this.#hasGap = true
    }
  }

  /** Whether a line after a blank one belongs to what stands before it. */
  #goesOn(line: string): boolean {
    this.#hasGap = false
    if (this.#kind === 'indented') return countIndent(line) >= 4
    return countIndent(line) >= 2 || (this.#kind === 'list' && isItem(line))
  }

  /** Begins what ends everything before it at the top level: a fence, a formula, a heading. */
  #opens(line: string): boolean {
    if (countIndent(line) >= (this.#kind === 'text' ? 4 : 2)) return false
    const fence = fenceOf(line)
    const formula = fence ? undefined : formulaOf(line)
    if (!fence && !formula && !isHeading(line)) return false
    this.#settle()
    if (fence) this.#code = new CodeLines(fence)
    else if (formula?.isWhole) this.#add({ kind: 'math', source: formula.rest, isClosed: true })
    else if (formula) this.#formula = { opening: formula, lines: [formula.rest], length: 0 }
    else this.#add(this.#text(line))
    return true
  }

  #textLine(line: string): void {
    if (this.#isTooLong(line)) this.#break()
    if (this.#lines.length === 0 && this.#kind !== 'plain') this.#kind = beginsIndented(line) ? 'indented' : 'text'
    if (this.#kind === 'text' && isItem(line)) this.#kind = 'list'
    if (this.#kind === 'list') this.#inner = fenceInItem(line)
    if (this.#kind === 'text') this.#note(line)
    this.#push(line)
  }

  #isTooLong(line: string): boolean {
    if (this.#kind === 'plain') return this.#length > plainPart
    if (this.#length <= longText) return false
    return this.#kind === 'text' || (isItem(line) && countIndent(line) < 2) || this.#length > longItem
  }

  /** Sets a border inside a block that is too long: before an item, or a row, whose table begins again with its head. */
  #break(): void {
    const head = this.#tableHead
    const isDeep = this.#kind !== 'text' && this.#length > longItem
    const next = isDeep || this.#kind === 'plain' ? 'plain' : 'text'
    this.#settle()
    this.#kind = next
    for (const line of head) this.#push(line)
    this.#tableHead = head
  }

  /** Remembers a table's head, and what a label stands for. */
  #note(line: string): void {
    const before = this.#lines.at(-1)
    if (before?.includes('|') && this.#lines.length === 1 && isTableRule(line) && line.length <= longestHead)
      this.#tableHead = before.length <= longestHead ? [before, line] : []
    const label = labelOf(line)
    if (label === undefined || this.#definitions.has(label)) return
    if (line.length > longestDefinition || this.#definitions.size >= mostDefinitions) return
    // A definition does not interrupt a paragraph.
    if (before !== undefined && labelOf(before) === undefined && !isRule(before)) return
    this.#definitions.set(label, line)
    this.#sections = this.#sections.map((section) => this.#toldOf(section, label))
  }

  #toldOf(section: BlockSection, label: string): BlockSection {
    const speaks = (block: Block): block is TextBlock =>
      block.kind === 'text' && block.source.toLowerCase().includes(`[${label}]`)
    if (!section.blocks.some(speaks)) return section
    return { ...section, blocks: section.blocks.map((block) => (speaks(block) ? this.#text(block.source) : block)) }
  }

  #text(source: string): TextBlock {
    if (this.#definitions.size === 0 || !source.includes('[')) return { kind: 'text', source, definitions: '' }
    const words = source.toLowerCase()
    const spoken = [...this.#definitions].filter(([label, line]) => words.includes(`[${label}]`) && source !== line)
    return { kind: 'text', source, definitions: spoken.map(([, line]) => line).join('\n') }
  }

  #push(line: string): void {
    this.#lines.push(line)
    this.#length += line.length + 1
  }

  #settle(): void {
    const source = this.#lines.join('\n').trimEnd()
    const isPlain = this.#kind === 'plain'
    this.#lines = []
    this.#length = 0
    this.#kind = 'text'
    this.#hasGap = false
    this.#inner = undefined
    this.#tableHead = []
    if (source !== '') this.#add(isPlain ? { kind: 'plain', source } : this.#text(source))
  }

  #add(block: Block): void {
    if (blockLength(block) > 0 || block.kind === 'code') this.#sections = withBlock(this.#sections, block)
  }
}
