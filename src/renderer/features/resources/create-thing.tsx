import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '../../ui/button'
import { useActiveConnection } from '../connections/use-connections'
import { CallSheet } from './call-sheet'
import type { Resource, Scope } from './resource'
import { useText } from './use-text'

/** In the address: the form for a new one is open. */
const newParam = 'new'

/** The place of a list with the form for a new one open. */
export const newPathOf = (at: string): string => `${at}?${newParam}=1`

/** Opens the form for a new one, by the address: the palette leads there too. */
export function useCreating() {
  const [query, setQuery] = useSearchParams()
  const set = (isOpen: boolean): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        if (isOpen) next.set(newParam, '1')
        else next.delete(newParam)
        return next
      },
      { replace: true },
    )
  return { isCreating: query.get(newParam) === '1', open: () => set(true), close: () => set(false) }
}

/** The button that makes a new one; nothing while the connection has no address for it. */
export function CreateButton({ resource }: { readonly resource: Resource }) {
  const text = useText()
  const { open } = useCreating()
  const connection = useActiveConnection()
  const { create } = resource.words
  if (!resource.create || !create || !connection?.addresses[resource.address]) return null
  return (
    <Button variant="primary" icon={Plus} onClick={open}>
      {text(create)}
    </Button>
  )
}

interface CreateSheetProps {
  readonly resource: Resource
  readonly connection: ConnectionView
  readonly scope?: Scope
  readonly onDone?: (answer: ResourceAnswer, name: string) => void
  readonly renderAnswer?: ((answer: ResourceAnswer, name: string) => ReactNode) | undefined
}

/** The form for a new one, while the address says so. */
export function CreateSheet({ resource, connection, scope = {}, onDone, renderAnswer }: CreateSheetProps) {
  const { isCreating, close } = useCreating()
  const { create, address } = resource
  if (!create || !isCreating) return null
  return (
    <CallSheet
      {...{ connection, address, onDone, renderAnswer }}
      asked={create}
      target={{ path: scope, query: {} }}
      onClose={close}
    />
  )
}
