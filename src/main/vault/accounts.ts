import type { Settings } from '../settings/settings'

/** The vault's account of a connection's secret; a key's is the id of its record. */
export const secretAccount = (connectionId: string): string => `connection:${connectionId}`

/** The accounts that the records of the settings name. */
export const accountsIn = ({ plans, connections }: Pick<Settings, 'plans' | 'connections'>): readonly string[] => [
  ...plans.flatMap(({ keys }) => keys.map(({ id }) => id)),
  ...connections.map(({ id }) => secretAccount(id)),
]
