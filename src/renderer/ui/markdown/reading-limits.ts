import type { MarkdownNode } from './footnotes'
import { indentOf } from './lines'

/** Lists and quotes inside each other: more is not read as Markdown. What reads, turns and draws a tree calls itself at each level. */
const deepestContainer = 50
/** A parser of emphasis and links compares each mark with those before it, and each pair may be a level. */
const mostInlineMarks = 1_000
/** Elements inside each other in a tree that was read. */
const deepestNode = 80
/** A row that is too short is filled up to the width of its table. */
const mostCells = 5_000

const container = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)|\[\^[^\]\s]{1,100}\]:)/y

/** How deep a line can be inside lists, quotes and footnotes: each takes a mark, or two columns below a mark of an earlier line. */
function containersOf(line: string): number {
  let depth = 0
  container.lastIndex = 0
  for (let found = container.exec(line); found && depth <= deepestContainer; found = container.exec(line))
    depth += 1 + Math.floor(indentOf(found[0]) / 2)
  return depth
}

/** Whether a text can be read as Markdown without end of the stack, and in a moment. No text that people read is refused. */
export function isReadable(source: string): boolean {
  const marks = source.match(/[*_~[]/g)?.length ?? 0
  return marks <= mostInlineMarks && source.split('\n').every((line) => containersOf(line) <= deepestContainer)
}

const sourceOf = ({ position }: MarkdownNode, source: string): string =>
  source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0)

function isTooWide({ type, children = [] }: MarkdownNode): boolean {
  if (type !== 'table') return false
  return children.length * Math.max(0, ...children.map((row) => row.children?.length ?? 0)) > mostCells
}

/** Shows as its source what is too deep or too wide in a tree. */
export function cutTree(node: MarkdownNode, source: string, depth = 0): void {
  if (!node.children) return
  node.children = node.children.map((child) => {
    const text: MarkdownNode = { type: 'text', value: sourceOf(child, source) }
    if (isTooWide(child)) return { type: 'paragraph', children: [text] }
    if (child.children && depth >= deepestNode) return text
    cutTree(child, source, depth + 1)
    return child
  })
}
