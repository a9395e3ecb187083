import type { AddressKey } from '@shared/contract'

/** The addresses of a connection as they are shown: what belongs together, in the order of use. */
export const addressGroups = [
  { id: 'plan', keys: ['tokenPlanUrl', 'consoleUrl'] },
  {
    id: 'platform',
    keys: ['identityApiUrl', 'runtimeApiUrl', 'memoryApiUrl', 'registryApiUrl', 'aipApiUrl', 'inferenceUrl'],
  },
  { id: 'images', keys: ['registryHost'] },
] as const satisfies readonly { readonly id: string; readonly keys: readonly AddressKey[] }[]

/** All of them, in that order. */
export const shownAddresses: readonly AddressKey[] = addressGroups.flatMap(({ keys }) => [...keys])

/** What an address of each kind looks like. */
export const examples: Readonly<Record<AddressKey, string>> = {
  tokenPlanUrl: 'https://gateway.example.com',
  consoleUrl: 'https://console.example.com/api',
  identityApiUrl: 'https://iam.example.com/api/v1',
  runtimeApiUrl: 'https://runtime.example.com',
  memoryApiUrl: 'https://memory.example.com',
  registryApiUrl: 'https://registry.example.com/api',
  aipApiUrl: 'https://models.example.com',
  inferenceUrl: 'https://inference.example.com/v1',
  registryHost: 'registry.example.com',
}
