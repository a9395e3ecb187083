/** Text that a spreadsheet may run as a formula, even after spaces or as full-width characters. */
export const formula = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r]/u

/** Excel needs the byte order mark to detect UTF-8. */
export const byteOrderMark = '\uFEFF'

/** One line of CSV (RFC 4180). A leading quote protects cells that a spreadsheet would run as a formula. */
export function csvLine(cells: readonly string[]): string {
  const safeCells = cells.map((text) => (formula.test(text) ? `'${text}` : text))
  return `${safeCells.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')}\r\n`
}
