import { stopWords } from './embed'
import { fold, type Language, type ReadQuestion, type Rule, type Turn } from './question'

const longestTurn = 2000
const value = '([^\\n.,!?;]{1,60}?)(?=\\s+(?:and|but|và|nhưng)\\s|[\\n.,!?;]|$)'

/** How a person says a fact: the fact's name is `name`, or what the first group holds. */
const nameSaid: readonly RegExp[] = [
  new RegExp(`\\b(?:my name is|my name's|i am called|(?:you can|please|just) call me)\\s+${value}`, 'iu'),
  new RegExp(
    `(?<!\\p{L})(?:tôi tên là|tên tôi là|mình tên là|tên mình là|em tên là|tên em là|hãy gọi tôi là|gọi tôi là)\\s+${value}`,
    'iu',
  ),
]
const factSaid: readonly RegExp[] = [
  new RegExp(`\\bmy\\s+([\\p{L} ]{2,40}?)\\s+(?:is|are)\\s+${value}`, 'giu'),
  new RegExp(`(?<!\\p{L})([\\p{L} ]{2,40}?)\\s+(?:của )?(?:tôi|mình|em)\\s+là\\s+${value}`, 'giu'),
]
const noteSaid =
  /(?:\bremember(?: that|:)?|(?<!\p{L})(?:hãy )?(?:ghi nhớ|nhớ)(?: rằng|:)?)\s+(?!my name|tên)([^\n?]{2,200}?)[.!]*$/imu

const isAsked = (found: string): boolean => /^(?:what|gì|ai)$/i.test(found)
const plainFact = (fact: string): string =>
  fact.toLowerCase().replace('favorite', 'favourite').replace('color', 'colour').trim()

/** What the user said, the latest first. */
const said = ({ prompt, history }: ReadQuestion): readonly string[] =>
  [
    prompt,
    ...history
      .filter(({ role }) => role === 'user')
      .map(({ text }) => text)
      .reverse(),
  ].map((text) => text.slice(0, longestTurn))

function latest(question: ReadQuestion, find: (text: string) => string | undefined): string | undefined {
  for (const text of said(question)) {
    const found = find(text)
    if (found !== undefined) return found
  }
  return undefined
}

/** The name that a text introduces its writer by. */
function nameIn(text: string): string | undefined {
  const found = nameSaid.map((pattern) => pattern.exec(text)?.[1]?.trim()).find((name) => name !== undefined)
  return found === undefined || isAsked(found) ? undefined : found
}

function factIn(text: string, fact: string): string | undefined {
  const all = factSaid.flatMap((pattern) => [...text.matchAll(pattern)])
  return all
    .findLast(([, name = '', held = '']) => plainFact(name).endsWith(plainFact(fact)) && !isAsked(held))?.[2]
    ?.trim()
}

const inWords = (language: Language, en: string, vi: string): string => (language === 'vi' ? vi : en)

function yourName(question: ReadQuestion): string {
  const name = latest(question, nameIn)
  if (name === undefined) {
    return inWords(question.language, 'You have not told me your name yet.', 'Bạn chưa cho tôi biết tên.')
  }
  return inWords(question.language, `Your name is ${name}.`, `Tên bạn là ${name}.`)
}

function yourFact(fact: string, question: ReadQuestion): string | undefined {
  const held = latest(question, (text) => factIn(text, fact))
  return held === undefined
    ? undefined
    : inWords(
        question.language,
        `Your ${fact} is ${held}.`,
        `${fact.charAt(0).toUpperCase()}${fact.slice(1)} của bạn là ${held}.`,
      )
}

function yourNote(question: ReadQuestion): string {
  const note = latest(question, (text) => noteSaid.exec(text)?.[1])
  if (note === undefined) {
    return inWords(question.language, 'You have not asked me to remember anything.', 'Bạn chưa nhờ tôi nhớ điều gì.')
  }
  return inWords(question.language, `You asked me to remember: ${note}.`, `Bạn đã nhờ tôi nhớ: ${note}.`)
}

function earlierTurn(question: ReadQuestion, which: string): string {
  const earlier = said(question).slice(1)
  const text = /first|đầu/i.test(which) ? earlier.at(-1) : earlier[0]
  if (text === undefined) {
    return inWords(question.language, 'This is the first thing you said.', 'Đây là câu đầu tiên của bạn.')
  }
  return inWords(question.language, `You said: “${text.trim()}”`, `Bạn đã nói: “${text.trim()}”`)
}

/** Questions about what was said earlier in the conversation. */
export const recallRules: readonly Rule[] = [
  {
    pattern:
      /\b(?:what(?:'s|’s| is) my name|do you (?:know|remember) my name|who am i)\b|(?:tên tôi là gì|tôi tên là gì|tôi tên gì|tên mình là gì|mình tên gì|tên em là gì|nhớ tên tôi|tôi là ai)/iu,
    answer: (_, question) => yourName(question),
  },
  {
    pattern: /\bwhat did i (?:ask|tell) you to remember\b|tôi (?:đã )?(?:nhờ|bảo) bạn nhớ (?:điều )?gì/iu,
    answer: (_, question) => yourNote(question),
  },
  {
    pattern:
      /\bwhat (?:did i (?:just )?(?:say|ask)|was my (?:last|previous|first) (?:message|question))( first)?|(?:tôi vừa (?:nói|hỏi) gì|câu hỏi (?:trước|đầu tiên) của tôi)/iu,
    answer: ([found], question) => earlierTurn(question, found),
  },
  {
    pattern:
      /\bwhat(?:'s|’s| is| are) my ([\p{L} ]{2,40})\s*\?|(?:^|[.!?\n]\s*)([\p{L} ]{2,40}?) của tôi là (?:gì|ai|bao nhiêu)/iu,
    answer: ([, english, vietnamese], question) => yourFact((english ?? vietnamese ?? '').trim(), question),
  },
]

/** Statements that the model answers by saying that it took note. */
export const noteRules: readonly Rule[] = [
  {
    pattern: new RegExp(nameSaid.map(({ source }) => source).join('|'), 'iu'),
    answer: (_, question) => {
      const name = nameIn(question.prompt.slice(0, longestTurn))
      return name && inWords(question.language, `Nice to meet you, ${name}!`, `Rất vui được gặp bạn, ${name}!`)
    },
  },
  {
    pattern: /^\s*(?:please |hãy )?(?:remember|ghi nhớ|nhớ)(?!\p{L})/iu,
    answer: (_, question) => {
      const note = noteSaid.exec(question.prompt)?.[1]
      return note && inWords(question.language, `I will remember: ${note}.`, `Tôi sẽ nhớ: ${note}.`)
    },
  },
  {
    pattern: /^\s*(?:my [\p{L} ]{2,40}? (?:is|are) |[\p{L} ]{2,40}? của tôi là )[^\n?]{1,80}$/iu,
    answer: (_, { language }) =>
      inWords(language, 'Noted. Ask me about it later.', 'Tôi đã ghi nhớ. Hãy hỏi lại tôi sau nhé.'),
  },
]

const longestText = 50_000
const longestSentence = 240
const kept = 2
const mostTurns = 5

const words = (text: string): readonly string[] =>
  (fold(text).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 3)

const cut = (text: string, length: number): string => {
  const characters = [...text.slice(0, length * 4)]
  return characters.length > length
    ? `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : text
}

/** The two sentences that share most words with the others, in their order; the text itself when it has no more. */
export function summarise(text: string): string {
  const sentences = text
    .slice(0, longestText)
    .split(/(?<=[.!?…])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
  const stops = new Set(stopWords.map(fold))
  const counts = new Map<string, number>()
  for (const word of sentences.flatMap(words)) if (!stops.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const score = (sentence: string) => {
    const own = new Set(words(sentence))
    return [...own].reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / Math.sqrt(own.size + 1)
  }
  const best = new Set(
    sentences
      .map((sentence, index) => ({ index, score: score(sentence) }))
      .sort((a, b) => b.score - a.score || a.index - b.index)
      .slice(0, kept)
      .map(({ index }) => index),
  )
  return sentences
    .filter((_, index) => best.has(index))
    .map((sentence) => cut(sentence, longestSentence))
    .join(' ')
}

/** What the user asked for so far, one line each. */
export function summariseTalk(history: readonly Turn[], language: Language): string | undefined {
  const asked = history.filter(({ role, text }) => role === 'user' && text.trim() !== '').slice(-mostTurns)
  if (asked.length === 0) return undefined
  const head = language === 'vi' ? 'Cho đến giờ bạn đã hỏi:' : 'So far you asked:'
  return [head, ...asked.map(({ text }) => `- ${cut(text.replace(/\s+/g, ' ').trim(), 80)}`)].join('\n')
}
