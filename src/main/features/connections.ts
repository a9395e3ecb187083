import { randomUUID } from 'node:crypto'
import { type AddressCorrection, type AddressKey, addressKeys, type ConnectionView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { parseGatewayAddress } from '../gateway/address'
import type { Clock } from '../ports'
import type { SettingsStore } from '../settings/settings'

/** What a person entered for a connection; an empty address means "not configured". */
export interface ConnectionInput {
  readonly id?: string | undefined
  readonly name: string
  readonly addresses: Readonly<Partial<Record<AddressKey, string>>>
}

/** A saved connection and what was put right in its addresses. */
export interface SavedConnection {
  readonly connection: ConnectionView
  readonly corrections: { readonly field: AddressKey; readonly correction: AddressCorrection }[]
}

/** The address book (decisions: connections). */
export class Connections {
  readonly #settings: SettingsStore
  readonly #clock: Clock

  constructor({ settings, clock }: { settings: SettingsStore; clock: Clock }) {
    this.#settings = settings
    this.#clock = clock
  }

  list(): ConnectionView[] {
    return this.#settings.read().connections
  }

  /** Adds one, or changes the one with the given id. Fails with `connection.notFound`, `connection.nameTaken` or `address.*` (with the field). */
  save({ id, name, addresses: entered }: ConnectionInput): SavedConnection {
    const all = this.list()
    const before = all.find((one) => one.id === id)
    if (id && !before) throw new AppError('connection.notFound', 'This connection is no longer there.')
    if (all.some((one) => one.name === name && one.id !== id)) {
      throw new AppError('connection.nameTaken', `There is a connection named ${name} already.`, { field: 'name' })
    }
    const { addresses, corrections } = putRight(entered)
    const added = { id: randomUUID(), createdAt: this.#clock().toISOString() }
    const connection: ConnectionView = { ...(before ?? added), name, addresses }
    const next = before ? all.map((one) => (one.id === id ? connection : one)) : [...all, connection]
    this.#settings.update({ connections: next })
    return { connection, corrections }
  }

  remove(id: string): void {
    this.#settings.update({ connections: this.list().filter((one) => one.id !== id) })
  }
}

function putRight(entered: ConnectionInput['addresses']) {
  const corrections: SavedConnection['corrections'] = []
  const addresses: Partial<Record<AddressKey, string>> = {}
  for (const field of addressKeys) {
    const text = entered[field]?.trim()
    if (!text) continue
    const read = readAddress(field, text)
    addresses[field] = read.value
    corrections.push(...read.corrections.map((correction) => ({ field, correction })))
  }
  return { addresses, corrections }
}

/** The gateway is a host without a path, the registry a bare host; all others keep their path and lose trailing slashes. */
function readAddress(field: AddressKey, text: string): { value: string; corrections: AddressCorrection[] } {
  const withScheme = field === 'registryHost' && !text.includes('://') ? `https://${text}` : text
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined
  const path = field === 'tokenPlanUrl' ? '' : (url?.pathname.replace(/\/+$/, '') ?? '')
  const root = parseGatewayAddress(field === 'tokenPlanUrl' ? text : url ? `${url.protocol}//${url.host}` : text)
  if (!root.ok) throw new AppError(root.error.code, root.error.message, { field })
  if (url && (url.username || url.password)) {
    throw new AppError('address.credentials', 'An address must not hold a user name or a password.', { field })
  }
  if (field === 'registryHost') return { value: new URL(root.value.url).host, corrections: [] }
  const trailing: AddressCorrection[] = path !== '' && url?.pathname.endsWith('/') ? ['trailingSlashRemoved'] : []
  return { value: root.value.url + path, corrections: [...root.value.corrections, ...trailing] }
}
