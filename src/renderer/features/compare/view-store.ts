import { create } from 'zustand'

interface CompareLook {
  /** Answers as Markdown, or as they came. */
  readonly isMarkdown: boolean
  readonly isCasesOpen: boolean
  readonly showMarkdown: (isMarkdown: boolean) => void
  readonly openCases: (isCasesOpen: boolean) => void
}

/** How comparisons are looked at; kept while the window lives. */
export const useCompareLook = create<CompareLook>((set) => ({
  isMarkdown: true,
  isCasesOpen: true,
  showMarkdown: (isMarkdown) => set({ isMarkdown }),
  openCases: (isCasesOpen) => set({ isCasesOpen }),
}))
