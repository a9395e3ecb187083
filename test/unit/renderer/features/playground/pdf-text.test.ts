import { expect, it } from 'vitest'
import { readPdfText } from '../../../../../src/renderer/features/playground/pdf-text'
import { buildPdf } from '../../../../support/pdf'

it('rejects a file that is no PDF', async () => {
  expect(await readPdfText(new Uint8Array(Buffer.from('%PDF-1.4 broken')))).toBe('unreadable')
})

it('rejects a text over the limit', async () => {
  const bytes = new Uint8Array(buildPdf('Hello', 'world'))
  expect(await readPdfText(bytes, 9)).toBe('tooLarge')
})
