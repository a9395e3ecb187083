import type { Handlers } from '@shared/contract'
import type { Relay } from './features/relay'

type RelayHandlers = Pick<Handlers, Extract<keyof Handlers, `relay.${string}`>>

/** The relay of this machine. */
export function relayHandlers({ relay }: { readonly relay: Relay }): RelayHandlers {
  return {
    'relay.get': () => relay.get(),
    'relay.start': (wish) => relay.start(wish),
    'relay.stop': () => relay.stop(),
    'relay.setPaused': (wish) => relay.setPaused(wish),
    'relay.setWay': (wish) => relay.setWay(wish),
    'relay.setOptions': (wish) => relay.setOptions(wish),
  }
}
