import type { SandboxSituation } from '@shared/contract'
import { create } from 'zustand'

interface SituationStore {
  readonly situation: SandboxSituation
  readonly set: (situation: SandboxSituation) => void
}

/** The situation the window last put the sandbox into; a sandbox that was just started is in the normal one. */
export const useSituation = create<SituationStore>((set) => ({
  situation: 'normal',
  set: (situation) => set({ situation }),
}))
