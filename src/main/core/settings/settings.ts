import type { SettingsView } from '@shared/contract/app'
import type { z } from 'zod'
import { findUnknownValues, isObject, mergeStored, parts } from './records'

export type * from './records'

/** All settings. Never contains a secret. */
export type Settings = z.infer<z.ZodObject<typeof parts>>

/** Settings that one choice replaces completely. All others must be changed by a function of their current value. */
type Preferences = Pick<
  Settings,
  (keyof SettingsView & keyof Settings) | 'activeConnectionId' | 'reminders' | 'keyReminders'
>

/** Parses a settings file with defaults. `broken` names the parts that were not fully readable. */
export function parseSettings(value: unknown): { settings: Settings; broken: readonly string[] } {
  const storedSettings = isObject(value) ? value : {}
  const brokenFields = isObject(value) ? [] : ['file']
  const readEntries = Object.entries(parts).map(([name, schema]) => {
    const readResult = readPart(schema, storedSettings[name])
    if (!readResult.isWhole || findUnknownValues(readResult.value).length > 0) brokenFields.push(name)
    return [name, readResult.value]
  })
  return { settings: Object.fromEntries(readEntries), broken: brokenFields }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const child of Object.values(value)) deepFreeze(child)
  }
  return value
}

/** Parses one field of the settings. Uses the default for an unreadable field. */
function readPart(schema: z.ZodType, stored: unknown): { value: unknown; isWhole: boolean } {
  const parseResult = schema.safeParse(stored)
  if (parseResult.success) return { value: parseResult.data, isWhole: true }
  const fallback = schema.parse(undefined)
  const invalidFields = new Set(parseResult.error.issues.map(({ path: [field] }) => field))
  const validEntries = isObject(stored) ? Object.entries(stored).filter(([field]) => !invalidFields.has(field)) : []
  const repairedResult = schema.safeParse(
    isObject(fallback) ? { ...fallback, ...Object.fromEntries(validEntries) } : fallback,
  )
  return { value: repairedResult.success ? repairedResult.data : fallback, isWhole: false }
}

/** Storage of one JSON object that other processes may change too. */
export interface RawStore {
  read(): unknown
  /** Read-modify-write under the process lock. Fails with `storage.*` and then changes nothing. */
  change<T>(work: (current: unknown) => { readonly stored: unknown; readonly result: T }): T
  onChange(listener: () => void): () => void
}

export const createSettings = (store: RawStore): SettingsStore => new SettingsStore(store)

/** Validates each stored object once. Settings are read-only. */
export class SettingsStore {
  /** Uncommitted object of the running transaction. */
  #pending: { stored: unknown } | undefined
  #last: { readonly stored: unknown; readonly settings: Settings } | undefined

  constructor(private readonly store: RawStore) {}

  read(): Settings {
    const storedSettings = this.#pending ? this.#pending.stored : this.store.read()
    if (this.#last === undefined || this.#last.stored !== storedSettings)
      this.#last = { stored: storedSettings, settings: deepFreeze(parseSettings(storedSettings).settings) }
    return this.#last.settings
  }

  /** Changes settings atomically across processes. Fails with `storage.*` and then changes nothing. */
  update(change: Partial<Preferences> | ((current: Settings) => Partial<Settings>)): void {
    this.#inTransaction((pending) => {
      const patch = typeof change === 'function' ? change(this.read()) : change
      const currentSettings = this.read()
      const storedSettings = isObject(pending.stored) ? pending.stored : {}
      const mergedEntries = Object.entries(patch).map(([name, value]) => [
        name,
        value === undefined ? undefined : mergeStored(storedSettings[name], Reflect.get(currentSettings, name), value),
      ])
      pending.stored = { ...storedSettings, ...Object.fromEntries(mergedEntries) }
    })
  }

  /** Runs several reads and updates atomically, and rolls back on failure. Must be synchronous. */
  transaction<T>(work: () => T): T {
    return this.#inTransaction(() => work())
  }

  onChange(listener: () => void): () => void {
    return this.store.onChange(listener)
  }

  #inTransaction<T>(work: (pending: { stored: unknown }) => T): T {
    if (this.#pending) return work(this.#pending)
    return this.store.change((current) => {
      const pendingChange = { stored: current }
      this.#pending = pendingChange
      try {
        const result = work(pendingChange)
        return { stored: pendingChange.stored, result }
      } finally {
        this.#pending = undefined
      }
    })
  }
}
