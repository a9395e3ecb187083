export { relayTones, useRelay, useRelayActions } from './use-relay'
