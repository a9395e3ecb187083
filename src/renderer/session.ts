import type { PlanView } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import { create } from 'zustand'
import { useCall } from './ipc'

interface Session {
  /** Plan that new configurations use by default. */
  readonly planId: string | undefined
  readonly isPaletteOpen: boolean
  /** Content of the open help panel: about the page, or about a failure. */
  readonly help: 'page' | FailureCode | undefined
  /** Visible step of the tour, from 0. */
  readonly tourStep: number | undefined
  /** Ids of recent palette commands, newest first. */
  readonly recentCommands: readonly string[]
  readonly usageQuery: string
  readonly choosePlan: (planId: string) => void
  readonly openPalette: (open: boolean) => void
  readonly openHelp: (help: Session['help']) => void
  readonly goOnTour: (step: number | undefined) => void
  readonly noteCommand: (id: string) => void
  readonly keepUsage: (query: string) => void
}

const maxRecentCommands = 5

/** State for the lifetime of the window. Not saved. */
export const useSession = create<Session>((set) => ({
  planId: undefined,
  isPaletteOpen: false,
  help: undefined,
  tourStep: undefined,
  recentCommands: [],
  usageQuery: '',
  choosePlan: (planId) => set({ planId }),
  openPalette: (isPaletteOpen) => set({ isPaletteOpen }),
  openHelp: (help) => set({ help }),
  goOnTour: (tourStep) => set({ tourStep }),
  keepUsage: (usageQuery) => set({ usageQuery }),
  noteCommand: (id) =>
    set(({ recentCommands }) => ({
      recentCommands: [id, ...recentCommands.filter((commandId) => commandId !== id)].slice(0, maxRecentCommands),
    })),
}))

/** The plan that the user chose, or the first plan by default. */
export function useCurrentPlan(): PlanView | undefined {
  const planId = useSession((session) => session.planId)
  const { data = [] } = useCall('plans.list', {})
  return data.find(({ id }) => id === planId) ?? data[0]
}
