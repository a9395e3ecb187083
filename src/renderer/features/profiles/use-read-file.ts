import type { ProfileFile } from '@shared/contract'
import { useNavigate } from 'react-router'
import { create } from 'zustand'
import { useAction } from '../../ipc'
import { importProfilePath } from '../../paths'

/** Asks for a teammate's file and goes on to the page where its plans are matched. */
export function useReadFile() {
  const navigate = useNavigate()
  const begin = useImport((store) => store.begin)
  const reading = useAction('profiles.readFile', {
    onSuccess: ({ importId, file }) => {
      if (importId === undefined || file === undefined) return
      begin(importId, file)
      void navigate(importProfilePath)
    },
  })
  const choose = (): void => {
    if (!reading.isPending) reading.mutate({})
  }
  return { choose, isReading: reading.isPending, failure: reading.error?.failure }
}

/** A profile's file that was read and is not kept yet, with what a person decided about it. */
export interface ReadProfile {
  readonly importId: string
  readonly file: ProfileFile
  readonly name: string
  /** A plan of this computer for each of the file's, by its ref. */
  readonly plans: Readonly<Record<string, string | undefined>>
}

interface ImportStore {
  readonly read: ReadProfile | undefined
  readonly begin: (importId: string, file: ProfileFile) => void
  readonly change: (part: Partial<Pick<ReadProfile, 'name'>>) => void
  readonly match: (ref: string, planId: string) => void
  readonly clear: () => void
}

/** What was read; survives leaving the page, not the window. Plans with a gateway that is known here are matched at once. */
export const useImport = create<ImportStore>((set) => ({
  read: undefined,
  begin: (importId, file) =>
    set({
      read: {
        importId,
        file,
        name: file.name,
        plans: Object.fromEntries(file.plans.map(({ ref, matchingPlanId }) => [ref, matchingPlanId])),
      },
    }),
  change: (part) => set(({ read }) => ({ read: read && { ...read, ...part } })),
  match: (ref, planId) => set(({ read }) => ({ read: read && { ...read, plans: { ...read.plans, [ref]: planId } } })),
  clear: () => set({ read: undefined }),
}))
