import { createSettings, type RawStore, type SettingsStore } from '../../src/main/core/settings/settings'

/** Stored settings of a simulated computer, which outlive the settings store. */
export interface KeptSettings {
  settings: Record<string, unknown>
}

/** A settings store in memory that keeps only JSON values, like a file. Calls `onWrite` with the changed parts before a write. */
export function memoryStore(
  storage: KeptSettings = { settings: {} },
  onWrite: (parts: readonly string[]) => void = () => undefined,
): RawStore {
  const listeners = new Set<() => void>()
  let lastRead: { readonly from: object; readonly copy: Record<string, unknown> } | undefined
  // Returns the same object until the next write, like the file store.
  const read = (): Record<string, unknown> => {
    if (lastRead?.from !== storage.settings)
      lastRead = { from: storage.settings, copy: structuredClone(storage.settings) }
    return lastRead.copy
  }
  return {
    read,
    change(work) {
      const current = read()
      const { stored, result } = work(current)
      if (stored === current) return result
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
