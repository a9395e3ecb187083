import type { Bench, Json } from '../../support'

/** A body that creates a runtime, with changes. */
export const sketch = (change: object = {}) => ({
  name: 'helper',
  image: 'agents/helper:1.0.0',
  flavorId: 'flavor-small',
  replicas: 2,
  cpuUtilizationThreshold: 50,
  memoryUtilizationThreshold: 60,
  ...change,
})

export const all = '/runtime/agent-runtimes'

export async function makeRuntime(bench: Bench, change: object = {}): Promise<Json> {
  const { status, body } = await bench.api('POST', all, { body: sketch(change) })
  if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`)
  return body
}

export async function makeEndpoint(bench: Bench, id: string, body: object = { name: 'production' }): Promise<Json> {
  return (await bench.api('POST', `${all}/${id}/endpoints`, { body })).body
}
