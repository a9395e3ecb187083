import type { ConnectionDraft } from '@shared/contract'
import { create } from 'zustand'
import type { Entries } from './entries'

/** What a file brought into a form, and what stood there before. */
export interface Imported {
  readonly corrections: ConnectionDraft['corrections']
  readonly before: Entries
}

/** A form as far as it was filled in. */
export interface Draft {
  readonly entries: Entries
  readonly imported?: Imported | undefined
}

interface DraftStore {
  readonly drafts: Readonly<Record<string, Draft | undefined>>
  readonly keep: (of: string, draft: Draft | undefined) => void
}

/** The key under which the form for a new connection is kept; no connection has it as its id. */
export const newDraft = ''

/** Forms with changes that are not saved, by the connection's id; they outlive the page, not the window. */
export const useDrafts = create<DraftStore>((set) => ({
  drafts: {},
  keep: (of, draft) => set(({ drafts }) => ({ drafts: { ...drafts, [of]: draft } })),
}))
