import { existsSync } from 'node:fs'
import type { Settings } from '../settings/settings'
import type { ResolveProxy } from './proxy'
import type { Send, Sender, SenderOptions } from './send'

interface NetworkOptions {
  readonly proxyFor: ResolveProxy
  /** CA files of connections and plans, without missing ones. */
  readonly caFiles: () => readonly string[]
}

/** The HTTP client of this process with proxies and trusted certificates, created without sending anything. */
export function createNetwork({ proxyFor, caFiles }: NetworkOptions) {
  // Cache one sender per certificate file, because plans and connections may change their file at run time.
  const senders = new Map<string, Sender>()
  const getSender = (files: readonly string[]): Sender => {
    const name = files.join('\n')
    const sender = senders.get(name) ?? createLazySender({ proxyFor, caFiles: files })
    senders.set(name, sender)
    return sender
  }
  const send: Send = (request) => getSender(caFiles()).send(request)
  return {
    proxyFor,
    caFiles,
    send,
    /** Sends with an additional certificate file, for a plan that is not saved yet. */
    trusting:
      (caFile: string | undefined): Send =>
      (request) =>
        getSender([...new Set([...caFiles(), ...(caFile === undefined ? [] : [caFile])])]).send(request),
    async close(): Promise<void> {
      await Promise.all([...senders.values()].map((sender) => sender.close()))
    },
  }
}

/** Existing certificate files. A missing file fails only the requests of the connection or plan that names it. */
export function listCaFiles({ connections, plans }: Pick<Settings, 'connections' | 'plans'>): string[] {
  const caFiles = [...connections, ...plans].flatMap(({ caFile }) => (caFile && existsSync(caFile) ? [caFile] : []))
  return [...new Set(caFiles)]
}

/** Loads undici (1 MB) on the first request, because most starts send nothing. */
export function createLazySender(options: SenderOptions): Sender {
  let senderPromise: Promise<Sender> | undefined
  return {
    async send(request) {
      senderPromise ??= import('./send').then(({ createSender }) => createSender(options))
      return (await senderPromise).send(request)
    },
    close: async () => (await senderPromise)?.close(),
  }
}
