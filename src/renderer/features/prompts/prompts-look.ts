import { create } from 'zustand'
import type { Sought } from './entries'

interface PromptsLook {
  readonly sought: Sought
  readonly seek: (part: Partial<Sought>) => void
  readonly showAll: () => void
}

const everything = { text: '', tags: [] }

/** How the library is searched, filtered and sorted; kept while the window lives. */
export const usePromptsLook = create<PromptsLook>((set) => ({
  sought: { ...everything, order: 'newest' },
  seek: (part) => set(({ sought }) => ({ sought: { ...sought, ...part } })),
  showAll: () => set(({ sought }) => ({ sought: { ...sought, ...everything } })),
}))
