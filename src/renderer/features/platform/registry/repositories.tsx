import type { ResourceAnswer } from '@shared/contract'
import { useMutation } from '@tanstack/react-query'
import i18next from 'i18next'
import { Bot, Layers, Package } from 'lucide-react'
import { useRef, useState } from 'react'
import { type CallError, call, useCall, useCancelableCall } from '../../../ipc'
import { ConfirmDialog, Dialog } from '../../../ui/dialog'
import { ProgressBar, Skeleton } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import {
  type ActionDialogProps,
  createdColumn,
  creation,
  deletion,
  findIdentifier,
  nameField,
  type Resource,
  type ResourceColumn,
  ResourceFailure,
  updatedColumn,
  useRefreshResources,
  useService,
} from '../resources'

const t = i18next.getFixedT(null, ['registry', 'resources', 'common'])

const pushedFields = ['pushedAt', 'pushTime', 'createdAt', 'updatedAt', 'created']

const sizeColumn = (names: readonly string[]): ResourceColumn => ({
  header: 'registry:fields.size',
  names,
  format: 'bytes',
  width: '110px',
})

/** Repositories (spec, "Container registry"). */
export const repositories: Resource = {
  address: 'registryApiUrl',
  icon: Package,
  at: '/registry/repositories',
  texts: 'registry:repositories.',
  list: { operation: 'registry.repositories.list' },
  get: { operation: 'registry.repositories.get' },
  identifier: { names: ['id', 'repoId', 'repositoryId', 'uuid', 'name'], param: 'repoId' },
  naming: ['name', 'repositoryName', 'repoName', 'fullName', 'title'],
  columns: [
    {
      header: 'registry:fields.images',
      names: ['imageCount', 'imagesCount', 'totalImages', 'artifactCount', 'tagCount'],
      format: 'number',
      width: '90px',
    },
    sizeColumn(['sizeBytes', 'size', 'storageBytes', 'totalSize']),
    { ...updatedColumn, from: 620 },
    { ...createdColumn, from: 760 },
  ],
  create: creation('registry:repositories.', {
    operation: 'registry.repositories.create',
    fields: [{ ...nameField, placeholder: 'team/chat-agent', help: 'registry:repositories.nameHelp' }],
  }),
  actions: [deletion({ operation: 'registry.repositories.delete', Dialog: DeleteRepository })],
}

/** Images of a repository (spec, "Container registry"). The API requires the filter `name`. */
export const images: Resource = {
  address: 'registryApiUrl',
  icon: Layers,
  at: '/registry/repositories/:repoId',
  texts: 'registry:images.',
  nameHeader: 'registry:images.name',
  list: {
    operation: 'registry.images.list',
    newestBy: pushedFields,
    filter: { param: 'name', label: 'registry:images.filter' },
  },
  identifier: { names: ['name', 'imageName', 'tag', 'digest', 'id'], param: 'imageName', to: 'query' },
  naming: ['name', 'imageName', 'tag', 'digest'],
  columns: [
    {
      header: 'registry:images.digest',
      names: ['digest', 'sha', 'imageId'],
      format: 'code',
      width: 'minmax(120px, 1.4fr)',
      from: 560,
    },
    sizeColumn(['sizeBytes', 'size', 'imageSize']),
    {
      header: 'registry:images.pushed',
      names: pushedFields,
      format: 'date',
      width: '140px',
    },
  ],
  actions: [
    deletion({
      wantsName: false,
      operation: 'registry.images.delete',
      title: 'registry:images.deleteNamed',
      breaks: ['registry:images.breaks'],
    }),
  ],
}

/** Push and pull accounts (spec, "Container registry"). */
export const robotAccounts: Resource = {
  address: 'registryApiUrl',
  icon: Bot,
  at: '/registry/robots',
  texts: 'registry:robots.',
  list: { operation: 'registry.robotAccounts.list' },
  identifier: { names: ['id', 'repoUserId', 'userId', 'uuid', 'name'], param: 'repoUserId' },
  naming: ['name', 'userName', 'username', 'robotName', 'displayName'],
  columns: [
    {
      names: ['permissions', 'scopes', 'access', 'roles'],
      width: 'minmax(140px, 1fr)',
    },
    createdColumn,
  ],
  create: creation('registry:robots.', {
    operation: 'registry.robotAccounts.create',
    fields: [
      { ...nameField, placeholder: 'ci-push', help: 'registry:robots.nameHelp' },
      {
        id: 'permissions',
        kind: 'checks',
        help: 'registry:robots.permissionsHelp',
        options: {
          operation: 'registry.robotAccounts.permissions',
          names: ['name', 'id', 'permission', 'action', 'code'],
          isUnpaged: true,
        },
      },
    ],
    secretKind: 'robot',
    tellsOnce: true,
  }),
  actions: [deletion({ operation: 'registry.robotAccounts.delete', breaks: ['registry:robots.breaks'] })],
}

/** Quotes a word for POSIX shells. PowerShell accepts the same quotes. */
export const shellWord = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Removes the scheme and trailing slashes of an address, because image references do not allow them. */
const stripScheme = (host: string): string => host.replace(/^https?:\/\//i, '').replace(/\/+$/, '')

/**
 * Command that signs in to the registry. It pipes the secret, which the keychain saved under the name `kept`, through
 * standard input, so that the secret is not in arguments or shell history.
 */
export const loginLine = ({ host, kept, user }: Readonly<Record<'host' | 'kept' | 'user', string>>): string =>
  `companion secret print ${shellWord(kept)} | docker login ${shellWord(stripScheme(host))} --username ${shellWord(user)} --password-stdin`

/** Reference of an image for a command line. */
export const imageReference = ({ host, repository, tag }: Readonly<Record<'host' | 'repository' | 'tag', string>>) =>
  shellWord(`${stripScheme(host)}/${repository}:${tag === '' ? 'latest' : tag}`)

export const dockerPath = '/registry/docker'

/** Deletes a repository. If it contains images, offers to delete them first, with progress and a cancel button. */
function DeleteRepository({ subject, onClose, onDone }: ActionDialogProps) {
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
    onDone?.(answer)
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
        const names = rows.flatMap((row) => findIdentifier(row, images.identifier.names) ?? [])
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
