import { AddressKey, CheckView, Language, SandboxSituation, Theme } from '@shared/contract'
import { z } from 'zod'

/** A subscription key as settings know it: everything but the key, which is in the vault under `id`. */
export const KeyRecord = z.object({
  id: z.string(),
  name: z.string(),
  masked: z.string(),
  addedAt: z.string(),
  kept: z.enum(['keychain', 'session']),
})
export type KeyRecord = z.infer<typeof KeyRecord>

/** A plan this machine can use (decisions: handed-over plan), kept locally. */
export const PlanRecord = z.object({
  id: z.string(),
  name: z.string(),
  source: z.enum(['handed-over', 'sandbox']),
  gatewayUrl: z.string(),
  models: z.array(z.string()),
  contextTokens: z.number(),
  expiresAt: z.string().optional(),
  createdAt: z.string(),
  keys: z.array(KeyRecord),
  lastCheck: CheckView.optional().catch(undefined),
})
export type PlanRecord = z.infer<typeof PlanRecord>

/** A named set of base addresses (decisions: connections). */
export const ConnectionRecord = z.object({
  id: z.string(),
  name: z.string(),
  addresses: z.partialRecord(AddressKey, z.string()),
  createdAt: z.string(),
})
export type ConnectionRecord = z.infer<typeof ConnectionRecord>

const WindowPlace = z.object({
  x: z.number().optional(),
  y: z.number().optional(),
  width: z.number(),
  height: z.number(),
  maximized: z.boolean(),
})
export type WindowPlace = z.infer<typeof WindowPlace>

const SandboxChoice = z.object({
  gatewayPort: z.number(),
  platformPort: z.number(),
  /** Start it with the app: tools may point at it. */
  wanted: z.boolean(),
  planId: z.string().optional(),
  /** The sandbox's own ids of that plan and its key. */
  offered: z.object({ planId: z.string(), keyId: z.string() }).optional(),
  situation: SandboxSituation.optional(),
})

const parts = {
  theme: Theme,
  language: Language,
  railCollapsed: z.boolean(),
  welcomed: z.boolean(),
  window: WindowPlace.optional(),
  connections: z.array(ConnectionRecord),
  plans: z.array(PlanRecord),
  sandbox: SandboxChoice,
}

/** Everything the app remembers; never a secret. */
export type Settings = z.infer<z.ZodObject<typeof parts>>

const defaults: Settings = {
  theme: 'system',
  language: 'system',
  railCollapsed: false,
  welcomed: false,
  window: undefined,
  connections: [],
  plans: [],
  sandbox: { gatewayPort: 4860, platformPort: 4861, wanted: false },
}

/** Reads what a settings file holds. A missing part gets its default; `broken` names the parts that could not be read. */
export function parseSettings(value: unknown): { settings: Settings; broken: readonly string[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { settings: defaults, broken: ['file'] }
  const found = new Map(Object.entries(value))
  const broken = Object.entries(parts).flatMap(([name, part]) =>
    found.has(name) && !part.safeParse(found.get(name)).success ? [name] : [],
  )
  const readable = Object.fromEntries([...found].filter(([name]) => name in parts && !broken.includes(name)))
  return { settings: z.object(parts).parse({ ...defaults, ...readable }), broken }
}

/** A place that keeps one JSON object (electron-store in the app, conf in the command line: the same file). */
export interface RawStore {
  read(): unknown
  write(patch: Readonly<Record<string, unknown>>): void
  onChange(listener: () => void): () => void
}

export interface SettingsStore {
  read(): Settings
  update(patch: Partial<Settings>): void
  onChange(listener: () => void): () => void
}

/** Settings over a raw store, validated on every read. */
export function createSettings(raw: RawStore): SettingsStore {
  return {
    read: () => parseSettings(raw.read()).settings,
    update: (patch) => raw.write(patch),
    onChange: (listener) => raw.onChange(listener),
  }
}
