import type { ResourceAnswer } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CallError, call, useCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { ConfirmDialog, Dialog } from '../../../ui/dialog'
import { ProgressBar, Skeleton } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import type { ActionDialogProps, Json } from '../resources'
import { findIdentifier, ResourceFailure, useRefreshResources } from '../resources'
import { images, repositories } from './repositories'

/** Number of images. Undefined while unknown. */
function useImageCount(connectionId: string, repoId: string) {
  const page = useCall(
    'resources.page',
    { connectionId, operation: 'registry.images.list', path: { repoId }, query: { name: '' }, size: 10 },
    { staleTime: 0 },
  )
  const { data } = page
  // If the response contains no total, use the number of rows, which is at least correct for an empty repository.
  return { count: data && (data.totalItems ?? data.rows.length), isKnown: data !== undefined || page.isError }
}

/**
 * Dialog that deletes a repository. If it contains images, offers to delete them first, with progress and a cancel
 * button.
 */
export function DeleteRepository({ connection, subject, onClose, onDone }: ActionDialogProps) {
  const { t } = useTranslation(['registry', 'resources', 'common'])
  const { id = '', name } = subject
  const { count = 0, isKnown } = useImageCount(connection.id, id)
  const { emptying, run, stop } = useEmptyRepository({ connectionId: connection.id, repoId: id }, (answer) => {
    void toast(t('resources:delete.done', { name }))
    onDone(answer)
    onClose()
  })
  const { state, failure, deleted } = emptying
  if (state === 'running')
    return (
      <Dialog
        size="sm"
        onClose={stop}
        title={t('registry:emptying.title')}
        footer={<Button onClick={stop}>{t('registry:emptying.stop')}</Button>}
      >
        <div className="flex flex-col gap-1.5" role="status">
          <ProgressBar value={count === 0 ? 0 : deleted / count} label={t('registry:emptying.title')} />
          <span className="tabular-nums">
            {t('registry:emptying.progress', { deleted, count: Math.max(count, deleted) })}
          </span>
        </div>
      </Dialog>
    )
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('resources:delete.title', { name })}
      description={
        !isKnown ? (
          <Skeleton width={240} />
        ) : (
          <div className="flex flex-col gap-2">
            {count > 0 ? (
              <p>{t('registry:repositories.holds', { name: subject.name, count })}</p>
            ) : (
              <p>{t('registry:repositories.isEmpty')}</p>
            )}
            <p>{t(count > 0 ? 'registry:repositories.breaksFull' : 'common:labels.thisCantBeUndone')}</p>
          </div>
        )
      }
      confirmLabel={count > 0 ? t('registry:repositories.deleteBoth', { count }) : t('common:labels.delete')}
      danger
      typeToConfirm={name}
      busy={!isKnown}
      onConfirm={run}
    >
      {state === 'stopped' ? <p role="status">{t('registry:emptying.stopped', { count: deleted })}</p> : null}
      {failure ? (
        <>
          {deleted > 0 ? <p>{t('registry:emptying.stopped', { count: deleted })}</p> : null}
          <ResourceFailure failure={failure} connection={connection} address={repositories.address} />
        </>
      ) : null}
    </ConfirmDialog>
  )
}

interface DeletionState {
  readonly state: 'idle' | 'running' | 'stopped' | 'failed' | 'done'
  readonly deleted: number
  readonly failure?: Failure
}

interface RepositoryRef {
  readonly connectionId: string
  readonly repoId: string
}

/** Number of images to list per request. */
const imagesPerRequest = 100

/** Maximum number of images to delete. With more images, the platform refuses to delete the repository. */
const maxImages = 50_000

interface Steps {
  readonly where: RepositoryRef
  readonly callId: string
  readonly isStopped: () => boolean
  readonly onDeleted: () => void
}

const nextImages = async ({ connectionId, repoId }: RepositoryRef): Promise<readonly Json[]> => {
  const page = await call('resources.page', {
    connectionId,
    operation: 'registry.images.list',
    path: { repoId },
    query: { name: '' },
    size: imagesPerRequest,
  })
  return page.rows
}

/** Deletes images until none are listed. Stops when a deleted image is listed again, to avoid an endless loop. */
async function deleteImages({ where, callId, isStopped, onDeleted }: Steps): Promise<void> {
  const { connectionId, repoId } = where
  const seenImages = new Set<string>()
  for (let rows = await nextImages(where); rows.length > 0; rows = await nextImages(where)) {
    const names = rows
      .flatMap((row) => findIdentifier(row, images.identifier) ?? [])
      .filter((name) => !seenImages.has(name))
    if (names.length === 0 || seenImages.size >= maxImages) return
    for (const imageName of names) {
      if (isStopped()) return
      seenImages.add(imageName)
      const query = { imageName }
      await call('resources.call', {
        connectionId,
        operation: 'registry.images.delete',
        path: { repoId },
        query,
        callId,
      })
      onDeleted()
    }
  }
}

const deleteRepository = ({ connectionId, repoId }: RepositoryRef, callId: string): Promise<ResourceAnswer> =>
  call('resources.call', { connectionId, operation: 'registry.repositories.delete', path: { repoId }, callId })

/** Deletes images, then the repository. Can be stopped between two images. */
function useEmptyRepository(repository: RepositoryRef, onDone: (answer: ResourceAnswer) => void) {
  const refresh = useRefreshResources()
  const [emptying, setEmptying] = useState<DeletionState>({ state: 'idle', deleted: 0 })
  const stopRequested = useRef(false)
  const callId = useRef('')
  const isStopped = (): boolean => stopRequested.current
  const finishEmptying = (state: DeletionState['state'], failure?: Failure): void =>
    setEmptying(({ deleted }) => ({ state, deleted, ...(failure && { failure }) }))
  const run = async (): Promise<void> => {
    stopRequested.current = false
    callId.current = crypto.randomUUID()
    setEmptying({ state: 'running', deleted: 0 })
    try {
      const onDeleted = (): void =>
        setEmptying((previousState) => ({ ...previousState, deleted: previousState.deleted + 1 }))
      await deleteImages({ where: repository, callId: callId.current, isStopped, onDeleted })
      if (isStopped()) return finishEmptying('stopped')
      const answer = await deleteRepository(repository, callId.current)
      finishEmptying('done')
      onDone(answer)
    } catch (error) {
      if (isStopped()) finishEmptying('stopped')
      else finishEmptying('failed', error instanceof CallError ? error.failure : undefined)
    } finally {
      refresh('lists')
    }
  }
  const stop = (): void => {
    stopRequested.current = true
    void call('calls.cancel', { callId: callId.current })
  }
  return { emptying, run: () => void run(), stop }
}
