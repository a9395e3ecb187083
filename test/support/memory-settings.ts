import { createSettings, type RawStore, type SettingsStore } from '../../src/main/core/settings/settings'

/** Stored settings of a simulated computer, which outlive the settings store. */
export interface StoredSettings {
  settings: Record<string, unknown>
}

/** A settings store in memory that keeps only JSON values, like a file. Calls `onWrite` with the changed parts before a write. */
export function memoryStore(
  storage: StoredSettings = { settings: {} },
  onWrite: (parts: readonly string[]) => void = () => undefined,
): RawStore {
  const listeners = new Set<() => void>()
  let cachedSettings: { readonly from: object; readonly copy: Record<string, unknown> } | undefined
  // Returns the same object until the next write, like the file store.
  const readSettings = (): Record<string, unknown> => {
    if (cachedSettings?.from !== storage.settings)
      cachedSettings = { from: storage.settings, copy: structuredClone(storage.settings) }
    return cachedSettings.copy
  }
  return {
    read: readSettings,
    change(work) {
      const currentSettings = readSettings()
      const { stored, result } = work(currentSettings)
      if (stored === currentSettings) return result
      const newSettings: Record<string, unknown> = JSON.parse(JSON.stringify(stored))
      const parts = Object.keys({ ...storage.settings, ...newSettings }).filter(
        (name) => text(newSettings[name]) !== text(storage.settings[name]),
      )
      if (parts.length === 0) return result
      onWrite(parts)
      storage.settings = newSettings
      for (const listener of listeners) listener()
      return result
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Creates in-memory settings with initial values. */
export const memorySettings = (initial: Record<string, unknown> = {}): SettingsStore =>
  createSettings(memoryStore({ settings: initial }))

const text = (value: unknown): string => JSON.stringify(value) ?? ''
