export { relayTones } from './relay-header'
export { useRelay, useRelayActions } from './use-relay'
