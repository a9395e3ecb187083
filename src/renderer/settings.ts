import type { MethodInput, SettingsView } from '@shared/contract'
import type { FirstScreenData } from '@shared/first-screen'
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

/** Numbers of plans and connections at page load, so that Home reserves space until its data arrives. */
export const PageStartContext = createContext<Partial<FirstScreenData>>({})

/** Saved settings, available from the first paint. */
export const useSettings = (): SettingsView =>
  useCall('settings.get', {}, { staleTime: Number.POSITIVE_INFINITY }).data ?? fallback

/** Changes settings with an optimistic update, rolled back if saving fails. */
export function useUpdateSettings(): (change: MethodInput<'settings.update'>) => Promise<void> {
  const queries = useQueryClient()
  return useCallback(
    async (change) => {
      const key = callKey('settings.get', {})
      // Cancel pending reads, because their result would overwrite the new choice.
      await queries.cancelQueries({ queryKey: key })
      const settingsBefore = queries.getQueryData<SettingsView>(key)
      const definedChanges = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      if (settingsBefore) queries.setQueryData<SettingsView>(key, { ...settingsBefore, ...definedChanges })
      try {
        queries.setQueryData<SettingsView>(key, await call('settings.update', change))
      } catch (error) {
        queries.setQueryData(key, settingsBefore)
        throw error
      }
    },
    [queries],
  )
}

/** Zooms in, out or to the default size. */
export function useZoom(): (step: Parameters<typeof nextZoom>[1]) => void {
  const { zoomPercent } = useSettings()
  const update = useUpdateSettings()
  return useCallback((step) => void update({ zoomPercent: nextZoom(zoomPercent, step) }), [update, zoomPercent])
}
