import { hash, numbersFrom } from './hash'
import type { Language } from './language'
import type { Prose } from './prose'
import { english } from './prose-english'
import { vietnamese } from './prose-vietnamese'

/** How long a text shall be. */
export interface Length {
  readonly unit: 'words' | 'sentences' | 'paragraphs'
  readonly count: number
}

/** What a text shall be about; the same seed gives the same text. */
export interface TextOrder {
  readonly language: Language
  readonly topic: string | undefined
  readonly length: Length
  readonly seed: string
}

const prose: Readonly<Record<Language, Prose>> = { en: english, vi: vietnamese }

const mostWords = 5000
const mostSentences = 300
const mostParagraphs = 60
const wordsWithHeadings = 800
const paragraphsPerHeading = 4
const wordsWithClosing = 80
const wordsOfSentence = 12
const tries = 8

/** A piece of the text: a sentence, or the heading of a part. */
interface Piece {
  readonly kind: 'heading' | 'first' | 'next'
  readonly text: string
}

const countWords = (text: string): number => text.split(' ').length
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Gives the items in a shuffled order, again and again, each as often as the others. */
function inTurns(items: readonly string[], next: (end: number) => number): () => string {
  let left: string[] = []
  return () => {
    if (left.length === 0) left = [...items]
    return left.splice(next(left.length), 1)[0] ?? ''
  }
}

/** Draws sentences of a prose and fills them in, each only once. */
function writer(words: Prose['words'], topic: string, next: (end: number) => number) {
  const draws = Object.fromEntries(Object.entries(words).map(([name, list]) => [name, inTurns(list, next)]))
  const told = new Set<string>()
  const fill = (template: string, aspect: string) =>
    capital(
      template.replace(/\{(\w+)\}/g, (_, name: string) =>
        name === 'topic' ? topic : name === 'aspect' ? aspect : (draws[name]?.() ?? ''),
      ),
    )
  return (template: () => string, aspect = ''): string => {
    let text = fill(template(), aspect)
    for (let tried = 0; told.has(text) && tried < tries; tried += 1) text = fill(template(), aspect)
    told.add(text)
    return text
  }
}

/** The text without an end: an opening, then paragraphs, each about one aspect. */
function* tell({ language, topic, seed }: TextOrder, withHeadings: boolean): Generator<Piece, never> {
  const { usualTopic, openings, leads, sentences, aspects, words } = prose[language]
  const next = numbersFrom(hash(seed))
  const write = writer(words, topic ?? usualTopic, next)
  const [lead, sentence, aspect] = [inTurns(leads, next), inTurns(sentences, next), inTurns(aspects, next)]
  yield { kind: 'first', text: write(inTurns(openings, next)) }
  for (let paragraph = 0; ; paragraph += 1) {
    const about = aspect()
    if (withHeadings && paragraph > 0 && paragraph % paragraphsPerHeading === 0) {
      yield { kind: 'heading', text: `## ${capital(about)}` }
    }
    if (paragraph > 0) yield { kind: 'first', text: write(lead, about) }
    const size = 3 + next(3)
    for (let index = 0; index < size; index += 1) yield { kind: 'next', text: write(sentence) }
  }
}

/** So few words that they make no sentence: what the topic may be called. */
function fewWords({ language, topic, seed }: TextOrder, words: number): string {
  const { usualTopic, words: lists } = prose[language]
  const [head, quality] = [capital(topic ?? usualTopic), inTurns(lists.quality ?? [], numbersFrom(hash(seed)))]
  const said: string[] = []
  for (let left = words - countWords(head); left > 0; left -= countWords(said.at(-1) ?? '')) said.push(quality())
  return said.length === 0 ? `${head}.` : `${head}: ${said.join(', ')}.`
}

/** As many pieces as come nearest to the number of words, and at least one. */
function takeWords(pieces: Iterable<Piece>, words: number): readonly Piece[] {
  const taken: Piece[] = []
  let left = words
  for (const piece of pieces) {
    const size = countWords(piece.text)
    if (taken.length > 0 && size > left * 2) break
    taken.push(piece)
    left -= size
  }
  while (taken.length > 1 && taken.at(-1)?.kind !== 'next') taken.pop()
  return taken
}

function takeSentences(pieces: Iterable<Piece>, count: number): readonly Piece[] {
  const taken: Piece[] = []
  for (const piece of pieces) {
    if (taken.length === count) break
    taken.push(piece)
  }
  return taken
}

function takeParagraphs(pieces: Iterable<Piece>, count: number): readonly Piece[] {
  const taken: Piece[] = []
  let begun = 0
  for (const piece of pieces) {
    if (piece.kind === 'first') begun += 1
    if (begun > count) break
    taken.push(piece)
  }
  return taken
}

const join = (pieces: readonly Piece[]): string =>
  pieces.map(({ kind, text }, index) => (index === 0 ? text : `${kind === 'next' ? ' ' : '\n\n'}${text}`)).join('')

/** A readable text about a topic, of about the length asked for (5,000 words at most); it says nothing that could be wrong. */
export function longText(order: TextOrder): string {
  const { length, language, topic, seed } = order
  const count = Math.max(length.count, 1)
  if (length.unit === 'sentences') return join(takeSentences(tell(order, false), Math.min(count, mostSentences)))
  if (length.unit === 'paragraphs') return join(takeParagraphs(tell(order, false), Math.min(count, mostParagraphs)))
  const words = Math.min(count, mostWords)
  const pieces = tell(order, words >= wordsWithHeadings)
  if (words < wordsOfSentence) return fewWords(order, words)
  if (words < wordsWithClosing) return join(takeWords(pieces, words))
  const { closings, usualTopic } = prose[language]
  const closing = (closings[hash(seed) % closings.length] ?? '').replace('{topic}', topic ?? usualTopic)
  return join([...takeWords(pieces, words - countWords(closing)), { kind: 'first', text: closing }])
}
