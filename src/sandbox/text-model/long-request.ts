import { type Length, longText } from './long-text'
import { numberPattern, readNumber } from './numbers'
import type { ReadQuestion, Rule } from './question'

const longestLook = 2000
const usualWords = { long: 600, veryLong: 2000, piece: 300, short: 80, told: 120, more: 200 }

const units: readonly (readonly [RegExp, Length['unit']])[] = [
  [/^(?:word|từ|chữ)/i, 'words'],
  [/^(?:sentence|câu)/i, 'sentences'],
  [/^(?:paragraph|đoạn)/i, 'paragraphs'],
]

/** What may follow a topic without being a part of it. */
const afterTopic =
  /\s+(?:in|with|using|of|for)\s+(?:about |around )?(?:\d|a few|one|two|three|english|vietnamese|simple|plain).*$|\s+(?:please|khoảng|bằng tiếng|dài|trong \d|thật).*$|["“”'‘’`*]/giu

const topicPatterns: readonly RegExp[] = [
  /(?:\b(?:about|regarding)|(?<!\p{L})(?:về|nói đến))\s+([^\n.,!?;:]{2,80})/iu,
  /\b(?:words?|essay|story|article|post|summary|paragraphs?|sentences?|answer|text)\s+(?:on|of)\s+([^\n.,!?;:]{2,80})/iu,
  /^\s*(?:please |can you |hãy )*(?:explain|describe|giải thích|mô tả|giới thiệu|tả)\s+(?:to me |cho tôi )?(?:what |how |why )?([^\n.,!?;:]{2,80})/iu,
]

/** What a request is about. */
function topicIn(prompt: string): string | undefined {
  const look = prompt.slice(0, longestLook)
  const found = topicPatterns.map((pattern) => pattern.exec(look)?.[1]).find((topic) => topic !== undefined)
  const topic = found?.replace(afterTopic, '').trim()
  return topic === undefined || /^(?:it|this|that|nó|điều đó|)$/i.test(topic) ? undefined : topic
}

function write(question: ReadQuestion, length: Length): string {
  const { prompt, history, language } = question
  const earlier = history.filter(({ role }) => role === 'user').map(({ text }) => text)
  const topic = [prompt, ...earlier.reverse()].map(topicIn).find((found) => found !== undefined)
  return longText({ language, topic, length, seed: `${history.length} ${prompt}` })
}

const words = (count: number): Length => ({ unit: 'words', count })

/** Whether a number of words is what to write rather than a bound, or something that is worked on. */
const isToBeWritten = (prompt: string): boolean =>
  !/\b(?:or (?:fewer|less)|at most|no more than|refactor|fix|title)\b|tối đa|không quá|tiêu đề/i.test(prompt) &&
  (topicIn(prompt) !== undefined || /\b(?:write|essay|text|story|article|long)\b|viết|bài|truyện/i.test(prompt))

/** Requests that say how long the text shall be. */
export const sizedRules: readonly Rule[] = [
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\d.,-])(${numberPattern})(?:-|\\s+)(words?|sentences?|paragraphs?|từ|chữ|câu|đoạn)(?!\\p{L})(?! mã| code)`,
      'iu',
    ),
    answer: ([, count = '', unit = ''], question) => {
      if (!isToBeWritten(question.prompt.slice(0, longestLook))) return undefined
      const known = units.find(([pattern]) => pattern.test(unit))?.[1] ?? 'words'
      return write(question, { unit: known, count: readNumber(count) })
    },
  },
  {
    pattern:
      /\b(very |really |extremely )?(?:long|lengthy|in-depth) (?:\p{L}+ )?(?:answer|reply|response|text|essay|story|article|explanation|post)\b|\b(?:answer|reply|respond|explain|write) (?:at length|a lot)\b|(?<!\p{L})(?:viết|trả lời|kể|bài|bài viết|bài văn|câu trả lời|câu chuyện|đoạn văn|giải thích) (?:một bài |một câu chuyện )?(?:thật |rất )?dài(?!\p{L})/iu,
    answer: ([found], question) =>
      write(question, words(/very|really|extremely|thật|rất/i.test(found) ? usualWords.veryLong : usualWords.long)),
  },
  {
    pattern:
      /\b(?:write|tell|compose|draft|give|make|need|want)(?: me| us)? (?:an? |the )(?:(short|brief) )?(?:\p{L}+ )?(?:essay|story|article|blog post|paragraph|introduction|speech)\b|(?<!\p{L})(?:viết|kể|soạn)(?: cho tôi)?(?: một| 1)? (?:bài văn|bài viết|bài luận|câu chuyện|đoạn văn|truyện)( ngắn)?(?!\p{L})/iu,
    answer: ([found, short, shortToo], question) => {
      const isShort = (short ?? shortToo) !== undefined || /paragraph|đoạn/i.test(found)
      return write(question, words(isShort ? usualWords.short : usualWords.piece))
    },
  },
]

/** Requests to tell about something, of no said length. */
export const toldRules: readonly Rule[] = [
  {
    pattern:
      /^\s*(?:please |can you |could you |hãy |vui lòng )*(?:explain|describe|(?:tell me|talk|write|say something|say anything)(?: more| something| a bit)? about|what do you (?:know|think) (?:of|about)|giải thích|mô tả|giới thiệu|(?:kể|nói|viết|cho tôi biết)(?: cho tôi)?(?: nghe)?(?: thêm)? về)(?!\p{L})/iu,
    answer: (_, question) =>
      topicIn(question.prompt) === undefined ? undefined : write(question, words(usualWords.told)),
  },
  {
    pattern:
      /^\s*(?:please )?(?:continue|go on|more|tell me more|longer|make it longer|tiếp tục|viết tiếp|kể tiếp|dài hơn)[\s.!]*$/iu,
    answer: (_, question) => (question.history.length === 0 ? undefined : write(question, words(usualWords.more))),
  },
]
