import type { AddressKey, ConnectionPart, ConnectionView } from '@shared/contract'
import type { TFunction } from 'i18next'

/** A part of a connection that is tested on its own, and the address it stands for. */
export interface Part {
  readonly part: ConnectionPart
  readonly address?: AddressKey
}

/** All of them, in the order they are shown. */
export const parts: readonly Part[] = [
  { part: 'token' },
  { part: 'gateway', address: 'tokenPlanUrl' },
  { part: 'console', address: 'consoleUrl' },
  { part: 'identity', address: 'identityApiUrl' },
  { part: 'runtime', address: 'runtimeApiUrl' },
  { part: 'memory', address: 'memoryApiUrl' },
  { part: 'registry', address: 'registryApiUrl' },
  { part: 'aip', address: 'aipApiUrl' },
  { part: 'inference', address: 'inferenceUrl' },
]

const isSetUp = (connection: ConnectionView, { address }: Part): boolean =>
  address === undefined ? connection.tokenSource !== undefined : Boolean(connection.addresses[address])

/** The parts that a connection has what it takes to test. */
export const partsSetUp = (connection: ConnectionView): readonly Part[] =>
  parts.filter((one) => isSetUp(connection, one))

/** How many services there are, and how many of them have an address. */
export function countServices({ addresses }: ConnectionView): { readonly filled: number; readonly count: number } {
  const services = parts.flatMap(({ address }) => address ?? [])
  return { filled: services.filter((key) => addresses[key]).length, count: services.length }
}

/** What a part is called. */
export const partName = ({ address }: Part, t: TFunction<'connections'>): string =>
  address === undefined ? t('test.token') : t(`addresses.${address}.name`)
