import type { ConnectionView } from '@shared/contract'
import { Cable } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { ConnectionFormPage } from './connection-form'
import { ConnectionList } from './connection-list'
import { ConnectionViewPage } from './connection-view'
import { newDraft } from './drafts'
import { fieldOf } from './entries'
import { listPath, showPath } from './paths'
import type { SavedConnection } from './use-connection-form'
import { useLeavingNotice } from './use-leaving-notice'

function Gone() {
  const { t } = useTranslation('connections')
  return (
    <EmptyState
      icon={Cable}
      title={t('notThere.title')}
      actions={<ButtonLink to={listPath}>{t('notThere.back')}</ButtonLink>}
    >
      {t('notThere.text')}
    </EmptyState>
  )
}

interface OneProps {
  readonly id: string
  readonly children: (connection: ConnectionView) => React.ReactNode
}

/** The connection with this id, once it is known; or that there is none. */
function One({ id, children }: OneProps) {
  const { t } = useTranslation('connections')
  const connections = useCall('connections.list', {})
  const found = connections.data?.find((one) => one.id === id)
  if (found) return children(found)
  return (
    <Page>
      <PageHeader title={t('title')} />
      <Loaded query={connections} skeleton={<SkeletonRows rows={3} />}>
        {() => <Gone />}
      </Loaded>
    </Page>
  )
}

/** The connections: all of them, one of them, or a form, by what the page's address names. */
export function ConnectionsPage() {
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const [saved, setSaved] = useState<SavedConnection>()
  const [shown, edited] = [search.get('show'), search.get('edit')]
  useLeavingNotice(search.has('new') ? newDraft : (edited ?? undefined))
  const keep = (done: SavedConnection): void => {
    setSaved(done)
    void navigate(showPath(done.connection.id), { replace: true })
  }
  if (search.has('new')) return <ConnectionFormPage key="new" onSaved={keep} />
  if (edited !== null) {
    return (
      <One id={edited}>
        {(connection) => (
          <ConnectionFormPage
            key={connection.id}
            connection={connection}
            field={fieldOf(search.get('field'))}
            onSaved={keep}
          />
        )}
      </One>
    )
  }
  if (shown === null) return <ConnectionList />
  return (
    <One id={shown}>
      {(connection) => (
        <ConnectionViewPage
          key={connection.id}
          connection={connection}
          saved={saved?.connection.id === connection.id ? saved : undefined}
          onSavedRead={() => setSaved(undefined)}
        />
      )}
    </One>
  )
}
