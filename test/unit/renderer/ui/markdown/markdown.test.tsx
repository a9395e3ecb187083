import { render, screen } from '@testing-library/react'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { PlainText, recentFrom, splitPieces } from '../../../../../src/renderer/ui/markdown/markdown'
import { readyForDocuments, showDocument } from '../../support/document'

beforeAll(readyForDocuments)

const earlier = 'More once it is there.'
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, at) => `Paragraph ${at}. ${'Some **words** of it. '.repeat(20)}`).join('\n\n')

describe('a text whose end is looked at', () => {
  test('draws its recent part while it grows, and stays as it is when the rest comes', async () => {
    const text = paragraphs(60)
    const { container, show, settled } = showDocument(text.slice(0, 20_000), true, { isFromEnd: true, earlier })
    expect(container.textContent).toContain(earlier)
    for (let end = 20_000; end < text.length; end += 500) {
      show(text.slice(0, end), true)
      expect(container.textContent?.length).toBeGreaterThan(3_000)
      expect(container.textContent?.length).toBeLessThan(11_000)
    }
    const seen = screen.getByText(/^Paragraph 55\./)
    show(text)
    expect(screen.getByText(/^Paragraph 55\./)).toBe(seen)
    expect(container.textContent).not.toContain(earlier)
    const atOnce = await settled()
    const fresh = showDocument(text)
    expect(await fresh.settled()).toBe(atOnce)
  })

  test('is drawn whole while it is short', () => {
    const { container } = showDocument(paragraphs(5), true, { isFromEnd: true, earlier })
    expect(container.textContent).toContain('Paragraph 0.')
    expect(container.textContent).not.toContain(earlier)
  })

  test('has a first part from which on there is enough', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5_000)), (lengths) => {
        const from = recentFrom(lengths)
        const sum = (some: readonly number[]) => some.reduce((all, one) => all + one, 0)
        if (from > 0) expect(sum(lengths.slice(from))).toBeGreaterThanOrEqual(4_000)
        expect(sum(lengths.slice(from + 1))).toBeLessThan(4_000)
      }),
    )
  })
})

describe('a text as it came', () => {
  const texts = fc
    .array(fc.tuple(fc.nat(900), fc.constantFrom('\n', '\n\n', '\r\n', ' ')), { maxLength: 60 })
    .map((lines) => lines.map(([length, end]) => `${'x'.repeat(length)}${end}`).join(''))

  test('has the same pieces however much of it is there, but for the last', () => {
    fc.assert(
      fc.property(texts, fc.nat(), (text, at) => {
        const pieces = splitPieces(text)
        expect(pieces.join('')).toBe(text)
        const before = splitPieces(text.slice(0, at % (text.length + 1))).slice(0, -1)
        expect(pieces.slice(0, before.length)).toEqual(before)
      }),
    )
  })

  test('tells what would turn its words around or not be seen', () => {
    const { container } = render(<PlainText text={'admin\u202Etxt.exe\u200b'} />)
    expect(container.textContent).toBe('admin⟨U+202E⟩txt.exe⟨U+200B⟩')
  })

  test('draws its recent part while it grows, and all of it once it is there', () => {
    const text = paragraphs(60)
    const view = render(<PlainText text={text} isStreaming isFromEnd earlier={earlier} />)
    expect(view.container.textContent?.startsWith(earlier)).toBe(true)
    expect(view.container.textContent?.length).toBeLessThan(11_000)
    view.rerender(<PlainText text={text} isFromEnd earlier={earlier} />)
    expect(view.container.textContent).toBe(text)
  })
})
