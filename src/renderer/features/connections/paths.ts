import type { ConnectionView } from '@shared/contract'
import type { FieldName } from './entries'

type Id = ConnectionView['id']

/** Where all connections are listed. */
export const listPath = '/connections'

/** The form for a new connection. */
export const newPath = '/connections?new'

/** The page of a connection; `test` begins all its tests at once. */
export const showPath = (id: Id, { test = false } = {}): string =>
  `/connections?show=${encodeURIComponent(id)}${test ? '&test' : ''}`

/** The form of a connection, opened at a field. */
export const editPath = (id: Id, field?: FieldName): string =>
  `/connections?edit=${encodeURIComponent(id)}${field ? `&field=${field}` : ''}`
