/**
 * @typedef {{ median: number, min: number, max: number, values: readonly number[] }} Spread
 *
 * @typedef {object} Row the app beside something bare
 * @property {string} name
 * @property {string} unit
 * @property {{ max: number } | { min: number } | undefined} goal of the ratio
 * @property {Spread} bare
 * @property {Spread} app
 * @property {number} ratio of the medians
 */

/**
 * The median and the range of some values.
 * @param {readonly number[]} values
 * @returns {Spread}
 */
export function summarize(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const [min = Number.NaN] = sorted
  const maxValue = sorted.at(-1) ?? Number.NaN
  const lowerMiddle = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  const upperMiddle = sorted[Math.ceil((sorted.length - 1) / 2)] ?? Number.NaN
  return { median: (lowerMiddle + upperMiddle) / 2, min, max: maxValue, values }
}

/**
 * @param {Pick<Row, 'name' | 'unit' | 'goal'>} of
 * @param {{ bare: readonly number[], app: readonly number[] }} values
 * @returns {Row}
 */
export function getRow(of, values) {
  const [bare, app] = [summarize(values.bare), summarize(values.app)]
  return { ...of, bare, app, ratio: app.median / bare.median }
}

/**
 * Formats a spread as "700 (562 to 801)".
 * @param {Spread} spread
 */
function formatSpread({ median, min, max }) {
  return `${Math.round(median)} (${Math.round(min)} to ${Math.round(max)})`
}

/**
 * Formats rows with their ratios, and whether these reach their goals.
 * @param {readonly Row[]} rows
 */
export function rowTable(rows) {
  const cells = rows.map(({ name, unit, goal, bare, app, ratio }) => [
    unit === '' ? name : `${name}, ${unit}`,
    formatSpread(bare),
    formatSpread(app),
    ratio.toFixed(2),
    judgeRatio(ratio, goal),
  ])
  return table([['median (range)', 'bare', 'app', 'ratio', ''], ...cells])
}

/**
 * @param {number} ratio
 * @param {Row['goal']} goal
 */
function judgeRatio(ratio, goal) {
  if (goal === undefined) return ''
  const isGoalReached = isGoalMet({ ratio, goal })
  const goalValue = Number(('max' in goal ? goal.max : goal.min).toFixed(2))
  return `${isGoalReached ? 'within' : 'max' in goal ? 'over' : 'below'} the goal of ${goalValue}`
}

/**
 * Whether a row reaches its goal. A row without a goal does.
 * @param {Pick<Row, 'ratio' | 'goal'>} row
 */
export function isGoalMet({ ratio, goal }) {
  if (goal === undefined) return true
  return 'max' in goal ? ratio <= goal.max : ratio >= goal.min
}

/**
 * Aligns columns, the first to the left, the others to the right.
 * @param {readonly (readonly string[])[]} rows
 */
export function table(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const cell = (/** @type {string} */ text, /** @type {number} */ column) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(cell).join('   ').trimEnd())
}
