import type { EmbeddingView } from '@shared/contract'
import { z } from 'zod'
import { type AnswerFacts, type AnswerNews, type AnswerReader, LONGEST_ANSWER_BYTES } from '../gateway/model-requests'
import { parseJson } from '../gateway/server-message'
import { knownUsage, TokenCount } from '../gateway/standards'

const Embeddings = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().nonnegative().optional(), embedding: z.array(z.number()).min(1) })),
  usage: z.looseObject({ prompt_tokens: TokenCount }).optional().catch(undefined),
})

const previewed = 16

/** Reads the answer to an embeddings request (spec, "Inference"): one JSON body with as many vectors as there were inputs. */
export class EmbeddingsReader implements AnswerReader {
  /** In the order of the inputs; none before the answer has ended. */
  embeddings: readonly (readonly number[])[] = []
  readonly #inputs: number
  readonly #chunks: Uint8Array[] = []
  #bytes = 0
  #facts: AnswerFacts = { isWhole: false }

  constructor(inputs: number) {
    this.#inputs = inputs
  }

  feed(bytes: Uint8Array): readonly AnswerNews[] {
    this.#bytes += bytes.length
    if (this.#bytes <= LONGEST_ANSWER_BYTES) this.#chunks.push(Uint8Array.from(bytes))
    return []
  }

  end(): readonly AnswerNews[] {
    if (this.#bytes > LONGEST_ANSWER_BYTES) return []
    const text = Buffer.concat(this.#chunks.splice(0)).toString('utf8')
    const { success, data } = Embeddings.safeParse(parseJson(text))
    if (!success || data.data.length !== this.#inputs) return []
    const inOrder = data.data.map(({ index, embedding }, at) => ({ at: index ?? at, embedding }))
    this.embeddings = inOrder.sort((a, b) => a.at - b.at).map(({ embedding }) => embedding)
    const usage = knownUsage({
      inputTokens: data.usage?.prompt_tokens,
      outputTokens: undefined,
      cacheReadTokens: undefined,
      cacheWriteTokens: undefined,
    })
    this.#facts = { isWhole: true, usage }
    return []
  }

  facts(): AnswerFacts {
    return this.#facts
  }
}

/** A vector as it is shown. */
export function embeddingView(vector: readonly number[]): EmbeddingView {
  return { preview: vector.slice(0, previewed), dimensions: vector.length, norm: normOf(vector) }
}

/** How alike vectors are, row by row: cosine similarity, from -1 to 1; 0 where one has no length or they cannot be compared. */
export function similarities(vectors: readonly (readonly number[])[]): number[][] {
  const norms = vectors.map(normOf)
  return vectors.map((one, row) =>
    vectors.map((other, column) => {
      const length = (norms[row] ?? 0) * (norms[column] ?? 0)
      return length === 0 || one.length !== other.length ? 0 : Math.max(-1, Math.min(1, dot(one, other) / length))
    }),
  )
}

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)

const normOf = (vector: readonly number[]): number => Math.sqrt(dot(vector, vector))
