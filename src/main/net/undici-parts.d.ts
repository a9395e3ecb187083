// The files of undici that are loaded one by one; the library's own types tell only of the whole.

declare module 'undici/lib/dispatcher/dispatcher.js' {
  import { Dispatcher } from 'undici'
  export = Dispatcher
}

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export = Agent
}

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export = Pool
}

declare module 'undici/lib/dispatcher/proxy-agent.js' {
  import { ProxyAgent } from 'undici'
  export = ProxyAgent
}

declare module 'undici/lib/api/api-connect.js' {
  const connect: import('undici').Dispatcher['connect']
  export = connect
}

declare module 'undici/lib/web/fetch/index.js' {
  const parts: { readonly fetch: typeof import('undici').fetch }
  export = parts
}
