import type { Failure } from '@shared/failure'
import { type GatewayCheck, type ListModels, listModels } from '../gateway/probe'
import type { WrittenTarget } from '../tools/target'

/** What a gateway is asked with. */
interface Asking {
  readonly check: GatewayCheck
  readonly listModels?: ListModels
}

/** The same for a tool that goes through the relay: that nobody listens is told as what it is. */
export function throughRelay(
  target: WrittenTarget,
  { check, listModels: list = listModels }: Asking,
): Required<Asking> {
  const told = (failure: Failure): Failure => (failure.code === 'net.refused' ? relayOff(target) : failure)
  return {
    async check(question) {
      const view = await check(question)
      return view.ok ? view : { ...view, failure: told(view.failure) }
    },
    async listModels(question) {
      const models = await list(question)
      return models.kind === 'refused' ? { ...models, failure: told(models.failure) } : models
    },
  }
}

const relayOff = ({ name }: WrittenTarget): Failure => ({
  code: 'relay.off',
  message: `The relay does not run, so ${name} cannot reach its plan. Start the relay, or point ${name} at the gateway.`,
})
