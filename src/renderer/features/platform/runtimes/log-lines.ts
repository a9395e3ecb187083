import { findField, isObject, type Json, listRows, normalizeName, parseTime, readField, toText } from '../resources'

export interface LogLine {
  /** Time of the log line in ms since 1970. Undefined if the line has none. */
  readonly at: number | undefined
  /** Time of the log line, as written in it. */
  readonly time: string
  readonly level: 'error' | 'warning' | 'info' | 'debug' | undefined
  /** Log level, as written in the line. */
  readonly word: string
  readonly text: string
  /** Fields other than time, level and text, as `name=value`. */
  readonly rest: string
}

/** Lower-case level names of common loggers. */
const levels: readonly (readonly [NonNullable<LogLine['level']>, readonly string[]])[] = [
  ['error', ['error', 'err', 'fatal', 'critical', 'crit', 'panic', 'severe', 'alert', 'emergency', 'emerg']],
  ['warning', ['warning', 'warn']],
  ['info', ['info', 'information', 'notice', 'log']],
  ['debug', ['debug', 'trace', 'verbose', 'fine']],
]

const timeNames = ['timestamp', 'time', 'at', 'ts', '@timestamp', 'date', 'datetime', 'createdAt', 't']
const levelNames = ['level', 'severity', 'logLevel', 'lvl', 'levelname']
const textNames = ['message', 'msg', 'text', 'log', 'line', 'body', 'content']
const logNames = 'lines logs entries items records listData data content result text log output'.split(' ')

/** Number of characters at the start of a plain-text line in which a log level is searched for. */
const maxLevelSearchLength = 80
const levelPattern = new RegExp(
  `\\b(${levels.flatMap(([, levelWords]) => levelWords.filter((word) => word !== 'log')).join('|')})\\b`,
  'i',
)
const leadingTimePattern = /^\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)\]?\s*/

const getLevel = (word: string): LogLine['level'] =>
  levels.find(([, levelWords]) => levelWords.includes(word.toLowerCase()))?.[0]

function parseTextLine(line: string): LogLine {
  const time = leadingTimePattern.exec(line)
  const text = time ? line.slice(time[0].length) : line
  const levelWord = levelPattern.exec(text.slice(0, maxLevelSearchLength))?.[1] ?? ''
  return { at: parseTime(time?.[1]), time: time?.[1] ?? '', level: getLevel(levelWord), word: '', text, rest: '' }
}

function toLogLine(row: Json): LogLine {
  if (!isObject(row)) return parseTextLine(toText(row))
  const [time, level, text] = [timeNames, levelNames, textNames].map((names) => findField(row, names))
  if (!text) return { ...parseTextLine(JSON.stringify(row)), at: parseTime(time?.[1]) }
  const word = toText(level?.[1])
  const usedNames = [time, level, text].flatMap((field) => (field ? normalizeName(field[0]) : []))
  const otherFields = Object.entries(row).filter(
    ([name, value]) => value !== null && !usedNames.includes(normalizeName(name)),
  )
  return {
    at: parseTime(time?.[1]),
    time: toText(time?.[1]),
    level: getLevel(word),
    word,
    text: toText(text[1]).replace(/\n+$/, ''),
    rest: otherFields.map(([name, value]) => `${name}=${toText(value)}`).join(' '),
  }
}

function listLogRows(data: Json | undefined): readonly Json[] {
  if (typeof data === 'string') return data.split(/\r?\n/).filter((line) => line !== '')
  if (Array.isArray(data)) return data
  const listedLines = readField(data, logNames)
  if (typeof listedLines === 'string' || Array.isArray(listedLines)) return listLogRows(listedLines)
  return isObject(listedLines) ? listLogRows(listedLines) : listRows(data)
}

/**
 * Parses log lines. Sorts them, oldest first, if all lines have a time. A line with unknown fields is shown as JSON.
 */
export function readLogLines(data: Json | undefined): readonly LogLine[] {
  const lines = listLogRows(data).map(toLogLine)
  if (lines.some(({ at }) => at === undefined)) return lines
  // Reverse a response that begins with the newest line, so that lines of the same time keep their order.
  const isNewestFirst = (lines[0]?.at ?? 0) > (lines.at(-1)?.at ?? 0)
  return (isNewestFirst ? lines.toReversed() : lines).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
}

/** A log line as text, for saving and searching. */
export const formatLogLine = ({ time, word, text, rest }: LogLine): string =>
  [time, word, text, rest].filter((field) => field !== '').join(' ')

/** Log lines that contain the search text, ignoring case. */
export function foundLines(lines: readonly LogLine[], find: string): readonly LogLine[] {
  const searchText = find.trim().toLocaleLowerCase()
  if (searchText === '') return lines
  return lines.filter((line) => formatLogLine(line).toLocaleLowerCase().includes(searchText))
}
