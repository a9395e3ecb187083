import { randomUUID } from 'node:crypto'
import type {
  BulkPreview,
  MethodInput,
  PlanView,
  ProfileEntry,
  ProfileFile,
  ProfileView,
  Site,
  ToolChoice,
  ToolView,
} from '@shared/contract'
import { AppError, type FailureCode } from '@shared/failure'
import { hasNoChanges, writesPlainText } from '@shared/tool-changes'
import type { Clock } from '../../core/ports'
import type { ProfileRecord, SettingsStore } from '../../core/settings/settings'
import type { WrittenSetup } from '../setups/setup-views'
import { isSameSite, toSetupId, userSite } from '../target'
import { type ProfileContent, profileText, readProfile, toProfileEntries, toProfileFileView } from './profile-file'

/** `asks`: the user must review a key in plain text, or a tool that cannot be changed. */
export type SwitchResult =
  | { readonly outcome: 'switched' | 'asks' }
  | { readonly outcome: 'failed'; readonly code: FailureCode }

/** Applies a switch unless the user must review it. `preview` resolves with undefined if it cannot be shown. */
export async function switchImmediately(ports: {
  preview(): Promise<BulkPreview | undefined>
  applyMany(previewId: string): Promise<unknown>
}): Promise<SwitchResult> {
  try {
    const preview = await ports.preview()
    if (!preview || preview.left.length > 0 || preview.tools.some(writesPlainText)) return { outcome: 'asks' }
    if (!preview.tools.every(hasNoChanges)) await ports.applyMany(preview.previewId)
    return { outcome: 'switched' }
  } catch (error) {
    return { outcome: 'failed', code: error instanceof AppError ? error.failure.code : 'internal.unexpected' }
  }
}

/**
 * Returns a tool's setup with another model of the same or another plan. Keeps the key delivery. A slot gets the new
 * model if it had the old one, or if the new plan does not have the slot's model. If the plan changes or the key is
 * disabled, the default key is used.
 */
export function switchModel(
  { choice }: Pick<WrittenSetup, 'choice'>,
  plan: Pick<PlanView, 'id' | 'models' | 'keys'>,
  modelCode: string,
): ToolChoice {
  const { keyId, slots = {}, ...rest } = choice
  const isKeyUsable =
    plan.id === choice.planId && plan.keys.some(({ id, status }) => id === keyId && status !== 'DISABLED')
  const ownSlots = Object.entries(slots).filter(([, code]) => code !== choice.modelCode && plan.models.includes(code))
  return {
    ...rest,
    planId: plan.id,
    ...(isKeyUsable && keyId !== undefined ? { keyId } : {}),
    modelCode,
    slots: Object.fromEntries(ownSlots),
  }
}

interface ProfilesDeps {
  readonly settings: SettingsStore
  readonly plans: { list(): readonly PlanView[] }
  readonly tools: { list(): Promise<ToolView[]>; previewMany(choices: readonly ToolChoice[]): Promise<BulkPreview> }
  readonly clock: Clock
}

/** Maximum number of imports, and of removed profiles, kept in memory. */
const maxRemembered = 20

/** Named sets of tool setups that are applied together. A profile has ids of plans and keys, never a key. */
export class Profiles {
  readonly #deps: ProfilesDeps
  readonly #read = new Map<string, ProfileContent>()
  readonly #removed = new Map<string, ProfileRecord>()

  constructor(deps: ProfilesDeps) {
    this.#deps = deps
  }

  async list(): Promise<ProfileView[]> {
    const tools = await this.#deps.tools.list()
    return this.#all().map((record) => this.#view(record, tools))
  }

  /** Finds by id, or by name regardless of case. Fails with `profile.notFound`. */
  async find(idOrName: string): Promise<ProfileView> {
    const normalizedName = normalizeName(idOrName)
    const record =
      this.#all().find(({ id }) => id === idOrName) ??
      this.#all().find(({ name }) => normalizeName(name) === normalizedName)
    if (record) return this.#toView(record)
    throw createNotFoundError(`There is no profile ${idOrName}.`)
  }

  /** Saves all current setups whose plan exists. Fails with `profile.nameTaken` or `profile.incomplete` (none left). */
  async saveCurrent(name: string, toolIds?: readonly string[]): Promise<ProfileView> {
    const planIds = this.#deps.plans.list().map(({ id }) => id)
    const entries = (await this.#deps.tools.list())
      .filter(({ id }) => toolIds === undefined || toolIds.includes(id))
      .flatMap((tool) => listSetups(tool).map((setup) => ({ ...setup, toolId: tool.id })))
      .flatMap(({ toolId, site, applied }): ProfileEntry[] => {
        if (!applied || !planIds.includes(applied.planId)) return []
        const { planId, keyId, modelCode, slots, delivery, route } = applied
        return [{ toolId, site, planId, keyId, modelCode, slots, delivery, ...(route === 'relay' ? { route } : {}) }]
      })
    return this.#add(name, entries)
  }

  /** Changes a profile. Fails with `profile.*`, or `input.invalid` if two entries are for the same tool. */
  async update({ id, ...change }: MethodInput<'profiles.update'>): Promise<ProfileView> {
    const savedProfile = this.#deps.settings.transaction(() => {
      const record = this.#record(id)
      const name = change.name === undefined ? record.name : this.#freeName(change.name, id)
      const entries = change.entries ? this.#accept(change.entries, record.entries) : record.entries
      return this.#save({ ...record, name, entries })
    })
    return this.#toView(savedProfile)
  }

  /** Deletes a profile. Tools keep their configuration. Fails with `profile.notFound`. */
  remove(id: string): void {
    evictOldest(this.#removed, id, this.#record(id))
    this.#deps.settings.update(({ profiles }) => ({ profiles: profiles.filter((profile) => profile.id !== id) }))
  }

  /** Undoes `remove`. Fails with `profile.notFound` or `profile.nameTaken`. */
  async restore({ id }: MethodInput<'profiles.restore'>): Promise<ProfileView> {
    const record = this.#removed.get(id)
    if (!record) throw createNotFoundError('This profile is no longer saved.')
    this.#deps.settings.transaction(() => {
      this.#freeName(record.name, id)
      this.#save(record)
    })
    this.#removed.delete(id)
    return this.#toView(record)
  }

  /** Previews the switch to a profile. Fails with `profile.incomplete`, which names missing plans and keys. */
  async previewUse(id: string): Promise<BulkPreview> {
    const { name, entries } = this.#record(id)
    const plans = this.#deps.plans.list()
    const missingPlans = listMissingItems(entries, plans)
    if (missingPlans.length > 0) {
      const message = `The profile ${name} uses what is no longer on this computer: ${missingPlans.join(', ')}. Choose others.`
      throw new AppError('profile.incomplete', message)
    }
    return this.#deps.tools.previewMany(entries.map(({ planName: _, keyName: __, ...choice }) => choice))
  }

  /** The profile as text without secrets. Fails with `profile.notFound` or `profile.incomplete`. */
  exportText(id: string): { readonly name: string; readonly text: string } {
    const record = this.#record(id)
    return { name: record.name, text: profileText(record, this.#deps.plans.list()) }
  }

  /** Parses the text of a profile file and keeps it in memory for `import`. Fails with `profile.unreadable`. */
  async read(text: string): Promise<{ importId: string; file: ProfileFile }> {
    const content = readProfile(text)
    const file = toProfileFileView(content, this.#deps.plans.list(), await this.#deps.tools.list())
    if (file.tools.length === 0) {
      const message = 'The profile cannot be used. It has no tool that this version of the app supports.'
      throw new AppError('profile.unreadable', message, { field: 'tools' })
    }
    const importId = randomUUID()
    evictOldest(this.#read, importId, content)
    return { importId, file }
  }

  /** Saves a profile of `read`, with a plan for each reference in it. Fails with `profile.*` or `plan.notFound`. */
  async import(input: { importId: string; name: string; plans: Readonly<Record<string, string>> }) {
    const { importId, name, plans } = input
    const content = this.#read.get(importId)
    if (!content) throw createNotFoundError('The opened file has expired. Choose it again.')
    const view = await this.#add(name, toProfileEntries(content, plans, await this.#deps.tools.list()))
    this.#read.delete(importId)
    return view
  }

  #all(): ProfileRecord[] {
    return this.#deps.settings.read().profiles.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
  }

  #record(id: string): ProfileRecord {
    const record = this.#all().find((profile) => profile.id === id)
    if (record) return record
    throw createNotFoundError('This profile was removed.')
  }

  #freeName(name: string, ownId?: string): string {
    if (this.#all().some((profile) => normalizeName(profile.name) === normalizeName(name) && profile.id !== ownId)) {
      throw new AppError('profile.nameTaken', `There is a profile named ${name} already.`, { field: 'name' })
    }
    return name
  }

  async #add(requestedName: string, entries: readonly ProfileEntry[]): Promise<ProfileView> {
    const createdAt = this.#deps.clock().toISOString()
    const savedProfile = this.#deps.settings.transaction(() => {
      const name = this.#freeName(requestedName)
      return this.#save({ id: randomUUID(), name, createdAt, entries: this.#accept(entries, []) })
    })
    return this.#toView(savedProfile)
  }

  #accept(entries: readonly ProfileEntry[], previousEntries: ProfileRecord['entries']): ProfileRecord['entries'] {
    if (entries.length === 0) throw new AppError('profile.incomplete', 'A profile needs at least one configured tool.')
    const setups = entries.map(({ toolId, site }) => toSetupId(toolId, site))
    if (new Set(setups).size < setups.length) {
      throw new AppError('input.invalid', 'A tool is in this profile twice.', { field: 'entries' })
    }
    const plans = this.#deps.plans.list()
    const knownIds = [...plans.map(({ id }) => id), ...previousEntries.map(({ planId }) => planId)]
    const unknownEntry = entries.find(({ planId }) => !knownIds.includes(planId))
    if (unknownEntry) throw new AppError('plan.notFound', `There is no plan ${unknownEntry.planId}.`)
    return entries.map((entry) => resolveEntryNames(entry, plans, previousEntries))
  }

  #save(record: ProfileRecord): ProfileRecord {
    this.#deps.settings.update(({ profiles }) => ({
      profiles: [...profiles.filter(({ id }) => id !== record.id), record],
    }))
    return record
  }

  async #toView(record: ProfileRecord): Promise<ProfileView> {
    return this.#view(record, await this.#deps.tools.list())
  }

  #view({ id, name, entries }: ProfileRecord, tools: readonly ToolView[]): ProfileView {
    const plans = this.#deps.plans.list()
    const toolName = (toolId: string): string => tools.find((tool) => tool.id === toolId)?.name ?? toolId
    return {
      id,
      name,
      entries: entries.map(({ keyName: _, ...entry }) => ({ ...entry, toolName: toolName(entry.toolId) })),
      isActive: entries.length > 0 && entries.every((entry) => isSetUp(entry, tools, plans)),
      missing: listMissingItems(entries, plans),
    }
  }
}

const normalizeName = (name: string): string => name.trim().normalize('NFC').toLocaleLowerCase()

const createNotFoundError = (message: string): AppError => new AppError('profile.notFound', message)

/** Names of the plans and keys of a profile that no longer exist. */
const listMissingItems = (entries: ProfileRecord['entries'], plans: readonly PlanView[]): string[] => {
  const names = entries.flatMap(({ planId, planName, keyId, keyName }) => {
    const plan = plans.find(({ id }) => id === planId)
    if (!plan) return [planName]
    if (keyId === undefined || plan.keys.some(({ id }) => id === keyId)) return []
    return [keyName === undefined ? plan.name : `${plan.name} / ${keyName}`]
  })
  return [...new Set(names)]
}

function evictOldest<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (oldest !== undefined && map.size > maxRemembered) map.delete(oldest)
}

type StoredEntry = ProfileRecord['entries'][number]

type NamedPlan = Pick<PlanView, 'id' | 'name' | 'defaultKeyId'> & {
  readonly keys: readonly Pick<PlanView['keys'][number], 'id' | 'name'>[]
}

type Setup = Pick<ToolView, 'status' | 'applied'> & { readonly site: Site }

const listSetups = (tool: ToolView): readonly Setup[] => [
  { site: userSite, status: tool.status, applied: tool.applied },
  ...tool.setups,
]

/** Entry of a profile, with the current names of its plan and key, or the last known names if they no longer exist. */
function resolveEntryNames(
  entry: ProfileEntry,
  plans: readonly NamedPlan[],
  previousEntries: readonly StoredEntry[],
): StoredEntry {
  const plan = plans.find(({ id }) => id === entry.planId)
  const key = plan?.keys.find(({ id }) => id === entry.keyId)
  const previousEntry = previousEntries.find(({ planId, keyId }) => planId === entry.planId && keyId === entry.keyId)
  const keyName = key?.name ?? previousEntry?.keyName
  return {
    ...entry,
    planName: plan?.name ?? previousEntry?.planName ?? entry.planId,
    ...(entry.keyId === undefined || keyName === undefined ? {} : { keyName }),
  }
}

function isSetUp(entry: ProfileEntry, tools: readonly ToolView[], plans: readonly NamedPlan[]): boolean {
  const tool = tools.find(({ id }) => id === entry.toolId)
  const setup = tool && listSetups(tool).find(({ site }) => isSameSite(site, entry.site))
  if (setup?.status !== 'configured' || !setup.applied) return false
  const { applied } = setup
  const defaultKey = plans.find(({ id }) => id === entry.planId)?.defaultKeyId
  // A slot that is not set uses the main model.
  const slotIds = [...Object.keys(applied.slots), ...Object.keys(entry.slots)]
  return (
    applied.planId === entry.planId &&
    (applied.keyId ?? defaultKey) === (entry.keyId ?? defaultKey) &&
    applied.modelCode === entry.modelCode &&
    applied.delivery === entry.delivery &&
    applied.route === (entry.route ?? 'gateway') &&
    slotIds.every((id) => (applied.slots[id] ?? applied.modelCode) === (entry.slots[id] ?? entry.modelCode))
  )
}
