import { createSender } from '../../src/main/core/net/send'

/** The network without a proxy, as requests of the app leave it. */
export const { send: directSend, close: closeDirect } = createSender({ proxyFor: async () => ({ kind: 'direct' }) })
