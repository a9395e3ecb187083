import type { PlaygroundParameters, PlaygroundTarget } from '@shared/contract'
import { create } from 'zustand'

interface CompletionStore {
  readonly target: PlaygroundTarget | undefined
  readonly parameters: PlaygroundParameters
  /** The run that is shown, with the prompt it was given. */
  readonly shown: { readonly runId: string; readonly prompt: string } | undefined
  readonly set: (change: Partial<Omit<CompletionStore, 'set'>>) => void
}

/** What completions are asked with, and the last one. */
export const useCompletion = create<CompletionStore>((set) => ({
  target: undefined,
  parameters: {},
  shown: undefined,
  set,
}))
