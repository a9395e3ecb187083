/** An independently rendered part of a document. `at` is its offset in the document. Math is a displayed formula in TeX. */
export type Block = { readonly at: number; readonly source: string } & (
  | { readonly kind: 'text' | 'math' }
  | { readonly kind: 'code'; readonly language: string; readonly isClosed: boolean }
)

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

const item = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const itemMarkers = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+/
const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/
const footnotePattern = /^ {0,3}\[\^[^\]]+\]:/
const tableRule = /^(?=.*\|)(?=.*-)[ \t|:-]+$/

/** Code fence or formula that a line opens. */
interface BlockOpening {
  readonly kind: 'code' | 'math'
  readonly close: RegExp
  readonly isWhole: boolean
}

function parseFenceOpening(line: string): BlockOpening | undefined {
  const match = /^[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line)
  const mark = match?.[1] ?? match?.[2]
  if (mark === undefined) return undefined
  return { kind: 'code', close: new RegExp(`^[ \\t]*${mark}${mark.charAt(0)}*[ \\t]*$`), isWhole: false }
}

/** Opens a display formula, `$$` or `\[`. A formula followed by text belongs to its paragraph. */
function parseFormulaOpening(line: string): BlockOpening | undefined {
  const match = /^[ \t]*(?:\$\$(?!\$)(.*)|(\\\[)(.*))$/.exec(line)
  if (!match) return undefined
  const mark = match[2] === undefined ? '$$' : '\\]'
  const formulaText = (match[1] ?? match[3] ?? '').trim()
  const end = formulaText.indexOf(mark)
  if (end >= 0 && (end === 0 || end !== formulaText.length - 2)) return undefined
  return { kind: 'math', close: mark === '$$' ? /\$\$[ \t]*$/ : /\\\][ \t]*$/, isWhole: end > 0 }
}

function toBlock(
  raw: string,
  at: number,
  blockOpening: BlockOpening | undefined,
  isSettled: boolean,
): Block | undefined {
  if (raw.trim() === '') return undefined
  if (blockOpening?.kind !== 'code') {
    const formula = raw.trim().slice(2, -2).trim()
    const isFormula = isSettled && formula !== '' && blockOpening?.close.test(raw)
    return isFormula ? { kind: 'math', at, source: formula } : { kind: 'text', at, source: raw.trimEnd() }
  }
  const [firstLine = '', ...lines] = raw.split('\n')
  if (blockOpening.close.test(lines.at(-1) ?? '')) lines.pop()
  const indent = countIndent(firstLine)
  const content = indent === 0 ? lines : lines.map((line) => line.slice(Math.min(indent, line.search(/[^ ]|$/))))
  const language = /^[ \t]*[`~]+[ \t]*([^\s{,]*)/.exec(firstLine)?.[1] ?? ''
  const source = content.join('\n') + (isSettled && content.length > 0 ? '\n' : '')
  return { kind: 'code', at, source, language, isClosed: isSettled }
}

/** Maximum length of a paragraph, quote or table. Longer ones render in parts, and so do lists, between items. */
const maxTextLength = 3_000
/** Maximum length of a list item in characters. Longer items are split at any line. */
const maxItemLength = 12_000
const maxFormulaLength = 4_000
const maxLineLength = 4_000
const maxTableHeadLength = 1_000

/** Cuts a long line after its last space and never inside a character. */
function truncateLine(text: string, start: number): number {
  const end = start + maxLineLength
  const spaceIndex = text.lastIndexOf(' ', end - 1)
  if (spaceIndex > start + maxLineLength / 2) return spaceIndex + 1
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end
}

/** Finds block boundaries line by line, only where later lines cannot change earlier blocks. */
class BlockScanner {
  readonly #text: string
  readonly #blocks: Block[] = []
  /** End of the last block. */
  #end = 0
  /** Head of the table that continues at `#end`. */
  #tableHead = ''
  #kind: 'text' | 'list' | 'indented' = 'text'
  #isAfterBlank = false
  #opening: BlockOpening | undefined
  #inner: BlockOpening | undefined
  #lineCount = 0

  constructor(text: string) {
    this.#text = text
  }

  scan(isGrowing: boolean): { readonly blocks: readonly Block[]; readonly tail: Block | undefined } {
    let lineStart = 0
    while (lineStart < this.#text.length) {
      const lineEnd = this.#text.indexOf('\n', lineStart)
      const isLineTooLong =
        this.#opening?.kind !== 'code' && (lineEnd < 0 ? this.#text.length : lineEnd) - lineStart > maxLineLength
      if (lineEnd < 0 && isGrowing && !isLineTooLong) break
      const lastStart = lineEnd < 0 ? this.#text.length : lineEnd + 1
      const nextStart = isLineTooLong ? truncateLine(this.#text, lineStart) : lastStart
      this.#line(this.#text.slice(lineStart, nextStart).trimEnd(), lineStart, nextStart)
      lineStart = nextStart
    }
    if (!isGrowing) this.#settle(this.#text.length)
    return { blocks: this.#blocks, tail: this.#block(this.#text.length, false) }
  }

  #line(line: string, lineStart: number, nextStart: number): void {
    if (this.#opening) {
      const { kind, close } = this.#opening
      const isCutFormula = kind === 'math' && (line === '' || nextStart - this.#end > maxFormulaLength)
      if (close.test(line) || isCutFormula) this.#settle(nextStart)
    } else if (line === '' && this.#lineCount === 0) this.#end = nextStart
    else if (line === '') this.#isAfterBlank = true
    else if (!this.#inner || !this.#continueInner(this.#inner, line, lineStart)) this.#open(line, lineStart, nextStart)
    if (this.#end < nextStart) this.#lineCount += 1
  }

  /** Whether a line is still inside a fence of a list item. */
  #continueInner({ close }: BlockOpening, line: string, lineStart: number): boolean {
    const isOutside = countIndent(line) < 2 || lineStart - this.#end > maxItemLength
    if (isOutside || close.test(line)) this.#inner = undefined
    return !isOutside
  }

  #open(line: string, lineStart: number, nextStart: number): void {
    const indent = countIndent(line)
    const isBlockContinuation = this.#kind !== 'text' && (indent >= 2 || (this.#kind === 'list' && item.test(line)))
    if (this.#isAfterBlank && !isBlockContinuation) this.#settle(lineStart)
    this.#isAfterBlank = false
    const canOpen = indent < (this.#kind === 'text' ? 4 : 2)
    const blockOpening = canOpen ? (parseFenceOpening(line) ?? parseFormulaOpening(line)) : undefined
    const isHeading = canOpen && heading.test(line)
    // Repeat the header of a table in its next part.
    const head = this.#tableHead
    if (blockOpening || isHeading) this.#settle(lineStart)
    else if (this.#isTooLong(line, lineStart)) {
      this.#settle(lineStart)
      this.#tableHead = head
    }
    this.#opening = blockOpening
    if (isHeading || blockOpening?.isWhole) this.#settle(nextStart)
    else this.#classify(line, indent, nextStart)
  }

  #classify(line: string, indent: number, nextStart: number): void {
    if (this.#lineCount === 0) this.#kind = indent >= 4 || footnotePattern.test(line) ? 'indented' : 'text'
    if (this.#kind === 'text' && item.test(line)) this.#kind = 'list'
    if (this.#kind === 'list') this.#inner = parseFenceOpening(line.replace(itemMarkers, ''))
    if (this.#kind === 'text' && this.#lineCount === 1 && tableRule.test(line)) {
      const head = this.#text.slice(this.#end, nextStart)
      this.#tableHead = head.length <= maxTableHeadLength && head.includes('|') ? head : ''
    }
  }

  #isTooLong(line: string, lineStart: number): boolean {
    const length = lineStart - this.#end
    if (this.#kind === 'text') return length > maxTextLength
    return length > maxItemLength || (length > maxTextLength && item.test(line) && countIndent(line) < 2)
  }

  #settle(nextStart: number): void {
    const block = this.#block(nextStart, true)
    if (block) this.#blocks.push(block)
    this.#end = nextStart
    this.#tableHead = ''
    this.#kind = 'text'
    this.#isAfterBlank = false
    this.#opening = undefined
    this.#inner = undefined
    this.#lineCount = 0
  }

  #block(nextStart: number, isSettled: boolean): Block | undefined {
    const rawText = this.#text.slice(this.#end, nextStart).replaceAll('\r\n', '\n')
    const head = rawText.startsWith(this.#tableHead) ? '' : this.#tableHead
    return toBlock(head + rawText.replace(/\n$/, ''), this.#end, this.#opening, isSettled)
  }
}

/**
 * Splits a document into blocks. While it grows, `blocks` are final and `tail` is the block that may change. Reads the
 * whole text each time, which takes 2 ms for 24,000 tokens.
 */
export const readBlocks = (text: string, isGrowing: boolean) => new BlockScanner(text).scan(isGrowing)

const maxDefinitions = 300

/** Link definitions of a document, by label in lower case. */
export function readDefinitions(blocks: readonly Block[]): ReadonlyMap<string, string> {
  const definitions = new Map<string, string>()
  for (const { kind, source } of blocks) {
    if (kind !== 'text' || !source.includes(']:')) continue
    for (const [line, label = ''] of source.matchAll(/^ {0,3}\[([^\]^[][^\][]{0,99})\]:[ \t]*\S.{0,900}$/gm))
      if (definitions.size < maxDefinitions && !definitions.has(label.toLowerCase()))
        definitions.set(label.toLowerCase(), line)
  }
  return definitions
}

/** The link definitions that a text uses from elsewhere in its document, to append to it. */
export function selectDefinitions(source: string, definitions: ReadonlyMap<string, string>): string {
  if (definitions.size === 0 || !source.includes('[')) return ''
  const texts = source.toLowerCase()
  const usedLines = [...definitions].flatMap(([label, line]) =>
    texts.includes(`[${label}]`) && !source.includes(line) ? [line] : [],
  )
  return usedLines.length === 0 ? '' : `\n\n${usedLines.join('\n')}`
}

const maxPieceLength = 2_000

/** Splits a growing text at line ends into stable pieces. */
export function splitPieces(text: string): readonly { readonly at: number; readonly piece: string }[] {
  const pieces: { at: number; piece: string }[] = []
  for (let start = 0, end = 0; start < text.length; start = end) {
    const lineEnd = text.indexOf('\n', start + maxPieceLength) + 1 || text.length
    end = lineEnd - start > 2 * maxLineLength ? truncateLine(text, start) : lineEnd
    pieces.push({ at: start, piece: text.slice(start, end) })
  }
  return pieces
}

/** Cache that evicts its oldest entries when the total length of its keys exceeds the limit. */
export class BoundedCache<T> {
  readonly #kept = new Map<string, T>()
  #length = 0

  /** `maxLength` is the total length of all keys in characters. */
  constructor(private readonly maxLength: number) {}

  has(text: string): boolean {
    return this.#kept.has(text)
  }

  /** Returns the cached value of a text, or creates and caches it. */
  get(text: string, make: () => T): T {
    const cachedEntry = this.#kept.get(text)
    if (cachedEntry !== undefined) return cachedEntry
    const newEntry = make()
    this.#kept.set(text, newEntry)
    this.#length += text.length
    for (const oldestKey of this.#kept.keys()) {
      if (this.#length <= this.maxLength) break
      this.#kept.delete(oldestKey)
      this.#length -= oldestKey.length
    }
    return newEntry
  }
}
