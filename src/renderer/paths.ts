import type { ConnectionView, Route } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import { parseJson } from '@shared/json'
import type { FieldName } from './features/connections/entries'
import { type UsageQuery, writeUsageQuery } from './features/usage/usage-query'

/** Adds a query to a path, without the empty parameters. */
export function withQuery(path: string, query: Readonly<Record<string, string | false | undefined>>): string {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`
}

export const helpPath = '/help'
export const guidePath = (guide: string): string => `${helpPath}/guides/${guide}`
export const shortcutsPath = `${helpPath}/shortcuts`
export const newsPath = `${helpPath}/news`

/** Path of the list of failures. `code` scrolls to one failure. */
export const errorsPath = (code?: FailureCode): string => `${helpPath}/errors${code ? `?code=${code}` : ''}`
export const alertsPath = '/usage/alerts'
export const budgetsPath = '/usage/budgets'
export const aboutPath = '/settings?about=1'
export const alertSettingsPath = '/settings?part=alerts'
export const comparisonPath = (id: string): string => `${comparePath}/${encodeURIComponent(id)}`

type Id = ConnectionView['id']

export const connectionsPath = '/connections'
export const newConnectionPath = '/connections?new'

/** Path of a connection. `test` starts all its tests. */
export const connectionPath = (id: Id, { test = false } = {}): string =>
  `/connections?show=${encodeURIComponent(id)}${test ? '&test' : ''}`

export const editConnectionPath = (id: Id, field?: FieldName): string =>
  `/connections?edit=${encodeURIComponent(id)}${field ? `&field=${field}` : ''}`

export const handoutsPath = '/handout'

export const handoutPath = (query: Readonly<Partial<Record<'planId' | 'keyId' | 'to', string | undefined>>>): string =>
  withQuery(handoutsPath, { plan: query.planId, key: query.keyId, to: query.to })

export const bulkHandoutPath = '/handout/many'
export const openKeyFilePath = '/handout/open'

export const memoryTabs = ['sessions', 'events', 'strategies', 'records', 'details'] as const
export type MemoryTab = (typeof memoryTabs)[number]

export const recordModes = ['browse', 'search', 'generate'] as const

export const memoriesPath = '/memory'

export const memoryPath = (memoryId: string, tab: MemoryTab, query: Parameters<typeof withQuery>[1] = {}): string =>
  withQuery(`${memoriesPath}/${encodeURIComponent(memoryId)}/${tab}`, query)

export const eventsPath = (
  memoryId: string,
  { actorId, sessionId }: { readonly actorId: string; readonly sessionId: string },
): string => memoryPath(memoryId, 'events', { actor: actorId, session: sessionId })

export const generatePath = (
  memoryId: string,
  { actorId, sessionId }: { readonly actorId: string; readonly sessionId: string },
): string => memoryPath(memoryId, 'records', { mode: 'generate', actor: actorId, session: sessionId })

export const packagesPath = '/plans/packages'
export const packagePath = (packageId: string): string => `${packagesPath}/${encodeURIComponent(packageId)}`

export const comparePackagesPath = (packageIds: readonly string[]): string =>
  `${packagesPath}/compare?ids=${packageIds.map(encodeURIComponent).join(',')}`

export const chatPath = (conversationId?: string): string =>
  conversationId === undefined ? '/playground' : `/playground/chat/${encodeURIComponent(conversationId)}`

/** Query parameter with the message to scroll to. */
export const messageParameter = 'message'

/** Path of a message, which may be in any branch of its conversation. */
export const messagePath = (conversationId: string, messageId: string): string =>
  `${chatPath(conversationId)}?${messageParameter}=${encodeURIComponent(messageId)}`

export const comparePath = '/playground/compare'
export const promptsPath = '/playground/prompts'
export const completionPath = '/playground/completion'
export const embeddingsPath = '/playground/embeddings'
export const profilesPath = '/profiles'
export const importProfilePath = '/profiles/import'
export const profilePath = (id: string): string => `/profiles/${encodeURIComponent(id)}`
export const switchProfilePath = (id: string): string => `${profilePath(id)}/switch`

/** Id of an unsaved prompt in the URL. */
export const newPrompt = 'new'
export const promptPath = (id: string): string => `${promptsPath}/${encodeURIComponent(id)}`
export const registerPath = '/register'

/** Path that opens the dialog for a confirmation code. */
export const enterCodePath = '/register?code=1'
export const holdersPath = '/register/holders'
export const rotationsPath = '/register/rotations'
export const auditPath = '/register/audit'

/** Path of the page that previews a route change, for the given tools or for all. */
export const pointPath = ({ to, toolIds }: { readonly to: Route; readonly toolIds?: readonly string[] }): string =>
  withQuery('/relay/point', { to, tools: toolIds?.join(',') })

export const findKeyPath = (text: string): string => withQuery(registerPath, { find: text })

/** Path of a holder. `id` is a `holderId`. */
export const holderPath = (id: string): string => `/register/holders/${encodeURIComponent(id)}`

/** A key saved on this computer, by the local ids of its plan and key. */
export interface LocalKeyRef {
  readonly planId: string
  readonly keyId: string
}

export const rotatePath = '/rotate'

export const rotateKeyPath = ({ planId, keyId }: LocalKeyRef): string =>
  withQuery(rotatePath, { plan: planId, key: keyId })

export const rotationPath = (id: string): string => `/rotate/${encodeURIComponent(id)}`

const manyQueryParameter = 'one'

/** Path of the rotation page for several keys, or of the page for a single key. */
export function rotateManyPath(keys: readonly LocalKeyRef[]): string {
  const [firstKey] = keys
  if (firstKey && keys.length === 1) return rotateKeyPath(firstKey)
  const query = new URLSearchParams(
    keys.map(({ planId, keyId }) => [manyQueryParameter, JSON.stringify([planId, keyId])]),
  )
  return `/rotate/many?${query.toString()}`
}

/** Inverse of `rotateManyPath`. */
export const readKeys = (query: URLSearchParams): readonly LocalKeyRef[] =>
  query.getAll(manyQueryParameter).flatMap((text) => {
    const pair = parseJson(text)
    const [planId, keyId]: readonly unknown[] = Array.isArray(pair) ? pair : []
    return typeof planId === 'string' && typeof keyId === 'string' ? [{ planId, keyId }] : []
  })

export const runtimesPath = '/runtimes'
export const checkPath = `${runtimesPath}/check`

export const runtimeTabs = ['overview', 'versions', 'endpoints', 'logs', 'metrics'] as const
export type RuntimeTab = (typeof runtimeTabs)[number]

export const runtimePath = (
  id: string,
  tab: RuntimeTab = 'overview',
  query: Readonly<Record<string, string>> = {},
): string => withQuery(`${runtimesPath}/${encodeURIComponent(id)}${tab === 'overview' ? '' : `/${tab}`}`, query)

/** Address without scheme, for display. */
export const toHost = (url: string): string => url.replace(/^https?:\/\//, '')

/** Whether this path is still current. A page stays rendered while the next one loads, and must not navigate back. */
export function isCurrentRoute(pathname: string, search?: string): boolean {
  const [path = '', query = ''] = location.hash.slice(1).split('?')
  return path === '' || (path === pathname && (search === undefined || search.replace('?', '') === query))
}

export const planPath = (id: string): string => `/plans/${encodeURIComponent(id)}`
export const usagePath = '/usage'
export const quotaPath = '/usage/left'

/** Path of a model's forecast. `planId` is an account or a local id. */
export const burnDownPath = (planId: string, modelCode: string, kind?: 'tokens' | 'requests'): string =>
  withQuery('/usage/burn-down', { plan: planId, model: modelCode, of: kind })

export const relayPath = '/relay'
export const sourcesPath = '/usage/sources'
export const figuresPath = (query: Partial<UsageQuery>): string => `${usagePath}${writeUsageQuery(query)}`
export const requestsPath = (query: Partial<UsageQuery>): string => `${usagePath}/requests${writeUsageQuery(query)}`
