import { render } from '@testing-library/react'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { splitPieces } from '../../../../../src/renderer/ui/markdown/blocks'
import { PlainText } from '../../../../../src/renderer/ui/markdown/markdown'
import { setUpDocumentTests, showDocument } from '../../support/document'

beforeAll(setUpDocumentTests)

test('keeps a complete block in place while the text grows', () => {
  const { container, show } = showDocument('**First**\n\nsecond', true)
  const firstStrongElement = container.querySelector('strong')
  show('**First**\n\nsecond *and more*\n\nthird', true)
  show('**First**\n\nsecond *and more*\n\nthird')
  expect(firstStrongElement).not.toBeNull()
  expect(container.querySelector('strong')).toBe(firstStrongElement)
})

test.each([
  ['before a full stop', '这是**重点。**后面', '重点。'],
  ['before a quotation mark', '他说**“你好”**吗', '“你好”'],
  ['around brackets', '请看**（附录）**内容', '（附录）'],
  ['in Japanese', 'これは**「強調」**です', '「強調」'],
  ['in Korean', '**마크다운(Markdown)**은', '마크다운(Markdown)'],
])('renders emphasis next to CJK punctuation: %s', async (_, text, bold) => {
  const { container, settled } = showDocument(text)
  await settled()
  expect(container.querySelector('strong')?.textContent).toBe(bold)
})

describe('plain text', () => {
  const texts = fc
    .array(fc.tuple(fc.nat(900), fc.constantFrom('\n', '\n\n', '\r\n', ' ')), { maxLength: 60 })
    .map((lines) => lines.map(([length, end]) => `${'x'.repeat(length)}${end}`).join(''))
  const listPieces = (text: string): readonly string[] => splitPieces(text).map(({ piece }) => piece)

  test('keeps all parts but the last when it grows', () => {
    fc.assert(
      fc.property(texts, fc.nat(), (text, offset) => {
        const pieces = listPieces(text)
        expect(pieces.join('')).toBe(text)
        const piecesBefore = listPieces(text.slice(0, offset % (text.length + 1))).slice(0, -1)
        expect(pieces.slice(0, piecesBefore.length)).toEqual(piecesBefore)
      }),
    )
  })

  test('shows characters that hide or reorder words', () => {
    const { container } = render(<PlainText text={'admin\u202Etxt.exe\u200b'} />)
    expect(container.textContent).toBe('admin⟨U+202E⟩txt.exe⟨U+200B⟩')
  })
})
