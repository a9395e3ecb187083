import { common, createLowlight } from 'lowlight'
import type { ReactNode } from 'react'
import { BoundedCache } from './blocks'

const lowlight = createLowlight(common)
const highlightCache = new BoundedCache<ReactNode>(200_000)

/** Maximum nesting of highlighted elements. Deeper ones use the outer color. */
const maxDepth = 30

type Content = ReturnType<typeof lowlight.highlight>['children'][number]

/** Iterative, because the tree may be too deep for recursion. */
function extractText(content: Content): string {
  const pendingContents = [content]
  const texts: string[] = []
  for (let node = pendingContents.pop(); node; node = pendingContents.pop()) {
    if (node.type === 'text') texts.push(node.value)
    else if (node.type === 'element') pendingContents.push(...node.children.toReversed())
  }
  return texts.join('')
}

function renderContent(content: Content, key: number, depth: number): ReactNode {
  if (content.type === 'text') return content.value
  if (content.type !== 'element') return null
  if (depth > maxDepth) return extractText(content)
  const { className } = content.properties
  return (
    <span key={key} className={Array.isArray(className) ? className.join(' ') : undefined}>
      {content.children.map((child, index) => renderContent(child, index, depth + 1))}
    </span>
  )
}

export function HighlightedCode({ language, text }: { readonly language: string; readonly text: string }) {
  const name = language.toLowerCase()
  if (!lowlight.registered(name)) return text
  return highlightCache.get(`${name}\n${text}`, () =>
    lowlight.highlight(name, text).children.map((child, index) => renderContent(child, index, 0)),
  )
}
