export { Secret } from '../../../src/main/core/secret'
export { engineFlags } from '../../../src/main/relay/engine-flags'
export { startRelay } from '../../../src/main/relay/start-relay'
