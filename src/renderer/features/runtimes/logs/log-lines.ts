import { bareName, fieldOf, foundField, isObject, rowsOf, textOf } from '../../resources/lookup'
import type { Json } from '../../resources/resource'
import { momentOf, timeNames } from '../names'

/** How much a line matters. */
export type Level = 'error' | 'warning' | 'info' | 'debug'

/** A line of a log. */
export interface LogLine {
  /** In ms since 1970; nothing where the line tells none. */
  readonly at: number | undefined
  /** The moment as the line writes it. */
  readonly time: string
  readonly level: Level | undefined
  /** The level as the line writes it. */
  readonly word: string
  readonly text: string
  /** All else that the line says, as `name=value`. */
  readonly rest: string
}

/** The words that logs write for their levels, in small letters. */
const levels: readonly (readonly [Level, readonly string[]])[] = [
  ['error', ['error', 'err', 'fatal', 'critical', 'crit', 'panic', 'severe', 'alert', 'emergency', 'emerg']],
  ['warning', ['warning', 'warn']],
  ['info', ['info', 'information', 'notice', 'log']],
  ['debug', ['debug', 'trace', 'verbose', 'fine']],
]

const levelNames = ['level', 'severity', 'logLevel', 'lvl', 'levelname']
const textNames = ['message', 'msg', 'text', 'log', 'line', 'body', 'content']
const listNames = [
  'lines',
  'logs',
  'entries',
  'items',
  'records',
  'listData',
  'data',
  'content',
  'result',
  'text',
  'log',
  'output',
]

/** In a line that is a text, a level stands near its beginning. */
const levelWithin = 80
const wordInText = new RegExp(
  `\\b(${levels.flatMap(([, words]) => words.filter((word) => word !== 'log')).join('|')})\\b`,
  'i',
)
const timeInText = /^\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)\]?\s*/

/** The level that a word stands for. */
const levelOf = (word: string): Level | undefined => levels.find(([, words]) => words.includes(word.toLowerCase()))?.[0]

function lineOfText(whole: string): LogLine {
  const time = timeInText.exec(whole)
  const text = time ? whole.slice(time[0].length) : whole
  const word = wordInText.exec(text.slice(0, levelWithin))?.[1] ?? ''
  return { at: momentOf(time?.[1]), time: time?.[1] ?? '', level: levelOf(word), word: '', text, rest: '' }
}

/** What a line says beside its moment, its level and its text. */
function restOf(row: { readonly [name: string]: Json }, known: readonly (string | undefined)[]): string {
  const spoken = known.flatMap((name) => (name === undefined ? [] : [bareName(name)]))
  return Object.entries(row)
    .filter(([name, value]) => value !== null && !spoken.includes(bareName(name)))
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .join(' ')
}

function lineOf(row: Json): LogLine {
  if (!isObject(row)) return lineOfText(textOf(row))
  const [time, level, text] = [timeNames, levelNames, textNames].map((names) => foundField(row, names))
  if (!text) return { ...lineOfText(JSON.stringify(row)), at: momentOf(time?.[1]) }
  const word = textOf(level?.[1])
  return {
    at: momentOf(time?.[1]),
    time: textOf(time?.[1]),
    level: levelOf(word),
    word,
    text: textOf(text[1]).replace(/\n+$/, ''),
    rest: restOf(row, [time?.[0], level?.[0], text[0]]),
  }
}

function rowsIn(data: Json | undefined): readonly Json[] {
  if (typeof data === 'string') return data.split(/\r?\n/).filter((line) => line !== '')
  if (Array.isArray(data)) return data
  const found = fieldOf(data, listNames)
  if (typeof found === 'string' || Array.isArray(found)) return rowsIn(found)
  return isObject(found) ? rowsIn(found) : rowsOf(data)
}

/** The oldest first: by their moments where all have one, otherwise as they came. */
function inOrder(lines: readonly LogLine[]): readonly LogLine[] {
  const [first, last] = [lines[0]?.at, lines.at(-1)?.at]
  if (lines.some(({ at }) => at === undefined)) return lines
  const forward = first !== undefined && last !== undefined && first > last ? lines.toReversed() : lines
  return forward.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
}

/** The lines of an answer, the oldest first; of a line whose fields nobody knows, its JSON. */
export const linesOf = (data: Json | undefined): readonly LogLine[] => inOrder(rowsIn(data).map(lineOf))

/** A line as a text, for a file and for what is searched. */
export const textOfLine = ({ time, word, text, rest }: LogLine): string =>
  [time, word, text, rest].filter((part) => part !== '').join(' ')

/** The lines that have a text in them, in capitals or not. */
export function foundLines(lines: readonly LogLine[], find: string): readonly LogLine[] {
  const wanted = find.trim().toLocaleLowerCase()
  if (wanted === '') return lines
  return lines.filter((line) => textOfLine(line).toLocaleLowerCase().includes(wanted))
}

/** A text cut where a word that is looked for stands in it; every second part is one. */
export function partsAround(text: string, find: string): readonly string[] {
  const wanted = find.trim()
  if (wanted === '') return [text]
  return text.split(new RegExp(`(${wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')})`, 'i'))
}
