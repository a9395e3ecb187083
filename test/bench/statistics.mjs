/** @typedef {{ median: number, least: number, most: number, values: readonly number[] }} Spread */

/**
 * The median and the range of some values.
 * @param {readonly number[]} values
 * @returns {Spread}
 */
export function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const [least = Number.NaN] = sorted
  const most = sorted.at(-1) ?? Number.NaN
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  const high = sorted[Math.ceil((sorted.length - 1) / 2)] ?? Number.NaN
  return { median: (low + high) / 2, least, most, values }
}

/**
 * A spread as it is printed: "700 (562 to 801)".
 * @param {Spread} spread
 */
export function printSpread({ median, least, most }) {
  return `${Math.round(median)} (${Math.round(least)} to ${Math.round(most)})`
}

/**
 * Rows in aligned columns, the first to the left, the others to the right.
 * @param {readonly (readonly string[])[]} rows
 */
export function table(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const cell = (/** @type {string} */ text, /** @type {number} */ column) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(cell).join('   ').trimEnd())
}
