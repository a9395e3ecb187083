import { atMost, numberPattern, readNumber } from './numbers'
import type { ReadQuestion, Rule } from './question'
import { knownOf, name } from './topics'

const usualItems = 5

function countUp(from: number, to: number): string {
  const step = to < from ? -1 : 1
  const numbers = Array.from({ length: atMost(Math.abs(to - from) + 1) }, (_, index) => from + index * step)
  return numbers.join(', ')
}

function list(count: number, label: string, { prompt, language }: ReadQuestion): string {
  const items = name(label.trim(), atMost(count), language)
  const isBulleted = /\bbullet|gạch đầu dòng/i.test(prompt)
  return items.map((item, index) => `${isBulleted ? '-' : `${index + 1}.`} ${item}`).join('\n')
}

/** A list of a number that was not said: only of what the model knows. */
function knownList(label: string, question: ReadQuestion): string | undefined {
  const known = knownOf(label)
  return known === 0 ? undefined : list(Math.min(known, usualItems), label, question)
}

const namedCount = new RegExp(
  `(?:\\b(?:list|name|suggest|write|give|show|tell|create|make|find)\\s+(?:me\\s+|of\\s+)?|^\\s*(?:the )?(?=top ))(?:an? (?:\\p{L}+ )?list (?:of|with)\\s+)?(?:the\\s+)?(?:(?:top|best|first)\\s+)?(${numberPattern})\\s+(\\p{L}[\\p{L} '-]{0,60})`,
  'iu',
)
const vietnameseCount = new RegExp(
  `(?<!\\p{L})(?:liệt kê|kể tên|kể|nêu|gợi ý|viết|đưa ra|cho|danh sách)\\s+(?:tôi\\s+|ra\\s+|danh sách\\s+|tên\\s+)*(?:gồm\\s+)?(${numberPattern})\\s+(?:loại\\s+|cái\\s+)?(\\p{L}[\\p{L} '-]{0,60})`,
  'iu',
)

/** Counting. */
export const countRules: readonly Rule[] = [
  {
    pattern:
      /\bcount\s+(?:from\s+(\d{1,9})\s+)?(?:up\s+|down\s+)?to\s+(\d{1,9}|\w+)|(?<!\p{L})đếm\s+(?:từ\s+(\d{1,9})\s+)?(?:xuống\s+|lên\s+)?(?:đến|tới)\s+(\d{1,9}|\p{L}+)/iu,
    answer: ([, from, to, from2, to2]) => countUp(Number(from ?? from2 ?? 1), readNumber(to ?? to2 ?? '') || 10),
  },
]

/** Lists, of a number that is said or of what is known. */
export const listRules: readonly Rule[] = [
  { pattern: namedCount, answer: ([, count = '', label = ''], question) => list(readNumber(count), label, question) },
  {
    pattern: vietnameseCount,
    answer: ([, count = '', label = ''], question) => list(readNumber(count), label, question),
  },
  {
    pattern:
      /\b(?:list|name)\s+(?:(?:me|of|some|the|all|a few|different)\s+)*(\p{L}[\p{L} '-]{0,60})|(?<!\p{L})(?:liệt kê|kể tên|danh sách|gợi ý)\s+(?:(?:một số|một vài|vài|các|những|tên)\s+)*(\p{L}[\p{L} '-]{0,60})/iu,
    answer: ([, label, label2], question) => knownList(label ?? label2 ?? '', question),
  },
]
