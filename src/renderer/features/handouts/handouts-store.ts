import type { HandoutResult, KitContent } from '@shared/contract'
import { create } from 'zustand'

/** A kit that was accepted: where it went, and the code to send back. */
export interface AcceptedKit {
  readonly planId: string
  readonly content: KitContent
  readonly acknowledgement: string
}

interface HandoutsStore {
  /** Kits that were made since the window opened, newest first; their passphrases are with main. */
  readonly made: readonly HandoutResult[]
  readonly names: string
  readonly results: readonly HandoutResult[]
  readonly accepted: AcceptedKit | undefined
  readonly add: (results: readonly HandoutResult[]) => void
  readonly name: (names: string) => void
  readonly report: (results: readonly HandoutResult[]) => void
  readonly accept: (kit: AcceptedKit | undefined) => void
}

/** What was handed out and received since the window opened: never a key, never a passphrase. */
export const useHandoutsStore = create<HandoutsStore>((set) => ({
  made: [],
  names: '',
  results: [],
  accepted: undefined,
  add: (results) =>
    set(({ made }) => {
      const written = results.filter(({ id, state }) => state === 'written' && !made.some((one) => one.id === id))
      return { made: [...written, ...made] }
    }),
  name: (names) => set({ names }),
  report: (results) => set({ results }),
  accept: (accepted) => set({ accepted }),
}))
