import type { ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import rehypeKatex from 'rehype-katex'
import { Kept } from './kept'

/** As much of an element tree as is looked at here. */
interface Tree {
  type: string
  value?: string
  tagName?: string
  properties?: Record<string, unknown>
  children?: Tree[]
}

const settings = { output: 'mathml', strict: 'ignore', trust: false, maxSize: 20, maxExpand: 200 } as const

/** Presentation of MathML, and what KaTeX writes of it. */
const elements =
  /^(annotation|math|menclose|merror|mfrac|mi|mn|mo|mover|mpadded|mphantom|mroot|mrow|mspace|msqrt|mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|semantics)$/
const attributes =
  /^(accent|accentunder|columnAlign|columnLines|columnSpacing|depth|display|displayStyle|encoding|fence|height|largeOp|lineThickness|lspace|mathBackground|mathColor|mathSize|mathVariant|maxSize|minSize|movableLimits|notation|rowLines|rowSpacing|rspace|scriptLevel|separator|stretchy|symmetric|voffset|width)$/i

const isWrong = ({ properties }: Tree): boolean =>
  Array.isArray(properties?.className) && properties.className.includes('katex-error')

function known(node: Tree): Tree[] {
  if (node.type === 'text') return [node]
  const children = node.children?.flatMap(known) ?? []
  if (isWrong(node)) return [{ type: 'element', tagName: 'code', properties: {}, children }]
  if (!elements.test(node.tagName ?? '')) return children
  const given = Object.entries(node.properties ?? {}).filter(([name]) => attributes.test(name))
  return [{ ...node, properties: Object.fromEntries(given), children }]
}

/** Leaves nothing but MathML of known kinds, whatever KaTeX wrote. */
const onlyKnown = () => (tree: Tree) => {
  tree.children = tree.children?.flatMap(known) ?? []
}

const formulaTree = (source: string, isDisplayed: boolean) => (tree: Tree) => {
  const className = ['language-math', isDisplayed ? 'math-display' : 'math-inline']
  const text = { type: 'text', value: source }
  tree.children = [{ type: 'element', tagName: 'code', properties: { className }, children: [text] }]
}

const kept = new Kept<ReactNode>(50_000)

/** A formula as MathML; its source where TeX does not understand it. */
export function SetFormula({ source, isDisplayed }: { readonly source: string; readonly isDisplayed: boolean }) {
  const formula = kept.get(`${isDisplayed}${source}`, () =>
    ReactMarkdown({
      children: '',
      rehypePlugins: [() => formulaTree(source, isDisplayed), [rehypeKatex, settings], onlyKnown],
      urlTransform: () => undefined,
    }),
  )
  return <span>{formula}</span>
}
