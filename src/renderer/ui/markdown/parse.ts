import { withVisibleControls } from '@shared/hidden-characters'
import type { ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import remarkCjkFriendly from 'remark-cjk-friendly'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import { countIndent } from './blocks'
import { BoundedCache } from './bounded-cache'
import { elements } from './elements'

/** Disables HTML parsing, so that tags appear as text. */
function withoutHtml(this: { data(): object }): void {
  const data: { micromarkExtensions?: unknown[] } = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { disable: { null: ['htmlFlow', 'htmlText'] } }]
}

const footnotes = () => (tree: MarkdownNode) => withFootnotes(tree)

const limits = () => (tree: MarkdownNode, file: { readonly value: unknown }) => cutTree(tree, String(file.value))

const allowed = Object.keys(elements)

/** Cache limit in characters, so that scrolling a long conversation does not reparse it. */
const parseCache = new BoundedCache<ReactNode>(600_000)

/** Renders Markdown to allowlisted elements. Undefined if it cannot be parsed. */
export function renderMarkdown(source: string): ReactNode | undefined {
  if (!isReadable(source)) return undefined
  return ReactMarkdown({
    children: withDollarMath(withVisibleControls(source)),
    remarkPlugins: [withoutHtml, [remarkGfm, { singleTilde: false }], remarkCjkFriendly, remarkMath, limits, footnotes],
    allowedElements: allowed,
    unwrapDisallowed: true,
    // Keep URLs unchanged here, because the link elements validate them.
    urlTransform: (url) => url,
    components: elements,
  })
}

export const isParsed = (source: string): boolean => parseCache.has(source)

/** Renders a complete block, cached by its text. Undefined if it cannot be parsed. */
export const parseMarkdown = (source: string): ReactNode | undefined =>
  parseCache.get(source, () => renderMarkdown(source))

/** Maximum nesting of lists and quotes. Parser, transforms and renderer are recursive. */
const maxContainerDepth = 50
/** Limit for quadratic parsing of emphasis and links: 900 marks take seconds. */
const maxInlineMarks = 500
/** Maximum depth of the parsed tree. */
const maxNodeDepth = 80
/** Cell limit, because short rows are padded to the table width. */
const maxCells = 5_000

const container = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)|\[\^[^\]\s]{1,100}\]:)/y

/** Estimates the nesting depth of a line: each level takes a mark or two columns of indentation. */
function countContainers(line: string): number {
  let depth = 0
  container.lastIndex = 0
  for (let found = container.exec(line); found && depth <= maxContainerDepth; found = container.exec(line))
    depth += 1 + Math.floor(countIndent(found[0]) / 2)
  return depth
}

/** Whether a text parses quickly and without stack overflow. Human-readable text always does. */
function isReadable(source: string): boolean {
  const marks = source.match(/[*_~[]/g)?.length ?? 0
  return marks <= maxInlineMarks && source.split('\n').every((line) => countContainers(line) <= maxContainerDepth)
}

const readSource = ({ position }: MarkdownNode, source: string): string =>
  source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0)

function isTooWide({ type, children = [] }: MarkdownNode): boolean {
  if (type !== 'table') return false
  return children.length * Math.max(0, ...children.map((row) => row.children?.length ?? 0)) > maxCells
}

/** Replaces subtrees that are too deep or wide by their source. */
function cutTree(node: MarkdownNode, source: string, depth = 0): void {
  if (!node.children) return
  node.children = node.children.map((child) => {
    const text: MarkdownNode = { type: 'text', value: readSource(child, source) }
    if (isTooWide(child)) return { type: 'paragraph', children: [text] }
    if (child.children && depth >= maxNodeDepth) return text
    cutTree(child, source, depth + 1)
    return child
  })
}

interface MarkdownNode {
  type: string
  value?: string
  label?: string | null
  identifier?: string
  children?: MarkdownNode[]
  data?: { hName?: string }
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } } | undefined
}

const createFootnoteMark = (label: string): MarkdownNode => ({
  type: 'footnoteMark',
  data: { hName: 'sup' },
  children: [{ type: 'text', value: label }],
})

/** Renders `[^1]` as superscript. */
function withMarks(text: string): MarkdownNode[] {
  const parts = text.split(/\[\^([^\]\s]{1,30})\]/)
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) return [createFootnoteMark(part)]
    return part === '' ? [] : [{ type: 'text', value: part }]
  })
}

function replaceReference(node: MarkdownNode): MarkdownNode[] {
  const label = node.label ?? node.identifier ?? ''
  if (node.type === 'footnoteReference') return [createFootnoteMark(label)]
  if (node.type === 'text' && node.value?.includes('[^')) return withMarks(node.value)
  withFootnotes(node)
  if (node.type !== 'footnoteDefinition') return [node]
  const [first, ...rest] = node.children ?? []
  const mark = [createFootnoteMark(label), { type: 'text', value: ' ' }]
  if (first?.type !== 'paragraph') return [{ type: 'paragraph', children: mark }, ...(node.children ?? [])]
  return [{ ...first, children: [...mark, ...(first.children ?? [])] }, ...rest]
}

/** Renders footnotes in place without links, because blocks are independent of each other. */
function withFootnotes(tree: MarkdownNode): void {
  if (tree.children) tree.children = tree.children.flatMap(replaceReference)
}

const maxTextLength = 2_000

interface Step {
  readonly text: string
  readonly end: number
}

/** Next occurrence of a mark in the same paragraph, or -1. */
function nextInParagraph(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  if (at < 0 || at - from > maxTextLength) return -1
  return /\n[ \t]*\n/.test(source.slice(from, at)) ? -1 : at
}

/** Passes inline code through. An unclosed fence extends to the end. */
function code(source: string, at: number): Step {
  const run = /^`+/.exec(source.slice(at))?.[0] ?? '`'
  for (let from = at + run.length; ; ) {
    const found = source.indexOf(run, from)
    if (found < 0) break
    const end = found + (/^`+/.exec(source.slice(found))?.[0].length ?? 0)
    if (end - found === run.length) return { text: source.slice(at, end), end }
    from = end
  }
  return run.length >= 3 ? { text: source.slice(at), end: source.length } : { text: run, end: at + run.length }
}

/** Converts `\(x\)` and `\[x\]` to dollar math. Keeps other escapes. */
function readEscape(source: string, at: number): Step {
  const pair = source.slice(at, at + 2)
  const formulaMarks: Readonly<Record<string, readonly [string, string]>> = {
    '\\(': ['\\)', '$'],
    '\\[': ['\\]', '$$'],
  }
  const [close, mark] = formulaMarks[pair] ?? []
  const end = close === undefined ? -1 : nextInParagraph(source, close, at + 2)
  const inside = source.slice(at + 2, end).trim()
  if (mark === undefined || end < 0 || inside === '' || /[$`]/.test(inside)) return { text: pair, end: at + 2 }
  return { text: mark + inside + mark, end: end + 2 }
}

/**
 * Passes a dollar formula through. A dollar before a space, or one closed after a space or before a digit, is money.
 */
function dollars(source: string, at: number): Step {
  if (source.startsWith('$$', at)) {
    const end = nextInParagraph(source, '$$', at + 2)
    return end < 0 ? { text: '\\$\\$', end: at + 2 } : { text: source.slice(at, end + 2), end: end + 2 }
  }
  const end = nextInParagraph(source, '$', at + 1)
  const inside = source.slice(at + 1, Math.max(at + 1, end))
  const isFormula = end > at + 1 && !/^\s|[\s\\]$/.test(inside) && !/\d/.test(source.charAt(end + 1))
  return isFormula ? { text: `$${inside}$`, end: end + 1 } : { text: '\\$', end: at + 1 }
}

const readers: Readonly<Record<string, (source: string, at: number) => Step>> = {
  '\\': readEscape,
  '`': code,
  $: dollars,
}

/** Escapes dollars that start no formula, and converts `\(…\)` and `\[…\]` to dollar math. */
function withDollarMath(source: string): string {
  if (!/[$]|\\[([]/.test(source) || source.startsWith('    ')) return source
  const parts: string[] = []
  let at = 0
  while (at < source.length) {
    const next = /[\\`$]/.exec(source.slice(at))
    if (!next) break
    const start = at + next.index
    const step = readers[next[0]]?.(source, start)
    if (!step) break
    parts.push(source.slice(at, start), step.text)
    at = step.end
  }
  return parts.join('') + source.slice(at)
}
