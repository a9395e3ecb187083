import type { AgentIdentity } from '../../state/identity-state'
import type { Operation } from '../operation'
import { Changed, type Kind, keptOf, New } from './kind'
import { create, get, list, remove, update } from './resource'

/** The list of agent identities. */
export const agentIdentities: Kind<AgentIdentity> = {
  noun: 'agent identity',
  rows: (state) => state.agentIdentities,
  withRows: (state, agentIdentities) => ({ ...state, agentIdentities }),
  view: (row) => row,
}

const path = '/agent-identities'

/** Agent identities: a name, and whatever else the caller keeps with it. */
export const agentIdentityOperations: readonly Operation[] = [
  {
    id: 'identity.agentIdentities.create',
    method: 'POST',
    path,
    run: create(agentIdentities, New, (body, own) => ({ ...keptOf(body), ...own })),
  },
  { id: 'identity.agentIdentities.list', method: 'GET', path, run: list(agentIdentities) },
  { id: 'identity.agentIdentities.get', method: 'GET', path: `${path}/{name}`, run: get(agentIdentities) },
  {
    id: 'identity.agentIdentities.update',
    method: 'PUT',
    path: `${path}/{name}`,
    run: update(agentIdentities, Changed, (body, own) => ({ ...keptOf(body), ...own })),
  },
  { id: 'identity.agentIdentities.delete', method: 'DELETE', path: `${path}/{name}`, run: remove(agentIdentities) },
]
