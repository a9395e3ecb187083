import { readFields, sample } from './fields'
import type { Language } from './language'
import { atMost, numberPattern, readNumber } from './numbers'
import { name } from './topics'

const usualRows = 3
const rowCount = new RegExp(`(?<![\\p{L}\\d])(${numberPattern})(?:[ -]?rows?\\b|\\s+(?:hàng|dòng)(?!\\p{L}))`, 'iu')
const thingCount = new RegExp(
  `(?:\\btable (?:of|with)|(?<!\\p{L})bảng)\\s+(${numberPattern})\\s+(?!columns?|cột)\\p{L}`,
  'iu',
)
const english = /\b(?:of|about|with|for)\s+(?:\d+\s+)?(?:rows?\s+(?:of|about|for)\s+)?([\p{L} ]{2,40})/iu
const vietnamese = /(?:về|bảng(?: \d+ (?:hàng|dòng))?(?: các| những)?)\s+([\p{L} ]{2,40})/iu

const heads: Readonly<Record<Language, readonly string[]>> = {
  en: ['#', 'Name', 'Letters'],
  vi: ['#', 'Tên', 'Số chữ'],
}
const noTopic: Readonly<Record<Language, string>> = { en: 'item', vi: 'mục' }

const line = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`

function markdown(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A Markdown table: the columns that a request names, or the names of a topic's things. */
export function table(request: string, language: Language): string {
  const count = atMost(readNumber((rowCount.exec(request) ?? thingCount.exec(request))?.[1] ?? String(usualRows)))
  const columns = /\bcolumns?\b|(?<!\p{L})cột(?!\p{L})/iu.test(request) ? readFields(request) : []
  if (columns.length > 0) {
    return markdown(
      columns,
      Array.from({ length: count }, (_, index) => columns.map((column) => sample(column, index))),
    )
  }
  const pattern = language === 'vi' ? vietnamese : english
  const topic = (pattern.exec(request)?.[1] ?? noTopic[language]).replace(/\s+(?:với|with)(?!\p{L}).*$/u, '').trim()
  const things = name(topic, count, language)
  return markdown(
    heads[language],
    things.map((thing, index) => [index + 1, thing, thing.length]),
  )
}
