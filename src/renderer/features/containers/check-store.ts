import type { ContainerCheck } from '@shared/contract'
import { create } from 'zustand'

/** What a check is told, as it is typed; empty stands for what main chooses. */
export interface CheckWish {
  readonly url: string
  readonly userId: string
  readonly sessionId: string
  readonly samplePath: string
  readonly sampleBody: string
}

interface CheckStore {
  readonly wish: CheckWish
  readonly change: (part: Partial<CheckWish>) => void
  readonly found: ContainerCheck | undefined
  readonly find: (found: ContainerCheck | undefined) => void
}

/** The last check: what was typed and what was found; kept while the window lives. */
export const useCheckStore = create<CheckStore>((set) => ({
  wish: { url: 'http://127.0.0.1:8080', userId: '', sessionId: '', samplePath: '', sampleBody: '' },
  change: (part) => set(({ wish }) => ({ wish: { ...wish, ...part } })),
  found: undefined,
  find: (found) => set({ found }),
}))
