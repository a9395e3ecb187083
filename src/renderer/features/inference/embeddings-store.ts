import type { MethodOutput, PlaygroundTarget } from '@shared/contract'
import { create } from 'zustand'

/** Vectors, and the inputs that they are of. */
export interface Embedded extends MethodOutput<'playground.embed'> {
  readonly inputs: readonly string[]
}

interface EmbeddingsStore {
  readonly target: PlaygroundTarget | undefined
  readonly shown: Embedded | undefined
  readonly set: (change: Partial<Omit<EmbeddingsStore, 'set'>>) => void
}

/** What embeddings are asked of, and the last ones. */
export const useEmbeddings = create<EmbeddingsStore>((set) => ({ target: undefined, shown: undefined, set }))
