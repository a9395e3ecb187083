import type { Settings } from '../settings/settings'

/** The vault's account of a connection's secret; a key's is the id of its record. */
export const secretAccount = (connectionId: string): string => `connection:${connectionId}`

/** The vault's account of the platform API key for a connection's inference. */
export const inferenceAccount = (connectionId: string): string => `inference:${connectionId}`

/** The vault's account of a secret of the platform that a person kept. */
export const platformAccount = (id: string): string => `platform:${id}`

/** The accounts that the records of the settings name. */
export const accountsIn = ({
  plans,
  connections,
  inferenceKeys,
  platformSecrets,
}: Pick<Settings, 'plans' | 'connections' | 'inferenceKeys' | 'platformSecrets'>): readonly string[] => [
  ...plans.flatMap(({ keys }) => keys.map(({ id }) => id)),
  ...connections.map(({ id }) => secretAccount(id)),
  ...inferenceKeys.map(({ connectionId }) => inferenceAccount(connectionId)),
  ...platformSecrets.map(({ id }) => platformAccount(id)),
]
