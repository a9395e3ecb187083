import type { AddressKey, ConnectionView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { Cable } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { connectionPath, connectionsPath, editConnectionPath } from '../../../paths'
import { EmptyState } from '../../../ui/page'
import { SkeletonRows } from '../../../ui/skeleton'
import type { Resource } from './resource'

/** Links to the connection when the service's address or the connection is missing. */
export function ServiceGate({
  address,
  children,
}: {
  readonly address: AddressKey
  readonly children: (connection: ConnectionView) => ReactNode
}) {
  const connections = useCall('connections.list', {})
  const { t } = useTranslation(['resources', 'connections'])
  return (
    <Loaded query={connections} skeleton={<SkeletonRows rows={6} />}>
      {(allConnections) => {
        const connection = allConnections.find(({ isActive }) => isActive)
        if (!connection)
          return (
            <EmptyState
              icon={Cable}
              title={t('resources:gate.noConnection')}
              next={{ to: connectionsPath, label: t('resources:gate.toConnections') }}
            >
              {t('resources:gate.noConnectionText')}
            </EmptyState>
          )
        const { id, name } = connection
        if (!connection.addresses[address])
          return (
            <EmptyState
              icon={Cable}
              title={t('resources:gate.noAddress', { connection: name })}
              next={{ to: editConnectionPath(id, address), label: t('resources:gate.setAddress') }}
            >
              {t('resources:gate.noAddressText', { address: t(`connections:addresses.${address}.name`) })}
            </EmptyState>
          )
        return <Fragment key={connection.id}>{children(connection)}</Fragment>
      }}
    </Loaded>
  )
}

interface ResourceFailureProps {
  readonly failure: Failure
  readonly connection: ConnectionView
  readonly address: Resource['address']
  readonly onRetry?: (() => void) | undefined
  readonly busy?: boolean
}

/** Explains a failure of a platform call, with a link to the connection's settings if they can fix it. */
export function ResourceFailure({ failure, connection, address, onRetry, busy = false }: ResourceFailureProps) {
  const navigate = useNavigate()
  const { id, addresses, isBuiltIn } = connection
  const openSandbox = useAction('sandbox.open', { invalidates: ['sandbox'], onSuccess: () => onRetry?.() })
  return (
    <ExplainedFailure
      failure={openSandbox.error?.failure ?? failure}
      context={{ requestAddress: addresses[address], isSandbox: isBuiltIn }}
      handlers={{
        tryAgain: onRetry,
        refresh: onRetry,
        startSandbox: () => openSandbox.mutate({}),
        setAddress: () => void navigate(isBuiltIn ? '/sandbox' : editConnectionPath(id, address)),
        pasteKey: () => void navigate(connectionPath(id)),
      }}
      busy={busy || openSandbox.isPending}
    />
  )
}

interface QueryFailureProps extends Pick<ResourceFailureProps, 'connection' | 'address'> {
  readonly query: {
    readonly error: { readonly failure: Failure } | null
    readonly isFetching: boolean
    readonly refetch: () => unknown
  }
}

/** Shows the failure of a query with a retry button. Renders nothing if the query has not failed. */
export function QueryFailure({ query: { error, isFetching, refetch }, ...where }: QueryFailureProps) {
  if (!error) return null
  return <ResourceFailure failure={error.failure} onRetry={() => void refetch()} busy={isFetching} {...where} />
}

/** Renders the loading, failed or loaded state of a query. If a refresh fails, the previous data stays visible. */
export function LoadedResource<T>({
  children,
  ...rest
}: Omit<QueryFailureProps, 'query'> & {
  readonly query: QueryFailureProps['query'] & { readonly data: T | undefined }
  readonly children: (data: T) => ReactNode
}) {
  const { data, error } = rest.query
  return (
    <>
      <QueryFailure {...rest} />
      {data !== undefined ? children(data) : error ? null : <SkeletonRows rows={6} />}
    </>
  )
}
