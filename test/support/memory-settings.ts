import { createSettings, type RawStore, type SettingsStore } from '../../src/main/settings/settings'

/** What a machine keeps of its settings while no program runs. */
export interface KeptSettings {
  settings: Record<string, unknown>
}

/** A store that keeps what a file would keep: what is not JSON does not survive. `onWrite` hears the names of the parts before they are kept. */
export function memoryStore(
  kept: KeptSettings = { settings: {} },
  onWrite: (parts: readonly string[]) => void = () => undefined,
): RawStore {
  const listeners = new Set<() => void>()
  let last: { readonly from: object; readonly copy: Record<string, unknown> } | undefined
  // As a file does: the same object until something else is kept.
  const read = (): Record<string, unknown> => {
    if (last?.from !== kept.settings) last = { from: kept.settings, copy: structuredClone(kept.settings) }
    return last.copy
  }
  return {
    read,
    change(work) {
      const now = read()
      const { stored, result } = work(now)
      if (stored === now) return result
      const next: Record<string, unknown> = JSON.parse(JSON.stringify(stored))
      const parts = Object.keys({ ...kept.settings, ...next }).filter(
        (name) => text(next[name]) !== text(kept.settings[name]),
      )
      if (parts.length === 0) return result
      onWrite(parts)
      kept.settings = next
      for (const listener of listeners) listener()
      return result
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Settings in memory, for features under test. */
export const memorySettings = (initial: Record<string, unknown> = {}): SettingsStore =>
  createSettings(memoryStore({ settings: initial }))

const text = (value: unknown): string => JSON.stringify(value) ?? ''
