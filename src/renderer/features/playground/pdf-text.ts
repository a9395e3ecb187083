import { getDocumentProxy } from 'unpdf'

/** Why the text of a PDF cannot be used. */
export type PdfProblem = 'noText' | 'encrypted' | 'tooLarge' | 'unreadable'

export type PdfResult = { readonly text: string } | PdfProblem

/** Maximum characters of the text. Text attachments have at most 1 MB. */
const maxCharacters = 1_000_000
const maxPages = 2000

/** Text of a PDF with page numbers. Reads page by page, to stop early at the limit. */
export async function readPdfText(bytes: Uint8Array, maxLength = maxCharacters): Promise<PdfResult> {
  try {
    // Text needs no fonts, and the window's content security policy forbids `eval`.
    const pdf = await getDocumentProxy(bytes, { isEvalSupported: false, disableFontFace: true })
    if (pdf.numPages > maxPages) return 'tooLarge'
    const pages: string[] = []
    let length = 0
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const { items } = await (await pdf.getPage(number)).getTextContent()
      const lines = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      const text = lines.join('').trim()
      length += text.length
      if (length > maxLength) return 'tooLarge'
      pages.push(text)
    }
    if (length === 0) return 'noText'
    return { text: pages.map((text, index) => `[Page ${index + 1}]\n${text}`).join('\n\n') }
  } catch (error) {
    return error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'unreadable'
  }
}
