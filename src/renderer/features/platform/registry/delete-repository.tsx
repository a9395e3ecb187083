import type { ResourceAnswer } from '@shared/contract'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type CallError, call, useCall, useCancelableCall } from '../../../ipc'
import { ConfirmDialog, Dialog } from '../../../ui/dialog'
import { ProgressBar, Skeleton } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { type ActionDialogProps, findIdentifier, ResourceFailure, useRefreshResources, useService } from '../resources'
import { images } from './repositories'

/**
 * Dialog that deletes a repository. If it contains images, offers to delete them first, with progress and a cancel
 * button.
 */
export function DeleteRepository({ subject, onClose, onDone }: ActionDialogProps) {
  const { t } = useTranslation(['registry', 'resources', 'common'])
  const { id = '', name } = subject
  const connectionId = useService().connection.id
  const { data, isPending } = useCall(
    'resources.page',
    { connectionId, operation: images.list.operation, path: { repoId: id }, query: { name: '' }, size: 10 },
    { staleTime: 0 },
  )
  // If the response contains no total, use the number of rows, which is at least correct for an empty repository.
  const count = data?.totalItems ?? data?.rows.length ?? 0
  const { run, stop, isRunning, deleted, wasStopped, failure } = useEmptyRepository(id, (answer) => {
    void toast(t('resources:delete.done', { name }))
    onDone(answer)
    onClose()
  })
  if (isRunning)
    return (
      <Dialog
        size="sm"
        onClose={stop}
        title={t('registry:emptying.title')}
        footer={[{ label: t('registry:emptying.stop'), onClick: stop }]}
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
        isPending ? (
          <Skeleton width={240} />
        ) : (
          <div className="flex flex-col gap-2">
            <p>{count > 0 ? t('registry:repositories.holds', { name, count }) : t('registry:repositories.isEmpty')}</p>
            <p>{t(count > 0 ? 'registry:repositories.breaksFull' : 'common:labels.thisCantBeUndone')}</p>
          </div>
        )
      }
      confirmLabel={count > 0 ? t('registry:repositories.deleteBoth', { count }) : t('common:labels.delete')}
      danger
      typeToConfirm={name}
      busy={isPending}
      onConfirm={run}
    >
      {wasStopped || deleted > 0 ? <p role="status">{t('registry:emptying.stopped', { count: deleted })}</p> : null}
      {failure && !wasStopped ? <ResourceFailure failure={failure} /> : null}
    </ConfirmDialog>
  )
}

/** Number of images to list per request. */
const imagesPerRequest = 100

/** Maximum number of images to delete. With more images, the platform refuses to delete the repository. */
const maxImages = 50_000

/** Deletes images, then the repository. Can be stopped between two images. */
function useEmptyRepository(repoId: string, onDone: (answer: ResourceAnswer) => void) {
  const connectionId = useService().connection.id
  const refresh = useRefreshResources()
  const { createCallId, cancel } = useCancelableCall()
  const [deleted, setDeleted] = useState(0)
  const isStopped = useRef(false)
  const request = { connectionId, path: { repoId } }
  const { mutate, isPending, isSuccess, data, error } = useMutation<ResourceAnswer | undefined, CallError>({
    mutationFn: async () => {
      isStopped.current = false
      setDeleted(0)
      const callId = createCallId()
      const seenImages = new Set<string>()
      // Stop when only deleted images are listed again, to avoid an endless loop.
      while (seenImages.size < maxImages) {
        const page = { operation: images.list.operation, query: { name: '' }, size: imagesPerRequest }
        const { rows } = await call('resources.page', { ...request, ...page })
        const names = rows.flatMap((row) => findIdentifier(row, images.identifier) ?? [])
        const newNames = names.filter((name) => !seenImages.has(name))
        if (newNames.length === 0) break
        for (const imageName of newNames) {
          if (isStopped.current) return undefined
          seenImages.add(imageName)
          const query = { imageName }
          await call('resources.call', { ...request, operation: 'registry.images.delete', query, callId })
          setDeleted((count) => count + 1)
        }
      }
      if (isStopped.current) return undefined
      return call('resources.call', { ...request, operation: 'registry.repositories.delete', callId })
    },
    onSuccess: (answer) => answer && onDone(answer),
    onSettled: () => refresh('lists'),
  })
  const stop = (): void => {
    isStopped.current = true
    cancel()
  }
  const wasStopped = (isSuccess && !data) || error?.failure.code === 'net.cancelled'
  return { run: () => mutate(), stop, isRunning: isPending, deleted, wasStopped, failure: error?.failure }
}
