import { z } from 'zod'
import { ApiKeyProvider, type IdentityState, NamedResource, OAuth2Provider } from '../state/world'
import {
  type Call,
  type Collection,
  createCollection,
  createOperation,
  type Operation,
  okReply,
  type Reply,
  refuseTakenName,
  requireIdentifier,
  type Service,
  toCreatedReply,
  withoutFields,
} from './operation'

const serverOwnedFields = ['id', 'status', 'apiKeyHint']

/**
 * Defines a kind with its collection and operations. Lists are sorted oldest first. Only a credential's own operation
 * returns secrets, so `view` omits them.
 */
function defineKind<Row extends NamedResource>({
  path,
  noun,
  rows,
  withRows,
  changedBody,
  savedSecrets,
  ...kind
}: {
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
  readonly view?: (row: Row) => unknown
}) {
  const id = `identity.${kind.id}`
  const rowPath = `${path}/{name}`
  const collection: Collection<Row> = createCollection({
    key: 'name',
    noun,
    rows: ({ identity }) => rows(identity),
    withRows: (world, changedRows) => ({ ...world, identity: withRows(world.identity, changedRows) }),
    ...(kind.view && { view: kind.view }),
    envelope: 'content',
  })
  /** Throws 400 for an invalid name and 409 `ALREADY_EXISTS` for a duplicate. */
  const create: Operation['run'] = async (call) => {
    const { store } = call
    const input = await call.body(kind.newBody)
    const name = requireIdentifier(input.name)
    refuseTakenName(collection.list(store), noun, name)
    const createdAt = store.nowIso()
    const row = kind.row.parse({ ...withoutFields(input, serverOwnedFields), name, createdAt, updatedAt: createdAt })
    collection.add(store, row)
    return toCreatedReply(collection.view(row, call))
  }
  /** Removes fields that the body omits (not in the spec). */
  const createUpdate =
    (schema: z.ZodType<object>): Operation['run'] =>
    async (call) => {
      const { row: rowBefore, body } = await collection.findWithBody(call, schema)
      const input = withoutFields(body, serverOwnedFields)
      const { name, createdAt } = rowBefore
      const ownFields = { name, createdAt, updatedAt: call.store.nowIso() }
      const row = kind.row.parse({ ...savedSecrets?.(rowBefore), ...input, ...ownFields })
      collection.replace(call.store, rowBefore, row)
      return okReply(collection.view(row, call))
    }
  const operations = [
    createOperation(`${id}.create`, 'POST', path, create),
    collection.listAt(path, `${id}.list`),
    collection.getAt(rowPath, `${id}.get`),
    collection.removeAt(rowPath, `${id}.delete`),
    ...(changedBody ? [createOperation(`${id}.update`, 'PUT', rowPath, createUpdate(changedBody))] : []),
  ]
  return { path, collection, operations }
}

const NewIdentity = z.looseObject({ name: z.string() })
const ChangedIdentity = z.looseObject({})

/** Agent identities: a name plus any fields of the caller. */
const agentIdentities = defineKind<NamedResource>({
  id: 'agentIdentities',
  noun: 'agent identity',
  path: '/agent-identities',
  row: NamedResource,
  newBody: NewIdentity,
  changedBody: ChangedIdentity,
  rows: (state) => state.agentIdentities,
  withRows: (state, agentIdentities) => ({ ...state, agentIdentities }),
})

/** Delegated API-key providers. They have no update (spec, "Endpoints", B). */
const delegatedProviders = defineKind<NamedResource>({
  id: 'delegatedProviders',
  noun: 'delegated API-key provider',
  path: '/outbound-auth/delegated-api-key-providers',
  row: NamedResource,
  newBody: NewIdentity,
  rows: (state) => state.delegatedProviders,
  withRows: (state, delegatedProviders) => ({ ...state, delegatedProviders }),
})

const nonEmptyText = z.string().min(1, 'must not be empty')

/** Static API-key providers. An update must contain the key, because it rotates it (spec, "Endpoints", B). */
const apiKeyProviders = defineKind<ApiKeyProvider>({
  id: 'apiKeyProviders',
  noun: 'static API-key provider',
  path: '/outbound-auth/api-key-providers',
  row: ApiKeyProvider,
  newBody: NewIdentity.extend({ apiKey: nonEmptyText }),
  changedBody: ChangedIdentity.extend({ apiKey: nonEmptyText }),
  rows: (state) => state.apiKeyProviders,
  withRows: (state, apiKeyProviders) => ({ ...state, apiKeyProviders }),
  // The hint is the last four characters, unless the key is short.
  view: ({ apiKey, ...rest }) => ({ ...rest, apiKeyHint: `****${apiKey.length < 12 ? '' : apiKey.slice(-4)}` }),
})

/** Fields of a provider, defined by this project because the spec shows none. */
const fields = {
  clientId: nonEmptyText,
  tokenUrl: z.url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' }),
  scopes: z.array(z.string()).optional(),
}

/** OAuth2 providers. The client secret is never returned, and an update may omit it. Tokens are derived. */
const oauth2Providers = defineKind<OAuth2Provider>({
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
})

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
  // Issues a new expiring key with each request.
  createOperation(
    'identity.delegatedProviders.requestKey',
    'POST',
    `${delegatedProviders.path}/${keyPath}`,
    async (call) => {
      const { userId } = await call.body(CredentialRequest)
      const { provider, agent } = findProviderAndAgent(call, delegatedProviders)
      return secretReply(call, {
        apiKey: issueToken(call, 'delegated-key', { provider, agent, userId }),
        providerName: provider.name,
        agentIdentityName: agent.name,
        userId,
        expiresAt: new Date(call.store.nowMs() + tokenLifetimeSeconds * 1000).toISOString(),
      })
    },
  ),
  createOperation('identity.apiKeyProviders.retrieveKey', 'GET', `${apiKeyProviders.path}/${keyPath}`, (call) => {
    const { provider, agent } = findProviderAndAgent(call, apiKeyProviders)
    return secretReply(call, { apiKey: provider.apiKey, providerName: provider.name, agentIdentityName: agent.name })
  }),
  createOperation('identity.oauth2Providers.tokenM2m', 'POST', `${tokensPath}/m2m`, issueAccessToken('m2m')),
  createOperation('identity.oauth2Providers.token3lo', 'POST', `${tokensPath}/3lo`, issueAccessToken('3lo')),
]

/** Access control (spec, "Endpoints", B). */
export const identity: Service = {
  base: '/identity/api/v1',
  access: 'iam',
  operations: [
    ...agentIdentities.operations,
    ...apiKeyProviders.operations,
    ...delegatedProviders.operations,
    ...oauth2Providers.operations,
    ...credentialOperations,
  ],
}

/** Lifetime of a delegated key or provider token (not in the spec), in seconds of the sandbox's clock. */
const tokenLifetimeSeconds = 3600

/** `userId`: the person on whose behalf the agent acts (not in the spec). */
const CredentialRequest = z.looseObject({ userId: z.string().optional() })

/** Provider and agent identity of the path. Throws 404 for the first one missing. */
function findProviderAndAgent<Row extends NamedResource>(
  call: Call,
  { collection }: { readonly collection: Collection<Row> },
) {
  return { provider: collection.find(call), agent: agentIdentities.collection.find(call, 'agentName') }
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
  parties: Readonly<Record<'provider' | 'agent', NamedResource>> & { readonly userId: string | undefined },
): string {
  const { provider, agent, userId = '' } = parties
  const id = [use, provider.name, provider.createdAt, agent.name, agent.createdAt, userId, store.nowMs()]
  return store.toSecret(JSON.stringify(id), 'dk-sandbox-')
}
