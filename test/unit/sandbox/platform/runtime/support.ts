import type { Harness, Json } from '../../support'

/** A body that creates a runtime, with changes. */
export const buildRuntimeInput = (change: object = {}) => ({
  name: 'helper',
  image: 'agents/helper:1.0.0',
  flavorId: 'flavor-small',
  replicas: 2,
  cpuUtilizationThreshold: 50,
  memoryUtilizationThreshold: 60,
  ...change,
})

export const runtimesPath = '/runtime/agent-runtimes'

export async function makeRuntime(harness: Harness, change: object = {}): Promise<Json> {
  const { status, body } = await harness.api('POST', runtimesPath, { body: buildRuntimeInput(change) })
  if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`)
  return body
}

export async function makeEndpoint(harness: Harness, id: string, body: object = { name: 'production' }): Promise<Json> {
  return (await harness.api('POST', `${runtimesPath}/${id}/endpoints`, { body })).body
}
