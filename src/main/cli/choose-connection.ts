import type { ConnectionView } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { Core } from '../core'

/** The named connection, else the active one. Fails with `connection.notFound`. */
export function chooseConnection({ connections }: Pick<Core, 'connections'>, name: string | undefined): ConnectionView {
  const chosen = name === undefined ? connections.active() : connections.find(name)
  if (chosen !== undefined) return chosen
  const message = 'No connection is active. Choose one with "companion connection use NAME", or add one first.'
  throw new AppError('connection.notFound', message)
}
