import { createSettings, type SettingsStore } from '../../src/main/settings/settings'

/** Settings in memory, for features under test. */
export function memorySettings(initial: Record<string, unknown> = {}): SettingsStore {
  let held = { ...initial }
  const listeners = new Set<() => void>()
  return createSettings({
    read: () => structuredClone(held),
    write: (patch) => {
      held = { ...held, ...structuredClone(patch) }
      for (const listener of listeners) listener()
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })
}
