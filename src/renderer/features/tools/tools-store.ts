import { create } from 'zustand'
import type { DiffLayout } from '../../ui/diff-view'
import type { FormOverrides } from './tool-form'
import type { ToolSearch } from './tool-status'

interface ToolsStore {
  readonly layout: DiffLayout
  /** By `setupKey`: values that the user has selected in a form but not applied. */
  readonly picked: Readonly<Record<string, FormOverrides | undefined>>
  readonly sought: ToolSearch
  readonly showsOthers: boolean
  readonly pick: (setup: string, change: FormOverrides) => void
  readonly forgetPicked: (setup: string) => void
  readonly seek: (change: Partial<ToolSearch>) => void
}

export const useToolsStore = create<ToolsStore>((set) => ({
  layout: 'inline',
  picked: {},
  sought: { text: '', filter: 'all' },
  showsOthers: false,
  pick: (setup, change) => set(({ picked }) => ({ picked: { ...picked, [setup]: { ...picked[setup], ...change } } })),
  forgetPicked: (setup) => set(({ picked }) => ({ picked: { ...picked, [setup]: undefined } })),
  seek: (change) => set(({ sought }) => ({ sought: { ...sought, ...change } })),
}))
