import { type Concept, readConcepts, stopWords } from './concepts'
import { hash } from './hash'
import { fold, stem } from './stem'

const dimension = 256
/** Each concept has a dimension of its own; words and their pieces share the rest. */
const firstShared = 64

const conceptGain = 1.9
const stopWordWeight = 0.1
const signWeight = 0.05
const dimensionsPerWord = 3
const trigramWeight = 0.45
const longestEnding = 5
const longestWord = 64
const mostWordsKept = 5_000

type Weights = readonly (readonly [index: number, weight: number])[]

/** What one word of a text adds to its embedding. */
interface Word {
  readonly plain: string
  readonly shared: Weights
  readonly concepts: readonly number[]
  readonly beginsPhrase: boolean
}

interface Lexicon {
  readonly weights: readonly number[]
  readonly hints: ReadonlyMap<string, readonly number[]>
  readonly prefixes: readonly (readonly [string, number])[]
  readonly phraseBeginnings: ReadonlySet<string>
  readonly stopWords: ReadonlySet<string>
  readonly words: Map<string, Word>
}

/** A hint as it is written, and without its marks where that leaves enough to recognise it. */
function spellings(hint: string): readonly string[] {
  const plain = fold(hint)
  if (hint.includes(' ')) return [plain]
  return plain.length > 3 ? [...new Set([hint, plain])] : [hint]
}

function readHints(concepts: readonly Concept[]): ReadonlyMap<string, readonly number[]> {
  const hints = new Map<string, number[]>()
  for (const [index, concept] of concepts.entries()) {
    for (const key of new Set(concept.hints.filter((hint) => !hint.endsWith('*')).flatMap(spellings))) {
      hints.set(key, [...(hints.get(key) ?? []), index])
    }
  }
  return hints
}

let lexicon: Lexicon | undefined

function readLexicon(): Lexicon {
  const concepts = readConcepts()
  const hints = readHints(concepts)
  return {
    weights: concepts.map(({ weight }) => weight),
    hints,
    prefixes: concepts.flatMap((concept, index) =>
      concept.hints.filter((hint) => hint.endsWith('*')).map((hint) => [hint.slice(0, -1), index] as const),
    ),
    phraseBeginnings: new Set([...hints.keys()].flatMap((key) => (key.includes(' ') ? key.split(' ', 1) : []))),
    stopWords: new Set(stopWords.flatMap((word) => [word, fold(word)])),
    words: new Map(),
  }
}

function place(feature: string, seed: number, weight: number): readonly [number, number] {
  const value = hash(feature, seed)
  return [firstShared + ((value >>> 1) % (dimension - firstShared)), value & 1 ? weight : -weight]
}

/** The word itself on a few dimensions, and its trigrams, which bring near spellings together. */
function sharedWeights(key: string, weight: number): Weights {
  const padded = `_${key.slice(0, longestWord)}_`
  const trigrams =
    padded.length > 3 ? Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)) : []
  const whole = Array.from({ length: dimensionsPerWord }, (_, seed) =>
    place(key, seed + 1, weight / Math.sqrt(dimensionsPerWord)),
  )
  const each = (weight * trigramWeight) / Math.sqrt(Math.max(trigrams.length, 1))
  return [...whole, ...trigrams.map((trigram) => place(trigram, 0, each))]
}

function conceptsOf({ hints, prefixes }: Lexicon, lower: string, plain: string): readonly number[] {
  const exact = hints.get(lower) ?? (plain.length > 3 ? hints.get(plain) : undefined) ?? []
  const begun = prefixes.filter(([prefix]) => plain.startsWith(prefix) && plain.length <= prefix.length + longestEnding)
  return [...new Set([...exact, ...begun.map(([, index]) => index)])]
}

function weightOf({ stopWords: stops }: Lexicon, lower: string): number {
  if (!/[\p{L}\p{N}]/u.test(lower)) return signWeight
  return stops.has(lower) ? stopWordWeight : 1
}

function readWord(known: Lexicon, written: string): Word {
  const lower = written.toLowerCase().normalize('NFC')
  const plain = fold(written)
  return {
    plain,
    shared: sharedWeights(stem(written) || lower, weightOf(known, lower)),
    concepts: conceptsOf(known, lower, plain),
    beginsPhrase: known.phraseBeginnings.has(plain),
  }
}

function wordOf(known: Lexicon, written: string): Word {
  const kept = known.words.get(written)
  if (kept) return kept
  const word = readWord(known, written)
  if (written.length > longestWord) return word
  if (known.words.size >= mostWordsKept) known.words.clear()
  known.words.set(written, word)
  return word
}

/** How often each concept is hinted at, by words and by phrases of two words. */
function countConcepts(known: Lexicon, words: readonly Word[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  const add = (index: number) => counts.set(index, (counts.get(index) ?? 0) + 1)
  for (const [at, word] of words.entries()) {
    word.concepts.forEach(add)
    if (!word.beginsPhrase) continue
    const pair = `${word.plain} ${words[at + 1]?.plain ?? ''}`
    known.hints.get(pair)?.forEach(add)
    known.hints.get(`${pair} ${words[at + 2]?.plain ?? ''}`)?.forEach(add)
  }
  return counts
}

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((value) => value / length) : vector
}

/**
 * A small embedding of a text: 256 numbers of unit length, all zero for a text without a visible character. It knows the words, their
 * spelling (so `deployment` is near `deploys`, and `dị ứng` is `di ung`) and what they hint at (so `eat` is near `noodles`).
 */
export function embed(text: string): Float32Array {
  lexicon ??= readLexicon()
  const known = lexicon
  const words = (text.match(/[\p{L}\p{N}\p{M}]+|\S/gu) ?? []).map((written) => wordOf(known, written))
  const vector = new Float32Array(dimension)
  for (const { shared } of words) for (const [index, weight] of shared) vector[index] = (vector[index] ?? 0) + weight
  for (const [index, count] of countConcepts(known, words)) {
    vector[index] = conceptGain * (known.weights[index] ?? 0) * count ** 0.65
  }
  return toUnitLength(vector)
}

/** How near two embeddings are, from 0 (nothing in common) to 1 (the same). */
export function similarity(a: Float32Array, b: Float32Array): number {
  let product = 0
  for (let index = 0; index < a.length; index += 1) product += (a[index] ?? 0) * (b[index] ?? 0)
  return Math.min(Math.max(Math.round(product * 1e6) / 1e6, 0), 1)
}
