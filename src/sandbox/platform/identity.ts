import { z } from 'zod'
import type { Store } from '../state/store'
import type { AgentIdentity, ApiKeyProvider, DelegatedProvider, IdentityState, OAuth2Provider } from '../state/world'
import {
  type Call,
  conflict,
  invalidName,
  noContent,
  notFound,
  type Operation,
  okReply,
  type Reply,
  respondWithPage,
  type Service,
  springPaging,
  toCreatedReply,
} from './operation'

type Run = Operation['run']

/** Creates a row. Throws 400 for an invalid name and 409 `ALREADY_EXISTS` for a duplicate. */
function create<Row extends ServerOwnedFields, Schema extends z.ZodType<{ name: string }>>(
  kind: Kind<Row>,
  schema: Schema,
  make: (body: z.infer<Schema>, ownFields: ServerOwnedFields) => Row,
): Run {
  return async ({ store, body }) => {
    const input = await body(schema)
    const name = requireValidName(input.name)
    const rows = kind.rows(store.world().identity)
    if (rows.some((row) => row.name === name)) {
      throw conflict('ALREADY_EXISTS', `There is already a ${kind.noun} named "${name}". Choose another name.`)
    }
    const timestamp = new Date(store.nowMs()).toISOString()
    const row = make(input, { name, createdAt: timestamp, updatedAt: timestamp })
    replaceRows(store, kind, [...rows, row])
    return toCreatedReply(kind.view(row))
  }
}

/** Lists the resources of one kind, oldest first. */
function list<Row extends ServerOwnedFields>(kind: Kind<Row>): Run {
  return ({ store, query }) =>
    respondWithPage({ query, paging: springPaging }, kind.rows(store.world().identity), (row) => kind.view(row))
}

function createGetHandler<Row extends ServerOwnedFields>(kind: Kind<Row>): Run {
  return ({ store, params }) => okReply(kind.view(findRow(store, kind, params.name)))
}

/** Replaces a row. Fields that the body omits are removed (not in the spec). */
function update<Row extends ServerOwnedFields, Schema extends z.ZodType>(
  kind: Kind<Row>,
  schema: Schema,
  renew: (body: z.infer<Schema>, ownFields: ServerOwnedFields, rowBefore: Row) => Row,
): Run {
  return async ({ store, params, body }) => {
    findRow(store, kind, params.name)
    const input = await body(schema)
    const existingRow = findRow(store, kind, params.name)
    const { name, createdAt } = existingRow
    const row = renew(input, { name, createdAt, updatedAt: new Date(store.nowMs()).toISOString() }, existingRow)
    const rows = kind.rows(store.world().identity).map((otherRow) => (otherRow === existingRow ? row : otherRow))
    replaceRows(store, kind, rows)
    return okReply(kind.view(row))
  }
}

function remove<Row extends ServerOwnedFields>(kind: Kind<Row>): Run {
  return ({ store, params }) => {
    const deletedRow = findRow(store, kind, params.name)
    const rows = kind.rows(store.world().identity).filter((row) => row !== deletedRow)
    replaceRows(store, kind, rows)
    return noContent
  }
}

/** Creates the operations of one kind of resource. `id` is the prefix of their ids. */
const createCrudOperations = <Row extends ServerOwnedFields>(
  id: string,
  path: string,
  kind: Kind<Row>,
): readonly Operation[] => [
  { id: `${id}.list`, method: 'GET', path, run: list(kind) },
  { id: `${id}.get`, method: 'GET', path: `${path}/{name}`, run: createGetHandler(kind) },
  { id: `${id}.delete`, method: 'DELETE', path: `${path}/{name}`, run: remove(kind) },
]

/** Fields that the service sets. Clients define all other fields. */
interface ServerOwnedFields {
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string
}

interface Kind<Row extends ServerOwnedFields> {
  /** Name of the kind in messages, for example `agent identity`. */
  readonly noun: string
  readonly rows: (state: IdentityState) => readonly Row[]
  readonly withRows: (state: IdentityState, rows: readonly Row[]) => IdentityState
  /** Public view of a row. Only a credential's own operation returns secrets. */
  readonly view: (row: Row) => unknown
}

const NewIdentity = z.looseObject({ name: z.string() })
/** Body of an update. The name is in the path, not in the body. */
const ChangedIdentity = z.looseObject({})

const namePattern = /^[a-zA-Z0-9_-]{1,50}$/

/** Validates the name of a new resource (spec, "Limits"). Throws 400. */
function requireValidName(name: string): string {
  if (namePattern.test(name)) return name
  throw invalidName('name: Use 1 to 50 letters (a-z, A-Z), digits, - and _.')
}

/** Finds a row by name. Throws 404 with the kind and name. */
function findRow<Row extends ServerOwnedFields>(store: Store, kind: Kind<Row>, name = ''): Row {
  const row = kind.rows(store.world().identity).find((candidate) => candidate.name === name)
  if (row) return row
  throw notFound(`There is no ${kind.noun} named "${name.slice(0, 60)}".`)
}

function replaceRows<Row extends ServerOwnedFields>(store: Store, kind: Kind<Row>, rows: readonly Row[]): void {
  const world = store.world()
  store.replace({ ...world, identity: kind.withRows(world.identity, rows) })
}

const serverOwnedFields = ['id', 'status', 'apiKeyHint']

function withoutServerFields(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !serverOwnedFields.includes(name)))
}

const delegatedProviders: Kind<DelegatedProvider> = {
  noun: 'delegated API-key provider',
  rows: (state) => state.delegatedProviders,
  withRows: (state, delegatedProviders) => ({ ...state, delegatedProviders }),
  view: (row) => row,
}

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

const delegatedProviderPath = '/outbound-auth/delegated-api-key-providers'

/**
 * Delegated API-key providers. They have no update (spec, "Endpoints", B), and each request issues a new expiring key.
 */
const delegatedProviderOperations: readonly Operation[] = [
  {
    id: 'identity.delegatedProviders.create',
    method: 'POST',
    path: delegatedProviderPath,
    run: create(delegatedProviders, NewIdentity, (body, ownFields) => ({ ...withoutServerFields(body), ...ownFields })),
  },
  ...createCrudOperations('identity.delegatedProviders', delegatedProviderPath, delegatedProviders),
  {
    id: 'identity.delegatedProviders.requestKey',
    method: 'POST',
    path: `${delegatedProviderPath}/{name}/agent-identities/{agentName}/api-key`,
    run: requestKey,
  },
]

/** Masked key. Shows its last four characters unless it is short. */
const maskKey = (apiKey: string): string => `****${apiKey.length < 12 ? '' : apiKey.slice(-4)}`

const apiKeyProviders: Kind<ApiKeyProvider> = {
  noun: 'static API-key provider',
  rows: (state) => state.apiKeyProviders,
  withRows: (state, apiKeyProviders) => ({ ...state, apiKeyProviders }),
  view: ({ apiKey, ...rest }) => ({ ...rest, apiKeyHint: maskKey(apiKey) }),
}

const apiKey = z.string().min(1, 'must not be empty')
/** The key is required: an update rotates it (spec, "Endpoints", B). */
const RotatedKey = ChangedIdentity.extend({ apiKey })

const retrieveKey: Operation['run'] = (call) => {
  const { provider, agent } = findProviderAndAgent(call, apiKeyProviders)
  return secretReply(call, { apiKey: provider.apiKey, providerName: provider.name, agentIdentityName: agent.name })
}

const apiKeyProviderPath = '/outbound-auth/api-key-providers'

/** Static API-key providers. Only `retrieveKey` returns the key. */
const apiKeyProviderOperations: readonly Operation[] = [
  {
    id: 'identity.apiKeyProviders.create',
    method: 'POST',
    path: apiKeyProviderPath,
    run: create(apiKeyProviders, NewIdentity.extend({ apiKey }), (body, ownFields) => ({
      ...withoutServerFields(body),
      ...ownFields,
      apiKey: body.apiKey,
    })),
  },
  ...createCrudOperations('identity.apiKeyProviders', apiKeyProviderPath, apiKeyProviders),
  {
    id: 'identity.apiKeyProviders.update',
    method: 'PUT',
    path: `${apiKeyProviderPath}/{name}`,
    run: update(apiKeyProviders, RotatedKey, (body, ownFields) => ({
      ...withoutServerFields(body),
      ...ownFields,
      apiKey: body.apiKey,
    })),
  },
  {
    id: 'identity.apiKeyProviders.retrieveKey',
    method: 'GET',
    path: `${apiKeyProviderPath}/{name}/agent-identities/{agentName}/api-key`,
    run: retrieveKey,
  },
]

const oauth2Providers: Kind<OAuth2Provider> = {
  noun: 'OAuth2 provider',
  rows: (state) => state.oauth2Providers,
  withRows: (state, oauth2Providers) => ({ ...state, oauth2Providers }),
  view: ({ clientSecret: _, ...rest }) => rest,
}

const nonEmptyText = z.string().min(1, 'must not be empty')
/** Fields of a provider, defined by this project because the spec shows none. */
const fields = {
  clientId: nonEmptyText,
  tokenUrl: z.url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' }),
  scopes: z.array(z.string()).optional(),
}
const NewProvider = NewIdentity.extend({ ...fields, clientSecret: nonEmptyText })
/** Keeps the saved secret if none is sent, because clients cannot read it. */
const ChangedProvider = ChangedIdentity.extend({ ...fields, clientSecret: nonEmptyText.optional() })

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

const oauth2ProviderPath = '/outbound-auth/oauth2-providers'
const tokensPath = `${oauth2ProviderPath}/{name}/agent-identities/{agentName}/tokens`

/** OAuth2 providers. The client secret is never returned, and tokens are derived. */
const oauth2ProviderOperations: readonly Operation[] = [
  {
    id: 'identity.oauth2Providers.create',
    method: 'POST',
    path: oauth2ProviderPath,
    run: create(oauth2Providers, NewProvider, (body, ownFields) => ({
      ...withoutServerFields(body),
      ...ownFields,
      clientSecret: body.clientSecret,
    })),
  },
  ...createCrudOperations('identity.oauth2Providers', oauth2ProviderPath, oauth2Providers),
  {
    id: 'identity.oauth2Providers.update',
    method: 'PUT',
    path: `${oauth2ProviderPath}/{name}`,
    run: update(oauth2Providers, ChangedProvider, (body, ownFields, rowBefore) => ({
      ...withoutServerFields(body),
      ...ownFields,
      clientSecret: body.clientSecret ?? rowBefore.clientSecret,
    })),
  },
  { id: 'identity.oauth2Providers.tokenM2m', method: 'POST', path: `${tokensPath}/m2m`, run: issueAccessToken('m2m') },
  { id: 'identity.oauth2Providers.token3lo', method: 'POST', path: `${tokensPath}/3lo`, run: issueAccessToken('3lo') },
]

const agentIdentities: Kind<AgentIdentity> = {
  noun: 'agent identity',
  rows: (state) => state.agentIdentities,
  withRows: (state, agentIdentities) => ({ ...state, agentIdentities }),
  view: (row) => row,
}

const identityPath = '/agent-identities'

/** Agent identities: a name plus any fields of the caller. */
const agentIdentityOperations: readonly Operation[] = [
  {
    id: 'identity.agentIdentities.create',
    method: 'POST',
    path: identityPath,
    run: create(agentIdentities, NewIdentity, (body, ownFields) => ({ ...withoutServerFields(body), ...ownFields })),
  },
  ...createCrudOperations('identity.agentIdentities', identityPath, agentIdentities),
  {
    id: 'identity.agentIdentities.update',
    method: 'PUT',
    path: `${identityPath}/{name}`,
    run: update(agentIdentities, ChangedIdentity, (body, ownFields) => ({
      ...withoutServerFields(body),
      ...ownFields,
    })),
  },
]

/** Access control (spec, "Endpoints", B). */
export const identity: Service = {
  base: '/identity/api/v1',
  access: 'iam',
  operations: [
    ...agentIdentityOperations,
    ...apiKeyProviderOperations,
    ...delegatedProviderOperations,
    ...oauth2ProviderOperations,
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
function issueToken({ store }: Call, use: string, parties: TokenParties): string {
  const { provider, agent, userId = '' } = parties
  const id = [use, provider.name, provider.createdAt, agent.name, agent.createdAt, userId, store.nowMs()]
  return store.toSecret(JSON.stringify(id), 'dk-sandbox-')
}

interface TokenParties {
  readonly provider: ServerOwnedFields
  readonly agent: ServerOwnedFields
  readonly userId: string | undefined
}
