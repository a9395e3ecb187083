import type { ConnectionView } from '@shared/contract'
import { Cable, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { ExplainedFailure } from '../failures/explained-failure'
import { ConnectionCard } from './connection-card'
import { ConnectionSheet, type SavedConnection } from './connection-sheet'
import { SavedNotice } from './saved-notice'

function RemoveDialog({ connection, onClose }: { readonly connection: ConnectionView; readonly onClose: () => void }) {
  const { t } = useTranslation(['connections', 'common'])
  const remove = useAction('connections.remove', { invalidates: ['connections'] })
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('removeTitle', { name: connection.name })}
      description={t('removeText')}
      confirmLabel={t('common:remove')}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ id: connection.id }, { onSuccess: onClose })}
    >
      {remove.error ? <ExplainedFailure failure={remove.error.failure} /> : null}
    </ConfirmDialog>
  )
}

function Empty({ onAdd }: { readonly onAdd: () => void }) {
  const { t } = useTranslation('connections')
  return (
    <EmptyState
      icon={Cable}
      title={t('empty.title')}
      actions={
        <Button variant="primary" icon={Plus} onClick={onAdd}>
          {t('add')}
        </Button>
      }
    >
      {t('empty.text')}
    </EmptyState>
  )
}

/** The address book: every connection with its addresses; added and changed in a sheet. */
export function ConnectionsPage() {
  const { t } = useTranslation('connections')
  const [search, setSearch] = useSearchParams()
  const [edited, setEdited] = useState<ConnectionView>()
  const [removed, setRemoved] = useState<ConnectionView>()
  const [saved, setSaved] = useState<SavedConnection>()
  const connections = useCall('connections.list', {})
  const isAdding = search.has('new')
  const add = (): void => setSearch({ new: '' })
  const close = (): void => {
    setEdited(undefined)
    if (isAdding) setSearch({}, { replace: true })
  }
  const keep = (done: SavedConnection): void => {
    setSaved(done)
    close()
  }
  return (
    <Page>
      <PageHeader
        title={t('title')}
        state={t('state')}
        actions={
          connections.data?.length ? (
            <Button variant="primary" icon={Plus} onClick={add}>
              {t('add')}
            </Button>
          ) : null
        }
      />
      {saved ? <SavedNotice saved={saved} onClose={() => setSaved(undefined)} /> : null}
      <Loaded query={connections} skeleton={<SkeletonRows rows={3} />}>
        {(all) =>
          all.length === 0 ? (
            <Empty onAdd={add} />
          ) : (
            all.map((one) => (
              <ConnectionCard
                key={one.id}
                connection={one}
                onEdit={() => setEdited(one)}
                onRemove={() => setRemoved(one)}
              />
            ))
          )
        }
      </Loaded>
      {isAdding || edited ? <ConnectionSheet connection={edited} onClose={close} onSaved={keep} /> : null}
      {removed ? <RemoveDialog connection={removed} onClose={() => setRemoved(undefined)} /> : null}
    </Page>
  )
}
