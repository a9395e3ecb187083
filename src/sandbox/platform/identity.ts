import { z } from 'zod'
import { ApiKeyProvider, NamedResource, OAuth2Provider, type World } from '../state/world'
import {
  type Call,
  type Collection,
  createCollection,
  createOperation,
  createTimestamps,
  nonEmptyText,
  type Operation,
  okReply,
  refuseTakenName,
  requireIdentifier,
  type Service,
  secretReply,
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
  changedBody,
  savedSecrets,
  ...kind
}: {
  /** Name of the kind in operation ids, for example `agentIdentities`. */
  readonly id: keyof World['identity']
  /** Name of the kind in messages, for example `agent identity`. */
  readonly noun: string
  readonly path: string
  readonly row: z.ZodType<Row>
  readonly newBody: z.ZodType<{ name: string }>
  /** Body of an update. The name is in the path, not in the body. `undefined` for a kind without updates. */
  readonly changedBody?: z.ZodType<object>
  /** Secrets that a row keeps if an update omits them. */
  readonly savedSecrets?: (row: Row) => Partial<Row>
  readonly rows: (state: World['identity']) => Row[]
  readonly view?: (row: Row) => unknown
}) {
  const id = `identity.${kind.id}`
  const rowPath = `${path}/{name}`
  const collection: Collection<Row> = createCollection({
    key: 'name',
    noun,
    rows: ({ store }) => kind.rows(store.world().identity),
    view: kind.view,
    envelope: 'content',
  })
  const toRow = (body: object, ownFields: Pick<NamedResource, 'name' | 'createdAt' | 'updatedAt'>): Row =>
    kind.row.parse({ ...withoutFields(body, serverOwnedFields), ...ownFields })
  const operations = [
    // Throws 400 for an invalid name and 409 `ALREADY_EXISTS` for a duplicate.
    collection.createAt(path, `${id}.create`, kind.newBody, (body, call) => {
      const name = requireIdentifier(body.name)
      refuseTakenName(collection.rows(call), noun, name)
      return toRow(body, { name, ...createTimestamps(call) })
    }),
    collection.listAt(path, `${id}.list`),
    collection.getAt(rowPath, `${id}.get`),
    collection.removeAt(rowPath, `${id}.delete`),
  ]
  // Removes fields that the body omits (not in the spec).
  if (changedBody)
    operations.push(
      collection.updateAt(['PUT', rowPath], `${id}.update`, changedBody, (row, body) => {
        const { name, createdAt, updatedAt } = row
        return toRow({ ...savedSecrets?.(row), ...body }, { name, createdAt, updatedAt })
      }),
    )
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
})

/** Delegated API-key providers. They have no update (spec, "Endpoints", B). */
const delegatedProviders = defineKind<NamedResource>({
  id: 'delegatedProviders',
  noun: 'delegated API-key provider',
  path: '/outbound-auth/delegated-api-key-providers',
  row: NamedResource,
  newBody: NewIdentity,
  rows: (state) => state.delegatedProviders,
})

/** Static API-key providers. An update must contain the key, because it rotates it (spec, "Endpoints", B). */
const apiKeyProviders = defineKind<ApiKeyProvider>({
  id: 'apiKeyProviders',
  noun: 'static API-key provider',
  path: '/outbound-auth/api-key-providers',
  row: ApiKeyProvider,
  newBody: NewIdentity.extend({ apiKey: nonEmptyText }),
  changedBody: ChangedIdentity.extend({ apiKey: nonEmptyText }),
  rows: (state) => state.apiKeyProviders,
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
    const token = {
      access_token: issueToken(call, use, { provider, agent, userId }),
      token_type: 'Bearer',
      expires_in: tokenLifetimeSeconds,
      scope: provider.scopes?.join(' '),
      userId,
    }
    return secretReply(call, okReply(token))
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
      const apiKey = issueToken(call, 'delegated-key', { provider, agent, userId })
      const expiresAt = call.store.nowIso(tokenLifetimeSeconds * 1000)
      const names = { providerName: provider.name, agentIdentityName: agent.name }
      return secretReply(call, okReply({ apiKey, ...names, userId, expiresAt }))
    },
  ),
  createOperation('identity.apiKeyProviders.retrieveKey', 'GET', `${apiKeyProviders.path}/${keyPath}`, (call) => {
    const { provider, agent } = findProviderAndAgent(call, apiKeyProviders)
    const names = { providerName: provider.name, agentIdentityName: agent.name }
    return secretReply(call, okReply({ apiKey: provider.apiKey, ...names }))
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
