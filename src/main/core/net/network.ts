import { existsSync } from 'node:fs'
import type { ProxyFor } from './proxy'
import type { Send, Sender, SenderOptions } from './send'

/** The network of this process: every request to a gateway, a platform or a release server takes its proxies and trust. */
export interface Network {
  readonly send: Send
  /** Sends with one more certificate file, for a plan that is not saved yet. */
  trusting(caFile: string | undefined): Send
  readonly proxyFor: ProxyFor
  /** The files of the authorities that connections and plans name, without those that no longer exist. */
  readonly caFiles: () => readonly string[]
  close(): Promise<void>
}

/** Builds the network; nothing is sent or opened yet. */
export function createNetwork({ proxyFor, caFiles }: Pick<Network, 'proxyFor' | 'caFiles'>): Network {
  // A plan or a connection may get another certificate file while the app runs.
  const senders = new Map<string, Sender>()
  const senderFor = (files: readonly string[]): Sender => {
    const name = files.join('\n')
    const sender = senders.get(name) ?? openLater({ proxyFor, caFiles: files })
    senders.set(name, sender)
    return sender
  }
  return {
    proxyFor,
    caFiles,
    send: (request) => senderFor(caFiles()).send(request),
    trusting: (caFile) => (request) =>
      senderFor([...new Set([...caFiles(), ...(caFile === undefined ? [] : [caFile])])]).send(request),
    async close() {
      await Promise.all([...senders.values()].map((sender) => sender.close()))
    },
  }
}

interface CaFileOwner {
  readonly caFile?: string | undefined
}

/** Existing CA files. A missing file concerns its connection or plan, not every request. */
export const listCaFiles = (owners: {
  readonly connections: readonly CaFileOwner[]
  readonly plans: readonly CaFileOwner[]
}): string[] => [
  ...new Set(
    [...owners.connections, ...owners.plans].flatMap(({ caFile }) => (caFile && existsSync(caFile) ? [caFile] : [])),
  ),
]

/** A sender that loads undici, a megabyte, with its first request: most starts of the app send nothing. */
export function openLater(options: SenderOptions): Sender {
  let opened: Promise<Sender> | undefined
  return {
    async send(request) {
      opened ??= import('./send').then(({ createSender }) => createSender(options))
      return (await opened).send(request)
    },
    close: async () => (await opened)?.close(),
  }
}
