import type { PlanView } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import { create } from 'zustand'
import { useCall } from './ipc'

interface Session {
  /** The plan that new configurations start from. */
  readonly planId: string | undefined
  readonly isPaletteOpen: boolean
  /** The help that is open: of the page, or of a failure. */
  readonly help: 'page' | FailureCode | undefined
  /** The point of the tour that is shown, from 0. */
  readonly tourStep: number | undefined
  /** The ids of the commands that the palette ran, the newest first. */
  readonly recentCommands: readonly string[]
  /** How the page of usage was left: the query of its address. */
  readonly usageQuery: string
  readonly choosePlan: (planId: string) => void
  readonly openPalette: (open: boolean) => void
  readonly openHelp: (help: Session['help']) => void
  readonly goOnTour: (step: number | undefined) => void
  readonly noteCommand: (id: string) => void
  readonly keepUsage: (query: string) => void
}

/** How many commands the palette remembers. */
const maxRecentCommands = 5

/** What lives as long as the window: nothing here is kept. */
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
      recentCommands: [id, ...recentCommands.filter((one) => one !== id)].slice(0, maxRecentCommands),
    })),
}))

/** The chosen plan, or the first one when none was chosen or the chosen one is gone. */
export function useCurrentPlan(): PlanView | undefined {
  const planId = useSession((session) => session.planId)
  const { data = [] } = useCall('plans.list', {})
  return data.find(({ id }) => id === planId) ?? data[0]
}
