/** Text that a spreadsheet may take for a formula, also after spaces and in full width. */
export const formula = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r]/u

/** One line of CSV (RFC 4180); a cell that a spreadsheet could run begins with a quote. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
