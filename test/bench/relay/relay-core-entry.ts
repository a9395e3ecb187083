export { Secret } from '../../../src/main/core/secret'
export { engineFlags } from '../../../src/main/relay/ports'
export { startRelay } from '../../../src/main/relay/start-relay'
