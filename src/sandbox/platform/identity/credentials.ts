import { z } from 'zod'
import { type Call, ok, type Reply } from '../operation'
import { agentIdentities } from './agent-identities'
import { find, type Kind, type Own } from './kind'

/** How long a delegated key or a token of a provider lives (ours), in seconds of the sandbox's clock. */
export const lifetimeS = 3600

/** What may be sent for a credential: the person on whose behalf the agent acts (ours). */
export const Asked = z.looseObject({ userId: z.string().optional() })

/** The provider and the agent identity of the path. Throws 404 for the first of them that is not there. */
export function partiesOf<Row extends Own>({ store, params }: Call, kind: Kind<Row>) {
  return { provider: find(store, kind, params.name), agent: find(store, agentIdentities, params.agentName) }
}

/** Answers with a secret, which nobody on the way may keep. */
export function secretReply({ exchange }: Call, body: unknown): Reply {
  exchange.response.setHeader('cache-control', 'no-store')
  return ok(body)
}

/** A credential that follows from what it was issued for and when, so that no file needs to hold it. */
export function issue({ store }: Call, use: string, parties: Parties): string {
  const { provider, agent, userId = '' } = parties
  const id = [use, provider.name, provider.createdAt, agent.name, agent.createdAt, userId, store.nowMs()]
  return store.secretOf(JSON.stringify(id), 'dk-sandbox-')
}

interface Parties {
  readonly provider: Own
  readonly agent: Own
  readonly userId: string | undefined
}
