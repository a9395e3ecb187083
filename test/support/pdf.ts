/** A PDF with one line of text on each page. An empty text is a page without text, like a scan. */
export function buildPdf(...pages: readonly string[]): Buffer {
  const streams = pages.map((text) => (text === '' ? '' : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`))
  const pageIds = pages.map((_, index) => 4 + 2 * index)
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages.length}/Kids[${pageIds.map((id) => `${id} 0 R`).join(' ')}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...streams.flatMap((stream, index) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + 2 * index} 0 R>>`,
      `<</Length ${stream.length}>>\nstream\n${stream}\nendstream`,
    ]),
  ]
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('')
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<</Root 1 0 R/Size ${objects.length + 1}>>\n%%EOF\n`)
}
