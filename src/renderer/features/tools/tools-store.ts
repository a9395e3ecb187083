import type { CheckView } from '@shared/contract'
import { create } from 'zustand'
import type { DiffLayout } from '../../ui/diff-view'
import type { Picked } from './choice'

interface ToolsStore {
  readonly layout: DiffLayout
  /** What was picked for a tool and not applied yet. */
  readonly picked: Readonly<Record<string, Picked | undefined>>
  /** The last verification of each tool in this session. */
  readonly verifications: Readonly<Record<string, CheckView | undefined>>
  readonly setLayout: (layout: DiffLayout) => void
  readonly pick: (toolId: string, change: Picked) => void
  readonly forgetPicked: (toolId: string) => void
  readonly setVerification: (toolId: string, check: CheckView | undefined) => void
}

/** What the tools pages remember while the window lives. */
export const useToolsStore = create<ToolsStore>((set) => ({
  layout: 'inline',
  picked: {},
  verifications: {},
  setLayout: (layout) => set({ layout }),
  pick: (toolId, change) =>
    set(({ picked }) => ({ picked: { ...picked, [toolId]: { ...picked[toolId], ...change } } })),
  forgetPicked: (toolId) => set(({ picked }) => ({ picked: { ...picked, [toolId]: undefined } })),
  setVerification: (toolId, check) =>
    set(({ verifications }) => ({ verifications: { ...verifications, [toolId]: check } })),
}))
