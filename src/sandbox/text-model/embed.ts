const dimensions = 256
const maxWordCharacters = 64

/** Stop words, which say nothing about the topic. */
const stopWords = new Set(
  `a an the and or but of to in on at by for with from is are was were be am i me my you your it its this that what when where
  which who does do did the user la va cua toi ban cho khi nao gi thi duoc da bi voi`.split(/\s+/),
)

/**
 * Hashed bag of words and trigrams: a unit vector of 256, or zeros for blank text. Related spellings such as `deploys`
 * and `deployment` are near. Ignores meaning.
 */
export function createEmbedding(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  const add = (feature: string, weight: number) => {
    const value = hashText(feature)
    const index = (value >>> 1) % dimensions
    vector[index] = (vector[index] ?? 0) + (value & 1 ? weight : -weight)
  }
  // Ignore case and diacritics, so that `Phở` and `pho` match.
  const plainText = text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('đ', 'd')
  for (const word of plainText.match(/[\p{L}\p{N}]+|\S/gu) ?? []) {
    const wordWeight = stopWords.has(word) || !/[\p{L}\p{N}]/u.test(word) ? 0.1 : 1
    const paddedWord = `_${word.slice(0, maxWordCharacters)}_`
    add(word, wordWeight)
    for (let start = 0; start + 3 <= paddedWord.length; start += 1)
      add(paddedWord.slice(start, start + 3), wordWeight / Math.sqrt(paddedWord.length))
  }
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((value) => value / length) : vector
}

/** Cosine similarity of two embeddings, clamped to 0 to 1. */
export function similarity(a: Float32Array, b: Float32Array): number {
  let product = 0
  for (let index = 0; index < a.length; index += 1) product += (a[index] ?? 0) * (b[index] ?? 0)
  return Math.min(Math.max(Math.round(product * 1e6) / 1e6, 0), 1)
}

/** 32-bit FNV-1a hash of a text. */
export function hashText(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return (value ^ (value >>> 15)) >>> 0
}

/** Deterministic pseudo-random integers from 0 to `end`, exclusive. */
export function createRandom(seed: number): (end: number) => number {
  let state = seed >>> 0
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) % end
  }
}
