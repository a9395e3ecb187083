import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const attackKinds = ['html', 'links', 'mixed', 'formulas'] as const

/** Attacks on the rendering of a model's answer, by kind. */
export const attacks: readonly { readonly kind: string; readonly text: string }[] = attackKinds.flatMap((kind) =>
  readFileSync(join(import.meta.dirname, '..', 'fixtures', 'xss', `${kind}.txt`), 'utf8')
    .trimEnd()
    .split('\n%%%\n')
    .map((text) => ({ kind, text })),
)

/** Lists forbidden content of an element. Uses no variables from outside, because it runs in a page. */
export function listDangers(root: ParentNode): readonly string[] {
  const allowedTagPattern =
    /^(a|annotation|blockquote|br|button|circle|code|del|div|em|h2|header|hr|li|math|m[a-z]+|ol|p|path|pre|polyline|rect|semantics|span|strong|sup|svg|table|tbody|td|th|thead|tr|ul)$/
  const embedding = /^(src|srcdoc|srcset|background|action|formaction|data|id|name|target|poster|ping|srclang)$/
  return [...root.querySelectorAll('*')].flatMap((element) => {
    const name = element.localName
    const isOurs = name === 'button' || element.closest('svg') !== null
    const isKnown = allowedTagPattern.test(name) && (!isOurs || element.closest('button, a, span') !== null)
    const unsafeAttributes = element.getAttributeNames().filter((attribute) => {
      const value = element.getAttribute(attribute) ?? ''
      if (attribute === 'href') return name !== 'a' || !/^(https?:\/\/|mailto:)/.test(value)
      return /^on|:href$/.test(attribute) || embedding.test(attribute) || /url\(|expression|position/.test(value)
    })
    return [...(isKnown ? [] : [name]), ...unsafeAttributes.map((attribute) => `${name} ${attribute}`)]
  })
}
