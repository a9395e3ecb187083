/** Counts and cuts text in tokens of the o200k encoding. */
export interface Tokenizer {
  /** A text that was counted lately costs next to nothing. */
  readonly count: (text: string) => number
  /** The text, or its beginning that fits in `maxTokens`, with its number of tokens. */
  readonly limit: (text: string, maxTokens: number | undefined) => LimitedText
}

/** A text that may have been cut to a number of tokens. */
export interface LimitedText {
  readonly text: string
  readonly tokens: number
  readonly isCut: boolean
}

const sliceLength = 256
const longRun = /\S{2048}|\s{2048}/

/** Words that look like the encoding's control tokens are ordinary text here. */
const asText = { disallowedSpecial: new Set<string>() }

/** The time for one word grows with the square of its length, so endless words (encoded files) are counted in slices. */
function slices(text: string): readonly string[] {
  if (!longRun.test(text)) return [text]
  return Array.from({ length: Math.ceil(text.length / sliceLength) }, (_, index) =>
    text.slice(index * sliceLength, (index + 1) * sliceLength),
  )
}

/** The longest beginning in whole characters that fits. The library's own decoder keeps half characters for its next call. */
function beginning(text: string, fits: (part: string) => boolean): string {
  const characters = [...text]
  let [low, high] = [0, characters.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(characters.slice(0, middle).join(''))) low = middle
    else high = middle - 1
  }
  return characters.slice(0, low).join('')
}

async function load(): Promise<Tokenizer> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const countAfresh = (text: string) => slices(text).reduce((sum, slice) => sum + countTokens(slice, asText), 0)
  const count = rememberCounts(countAfresh)
  const limit = (text: string, maxTokens = Number.POSITIVE_INFINITY): LimitedText => {
    const tokens = count(text)
    if (tokens <= maxTokens) return { text, tokens, isCut: false }
    const part = beginning(text, (candidate) => countAfresh(candidate) <= maxTokens)
    return { text: part, tokens: countAfresh(part), isCut: true }
  }
  return { count, limit }
}

let loading: Promise<Tokenizer> | undefined

/** The tokenizer, loaded at the first call: its table takes longer to read than everything else in the sandbox. */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= load()
  return loading
}

const longestText = 128 * 1024
const weightPerEntry = 64
const mostWeight = 1024 * 1024

/**
 * The same function, which remembers its results for texts of up to 128 Ki characters. It keeps at most 2 Mi characters: the recent
 * half, and the half before it, of which a text that is asked for again moves up.
 */
export function rememberCounts(count: (text: string) => number): (text: string) => number {
  let [recent, older] = [new Map<string, number>(), new Map<string, number>()]
  let weight = 0
  return (text) => {
    if (text.length > longestText) return count(text)
    const known = recent.get(text)
    if (known !== undefined) return known
    const counted = older.get(text) ?? count(text)
    weight += text.length + weightPerEntry
    if (weight > mostWeight) {
      ;[recent, older] = [new Map(), recent]
      weight = text.length + weightPerEntry
    }
    recent.set(text, counted)
    return counted
  }
}
