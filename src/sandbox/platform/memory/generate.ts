import { randomUUID } from 'node:crypto'
import type { Memory, MemoryEvent, MemoryRecord, Strategy, StrategyType } from '../../state/world'
import { type Call, notFound, okReply, type Reply, requireParameter, toCreatedReply } from '../operation'
import { appendRecords, findSession, requireMemory, type SessionKey, withMemory } from './memories'

const minWords = 3

const buildChoicePattern = (phrases: string): string =>
  `(?:${phrases.trim().replace(/\s+/g, ' ').split(', ').join('|')})(?![\\p{L}\\p{N}])`

/** Interjections before a statement that carry no content. */
const interjections = `
  yes, no, yeah, well, ok, okay, sure, hi, hello, hey, thanks, thank you, great, actually, also, by the way, fyi,
  xin chào, chào, chào bạn, chào em, chào anh, chào chị, vâng, dạ, ừ, à, cảm ơn, cảm ơn bạn, nhân tiện
`

/** Starts of greetings, requests and remarks, which contain no lasting facts. */
const questionOpenings = `
  please, can, could, would, will, should, shall, may, show, list, write, give, tell, make, help, explain,
  summarize, summarise, translate, find, create, generate, compare, describe, count, let's, let me, try, fix,
  check, add, remove, run, use, send, do, don't, does, did, is, are, what, how, why, when, where, who, which, hi,
  hello, hey, thanks, thank, ok, okay, good morning, good evening, always, never, that, this, it, it's, that's,
  these, those, there, so, great, nice, perfect, sounds, hãy, xin, làm ơn, vui lòng, giúp, cho tôi, cho mình, cho
  em, viết, liệt kê, giải thích, tóm tắt, dịch, tìm, tạo, so sánh, kể, chào, cảm ơn, đừng, luôn, tại sao, vì sao,
  thế nào, làm sao, đó, điều đó, cái này, thế, vậy, được rồi
`

const interjectionPattern = new RegExp(`^(?:${buildChoicePattern(interjections)}\\s*[,!.:–-]\\s*)+`, 'iu')
const openingPattern = new RegExp(`^${buildChoicePattern(questionOpenings)}`, 'iu')

const isFact = (sentence: string): boolean =>
  !sentence.endsWith('?') && !openingPattern.test(sentence) && sentence.split(' ').length >= minWords

/** Extracts statements from an English or Vietnamese message. Skips questions, requests and greetings. */
export const splitFactSentences = (content: string): readonly string[] =>
  splitSentences(content)
    .map((sentence) => sentence.replace(interjectionPattern, ''))
    .filter(isFact)
    .map(toSentence)

const maxQuotes = 4
const maxQuoteLength = 160

const quoteSentence = (sentence: string): string => `“${shorten(sentence, maxQuoteLength)}”`

interface Wording {
  readonly messages: (count: number) => string
  readonly user: string
  readonly assistant: string
}

const englishWording: Wording = {
  messages: (count) => `A conversation of ${count} ${count === 1 ? 'message' : 'messages'}.`,
  user: 'The user said:',
  assistant: 'The assistant last said:',
}

const vietnameseWording: Wording = {
  messages: (count) => `Cuộc trò chuyện gồm ${count} tin nhắn.`,
  user: 'Người dùng nói:',
  assistant: 'Trợ lý nói sau cùng:',
}

const isVietnamese = (text: string): boolean => /[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỵỷỹ]/iu.test(text)

/** Picks sentences at even distances, including the first and the last. */
function pickEvenly(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= maxQuotes) return sentences
  const step = (sentences.length - 1) / (maxQuotes - 1)
  return Array.from({ length: maxQuotes }, (_, nth) => sentences[Math.round(nth * step)] ?? '')
}

/** The first sentence except greetings. */
function extractFacts(content: string): readonly string[] {
  const sentences = splitSentences(content)
  const keySentence = sentences.find((sentence) => sentence.split(' ').length > 2) ?? sentences[0]
  return keySentence === undefined ? [] : [keySentence]
}

const extractKeySentences = (events: readonly MemoryEvent[], role: string): readonly string[] =>
  events.filter((event) => event.role === role).flatMap(({ content }) => extractFacts(content))

/** Summarizes a session: its length, the user's topics and the last answer. */
export function summariseSession(events: readonly MemoryEvent[]): string {
  const userMessageGists = [...new Set(pickEvenly(extractKeySentences(events, 'user')))]
  const summarizedAnswers = extractKeySentences(events, 'assistant').slice(-1)
  const wording = userMessageGists.some(isVietnamese) ? vietnameseWording : englishWording
  const toParagraph = (intro: string, sentences: readonly string[]) =>
    sentences.length === 0 ? [] : [intro, ...sentences.map(quoteSentence)]
  return [
    wording.messages(events.length),
    ...toParagraph(wording.user, userMessageGists),
    ...toParagraph(wording.assistant, summarizedAnswers),
  ].join(' ')
}

interface Rule {
  readonly pattern: RegExp
  /** Replacement text. `$1` and `$2` are the groups of `pattern`. */
  readonly wording: string
}

const rule = (source: string, wording: string): Rule => ({ pattern: new RegExp(`^${source}$`, 'iu'), wording })

const optionalWords = (alternatives: string): string => `(?: (?:${alternatives}))*`
const frequencyAdverbs = optionalWords(
  'really|also|usually|generally|always|just|still|particularly|especially|mostly|strongly|absolutely|definitely|' +
    'truly|much|very much|kind of|tend to',
)
const wouldPattern = "(?:'d| would)?"
const amPattern = "(?:'m| am)"
const speakerPattern = '(?:tôi|mình|em|anh|chị|tớ|cháu|chúng tôi|chúng mình)'
const degreeAdverbs = optionalWords('thì|cũng|rất|thật sự|thực sự|đặc biệt|luôn|thường|vẫn|khá|cực kỳ|vô cùng')

/** Patterns of preferences and their wording (not in the spec). The first match counts. */
const rules: readonly Rule[] = [
  rule(`i${wouldPattern}${frequencyAdverbs} prefer (.+)`, 'Prefers $1'),
  rule(`i(?:'d| would)${frequencyAdverbs} rather (.+)`, 'Would rather $1'),
  rule(`i${frequencyAdverbs} (?:don't|do not)${frequencyAdverbs} (?:like|love|enjoy) (.+)`, 'Dislikes $1'),
  rule(`i${frequencyAdverbs} (?:dislike|hate|can't stand|cannot stand) (.+)`, 'Dislikes $1'),
  rule(`i${frequencyAdverbs} like (.+)`, 'Likes $1'),
  rule(`i${frequencyAdverbs} love (.+)`, 'Loves $1'),
  rule(`i${frequencyAdverbs} enjoy (.+)`, 'Enjoys $1'),
  rule(`i${amPattern} not${frequencyAdverbs} (?:an? (?:big |huge )?fan of|fond of|keen on|into) (.+)`, 'Dislikes $1'),
  rule(`i${amPattern}${frequencyAdverbs} (?:an? (?:big |huge )?fan of|fond of|keen on|into) (.+)`, 'Likes $1'),
  rule('my favou?rite (.+?) (?:is|are) (.+)', 'Names $2 as the favourite $1'),
  rule('(?:please )?(always|never) (?!mind)(.+)', 'Wants the assistant $1 to $2'),
  rule("please (?:don't|do not) (.+)", 'Wants the assistant not to $1'),
  rule(
    `${speakerPattern}${degreeAdverbs} (?:không|chẳng|không hề)${degreeAdverbs} (?:thích|ưa|yêu thích) (.+)`,
    'Không thích $1',
  ),
  rule(`${speakerPattern}${degreeAdverbs} ghét (.+)`, 'Không thích $1'),
  rule(`${speakerPattern}${degreeAdverbs} ưu tiên (.+)`, 'Ưu tiên $1'),
  rule(`${speakerPattern}${degreeAdverbs} (?:yêu thích|ưa thích|thích|ưa|mê|khoái) (.+)`, 'Thích $1'),
  rule(`(.+?) (?:yêu thích|ưa thích)(?: nhất)? của ${speakerPattern} là (.+)`, 'Xem $2 là $1 yêu thích'),
  rule(`(.+?) (?:mà )?${speakerPattern} thích nhất là (.+)`, 'Xem $2 là $1 yêu thích'),
  rule('(?:(?:xin|vui lòng|làm ơn) )?(?:hãy )?(luôn luôn|luôn|đừng|không bao giờ) (.+)', 'Muốn trợ lý $1 $2'),
]

const clauseEnds = [
  '[,;]?\\s+(?:but|whereas|while|although|though|because|nhưng|còn|bởi vì|vì)\\s+',
  ';\\s+',
  ',?\\s+(?:and|và)\\s+(?=(?:i|my|tôi|mình|em)\\s)',
  ',\\s+(?=(?:i|tôi|mình)\\s)',
]
const clauseEnd = new RegExp(clauseEnds.join('|'), 'iu')
const fillerWords =
  'and|but|so|well|also|yes|no|ok|okay|honestly|actually|personally|hi|hello|as for me|vâng|dạ|thật ra|thực ra|và|nhưng'
const fillerPattern = new RegExp(`^(?:(?:${fillerWords})[,!]?\\s+)+`, 'iu')
const politeEnding = /\s+(?:nhé|nha|ạ|please)$/iu
const emptyObject = / (?:it|that|this|them|you|nó|vậy|thế|bạn)$/iu

const pronounReplacements: readonly (readonly [RegExp, string])[] = [
  [/\b(?:I'm|I am)\b/gi, 'they are'],
  [/\bI'd\b/gi, 'they would'],
  [/\bI\b/g, 'they'],
  [/\b(?:my|our)\b/gi, 'their'],
  [/\bme\b/gi, 'them'],
  [/\bmine\b/gi, 'theirs'],
  [/\bmyself\b/gi, 'themselves'],
  [/(?<!\p{L})(?:tôi|tớ)(?!\p{L})/giu, 'họ'],
]

const replacePronouns = (text: string): string =>
  pronounReplacements.reduce((rewritten, [pattern, word]) => rewritten.replace(pattern, word), text)

const normalizeClause = (clause: string): string =>
  (clause.slice(0, 1).toLowerCase() + clause.slice(1))
    .replaceAll('’', "'")
    .replace(fillerPattern, '')
    .replace(/[\s.!…]+$/u, '')
    .replace(politeEnding, '')

function extractPreference(clause: string): string | undefined {
  const normalizedClause = normalizeClause(clause)
  const matchingRule = rules.find(({ pattern }) => pattern.test(normalizedClause))
  return matchingRule
    ? replacePronouns(normalizedClause.replace(matchingRule.pattern, matchingRule.wording))
    : undefined
}

/** Extracts preferences in English or Vietnamese, in the third person: `Prefers tea.` */
export const extractPreferences = (content: string): readonly string[] =>
  splitSentences(content)
    .filter((sentence) => !sentence.endsWith('?'))
    .flatMap((sentence) => sentence.split(clauseEnd))
    .flatMap((clause) => extractPreference(clause) ?? [])
    .filter((preference) => !emptyObject.test(preference))
    .map(toSentence)

interface Source {
  readonly strategy: Strategy
  readonly key: SessionKey
}

type RecordGenerator = (events: readonly MemoryEvent[]) => readonly string[]

const createUserRecordMaker =
  (read: (content: string) => readonly string[]): RecordGenerator =>
  (events) =>
    events.filter(({ role }) => role === 'user').flatMap(({ content }) => read(content))

/** Extraction per strategy type (not in the spec). */
const recordMakers: Readonly<Record<StrategyType, RecordGenerator>> = {
  SEMANTIC: createUserRecordMaker(splitFactSentences),
  SUMMARY: (events) => [summariseSession(events)],
  USER_PREFERENCE: createUserRecordMaker(extractPreferences),
}

/** Extracted texts that this strategy has not yet stored for this session. */
function newContents(memory: Memory, { strategy, key }: Source, events: readonly MemoryEvent[]): readonly string[] {
  const storedContents = memory.records
    .filter(({ longTermMemoryStrategyId }) => longTermMemoryStrategyId === strategy.id)
    .filter(({ actorId, sessionId }) => actorId === key.actorId && sessionId === key.sessionId)
    .map(({ content }) => content)
  const storedContentSet = new Set(storedContents)
  return [...new Set(recordMakers[strategy.type](events))].filter((content) => !storedContentSet.has(content))
}

const toRecord = ({ strategy, key }: Source, content: string, createdAt: string): MemoryRecord => ({
  id: `record-${randomUUID()}`,
  namespace: fillNamespace(strategy, key),
  content,
  longTermMemoryStrategyId: strategy.id,
  ...key,
  createdAt,
})

function readSource({ query }: Call, { strategies }: Memory): Source {
  const key = { actorId: requireParameter(query, 'actorId'), sessionId: requireParameter(query, 'sessionId') }
  const strategyId = requireParameter(query, 'longTermMemoryStrategyId')
  const strategy = strategies.find(({ id }) => id === strategyId)
  if (strategy) return { strategy, key }
  throw notFound(
    `The memory has no strategy "${strategyId.slice(0, 80)}". List its long-term memory strategies to see their ids.`,
  )
}

/** Extracts records of a session and returns the new ones: 201, or 200 with an empty list (not in the spec). */
export function generateRecords(call: Call): Reply {
  const { store } = call
  const memory = requireMemory(call)
  const source = readSource(call, memory)
  const nowMs = store.nowMs()
  const session = findSession(memory, source.key, nowMs)
  if (session === undefined) {
    const { actorId, sessionId } = source.key
    throw notFound(
      `The actor "${actorId.slice(0, 80)}" has no session "${sessionId.slice(0, 80)}" with events in this memory.`,
    )
  }
  const createdAt = new Date(nowMs).toISOString()
  const records = newContents(memory, source, session.events).map((content) => toRecord(source, content, createdAt))
  if (records.length === 0) return okReply([])
  store.replace(withMemory(store.world(), appendRecords(memory, records, nowMs)))
  return toCreatedReply(records)
}

const codeBlock = /```[\s\S]*?(?:```|$)/g
const listMarkPattern = /^(?:[-*•>#]+|\d{1,3}[.)])\s+/
const sentenceEnd =
  /(?<=[.!?…])(?<!(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|a\.m|p\.m|i\.e|TP|ThS|TS|BS|GS)\.)\s+|\n+/u
const maxSentenceLength = 500

const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).trimEnd()}…`

/** Sentences and lines of a message, at most 500 characters each, without code blocks and list markers. */
const splitSentences = (content: string): readonly string[] =>
  content
    .normalize('NFC')
    .replace(codeBlock, '\n')
    .split(sentenceEnd)
    .map((sentence) => shorten(sentence.trim().replace(listMarkPattern, '').replace(/\s+/g, ' '), maxSentenceLength))
    .filter((sentence) => /\p{L}/u.test(sentence))

/** Capitalizes a text and ends it with a full stop. */
function toSentence(text: string): string {
  const trimmedText = text.replace(/[\s.,;:]+$/u, '')
  const [firstCharacter = ''] = trimmedText
  return (
    firstCharacter.toUpperCase() +
    trimmedText.slice(firstCharacter.length) +
    (/[!?…”"']$/u.test(trimmedText) ? '' : '.')
  )
}

/** Fills a namespace template. Keeps unknown placeholders. */
function fillNamespace({ id, namespace }: Strategy, { actorId, sessionId }: SessionKey): string {
  const values: Readonly<Record<string, string>> = { strategyId: id, actorId, sessionId }
  return namespace.replace(/\{(strategyId|actorId|sessionId)\}/g, (placeholder, name) => values[name] ?? placeholder)
}
