import { create } from 'zustand'

interface AutoRenewStore {
  /** What was chosen for a plan and is not confirmed yet, by connection and plan. */
  readonly chosen: Readonly<Record<string, boolean | undefined>>
  readonly choose: (plan: string, isOn: boolean | undefined) => void
}

/** What a choice is kept under. */
export const choiceOf = (connectionId: string, planId: string): string => JSON.stringify([connectionId, planId])

/** What was chosen about renewals and is on its way: shown at once, wherever the plan is shown. */
export const useAutoRenewStore = create<AutoRenewStore>((set) => ({
  chosen: {},
  choose: (plan, isOn) => set(({ chosen }) => ({ chosen: { ...chosen, [plan]: isOn } })),
}))
