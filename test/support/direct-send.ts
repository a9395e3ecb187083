import { createSender } from '../../src/main/core/net/send'

/** The app's HTTP client without a proxy. */
export const { send: directSend, close: closeDirect } = createSender({ proxyFor: async () => ({ kind: 'direct' }) })
