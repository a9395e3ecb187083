import { withVisibleControls } from '@shared/hidden-characters'
import type { ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import type { TextBlock } from './block'
import { elements } from './elements'
import { type MarkdownNode, withFootnotes } from './footnotes'
import { Kept } from './kept'
import { withDollarMath } from './math-source'
import { cutTree, isReadable } from './reading-limits'

/** HTML is read as the text that it is. */
function withoutHtml(this: { data(): object }): void {
  const data: { micromarkExtensions?: unknown[] } = this.data()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { disable: { null: ['htmlFlow', 'htmlText'] } }]
}

const footnotes = () => (tree: MarkdownNode) => withFootnotes(tree)

const limits = () => (tree: MarkdownNode, file: { readonly value: unknown }) => cutTree(tree, String(file.value))

const allowed = Object.keys(elements)

/** Characters of blocks whose elements are kept, so that a long conversation is read once and not whenever it is scrolled. */
const kept = new Kept<ReactNode>(600_000)

/** What a block is read from. */
export const sourceOf = ({ source, definitions }: TextBlock): string =>
  definitions === '' ? source : `${source}\n\n${definitions}`

/** Markdown as elements, each of a known kind; nothing where it cannot be read. */
export function elementsOf(source: string): ReactNode | undefined {
  if (!isReadable(source)) return undefined
  return ReactMarkdown({
    children: withDollarMath(withVisibleControls(source)),
    remarkPlugins: [withoutHtml, [remarkGfm, { singleTilde: false }], remarkMath, limits, footnotes],
    allowedElements: allowed,
    unwrapDisallowed: true,
    // Addresses are looked at where links are made.
    urlTransform: (url) => url,
    components: elements,
  })
}

/** Whether a block was read before, and is there at once. */
export const isParsed = (block: TextBlock): boolean => kept.has(sourceOf(block))

/** A settled block as elements, the same ones for the same text; nothing where it cannot be read. */
export function parsed(block: TextBlock): ReactNode | undefined {
  const source = sourceOf(block)
  return kept.get(source, () => elementsOf(source))
}
