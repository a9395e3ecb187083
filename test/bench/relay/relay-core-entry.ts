export { startRelay } from '../../../src/main/relay/start-relay'
export { Secret } from '../../../src/main/secret'
