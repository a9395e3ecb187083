import type { ConnectionView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { ConfirmDialog, Dialog } from '../../ui/dialog'
import { Skeleton } from '../../ui/skeleton'
import { ProgressBar } from '../../ui/spinner'
import { toast } from '../../ui/toast'
import type { Subject } from '../resources/resource'
import { ResourceFailure } from '../resources/resource-failure'
import { type Emptying, useEmptying } from './empty-repository'
import styles from './registry.module.css'
import { repositories } from './repositories'

interface DeleteProps {
  readonly connection: ConnectionView
  readonly subject: Subject
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** How many images there are; nothing while it is not known. */
function useImageCount(connectionId: string, repoId: string) {
  const page = useCall(
    'resources.page',
    { connectionId, operation: 'registry.images.list', path: { repoId }, query: { name: '' }, size: 10 },
    { staleTime: 0 },
  )
  const { data } = page
  // Without a total, a page that has rows only says that there are some.
  return { count: data && (data.totalItems ?? data.rows.length), isKnown: data !== undefined || page.isError }
}

function Running({
  emptying,
  count,
  onStop,
}: {
  readonly emptying: Emptying
  readonly count: number
  readonly onStop: () => void
}) {
  const { t } = useTranslation('registry')
  const { deleted } = emptying
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={(open) => {
        if (!open) onStop()
      }}
      title={t('emptying.title')}
      footer={<Button onClick={onStop}>{t('emptying.stop')}</Button>}
    >
      <div className={styles.progress} role="status">
        <ProgressBar value={count === 0 ? 0 : deleted / count} label={t('emptying.title')} />
        <span className="tabular">{t('emptying.progress', { deleted, count: Math.max(count, deleted) })}</span>
      </div>
    </Dialog>
  )
}

function Question({
  subject,
  count,
  isKnown,
}: {
  readonly subject: Subject
  readonly count: number
  readonly isKnown: boolean
}) {
  const { t } = useTranslation('registry')
  if (!isKnown) return <Skeleton width={240} />
  return (
    <div className={styles.question}>
      {count > 0 ? <p>{t('repositories.holds', { name: subject.name, count })}</p> : <p>{t('repositories.isEmpty')}</p>}
      <p>{t(count > 0 ? 'repositories.breaksFull' : 'noReturn')}</p>
    </div>
  )
}

/** Deletes a repository: at once when it is empty; otherwise it offers to delete its images first, shows how far that is, and can be stopped. */
export function DeleteRepository({ connection, subject, onClose, onDeleted }: DeleteProps) {
  const { t } = useTranslation('registry')
  const { id = '', name } = subject
  const { count = 0, isKnown } = useImageCount(connection.id, id)
  const { emptying, run, stop } = useEmptying({ connectionId: connection.id, repoId: id }, () => {
    void toast(t('deleted', { name }))
    onDeleted()
  })
  const { state, failure, deleted } = emptying
  if (state === 'running') return <Running emptying={emptying} count={count} onStop={stop} />
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('deleteNamed', { name })}
      description={<Question {...{ subject, count, isKnown }} />}
      confirmLabel={count > 0 ? t('repositories.deleteBoth', { count }) : t('delete')}
      danger
      typeToConfirm={name}
      busy={!isKnown}
      onConfirm={run}
    >
      {state === 'stopped' ? <p role="status">{t('emptying.stopped', { count: deleted })}</p> : null}
      {failure ? (
        <>
          {deleted > 0 ? <p>{t('emptying.stopped', { count: deleted })}</p> : null}
          <ResourceFailure failure={failure} connection={connection} address={repositories.address} />
        </>
      ) : null}
    </ConfirmDialog>
  )
}
