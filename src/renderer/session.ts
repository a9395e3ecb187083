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
  /** Last filter of the usage page, which a link without a filter restores. */
  readonly usageQuery: string
}

const maxRecentCommands = 5

/** State for the lifetime of the window. Not saved. */
export const useSession = create<Session>(() => ({
  planId: undefined,
  isPaletteOpen: false,
  help: undefined,
  tourStep: undefined,
  recentCommands: [],
  usageQuery: '',
}))

const { setState } = useSession

export const choosePlan = (planId: string): void => setState({ planId })
export const openPalette = (isPaletteOpen: boolean): void => setState({ isPaletteOpen })
export const openHelp = (help: Session['help']): void => setState({ help })
export const goOnTour = (tourStep: number | undefined): void => setState({ tourStep })

export const noteCommand = (id: string): void =>
  setState(({ recentCommands }) => ({
    recentCommands: [id, ...recentCommands.filter((commandId) => commandId !== id)].slice(0, maxRecentCommands),
  }))

/** The plan that the user chose, or the first plan by default. */
export function useCurrentPlan(): PlanView | undefined {
  const planId = useSession((session) => session.planId)
  const { data = [] } = useCall('plans.list', {})
  return data.find(({ id }) => id === planId) ?? data[0]
}
