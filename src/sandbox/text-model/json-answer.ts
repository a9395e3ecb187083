import { readFields, sample } from './fields'
import { atMost, numberPattern, readNumber } from './numbers'

const several = new RegExp(`(?<![\\p{L}\\d])(${numberPattern})\\s+(?!fields?|keys?|columns?|trường|cột)\\p{L}`, 'iu')
const usualRows = 3

/** JSON with the fields that a request names, an array of objects when it asks for several; always parsable, without a fence. */
export function jsonAnswer(request: string): string {
  const fields = readFields(request)
  const names = fields.length > 0 ? fields : ['id', 'name', 'status']
  const row = (index: number) => Object.fromEntries(names.map((field) => [field, sample(field, index)]))
  const count = several.exec(request)?.[1]
  const isList = /\b(?:array|list)\b|(?<!\p{L})(?:mảng|danh sách)(?!\p{L})/iu.test(request)
  if (count === undefined && !isList) return JSON.stringify(row(0), null, 2)
  const rows = count === undefined ? usualRows : atMost(readNumber(count))
  return JSON.stringify(
    Array.from({ length: rows }, (_, index) => row(index)),
    null,
    2,
  )
}
