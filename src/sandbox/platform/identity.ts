import { z } from 'zod'
import type { Store } from '../state/store'
import { AgentIdentity, ApiKeyProvider, DelegatedProvider, type IdentityState, OAuth2Provider } from '../state/world'
import {
  type Call,
  noContent,
  type Operation,
  okReply,
  type Reply,
  refuseTakenName,
  requireIdentifier,
  requireRow,
  respondWithPage,
  type Service,
  springPaging,
  toCreatedReply,
  withoutFields,
} from './operation'

/** Fields that the service sets. Clients define all other fields. */
interface ServerOwnedFields {
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string
}

interface Kind<Row extends ServerOwnedFields> {
  /** Name of the kind in operation ids, for example `agentIdentities`. */
  readonly id: keyof IdentityState
  /** Name of the kind in messages, for example `agent identity`. */
  readonly noun: string
  readonly path: string
  readonly row: z.ZodType<Row>
  readonly newBody: z.ZodType<{ name: string }>
  /** Body of an update. The name is in the path, not in the body. `undefined` for a kind without updates. */
  readonly changedBody?: z.ZodType<object>
  /** Secrets that a row keeps if an update omits them. */
  readonly savedSecrets?: (row: Row) => Partial<Row>
  readonly rows: (state: IdentityState) => readonly Row[]
  readonly withRows: (state: IdentityState, rows: readonly Row[]) => IdentityState
  /** Public view of a row. Only a credential's own operation returns secrets. */
  readonly view: (row: Row) => unknown
}

const serverOwnedFields = ['id', 'status', 'apiKeyHint']

/** Finds a row by name. Throws 404 with the kind and name. */
function findRow<Row extends ServerOwnedFields>(store: Store, kind: Kind<Row>, name = ''): Row {
  const row = kind.rows(store.world().identity).find((candidate) => candidate.name === name)
  return requireRow(row, `There is no ${kind.noun} named "${name.slice(0, 60)}".`)
}

function changeRows<Row extends ServerOwnedFields>(
  store: Store,
  kind: Kind<Row>,
  change: (rows: readonly Row[]) => readonly Row[],
): void {
  const world = store.world()
  store.replace({ ...world, identity: kind.withRows(world.identity, change(kind.rows(world.identity))) })
}

/** Creates a row. Throws 400 for an invalid name and 409 `ALREADY_EXISTS` for a duplicate. */
async function create<Row extends ServerOwnedFields>({ store, body }: Call, kind: Kind<Row>): Promise<Reply> {
  const input = await body(kind.newBody)
  const name = requireIdentifier(input.name)
  refuseTakenName(kind.rows(store.world().identity), kind.noun, name)
  const createdAt = store.nowIso()
  const row = kind.row.parse({ ...withoutFields(input, serverOwnedFields), name, createdAt, updatedAt: createdAt })
  changeRows(store, kind, (rows) => [...rows, row])
  return toCreatedReply(kind.view(row))
}

/** Replaces a row. Fields that the body omits are removed (not in the spec). */
async function update<Row extends ServerOwnedFields>(
  { store, params, body }: Call,
  kind: Kind<Row>,
  schema: z.ZodType<object>,
): Promise<Reply> {
  findRow(store, kind, params.name)
  const input = withoutFields(await body(schema), serverOwnedFields)
  const rowBefore = findRow(store, kind, params.name)
  const { name, createdAt } = rowBefore
  const ownFields = { name, createdAt, updatedAt: store.nowIso() }
  const row = kind.row.parse({ ...kind.savedSecrets?.(rowBefore), ...input, ...ownFields })
  changeRows(store, kind, (rows) => rows.map((otherRow) => (otherRow === rowBefore ? row : otherRow)))
  return okReply(kind.view(row))
}

function remove<Row extends ServerOwnedFields>({ store, params }: Call, kind: Kind<Row>): Reply {
  const deletedRow = findRow(store, kind, params.name)
  changeRows(store, kind, (rows) => rows.filter((row) => row !== deletedRow))
  return noContent
}

/** Creates the operations of one kind. Lists are sorted oldest first. */
function createCrudOperations<Row extends ServerOwnedFields>(kind: Kind<Row>): readonly Operation[] {
  const { path, changedBody, view } = kind
  const id = `identity.${kind.id}`
  const rowPath = `${path}/{name}`
  const list: Operation['run'] = ({ store, query }) =>
    respondWithPage(query, kind.rows(store.world().identity), view, springPaging)
  const get: Operation['run'] = ({ store, params }) => okReply(view(findRow(store, kind, params.name)))
  const operations: readonly Operation[] = [
    { id: `${id}.create`, method: 'POST', path, run: (call) => create(call, kind) },
    { id: `${id}.list`, method: 'GET', path, run: list },
    { id: `${id}.get`, method: 'GET', path: rowPath, run: get },
    { id: `${id}.delete`, method: 'DELETE', path: rowPath, run: (call) => remove(call, kind) },
  ]
  if (changedBody === undefined) return operations
  return [
    ...operations,
    { id: `${id}.update`, method: 'PUT', path: rowPath, run: (call) => update(call, kind, changedBody) },
  ]
}

const NewIdentity = z.looseObject({ name: z.string() })
const ChangedIdentity = z.looseObject({})

/** Agent identities: a name plus any fields of the caller. */
const agentIdentities: Kind<AgentIdentity> = {
  id: 'agentIdentities',
  noun: 'agent identity',
  path: '/agent-identities',
  row: AgentIdentity,
  newBody: NewIdentity,
  changedBody: ChangedIdentity,
  rows: (state) => state.agentIdentities,
  withRows: (state, agentIdentities) => ({ ...state, agentIdentities }),
  view: (row) => row,
}

/** Delegated API-key providers. They have no update (spec, "Endpoints", B). */
const delegatedProviders: Kind<DelegatedProvider> = {
  id: 'delegatedProviders',
  noun: 'delegated API-key provider',
  path: '/outbound-auth/delegated-api-key-providers',
  row: DelegatedProvider,
  newBody: NewIdentity,
  rows: (state) => state.delegatedProviders,
  withRows: (state, delegatedProviders) => ({ ...state, delegatedProviders }),
  view: (row) => row,
}

/** Masked key. Shows its last four characters unless it is short. */
const maskKey = (apiKey: string): string => `****${apiKey.length < 12 ? '' : apiKey.slice(-4)}`

const nonEmptyText = z.string().min(1, 'must not be empty')

/** Static API-key providers. An update must contain the key, because it rotates it (spec, "Endpoints", B). */
const apiKeyProviders: Kind<ApiKeyProvider> = {
  id: 'apiKeyProviders',
  noun: 'static API-key provider',
  path: '/outbound-auth/api-key-providers',
  row: ApiKeyProvider,
  newBody: NewIdentity.extend({ apiKey: nonEmptyText }),
  changedBody: ChangedIdentity.extend({ apiKey: nonEmptyText }),
  rows: (state) => state.apiKeyProviders,
  withRows: (state, apiKeyProviders) => ({ ...state, apiKeyProviders }),
  view: ({ apiKey, ...rest }) => ({ ...rest, apiKeyHint: maskKey(apiKey) }),
}

/** Fields of a provider, defined by this project because the spec shows none. */
const fields = {
  clientId: nonEmptyText,
  tokenUrl: z.url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' }),
  scopes: z.array(z.string()).optional(),
}

/** OAuth2 providers. The client secret is never returned, and an update may omit it. Tokens are derived. */
const oauth2Providers: Kind<OAuth2Provider> = {
  id: 'oauth2Providers',
  noun: 'OAuth2 provider',
  path: '/outbound-auth/oauth2-providers',
  row: OAuth2Provider,
  newBody: NewIdentity.extend({ ...fields, clientSecret: nonEmptyText }),
  changedBody: ChangedIdentity.extend({ ...fields, clientSecret: nonEmptyText.optional() }),
  savedSecrets: ({ clientSecret }) => ({ clientSecret }),
  rows: (state) => state.oauth2Providers,
  withRows: (state, oauth2Providers) => ({ ...state, oauth2Providers }),
  view: ({ clientSecret: _, ...rest }) => rest,
}

/** Issues a new expiring key with each request. */
const requestKey: Operation['run'] = async (call) => {
  const { userId } = await call.body(CredentialRequest)
  const { provider, agent } = findProviderAndAgent(call, delegatedProviders)
  return secretReply(call, {
    apiKey: issueToken(call, 'delegated-key', { provider, agent, userId }),
    providerName: provider.name,
    agentIdentityName: agent.name,
    userId,
    expiresAt: new Date(call.store.nowMs() + tokenLifetimeSeconds * 1000).toISOString(),
  })
}

const retrieveKey: Operation['run'] = (call) => {
  const { provider, agent } = findProviderAndAgent(call, apiKeyProviders)
  return secretReply(call, { apiKey: provider.apiKey, providerName: provider.name, agentIdentityName: agent.name })
}

/**
 * Returns a token in the format of RFC 6749, 5.1. The simulation assumes that the external service and the user
 * consent.
 */
const issueAccessToken =
  (use: 'm2m' | '3lo'): Operation['run'] =>
  async (call) => {
    const input = await call.body(CredentialRequest)
    const { provider, agent } = findProviderAndAgent(call, oauth2Providers)
    const userId = use === '3lo' ? input.userId : undefined
    return secretReply(call, {
      access_token: issueToken(call, use, { provider, agent, userId }),
      token_type: 'Bearer',
      expires_in: tokenLifetimeSeconds,
      scope: provider.scopes?.join(' '),
      userId,
    })
  }

const keyPath = '{name}/agent-identities/{agentName}/api-key'
const tokensPath = `${oauth2Providers.path}/{name}/agent-identities/{agentName}/tokens`

const credentialOperations: readonly Operation[] = [
  {
    id: 'identity.delegatedProviders.requestKey',
    method: 'POST',
    path: `${delegatedProviders.path}/${keyPath}`,
    run: requestKey,
  },
  {
    id: 'identity.apiKeyProviders.retrieveKey',
    method: 'GET',
    path: `${apiKeyProviders.path}/${keyPath}`,
    run: retrieveKey,
  },
  { id: 'identity.oauth2Providers.tokenM2m', method: 'POST', path: `${tokensPath}/m2m`, run: issueAccessToken('m2m') },
  { id: 'identity.oauth2Providers.token3lo', method: 'POST', path: `${tokensPath}/3lo`, run: issueAccessToken('3lo') },
]

/** Access control (spec, "Endpoints", B). */
export const identity: Service = {
  base: '/identity/api/v1',
  access: 'iam',
  operations: [
    ...createCrudOperations(agentIdentities),
    ...createCrudOperations(apiKeyProviders),
    ...createCrudOperations(delegatedProviders),
    ...createCrudOperations(oauth2Providers),
    ...credentialOperations,
  ],
}

/** Lifetime of a delegated key or provider token (not in the spec), in seconds of the sandbox's clock. */
const tokenLifetimeSeconds = 3600

/** `userId`: the person on whose behalf the agent acts (not in the spec). */
const CredentialRequest = z.looseObject({ userId: z.string().optional() })

/** Provider and agent identity of the path. Throws 404 for the first one missing. */
function findProviderAndAgent<Row extends ServerOwnedFields>({ store, params }: Call, kind: Kind<Row>) {
  return { provider: findRow(store, kind, params.name), agent: findRow(store, agentIdentities, params.agentName) }
}

/** A response with a secret, marked as not cacheable. */
function secretReply({ exchange }: Call, body: unknown): Reply {
  exchange.response.setHeader('cache-control', 'no-store')
  return okReply(body)
}

/** Derives a credential from its purpose and time, so that no file stores it. */
function issueToken(
  { store }: Call,
  use: string,
  parties: {
    readonly provider: ServerOwnedFields
    readonly agent: ServerOwnedFields
    readonly userId: string | undefined
  },
): string {
  const { provider, agent, userId = '' } = parties
  const id = [use, provider.name, provider.createdAt, agent.name, agent.createdAt, userId, store.nowMs()]
  return store.toSecret(JSON.stringify(id), 'dk-sandbox-')
}
