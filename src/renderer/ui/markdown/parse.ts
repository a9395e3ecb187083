import { withVisibleControls } from '@shared/hidden-characters'
import type { ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import remarkCjkFriendly from 'remark-cjk-friendly'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import { BoundedCache, countIndent } from './blocks'
import { elements } from './elements'

/** Disables HTML parsing, so that tags appear as text. */
function withoutHtml(this: { data(): object }): void {
  const data: { micromarkExtensions?: unknown[] } = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { disable: { null: ['htmlFlow', 'htmlText'] } }]
}

const limits = () => (tree: MarkdownNode, file: { readonly value: unknown }) => truncateTree(tree, String(file.value))

/** Cache limit in characters, so that scrolling a long conversation does not reparse it. */
const parseCache = new BoundedCache<ReactNode>(600_000)

/** Renders Markdown to allowlisted elements. Undefined if it cannot be parsed. */
export function renderMarkdown(source: string): ReactNode | undefined {
  if (!isReadable(source)) return undefined
  return ReactMarkdown({
    children: convertDollarMath(withVisibleControls(source)),
    remarkPlugins: [
      withoutHtml,
      [remarkGfm, { singleTilde: false }],
      remarkCjkFriendly,
      remarkMath,
      limits,
      () => withFootnotes,
    ],
    allowedElements: Object.keys(elements),
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
const maxNodeDepth = 80
/** Cell limit, because short rows are padded to the table width. */
const maxCells = 5_000

const container = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)|\[\^[^\]\s]{1,100}\]:)/y

/** Estimates the nesting depth of a line: each level takes a mark or two columns of indentation. */
function countContainers(line: string): number {
  let depth = 0
  container.lastIndex = 0
  for (let match = container.exec(line); match && depth <= maxContainerDepth; match = container.exec(line))
    depth += 1 + Math.floor(countIndent(match[0]) / 2)
  return depth
}

/** Whether a text parses quickly and without stack overflow. Human-readable text always does. */
function isReadable(source: string): boolean {
  const marks = source.match(/[*_~[]/g)?.length ?? 0
  return marks <= maxInlineMarks && source.split('\n').every((line) => countContainers(line) <= maxContainerDepth)
}

const countCells = ({ children = [] }: MarkdownNode): number =>
  children.length * Math.max(0, ...children.map((row) => row.children?.length ?? 0))

/** Replaces subtrees that are too deep or wide by their source. */
function truncateTree(node: MarkdownNode, source: string, depth = 0): void {
  if (!node.children) return
  node.children = node.children.map((child) => {
    const { start, end } = child.position ?? {}
    const text: MarkdownNode = { type: 'text', value: source.slice(start?.offset ?? 0, end?.offset ?? 0) }
    if (child.type === 'table' && countCells(child) > maxCells) return { type: 'paragraph', children: [text] }
    if (child.children && depth >= maxNodeDepth) return text
    truncateTree(child, source, depth + 1)
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
function parseFootnoteMarks(text: string): MarkdownNode[] {
  const parts = text.split(/\[\^([^\]\s]{1,30})\]/)
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) return [createFootnoteMark(part)]
    return part === '' ? [] : [{ type: 'text', value: part }]
  })
}

function replaceReference(node: MarkdownNode): MarkdownNode[] {
  const label = node.label ?? node.identifier ?? ''
  if (node.type === 'footnoteReference') return [createFootnoteMark(label)]
  if (node.type === 'text' && node.value?.includes('[^')) return parseFootnoteMarks(node.value)
  withFootnotes(node)
  if (node.type !== 'footnoteDefinition') return [node]
  const [firstChild, ...rest] = node.children ?? []
  const mark = [createFootnoteMark(label), { type: 'text', value: ' ' }]
  if (firstChild?.type !== 'paragraph') return [{ type: 'paragraph', children: mark }, ...(node.children ?? [])]
  return [{ ...firstChild, children: [...mark, ...(firstChild.children ?? [])] }, ...rest]
}

/** Renders footnotes in place without links, because blocks are independent of each other. */
function withFootnotes(tree: MarkdownNode): void {
  if (tree.children) tree.children = tree.children.flatMap(replaceReference)
}

/**
 * Code, escapes, formulas, and dollars that belong to none of them. A formula is part of one paragraph and has at most
 * 2,000 characters. A dollar before a space, or one closed after a space or before a digit, is money.
 */
const dollarSyntax = new RegExp(
  [
    // Code. A fence that is not closed extends to the end.
    /(`+)(?!`)[\s\S]*?[^`]\1(?!`)|`{3,}[\s\S]*|`+/,
    // `\(…\)` and `\[…\]`, which become dollar formulas, and other escapes.
    /\\\((?<inline>(?:(?!\n[ \t]*\n|\\\))[^$`]){1,2000})\\\)/,
    /\\\[(?<display>(?:(?!\n[ \t]*\n|\\\])[^$`]){1,2000})\\\]/,
    /\\[\s\S]?/,
    // `$$…$$` and `$…$`, which are kept.
    /\$\$(?:(?!\n[ \t]*\n|\$\$)[\s\S]){0,2000}\$\$/,
    /\$(?![\s$])(?:(?!\n[ \t]*\n)[^$]){1,2000}(?<![\s\\])\$(?!\d)/,
    // Other dollars, which are escaped.
    /(?<money>\$\$?)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** Escapes dollars that start no formula, and converts `\(…\)` and `\[…\]` to dollar math. */
function convertDollarMath(source: string): string {
  if (!/[$]|\\[([]/.test(source) || source.startsWith('    ')) return source
  return source.replace(dollarSyntax, (match: string, _ticks?: string, inline = '', display = '', money = '') => {
    if (inline.trim() !== '') return `$${inline.trim()}$`
    if (display.trim() !== '') return `$$${display.trim()}$$`
    return money === '' ? match : money.replaceAll('$', String.raw`\$$`)
  })
}
