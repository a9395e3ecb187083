import type { ConnectionView } from '@shared/contract'
import { useCall } from '../../ipc'
import { fieldOf, isPlain, rowsOf, textOf } from './lookup'
import type { FormField, Json, OfferedBy } from './resource'
import { useText } from './use-text'

/** How many choices a menu can offer; with more, the value is typed. */
const mostOffered = 100

interface Offer {
  readonly isAsking: boolean
  /** Nothing when the platform did not say, or too much: then the value is typed. */
  readonly options: readonly { readonly value: string; readonly label: string }[] | undefined
}

const isOffered = (options: FormField['options']): options is OfferedBy =>
  options !== undefined && 'operation' in options

const choiceOf = (row: Json, names: readonly string[]): string =>
  isPlain(row) ? String(row) : textOf(fieldOf(row, names))

/** What a field offers to choose from: what was declared, or what the platform lists. */
export function useOffer({ options }: FormField, connection: ConnectionView): Offer {
  const text = useText()
  const asked = isOffered(options) ? options : undefined
  const connectionId = connection.id
  const isAsked = asked !== undefined
  const page = useCall(
    'resources.page',
    { connectionId, operation: asked?.operation ?? '', size: mostOffered },
    { enabled: isAsked && !asked.isUnpaged },
  )
  const whole = useCall(
    'resources.call',
    { connectionId, operation: asked?.operation ?? '' },
    { enabled: isAsked && asked.isUnpaged === true },
  )
  if (options === undefined) return { isAsking: false, options: undefined }
  if (!isOffered(options)) {
    return { isAsking: false, options: options.map(({ value, label }) => ({ value, label: text(label) })) }
  }
  const rows = options.isUnpaged ? whole.data && rowsOf(whole.data.data) : page.data?.rows
  const values = rows?.map((row) => choiceOf(row, options.names)).filter((value) => value !== '')
  const isMore = (page.data?.totalItems ?? 0) > mostOffered
  const isAsking = options.isUnpaged ? whole.isLoading : page.isLoading
  if (!values || values.length === 0 || isMore) return { isAsking, options: undefined }
  return { isAsking, options: [...new Set(values)].map((value) => ({ value, label: value })) }
}
