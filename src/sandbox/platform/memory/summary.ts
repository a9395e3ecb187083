import type { MemoryEvent } from '../../state/memory-state'
import { sentencesOf, shortened } from './sentences'

const mostQuotes = 4
const longestQuote = 160

const quoted = (sentence: string): string => `“${shortened(sentence, longestQuote)}”`

interface Wording {
  readonly messages: (count: number) => string
  readonly user: string
  readonly assistant: string
}

const english: Wording = {
  messages: (count) => `A conversation of ${count} ${count === 1 ? 'message' : 'messages'}.`,
  user: 'The user said:',
  assistant: 'The assistant last said:',
}

const vietnamese: Wording = {
  messages: (count) => `Cuộc trò chuyện gồm ${count} tin nhắn.`,
  user: 'Người dùng nói:',
  assistant: 'Trợ lý nói sau cùng:',
}

const isVietnamese = (text: string): boolean => /[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỵỷỹ]/iu.test(text)

/** Some of many, from the first to the last at even distances. */
function spread(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= mostQuotes) return sentences
  const step = (sentences.length - 1) / (mostQuotes - 1)
  return Array.from({ length: mostQuotes }, (_, nth) => sentences[Math.round(nth * step)] ?? '')
}

/** The first sentence that is more than a greeting. */
function gistOf(content: string): readonly string[] {
  const sentences = sentencesOf(content)
  const gist = sentences.find((sentence) => sentence.split(' ').length > 2) ?? sentences[0]
  return gist === undefined ? [] : [gist]
}

const gists = (events: readonly MemoryEvent[], role: string): readonly string[] =>
  events.filter((event) => event.role === role).flatMap(({ content }) => gistOf(content))

/** A session in a few lines: how long it is, what the user brought up, and what the assistant said last. */
export function summaryOf(events: readonly MemoryEvent[]): string {
  const asked = [...new Set(spread(gists(events, 'user')))]
  const answered = gists(events, 'assistant').slice(-1)
  const wording = asked.some(isVietnamese) ? vietnamese : english
  const part = (intro: string, sentences: readonly string[]) =>
    sentences.length === 0 ? [] : [intro, ...sentences.map(quoted)]
  return [wording.messages(events.length), ...part(wording.user, asked), ...part(wording.assistant, answered)].join(' ')
}
