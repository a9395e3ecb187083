import type { AddressKey, ConnectionView, MethodInput, ResourceAnswer } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Cable } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext } from 'react'
import { useAction, useCall, useCancelableCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { connectionsPath, editConnectionPath } from '../../../paths'
import { EmptyState } from '../../../ui/page'
import { SkeletonRows } from '../../../ui/skeleton'
import { ConnectionFailure } from '../../connections'

const t = i18next.getFixedT(null, ['resources', 'connections'])

interface Service {
  readonly connection: ConnectionView
  readonly address: AddressKey
}

const ServiceContext = createContext<Service | undefined>(undefined)

/** Active connection and service of the gate around this component. Throws outside of a gate. */
export function useService(): Service {
  const service = useContext(ServiceContext)
  if (!service) throw new Error('This hook must be used inside a service gate.')
  return service
}

/** Links to the connection when the service's address or the connection is missing. */
export function ServiceGate({ address, children }: Pick<Service, 'address'> & { readonly children: ReactNode }) {
  const connections = useCall('connections.list', {})
  return (
    <Loaded query={connections} skeleton={<SkeletonRows rows={6} />}>
      {(allConnections) => {
        const connection = allConnections.find(({ isActive }) => isActive)
        if (connection?.addresses[address])
          return (
            <ServiceContext key={connection.id} value={{ connection, address }}>
              {children}
            </ServiceContext>
          )
        const [title, text, next] = connection
          ? ([
              t('resources:gate.noAddress', { connection: connection.name }),
              t('resources:gate.noAddressText', { address: t(`connections:addresses.${address}.name`) }),
              { to: editConnectionPath(connection.id, address), label: t('resources:gate.setAddress') },
            ] as const)
          : ([
              t('resources:gate.noConnection'),
              t('resources:gate.noConnectionText'),
              { to: connectionsPath, label: t('resources:gate.toConnections') },
            ] as const)
        return (
          <EmptyState icon={Cable} title={title} next={next}>
            {text}
          </EmptyState>
        )
      }}
    </Loaded>
  )
}

interface ResourceFailureProps {
  readonly failure: Failure
  /** Service of the failed call. Default: that of the page. */
  readonly address?: AddressKey | undefined
  readonly onRetry?: (() => void) | undefined
  readonly busy?: boolean
}

/** Explains a failure of a platform call, with a link to the connection's settings if they can fix it. */
export function ResourceFailure({ failure, onRetry, busy = false, ...props }: ResourceFailureProps) {
  const { connection, address } = useService()
  return <ConnectionFailure {...{ connection, failure, onRetry, busy }} address={props.address ?? address} />
}

/** Renders the loading, failed or loaded state of a query. If a refresh fails, the previous data stays visible. */
export function LoadedResource<T>(
  props: Pick<ResourceFailureProps, 'address'> & {
    readonly query: {
      readonly data: T | undefined
      readonly error: { readonly failure: Failure } | null
      readonly isFetching: boolean
      readonly refetch: () => unknown
    }
    readonly children: (data: T) => ReactNode
  },
) {
  const { query, address, children } = props
  const { data, error, isFetching, refetch } = query
  return (
    <>
      {error ? (
        <ResourceFailure {...{ address }} failure={error.failure} onRetry={() => void refetch()} busy={isFetching} />
      ) : null}
      {data !== undefined ? children(data) : error ? null : <SkeletonRows rows={6} />}
    </>
  )
}

/** Requests visible lists again. With scope `things`, also visible detail pages. */
export function useRefreshResources(): (scope?: 'lists' | 'things') => void {
  const queries = useQueryClient()
  return useCallback(
    (scope = 'things') =>
      void queries.invalidateQueries({
        predicate: ({ queryKey: [name] }) =>
          String(name).startsWith('resources.') && (scope === 'things' || name !== 'resources.call'),
      }),
    [queries],
  )
}

/**
 * Runs one API call, which the user can cancel. Requests lists again after success and after failure. `removes`: whether
 * the call deletes the resource, whose detail page must then not be requested again.
 */
export function useRun(
  onDone: (answer: ResourceAnswer) => void,
  { removes = false }: { readonly removes?: boolean | undefined } = {},
) {
  const connectionId = useService().connection.id
  const refresh = useRefreshResources()
  const { createCallId, cancel } = useCancelableCall()
  const { mutate, isPending, error } = useAction('resources.call', {
    onSuccess: onDone,
    onSettled: (_, callError) => refresh(removes && !callError ? 'lists' : 'things'),
  })
  const run = (request: Omit<MethodInput<'resources.call'>, 'connectionId' | 'callId'>): void => {
    if (!isPending) mutate({ ...request, connectionId, callId: createCallId() })
  }
  return { run, cancel, isRunning: isPending, failure: error?.failure }
}
