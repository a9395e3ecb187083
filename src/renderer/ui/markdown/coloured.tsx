import { common, createLowlight } from 'lowlight'
import type { ReactNode } from 'react'
import { Kept } from './kept'

const lowlight = createLowlight(common)
const kept = new Kept<ReactNode>(200_000)

type Content = ReturnType<typeof lowlight.highlight>['children'][number]

function shown(content: Content, key: number): ReactNode {
  if (content.type === 'text') return content.value
  if (content.type !== 'element') return null
  const { className } = content.properties
  return (
    <span key={key} className={Array.isArray(className) ? className.join(' ') : undefined}>
      {content.children.map(shown)}
    </span>
  )
}

/** Code in colours; plain where the language is not known. */
export function Coloured({ language, text }: { readonly language: string; readonly text: string }) {
  const name = language.toLowerCase()
  if (!lowlight.registered(name)) return text
  return kept.get(`${name}\n${text}`, () => lowlight.highlight(name, text).children.map(shown))
}
