export type Tokenizer = Awaited<ReturnType<typeof readTokenizer>>

export interface LimitedText {
  readonly text: string
  readonly tokens: number
  readonly isCut: boolean
}

const sliceCharacters = 256
const longRunPattern = /\S{2048}|\s{2048}/

/** Special tokens in a text are counted as ordinary text. */
const tokenizerOptions = { disallowedSpecial: new Set<string>() }

/** Tokenizing is quadratic in the length of a word, so encoded files and other long words are counted in slices. */
function slices(text: string): readonly string[] {
  if (!longRunPattern.test(text)) return [text]
  return Array.from({ length: Math.ceil(text.length / sliceCharacters) }, (_, index) =>
    text.slice(index * sliceCharacters, (index + 1) * sliceCharacters),
  )
}

/** Longest prefix of whole characters that fits. The library's decoder may buffer partial characters. */
function fitPrefix(text: string, fits: (prefix: string) => boolean): string {
  const characters = [...text]
  let [low, high] = [0, characters.length]
  while (low < high) {
    const middleCount = Math.ceil((low + high) / 2)
    if (fits(characters.slice(0, middleCount).join(''))) low = middleCount
    else high = middleCount - 1
  }
  return characters.slice(0, low).join('')
}

async function readTokenizer() {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const count = (text: string): number =>
    slices(text).reduce((sum, slice) => sum + countTokens(slice, tokenizerOptions), 0)
  /** Truncates a text to `maxTokens` and returns its token count. */
  const limit = (text: string, maxTokens = Number.POSITIVE_INFINITY): LimitedText => {
    const tokens = count(text)
    if (tokens <= maxTokens) return { text, tokens, isCut: false }
    const prefix = fitPrefix(text, (candidate) => count(candidate) <= maxTokens)
    return { text: prefix, tokens: count(prefix), isCut: true }
  }
  return { count, limit }
}

let tokenizerPromise: Promise<Tokenizer> | undefined

/** Loads the tokenizer on first use, because its table takes longer to load than the rest of the sandbox. */
export function loadTokenizer(): Promise<Tokenizer> {
  tokenizerPromise ??= readTokenizer()
  return tokenizerPromise
}
