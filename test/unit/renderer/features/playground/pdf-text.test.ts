import { expect, it } from 'vitest'
import { readPdfText } from '../../../../../src/renderer/features/playground/pdf-text'
import { buildPdf } from '../../../../support/pdf'

it('returns the text of each page with its number', async () => {
  const result = await readPdfText(new Uint8Array(buildPdf('Hello world', '', 'Second page')))
  expect(result).toEqual({ text: '[Page 1]\nHello world\n\n[Page 2]\n\n\n[Page 3]\nSecond page' })
})

it.each([
  ['a scan without text', buildPdf('', ''), 'noText'],
  ['something else', Buffer.from('%PDF-1.4 broken'), 'unreadable'],
])('explains why %s cannot be used', async (_, bytes, problem) => {
  expect(await readPdfText(new Uint8Array(bytes))).toBe(problem)
})

it('rejects a text over the limit', async () => {
  const bytes = new Uint8Array(buildPdf('Hello', 'world'))
  expect(await readPdfText(bytes, 9)).toBe('tooLarge')
})
