import { readFileSync, writeFileSync } from 'node:fs'

/**
 * @typedef {object} TriedRow result of a real tool in this run
 * @property {string} id
 * @property {string} version
 * @property {string} request verb and path
 * @property {readonly string[]} headers headers with the key
 * @property {string} delivery
 */

const tableStartMark = '<!-- versions tried: written by npm run test:tools -->'
const tableEndMark = '<!-- end of versions tried -->'
const heading = [
  '| Tool | Version | Standard | It requests | Key in | Way to the key | First seen |',
  '|---|---|---|---|---|---|---|',
]

/**
 * Updates the table between the two markers of a page. Rows of other tools stay, and an unchanged row keeps its date.
 * Fails if the page has no markers.
 * @param {string} file
 * @param {readonly TriedRow[]} rows
 * @param {string} day as `2026-11-21`
 */
export function writeTriedTable(file, rows, day) {
  const page = readFileSync(file, 'utf8')
  const tableStart = page.indexOf(tableStartMark)
  const endIndex = page.indexOf(tableEndMark)
  if (tableStart < 0 || endIndex < tableStart)
    throw new Error(`${file} has no markers for the table of tested versions.`)
  const rowsByTool = new Map(tableRows(page.slice(tableStart, endIndex)).map((row) => [splitCells(row)[0], row]))
  for (const row of rows) {
    const line = toLine(row, day)
    const oldRow = rowsByTool.get(row.id)
    if (oldRow === undefined || !isSameExceptDay(oldRow, line)) rowsByTool.set(row.id, line)
  }
  const table = [tableStartMark, ...heading, ...[...rowsByTool.values()].sort(), ''].join('\n')
  const updatedPage = page.slice(0, tableStart) + table + page.slice(endIndex)
  if (updatedPage !== page) writeFileSync(file, updatedPage)
}

/** @param {string} text */
function tableRows(text) {
  return text.split('\n').filter((line) => line.startsWith('|') && !heading.includes(line))
}

/** @param {string} row */
function splitCells(row) {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/**
 * @param {string} old
 * @param {string} line
 */
function isSameExceptDay(old, line) {
  return splitCells(old).slice(0, -1).join('|') === splitCells(line).slice(0, -1).join('|')
}

/**
 * @param {TriedRow} row
 * @param {string} day
 */
function toLine({ id, version, request, headers, delivery }, day) {
  const apiStandards = { '/messages': 'messages', '/responses': 'responses, by the relay' }
  const [, standard = 'chat-completions'] = Object.entries(apiStandards).find(([path]) => request.includes(path)) ?? []
  const cells = [id, version, standard, `\`${request}\``, headers.join(', '), delivery, day]
  return `| ${cells.join(' | ')} |`
}
