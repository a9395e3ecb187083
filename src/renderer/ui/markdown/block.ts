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
export interface MathBlock {
  readonly kind: 'math'
  readonly source: string
  readonly isClosed: boolean
}

/** What is too long to be read as Markdown. */
export interface PlainBlock {
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
export const lengthOf = (block: Block): number =>
  block.kind === 'code' ? block.segments.reduce((sum, { length }) => sum + length, 0) : block.source.length

/** The sections with one block more: in the last one as long as that is small. */
export function withBlock(sections: readonly BlockSection[], block: Block): readonly BlockSection[] {
  const last = sections.at(-1)
  const length = lengthOf(block)
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
