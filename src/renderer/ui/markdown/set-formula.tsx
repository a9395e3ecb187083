import type { ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import rehypeKatex from 'rehype-katex'
import { BoundedCache } from './blocks'

interface Tree {
  type: string
  value?: string
  tagName?: string
  properties?: Record<string, unknown>
  children?: Tree[]
}

const settings = { output: 'mathml', strict: 'ignore', trust: false, maxSize: 20, maxExpand: 200 } as const

/** Presentation MathML elements and attributes that KaTeX produces. */
const elements =
  /^(annotation|math|menclose|merror|mfrac|mi|mn|mo|mover|mpadded|mphantom|mroot|mrow|mspace|msqrt|mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|semantics)$/
const attributes =
  /^(accent|accentunder|columnAlign|columnLines|columnSpacing|depth|display|displayStyle|encoding|fence|height|largeOp|lineThickness|lspace|mathBackground|mathColor|mathSize|mathVariant|maxSize|minSize|movableLimits|notation|rowLines|rowSpacing|rspace|scriptLevel|separator|stretchy|symmetric|voffset|width)$/i

/** Length limit for formulas with macros, because each use expands to the whole definition. */
const definition = /\\(?:[egx]?def|let|futurelet|(?:re)?newcommand|providecommand)(?![a-zA-Z])/
const maxLengthWithDefinition = 200
const maxDepth = 100

function listKnownNodes(node: Tree, depth = 0): Tree[] {
  if (depth > maxDepth) throw new RangeError('The formula is nested too deeply')
  if (node.type === 'text') return [node]
  const children = node.children?.flatMap((child) => listKnownNodes(child, depth + 1)) ?? []
  const className = node.properties?.className
  if (Array.isArray(className) && className.includes('katex-error'))
    return [{ type: 'element', tagName: 'code', properties: {}, children }]
  if (!elements.test(node.tagName ?? '')) return children
  const allowedAttributes = Object.entries(node.properties ?? {}).filter(([name]) => attributes.test(name))
  return [{ ...node, properties: Object.fromEntries(allowedAttributes), children }]
}

/** Removes everything except allowlisted MathML from KaTeX's output. */
const keepKnownNodes = () => (tree: Tree) => {
  tree.children = tree.children?.flatMap((child) => listKnownNodes(child)) ?? []
}

const formulaCache = new BoundedCache<ReactNode>(50_000)

function renderFormula(source: string, isDisplayed: boolean): ReactNode {
  if (source.length > maxLengthWithDefinition && definition.test(source)) return source
  const className = ['language-math', isDisplayed ? 'math-display' : 'math-inline']
  const children = [{ type: 'text', value: source }]
  const addFormula = () => (tree: Tree) => {
    tree.children = [{ type: 'element', tagName: 'code', properties: { className }, children }]
  }
  try {
    return ReactMarkdown({
      children: '',
      rehypePlugins: [addFormula, [rehypeKatex, settings], keepKnownNodes],
      urlTransform: () => undefined,
    })
  } catch {
    return source
  }
}

/** Formula as MathML, or its source if it is invalid, too deep or too long. */
export function SetFormula({ source, isDisplayed }: { readonly source: string; readonly isDisplayed: boolean }) {
  return <span>{formulaCache.get(`${isDisplayed}${source}`, () => renderFormula(source, isDisplayed))}</span>
}
