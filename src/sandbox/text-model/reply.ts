import { codeBlock } from './snippets'
import { name } from './topics'

/** What the text model is asked: by whom it is called, and the user's last words. */
export interface Question {
  readonly modelCode: string
  readonly prompt: string
}

interface Rule {
  readonly pattern: RegExp
  readonly answer: (found: RegExpExecArray, question: Question) => string
}

const mostItems = 1000
const smallNumbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

const atMost = (count: number): number => Math.min(Math.max(count, 0), mostItems)

function readNumber(word: string): number {
  const spelled = smallNumbers.indexOf(word.toLowerCase())
  return spelled >= 0 ? spelled : Number(word)
}

/** The words to say: what stands in quotes, or all of it without the politeness around it. */
function exactWords(request: string): string {
  const quoted = /^[^"“'‘`]*["“'‘`](.+)["”'’`]/.exec(request)?.[1]
  if (quoted !== undefined) return quoted
  const bare = request
    .replace(
      /^(?:(?:exactly|only|just|the (?:single |one )?(?:words?|text|phrase|following|string))\b(?: is)?[:\s]*)+/i,
      '',
    )
    .replace(/[,\s]+(?:and nothing else|only|exactly|please|in one word)[.!]*$/i, '')
  return bare.replace(/\.$/, '')
}

function countUp(from: number, to: number): string {
  const step = to < from ? -1 : 1
  const numbers = Array.from({ length: atMost(Math.abs(to - from) + 1) }, (_, index) => from + index * step)
  return numbers.join(', ')
}

const numbered = (items: readonly string[]): string => items.map((item, index) => `${index + 1}. ${item}`).join('\n')

function table(request: string): string {
  const rows = atMost(Number(/(\d+)[ -]rows?/i.exec(request)?.[1] ?? 3))
  const topic =
    /\b(?:of|about|with|for)\s+(?:\d+\s+)?(?:rows?\s+(?:of|about|for)\s+)?([\p{L} ]{2,40})/iu.exec(request)?.[1] ??
    'item'
  const lines = name(topic.trim(), rows).map((item, index) => `| ${index + 1} | ${item} | ${item.length} |`)
  return ['| # | Name | Letters |', '| --- | --- | --- |', ...lines].join('\n')
}

/** The beginning of what was asked, on one line. */
function gist(prompt: string): string {
  const line = prompt.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length > 80 ? `${characters.slice(0, 79).join('').trimEnd()}…` : line
}

function otherwise({ modelCode, prompt }: Question): string {
  if (prompt.trim() === '') return `I found no text to answer. I am ${modelCode}, a model of the sandbox.`
  return (
    `You asked: “${gist(prompt)}”. I am the sandbox model ${modelCode}, so this is a practice answer: ` +
    'try “list 5 fruits”, “count to 10”, “a table of cities” or “say hello”.'
  )
}

const rules: readonly Rule[] = [
  {
    pattern:
      /(?:^|[.!?\n]\s*)(?:please |kindly |just |only |now )*(?:say|repeat|echo|(?:reply|respond|answer)(?: only| exactly| just)? with)\b:?\s+(?!an? (?:\S+ )?(?:list|table|code|function|greeting|sentence|word|number|json)\b)([^\n]+)/i,
    answer: (found) => exactWords(found[1] ?? ''),
  },
  {
    pattern: /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^\n]{0,30}$/i,
    answer: (_, { modelCode }) => `Hello! I am ${modelCode}, a model of the sandbox. What shall we try?`,
  },
  {
    pattern: /^\s*(?:xin )?chào(?![\p{L}])[^\n]{0,30}$/iu,
    answer: (_, { modelCode }) => `Xin chào! Tôi là ${modelCode}, một mô hình của sandbox. Chúng ta thử gì nào?`,
  },
  {
    pattern: /\bcount\s+(?:from\s+(\d{1,9})\s+)?(?:up\s+|down\s+)?to\s+(\d{1,9}|\w+)/i,
    answer: (found) => countUp(Number(found[1] ?? 1), readNumber(found[2] ?? '') || 10),
  },
  { pattern: /\btable\b/i, answer: (_, { prompt }) => table(prompt) },
  {
    pattern:
      /\b(?:list|name|suggest|write|give)\s+(?:me\s+)?(\d{1,9}|one|two|three|four|five|six|seven|eight|nine|ten)\s+(\p{L}[\p{L} '-]{0,60})/iu,
    answer: (found) => numbered(name((found[2] ?? '').trim(), atMost(readNumber(found[1] ?? '')))),
  },
  { pattern: /\b(?:code|function|snippet|script)\b/i, answer: (_, { prompt }) => codeBlock(prompt) },
]

/** Coding tools pass a prompt from the command line on in quotes. */
function unwrap(prompt: string): string {
  return /^\s*"((?:[^"\\]|\\.)*)"\s*$/s.exec(prompt)?.[1]?.replaceAll('\\"', '"') ?? prompt
}

/** The answer of the text model: the first rule that fits, always the same for the same question. */
export function reply({ modelCode, prompt }: Question): string {
  const question = { modelCode, prompt: unwrap(prompt) }
  for (const { pattern, answer } of rules) {
    const found = pattern.exec(question.prompt)
    if (found) return answer(found, question)
  }
  return otherwise(question)
}
