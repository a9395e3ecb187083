import type { ConnectionView, Route } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import type { FieldName } from './features/connections/entries'
import { type UsageQuery, writeUsageQuery } from './features/usage/usage-query'

/** All help, and its parts. */
export const helpPath = '/help'
export const guidePath = (guide: string): string => `${helpPath}/guides/${guide}`
export const shortcutsPath = `${helpPath}/shortcuts`
export const newsPath = `${helpPath}/news`

/** Every failure, with one of them in view. */
export const errorsPath = (code?: FailureCode): string => `${helpPath}/errors${code ? `?code=${code}` : ''}`

/** The page with what was alerted. */
export const alertsPath = '/usage/alerts'
export const budgetsPath = '/usage/budgets'

/** The box that says what this app is and what it runs on. */
export const aboutPath = '/settings?about=1'

/** The part of the settings that says what is alerted. */
export const alertSettingsPath = '/settings?part=alerts'

/** A comparison. */
export const comparisonPath = (id: string): string => `${comparePath}/${encodeURIComponent(id)}`

type Id = ConnectionView['id']

/** Where all connections are listed. */
export const connectionsPath = '/connections'

/** The form for a new connection. */
export const newConnectionPath = '/connections?new'

/** The page of a connection; `test` begins all its tests at once. */
export const connectionPath = (id: Id, { test = false } = {}): string =>
  `/connections?show=${encodeURIComponent(id)}${test ? '&test' : ''}`

/** The form of a connection, opened at a field. */
export const editConnectionPath = (id: Id, field?: FieldName): string =>
  `/connections?edit=${encodeURIComponent(id)}${field ? `&field=${field}` : ''}`

/** The page that hands out a key. */
export const handoutsPath = '/handout'

/** The same page, begun with a plan, a key of it, and the id of a holder. */
export function handoutPath({
  planId,
  keyId,
  to,
}: Readonly<Partial<Record<'planId' | 'keyId' | 'to', string | undefined>>>): string {
  const query = { ...(planId && { plan: planId }), ...(keyId && { key: keyId }), ...(to && { to }) }
  return `/handout?${new URLSearchParams(query).toString()}`
}

/** The page that hands out keys to several. */
export const handoutManyPath = '/handout/many'

/** The page that opens a kit. */
export const openKitPath = '/handout/open'

/** The tabs of a memory, in their order. */
export const memoryTabs = ['sessions', 'events', 'strategies', 'records', 'details'] as const
export type MemoryTab = (typeof memoryTabs)[number]

/** What is done with the records of a memory. */
export const recordModes = ['browse', 'search', 'generate'] as const

/** The place of the list of memories. */
export const memoriesPath = '/memory'

type Query = Readonly<Record<string, string | undefined>>

/** The place of a memory's tab in the window. */
export function memoryPath(memoryId: string, tab: MemoryTab, query: Query = {}): string {
  const said = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const search = new URLSearchParams(said).toString()
  return `${memoriesPath}/${encodeURIComponent(memoryId)}/${tab}${search === '' ? '' : `?${search}`}`
}

/** The place of a session's events. */
export const eventsPath = (
  memoryId: string,
  { actorId, sessionId }: { readonly actorId: string; readonly sessionId: string },
): string => memoryPath(memoryId, 'events', { actor: actorId, session: sessionId })

/** The place where records are made from a session. */
export const generatePath = (
  memoryId: string,
  { actorId, sessionId }: { readonly actorId: string; readonly sessionId: string },
): string => memoryPath(memoryId, 'records', { mode: 'generate', actor: actorId, session: sessionId })

/** Where all packages are. */
export const packagesPath = '/plans/packages'

/** The page of a package. */
export const packagePath = (packageId: string): string => `${packagesPath}/${encodeURIComponent(packageId)}`

/** Packages side by side. */
export const comparePackagesPath = (packageIds: readonly string[]): string =>
  `${packagesPath}/compare?ids=${packageIds.map(encodeURIComponent).join(',')}`

/** A conversation, or the place where a new one begins. */
export const chatPath = (conversationId?: string): string =>
  conversationId === undefined ? '/playground' : `/playground/chat/${encodeURIComponent(conversationId)}`

/** The name of the parameter that says which message is to be seen. */
export const messageParameter = 'message'

/** A message in its conversation, whichever branch it is in. */
export const messagePath = (conversationId: string, messageId: string): string =>
  `${chatPath(conversationId)}?${messageParameter}=${encodeURIComponent(messageId)}`

/** Models and prompts side by side. */
export const comparePath = '/playground/compare'

/** The prompts library. */
export const promptsPath = '/playground/prompts'

/** Text completion. */
export const completionPath = '/playground/completion'

/** Embeddings. */
export const embeddingsPath = '/playground/embeddings'

/** The page with all profiles. */
export const profilesPath = '/profiles'

/** The page that reads a teammate's profile. */
export const importProfilePath = '/profiles/import'

/** The page of one profile. */
export const profilePath = (id: string): string => `/profiles/${encodeURIComponent(id)}`

/** The page with what switching to a profile would write. */
export const switchProfilePath = (id: string): string => `${profilePath(id)}/switch`

/** Stands in an address for a prompt that is not kept yet. */
export const newPrompt = 'new'

/** A prompt, or a new one. */
export const promptPath = (id: string): string => `${promptsPath}/${encodeURIComponent(id)}`

/** The page with all keys and their holders. */
export const registerPath = '/register'

/** The same page with the dialog for an acknowledgement code open. */
export const enterCodePath = '/register?code=1'

/** The tab with everybody's keys. */
export const holdersPath = '/register/holders'

/** The tab with the rotations. */
export const rotationsPath = '/register/rotations'

/** The tab with the audit trail. */
export const auditPath = '/register/audit'

/** Points tools that go through the relay at their plans, or anew at the relay: those given, or all of them. Shows the diff first. */
export function pointPath({ to, toolIds }: { readonly to: Route; readonly toolIds?: readonly string[] }): string {
  const query = new URLSearchParams({ to, ...(toolIds && { tools: toolIds.join(',') }) })
  return `/relay/point?${query}`
}

/** The table of keys, searched for a text. */
export const findKeyPath = (text: string): string => `${registerPath}?${new URLSearchParams({ find: text }).toString()}`

/** The page of a person or tool that holds keys, by `holderId`. */
export const holderPath = (id: string): string => `/register/holders/${encodeURIComponent(id)}`

/** A key of this computer: what every call about rotating names. */
export interface KeyHere {
  readonly planId: string
  readonly keyId: string
}

/** The page that chooses a key to rotate. */
export const rotatePath = '/rotate'

/** The page with what rotating a key would do. */
export const rotateKeyPath = ({ planId, keyId }: KeyHere): string =>
  `/rotate?${new URLSearchParams({ plan: planId, key: keyId }).toString()}`

/** The page of a rotation that was begun. */
export const rotationPath = (id: string): string => `/rotate/${encodeURIComponent(id)}`

const many = 'one'

/** The page that rotates several keys; a single one has its own. */
export function rotateManyPath(keys: readonly KeyHere[]): string {
  const [first] = keys
  if (first && keys.length === 1) return rotateKeyPath(first)
  const query = new URLSearchParams(keys.map(({ planId, keyId }) => [many, JSON.stringify([planId, keyId])]))
  return `/rotate/many?${query.toString()}`
}

function readPair(text: string): readonly KeyHere[] {
  try {
    const pair: unknown = JSON.parse(text)
    const [planId, keyId]: readonly unknown[] = Array.isArray(pair) ? pair : []
    return typeof planId === 'string' && typeof keyId === 'string' ? [{ planId, keyId }] : []
  } catch {
    return []
  }
}

/** The keys that an address of `rotateManyPath` names. */
export const readMany = (query: URLSearchParams): readonly KeyHere[] => query.getAll(many).flatMap(readPair)

/** The list of runtimes. */
export const runtimesPath = '/runtimes'

/** The check of an agent container. */
export const checkPath = `${runtimesPath}/check`

/** The faces of one runtime, each with a place of its own. */
export const runtimeTabs = ['overview', 'versions', 'endpoints', 'logs', 'metrics'] as const
export type RuntimeTab = (typeof runtimeTabs)[number]

/** The place of a runtime's tab; `query` says more of what is shown there. */
export function runtimePath(
  id: string,
  tab: RuntimeTab = 'overview',
  query: Readonly<Record<string, string>> = {},
): string {
  const at = `${runtimesPath}/${encodeURIComponent(id)}${tab === 'overview' ? '' : `/${tab}`}`
  const asked = new URLSearchParams(query).toString()
  return asked === '' ? at : `${at}?${asked}`
}

/** The host of an address, as one says it: without the scheme. */
export const toHost = (url: string): string => url.replace(/^https?:\/\//, '')

/**
 * Whether the window still is at this path, and at this query if one is given. While the page that one went to is loaded, the one before stays
 * drawn for a moment: what it writes into the address then would lead back to it.
 */
export function isCurrentRoute(pathname: string, search?: string): boolean {
  const [path = '', query = ''] = location.hash.slice(1).split('?')
  return path === '' || (path === pathname && (search === undefined || search.replace('?', '') === query))
}

/** Where the page of a plan is. */
export const planPath = (id: string): string => `/plans/${encodeURIComponent(id)}`

/** The page with figures and charts. */
export const usagePath = '/usage'

/** Its tab with the allowances and their forecasts. */
export const leftPath = '/usage/left'

/** How one model's quota is used up over the cycle; the plan by its id at the account, or on this machine. */
export const burnDownPath = (planId: string, modelCode: string, of?: 'tokens' | 'requests'): string =>
  `/usage/burn-down?${new URLSearchParams({ plan: planId, model: modelCode, ...(of && { of }) })}`

/** Where the relay is switched on. */
export const relayPath = '/relay'

/** Where the sources of figures are switched on and off: tools' own logs among them. */
export const sourcesPath = '/usage/sources'

/** The page with the figures of a plan, a model and so on. */
export const figuresPath = (wanted: Partial<UsageQuery>): string => `${usagePath}${writeUsageQuery(wanted)}`

/** The page with single requests. */
export const requestsPath = (wanted: Partial<UsageQuery>): string => `${usagePath}/requests${writeUsageQuery(wanted)}`
