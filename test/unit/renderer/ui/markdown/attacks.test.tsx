import { beforeAll, describe, expect, test } from 'vitest'
import { isDeepRun } from '../../../../support/depth'
import { attacks, listDangers } from '../../../../support/xss'
import { setUpDocumentTests, showDocument } from '../../support/document'

beforeAll(setUpDocumentTests)

describe('untrusted text of a model', () => {
  test.each(attacks)('$kind: $text', async ({ text }) => {
    const { container, settled } = showDocument(text)
    await settled()
    expect(listDangers(container)).toEqual([])
    expect('__ran' in window).toBe(false)
  })

  test('is harmless at every moment of streaming', () => {
    for (const { text } of attacks) {
      const { container, show, unmount } = showDocument('', true)
      for (let end = 1; end <= text.length; end += isDeepRun ? 3 : 61) {
        show(text.slice(0, end), true)
        expect(listDangers(container)).toEqual([])
      }
      unmount()
    }
  })

  test('would be detected if it were rendered as HTML', () => {
    const htmlAttacks = attacks.filter(({ kind, text }) => kind === 'html' && text.startsWith('<'))
    const safeHtml = htmlAttacks.filter(({ text }) => {
      const template = document.createElement('template')
      template.innerHTML = text
      return listDangers(template.content).length === 0
    })
    expect(htmlAttacks.length).toBeGreaterThan(60)
    expect(safeHtml.length).toBeLessThan(12)
  })

  test('keeps its text, and HTML is shown as text', async () => {
    const { container, settled } = showDocument('a <b onclick="x()">**bold**</b> <!-- kept -->\n\n<div>\nblock\n</div>')
    await settled()
    expect(container.textContent).toContain('a <b onclick="x()">bold</b> <!-- kept -->')
    expect(container.textContent).toContain('<div>\nblock\n</div>')
    expect(container.querySelector('strong')?.textContent).toBe('bold')
  })

  test('shows characters that reorder or hide text', async () => {
    const { container, settled } = showDocument('a\u202eb\u0007c\u{e0041}\n\n```js\nlet \u2066x\n```\n`\u200b`')
    await settled()
    expect(container.textContent).toContain('a⟨U+202E⟩b⟨U+0007⟩c⟨U+E0041⟩')
    expect(container.textContent).toContain('let ⟨U+2066⟩x')
    expect(container.textContent).toContain('⟨U+200B⟩')
  })
})
