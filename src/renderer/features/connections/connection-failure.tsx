import type { AddressKey, ConnectionView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useAction } from '../../ipc'
import { connectionPath, editConnectionPath } from '../../paths'

/** Failure of a request to a service of a connection, with buttons that can fix the connection. */
export function ConnectionFailure(props: {
  readonly connection: ConnectionView
  /** Address of the service. */
  readonly address: AddressKey
  readonly failure: Failure
  readonly onRetry?: (() => void) | undefined
  readonly busy: boolean
}) {
  const { address, failure, onRetry, busy } = props
  const { id, isBuiltIn, addresses } = props.connection
  const navigate = useNavigate()
  const openSandbox = useAction('sandbox.open', {
    invalidates: ['sandbox', 'plans', 'account'],
    onSuccess: () => onRetry?.(),
  })
  return (
    <ExplainedFailure
      failure={openSandbox.error?.failure ?? failure}
      context={{ requestAddress: addresses[address], isSandbox: isBuiltIn }}
      busy={busy || openSandbox.isPending}
      handlers={{
        tryAgain: onRetry,
        setAddress: () => void navigate(isBuiltIn ? '/sandbox' : editConnectionPath(id, address)),
        pasteKey: () => void navigate(connectionPath(id)),
        startSandbox: () => openSandbox.mutate({}),
        anotherPort: () => openSandbox.mutate({ anotherPort: true }),
      }}
    />
  )
}
