import { stopWords } from './concepts'
import type { Language } from './language'
import type { Turn } from './question'
import { fold } from './stem'

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
