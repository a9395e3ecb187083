import type { ConnectionRecord } from '../settings/settings'
import type { ConnectionPorts, OpenConnection } from './open-connection'

interface Entry {
  readonly state: string
  readonly opened: Promise<OpenConnection>
}

/** The connections in use, one for each state of a connection's settings; nothing is shared between two of them. */
export class OpenConnections {
  readonly #ports: ConnectionPorts
  readonly #entries = new Map<string, Entry>()

  constructor(ports: ConnectionPorts) {
    this.#ports = ports
  }

  /** The open connection of a record; one of an earlier state is closed. What it is made of is loaded at first use. */
  async of(record: ConnectionRecord): Promise<OpenConnection> {
    const state = stateOf(record)
    const known = this.#entries.get(record.id)
    if (known?.state === state) return known.opened
    const opened = import('./open-connection').then(({ openConnection }) => openConnection(record, this.#ports))
    this.#entries.set(record.id, { state, opened })
    await closeEntry(known)
    return opened
  }

  /** Closes those that are not as these records say. */
  async keepOnly(records: readonly ConnectionRecord[]): Promise<void> {
    const states = new Map(records.map((record) => [record.id, stateOf(record)]))
    await Promise.all([...this.#entries].map(([id, { state }]) => states.get(id) !== state && this.close(id)))
  }

  async close(id: string): Promise<void> {
    const known = this.#entries.get(id)
    this.#entries.delete(id)
    await closeEntry(known)
  }
}

async function closeEntry(entry: Entry | undefined): Promise<void> {
  const opened = await entry?.opened.catch(() => undefined)
  await opened?.close()
}

const stateOf = ({ addresses, tokenSource, caFile, secretAt }: ConnectionRecord): string =>
  JSON.stringify([addresses, tokenSource, caFile, secretAt])
