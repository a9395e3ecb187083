import type { AddressKey, ConnectionView } from '@shared/contract'
import { Cable } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { SkeletonRows } from '../../ui/skeleton'
import { editPath, listPath } from '../connections/paths'

function NoConnection() {
  const { t } = useTranslation('resources')
  return (
    <EmptyState
      icon={Cable}
      title={t('gate.noConnection')}
      actions={
        <ButtonLink variant="primary" to={listPath}>
          {t('gate.toConnections')}
        </ButtonLink>
      }
    >
      {t('gate.noConnectionText')}
    </EmptyState>
  )
}

function NoAddress({ connection, address }: { readonly connection: ConnectionView; readonly address: AddressKey }) {
  const { t } = useTranslation(['resources', 'connections'])
  const { id, name } = connection
  return (
    <EmptyState
      icon={Cable}
      title={t('resources:gate.noAddress', { connection: name })}
      actions={
        <ButtonLink variant="primary" to={editPath(id, address)}>
          {t('resources:gate.setAddress')}
        </ButtonLink>
      }
    >
      {t('resources:gate.noAddressText', { address: t(`connections:addresses.${address}.name`) })}
    </EmptyState>
  )
}

/** Shows what belongs to a service of the connection in use; without a connection or an address it says so and leads there. */
export function ServiceGate({
  address,
  children,
}: {
  readonly address: AddressKey
  readonly children: (connection: ConnectionView) => ReactNode
}) {
  const connections = useCall('connections.list', {})
  return (
    <Loaded query={connections} skeleton={<SkeletonRows rows={6} />}>
      {(all) => {
        const connection = all.find(({ isActive }) => isActive)
        if (!connection) return <NoConnection />
        if (!connection.addresses[address]) return <NoAddress connection={connection} address={address} />
        return <Fragment key={connection.id}>{children(connection)}</Fragment>
      }}
    </Loaded>
  )
}
