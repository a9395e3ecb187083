import { deriveSecret } from '../../state/key-secrets'
import type { Runtime } from '../../state/runtime-state'
import type { World } from '../../state/world'

/** The client that a connection to the sandbox signs in with. */
export const mainClientId = 'sandbox-client'

/** The client id of a runtime's service account. */
export const runtimeClientId = (runtimeId: string): string => `service-account-${runtimeId}`

const secretFor = (world: World, clientId: string, generation: number): string =>
  deriveSecret(world.seed, `iam|${clientId}|${generation}`, 'cs-sandbox-')

/** The secret of the main client. */
export const mainClientSecret = (world: World): string => secretFor(world, mainClientId, 0)

/** The secret of a runtime's service account, another one after each reset. */
export function runtimeClientSecret(world: World, { id, secretGeneration }: Runtime): string {
  return secretFor(world, runtimeClientId(id), secretGeneration)
}

/** The secret that a client must present; `undefined` when there is no such client. */
export function clientSecretOf(world: World, clientId: string): string | undefined {
  if (clientId === mainClientId) return mainClientSecret(world)
  const runtime = world.runtime.runtimes.find(({ id }) => runtimeClientId(id) === clientId)
  return runtime && runtimeClientSecret(world, runtime)
}
