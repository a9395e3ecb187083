import { z } from 'zod'
import type { OAuth2Provider } from '../../state/identity-state'
import type { Operation } from '../operation'
import { Asked, issue, lifetimeS, partiesOf, secretReply } from './credentials'
import { Changed, type Kind, keptOf, New } from './kind'
import { create, get, list, remove, update } from './resource'

const providers: Kind<OAuth2Provider> = {
  noun: 'OAuth2 provider',
  rows: (state) => state.oauth2Providers,
  withRows: (state, oauth2Providers) => ({ ...state, oauth2Providers }),
  view: ({ clientSecret: _, ...rest }) => rest,
}

const filled = z.string().min(1, 'must not be empty')
/** The fields of a provider are ours; the spec shows none. */
const fields = {
  clientId: filled,
  tokenUrl: z.url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' }),
  scopes: z.array(z.string()).optional(),
}
const NewProvider = New.extend({ ...fields, clientSecret: filled })
/** Without a secret the provider keeps the one it has: nobody can read it to send it back. */
const ChangedProvider = Changed.extend({ ...fields, clientSecret: filled.optional() })

/** A token as RFC 6749, section 5.1, words it; the outside service, and the person's consent to a three-legged one, are simulated as willing. */
const giveToken =
  (use: 'm2m' | '3lo'): Operation['run'] =>
  async (call) => {
    const asked = await call.body(Asked)
    const { provider, agent } = partiesOf(call, providers)
    const userId = use === '3lo' ? asked.userId : undefined
    return secretReply(call, {
      access_token: issue(call, use, { provider, agent, userId }),
      token_type: 'Bearer',
      expires_in: lifetimeS,
      scope: provider.scopes?.join(' '),
      userId,
    })
  }

const path = '/outbound-auth/oauth2-providers'
const tokensPath = `${path}/{name}/agent-identities/{agentName}/tokens`

/** OAuth2 providers: the client secret is never given back, tokens are derived. */
export const oauth2ProviderOperations: readonly Operation[] = [
  {
    id: 'identity.oauth2Providers.create',
    method: 'POST',
    path,
    run: create(providers, NewProvider, (body, own) => ({ ...keptOf(body), ...own, clientSecret: body.clientSecret })),
  },
  { id: 'identity.oauth2Providers.list', method: 'GET', path, run: list(providers) },
  { id: 'identity.oauth2Providers.get', method: 'GET', path: `${path}/{name}`, run: get(providers) },
  {
    id: 'identity.oauth2Providers.update',
    method: 'PUT',
    path: `${path}/{name}`,
    run: update(providers, ChangedProvider, (body, own, before) => ({
      ...keptOf(body),
      ...own,
      clientSecret: body.clientSecret ?? before.clientSecret,
    })),
  },
  { id: 'identity.oauth2Providers.delete', method: 'DELETE', path: `${path}/{name}`, run: remove(providers) },
  { id: 'identity.oauth2Providers.tokenM2m', method: 'POST', path: `${tokensPath}/m2m`, run: giveToken('m2m') },
  { id: 'identity.oauth2Providers.token3lo', method: 'POST', path: `${tokensPath}/3lo`, run: giveToken('3lo') },
]
