import type { MethodInput, SettingsView } from '@shared/contract'
import type { PageStart } from '@shared/first-screen'
import { defaultZoom, nextZoom } from '@shared/shortcuts'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, useCallback } from 'react'
import { call, callKey, useCall } from './ipc'

const fallback: SettingsView = {
  theme: 'system',
  language: 'system',
  locale: 'en',
  railCollapsed: false,
  zoomPercent: defaultZoom,
  welcomed: true,
}

/** What was known of home when the page was served: until it has its data, it keeps their room. */
export const AtStart = createContext<Partial<PageStart>>({})

/** What the person chose for the window; there from the first paint on. */
export const useSettings = (): SettingsView =>
  useCall('settings.get', {}, { staleTime: Number.POSITIVE_INFINITY }).data ?? fallback

type Change = MethodInput<'settings.update'>

const changed = (before: SettingsView, change: Change): SettingsView => ({
  ...before,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
})

/** Changes settings: shown at once, then as main confirms it (or back, when it cannot be kept). */
export function useUpdateSettings(): (change: Change) => Promise<void> {
  const queries = useQueryClient()
  return useCallback(
    async (change) => {
      const key = callKey('settings.get', {})
      // An answer still on its way must not undo what the person just chose.
      await queries.cancelQueries({ queryKey: key })
      const before = queries.getQueryData<SettingsView>(key)
      if (before) queries.setQueryData<SettingsView>(key, changed(before, change))
      try {
        queries.setQueryData<SettingsView>(key, await call('settings.update', change))
      } catch (error) {
        queries.setQueryData(key, before)
        throw error
      }
    },
    [queries],
  )
}

/** Shows everything in the window one step larger or smaller, or in its usual size. */
export function useZoom(): (step: Parameters<typeof nextZoom>[1]) => void {
  const { zoomPercent } = useSettings()
  const update = useUpdateSettings()
  return useCallback((step) => void update({ zoomPercent: nextZoom(zoomPercent, step) }), [update, zoomPercent])
}
