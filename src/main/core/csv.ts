/** Text that a spreadsheet may run as a formula, even after spaces or as full-width characters. */
export const formula = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r]/u

/** Excel needs the byte order mark to detect UTF-8. */
export const byteOrderMark = '\uFEFF'

/** One line of CSV (RFC 4180). A leading quote protects cells that a spreadsheet would run as a formula. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(text: string): string {
  const safeText = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText
}
