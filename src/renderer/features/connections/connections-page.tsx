import type { ConnectionView } from '@shared/contract'
import i18next from 'i18next'
import { Cable, FileDown, FlaskConical, Plus } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { connectionPath, connectionsPath, editConnectionPath, newConnectionPath } from '../../paths'
import { Badge } from '../../ui/badge'
import type { Actions } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { MenuButton } from '../../ui/menu'
import { EmptyState, Page, PageHeader } from '../../ui/page'
import { Row, RowIcon, Rows } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { ConnectionBadges, SecretState, useConnectionDialogs } from './connection-dialogs'
import { ConnectionFormPage, ImportFailure, type SavedConnection, useImport, useTitleFocus } from './connection-form'
import { ConnectionViewPage } from './connection-view'
import { parts, partsSetUp, secretKind, toFieldName } from './entries'
import { countTests, newDraft, storeDraft, useConnectionTests, useDrafts } from './tests-and-drafts'
import { useConnectionMenu, useSwitchWithToast } from './use-connections'

const t = i18next.getFixedT(null, 'connections')

/** Page of a connection, or an empty state if the connection does not exist. */
function ConnectionLoader(props: {
  readonly id: string
  readonly children: (connection: ConnectionView) => ReactNode
}) {
  const { id, children } = props
  const connections = useCall('connections.list', {})
  const matchedConnection = connections.data?.find((connection) => connection.id === id)
  if (matchedConnection) return children(matchedConnection)
  return (
    <Page>
      <PageHeader title={t('title')} />
      <Loaded query={connections} rows={3}>
        {() => (
          <EmptyState
            icon={Cable}
            title={t('notThere.title')}
            actions={[{ label: t('notThere.back'), to: connectionsPath }]}
          >
            {t('notThere.text')}
          </EmptyState>
        )}
      </Loaded>
    </Page>
  )
}

export function ConnectionsPage() {
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const [saved, setSaved] = useState<SavedConnection>()
  const [shownId, edited] = [search.get('show'), search.get('edit')]
  useLeavingNotice(search.has('new') ? newDraft : (edited ?? undefined))
  const storeConnection = (savedConnection: SavedConnection): void => {
    setSaved(savedConnection)
    void navigate(connectionPath(savedConnection.connection.id), { replace: true })
  }
  if (search.has('new')) return <ConnectionFormPage key="new" onSaved={storeConnection} />
  if (edited !== null) {
    return (
      <ConnectionLoader id={edited}>
        {(connection) => (
          <ConnectionFormPage
            key={connection.id}
            connection={connection}
            field={toFieldName(search.get('field'))}
            onSaved={storeConnection}
          />
        )}
      </ConnectionLoader>
    )
  }
  if (shownId === null) return <ConnectionList />
  return (
    <ConnectionLoader id={shownId}>
      {(connection) => (
        <ConnectionViewPage
          key={connection.id}
          connection={connection}
          saved={saved?.connection.id === connection.id ? saved : undefined}
          onSavedRead={() => setSaved(undefined)}
        />
      )}
    </ConnectionLoader>
  )
}

/** Shows a notice with a link back when the user leaves a form with unsaved changes. */
function useLeavingNotice(draftId: string | undefined): void {
  const navigate = useNavigate()
  const showDraftNotice = useEffectEvent(() => {
    if (draftId === undefined || !useDrafts.getState()[draftId]) return
    const formPath = draftId === newDraft ? newConnectionPath : editConnectionPath(draftId)
    const action = { label: t('draft.goOn'), onClick: () => void navigate(formPath) }
    void toast(t('draft.kept'), { tone: 'info', action })
  })
  useEffect(() => () => showDraftNotice(), [])
}

function ConnectionList() {
  const draft = useDrafts((drafts) => drafts[newDraft])
  const navigate = useNavigate()
  const connections = useCall('connections.list', {})
  useTitleFocus()
  const file = useImport(undefined, () => void navigate(newConnectionPath))
  const addActions: Actions = [
    { label: t('fromFile'), icon: FileDown, busy: file.isReading, onClick: file.choose },
    { label: t('add'), variant: 'primary', icon: Plus, to: newConnectionPath },
  ]
  const name = draft?.entries.name.trim()
  return (
    <Page>
      <PageHeader title={t('title')} state={t('state')} actions={connections.data?.length ? addActions : null} />
      {file.failure ? <ImportFailure failure={file.failure} onRetry={file.choose} /> : null}
      {name === undefined ? null : (
        <Callout
          tone="warning"
          title={name === '' ? t('draft.added') : t('draft.addedNamed', { name })}
          actions={[
            { label: t('form.discard'), variant: 'ghost', onClick: () => storeDraft(newDraft, undefined) },
            { label: t('draft.goOn'), to: newConnectionPath },
          ]}
        >
          {t('draft.kept')}
        </Callout>
      )}
      <Loaded query={connections} rows={3}>
        {(loadedConnections) =>
          loadedConnections.length === 0 ? (
            <EmptyState icon={Cable} title={t('empty.title')} actions={addActions}>
              {t('empty.text')}
            </EmptyState>
          ) : (
            <Rows label={t('list')}>
              {loadedConnections.map((connection) => (
                <ConnectionRow key={connection.id} connection={connection} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Page>
  )
}

function ConnectionRow({ connection }: { readonly connection: ConnectionView }) {
  const hasDraft = useDrafts((drafts) => drafts[connection.id] !== undefined)
  const { paste, remove, dialogs } = useConnectionDialogs(connection)
  const switchConnection = useSwitchWithToast()
  const items = useConnectionMenu(connection, { onRemove: remove })
  const { id, name, isBuiltIn, isActive, secret, addresses, tokenSource } = connection
  const { data: sandbox } = useCall('sandbox.get', {}, { enabled: isBuiltIn })
  const services = parts.flatMap(({ address }) => address ?? [])
  const filled = services.filter((key) => addresses[key]).length
  const { count, done, failed } = countTests(partsSetUp(connection), useConnectionTests(id))
  return (
    <>
      <Row
        to={connectionPath(id)}
        leading={<RowIcon icon={isBuiltIn ? FlaskConical : Cable} />}
        title={name}
        badge={
          <>
            <ConnectionBadges connection={connection} />
            {hasDraft ? <Badge tone="warning">{t('unsaved')}</Badge> : null}
          </>
        }
        description={[
          t('services', { filled, count: services.length }),
          t(`sources.${tokenSource?.kind ?? 'none'}`),
          isBuiltIn && sandbox?.state === 'stopped' && t('sandbox.stopped'),
          secretKind(connection) && <SecretState key="secret" connection={connection} />,
          count > 0 && done === count && (
            <span key="tests" className={failed > 0 ? 'text-danger' : 'text-success'}>
              {failed > 0 ? t('test.summaryBad', { failed, count }) : t('test.summaryGood', { count })}
            </span>
          ),
        ]}
        trailing={[
          secret === 'missing' && !isBuiltIn && paste,
          !isActive && {
            label: t('use'),
            'aria-label': t('useNamed', { name }),
            onClick: () => switchConnection(connection),
          },
          <MenuButton key="menu" label={t('actions', { name })} items={items} />,
        ]}
      />
      {dialogs}
    </>
  )
}
