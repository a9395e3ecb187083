import { create } from 'zustand'

interface SavedSecrets {
  readonly handles: ReadonlySet<string>
  readonly mark: (handle: string) => void
}

/** Which secrets of answers were copied or kept: a sheet that told one once asks before it closes over one that was not. */
export const useSavedSecrets = create<SavedSecrets>((set) => ({
  handles: new Set(),
  mark: (handle) => set(({ handles }) => ({ handles: new Set([...handles, handle]) })),
}))
