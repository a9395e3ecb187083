import type { MemoryRecord } from '../../state/memory-state'
import { embed, similarity } from '../../text-model/embed'

// Outside the world: an embedding follows from the content, and goes with its record.
const embeddings = new WeakMap<MemoryRecord, Float32Array>()

function embeddingOf(record: MemoryRecord): Float32Array {
  const known = embeddings.get(record)
  if (known) return known
  const embedding = embed(record.content)
  embeddings.set(record, embedding)
  return embedding
}

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000

/** The records nearest in meaning to a text, best first, with a `score` of 0 to 1 in four digits. */
export function nearest(
  records: readonly MemoryRecord[],
  { query, limit, scoreThreshold }: { query: string; limit: number; scoreThreshold: number },
): readonly (MemoryRecord & { readonly score: number })[] {
  const wanted = embed(query)
  return records
    .map((record) => ({ record, score: rounded(similarity(wanted, embeddingOf(record))) }))
    .filter(({ score }) => score >= scoreThreshold)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ record, score }) => ({ ...record, score }))
}
