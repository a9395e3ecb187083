import type { RelayView } from '@shared/contract'
import { Waypoints } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useSearchParams } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { setUpPath } from '../tools/tool-status'
import { pointPath } from './paths'
import { PortDialog } from './port-dialog'
import styles from './relay.module.css'
import { RelayHeader } from './relay-header'
import { RelayNotices } from './relay-notices'
import { RelayOptions } from './relay-options'
import { RelayTools } from './relay-tools'
import { type RelayActions, useRelay, useRelayActions } from './use-relay'

/** What the relay is for while no tool uses it, and the first step. */
function Unused() {
  const { t } = useTranslation('relay')
  return (
    <EmptyState
      icon={Waypoints}
      title={t('empty.title')}
      actions={
        <ButtonLink variant="primary" to={setUpPath({ route: 'relay' })}>
          {t('empty.setUp')}
        </ButtonLink>
      }
    >
      {t('empty.text')}
    </EmptyState>
  )
}

function Ready({ view, actions }: { readonly view: RelayView; readonly actions: RelayActions }) {
  const { data: tools = [] } = useCall('tools.list', {})
  const { data: plans = [] } = useCall('plans.list', {})
  const [isChangingPort, setIsChangingPort] = useState(false)
  const isUsed = view.tools.some(({ isPointedHere }) => isPointedHere)
  const changePort = (): void => setIsChangingPort(true)
  return (
    <>
      <RelayNotices view={view} tools={tools} actions={actions} onChangePort={changePort} />
      {isUsed || view.state === 'starting' || view.state === 'failed' ? null : <Unused />}
      {view.tools.length > 0 ? <RelayTools view={view} tools={tools} plans={plans} /> : null}
      <RelayOptions view={view} onChangePort={changePort} />
      {isChangingPort ? <PortDialog view={view} onClose={() => setIsChangingPort(false)} /> : null}
    </>
  )
}

/** The relay of this machine: how it runs, and the tools that go through it. */
export function RelayPage() {
  const { t } = useTranslation('relay')
  const query = useRelay()
  const actions = useRelayActions()
  const [search] = useSearchParams()
  // Who quits while tools depend on it may choose to point them back first.
  if (search.get('pointBack') === '1') return <Navigate to={pointPath({ to: 'gateway' })} replace />
  return (
    <Page width="wide">
      <RelayHeader view={query.data} actions={actions} />
      <p className={styles.about}>{t('about')}</p>
      <Loaded query={query} skeleton={<SkeletonRows rows={4} />}>
        {(view) => <Ready view={view} actions={actions} />}
      </Loaded>
    </Page>
  )
}
