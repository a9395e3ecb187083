import type { ResourceAnswer, SavedSecret } from '@shared/contract'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, Route, Routes } from 'react-router'
import { CopyText, useCopyText } from '../../../copy-text'
import { formatList, useFormats } from '../../../format'
import { type CallError, call, useCall, useCancelableCall } from '../../../ipc'
import { editConnectionPath } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { ConfirmDialog, Dialog } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import type { MenuItem } from '../../../ui/menu'
import { Card, Section } from '../../../ui/page'
import { SelectField } from '../../../ui/select'
import { ProgressBar, Skeleton } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import {
  type ActionDialogProps,
  AnswerFields,
  buildSection,
  buildTab,
  CapturedSecrets,
  FieldsView,
  findIdentifier,
  type ResourceAction,
  ResourceDetailPage,
  ResourceFailure,
  ResourceList,
  ResourceListPage,
  type ResourceSubject,
  readField,
  SavedSecretList,
  SectionPage,
  ServiceGate,
  toText,
  unwrapEnvelope,
  useRefreshResources,
  useService,
} from '../resources'
import { dockerPath, imageReference, images, loginLine, repositories, robotAccounts, shellWord } from './repositories'

export function RegistryRoutes() {
  return (
    <Routes>
      <Route index element={<Navigate to={repositories.at} replace />} />
      <Route
        path="repositories"
        element={<ResourceListPage section={registrySection} resource={repositories} dialogs={repositoryDialogs} />}
      />
      <Route
        path="repositories/:id"
        element={
          <ResourceDetailPage
            section={registrySection}
            resource={repositories}
            dialogs={repositoryDialogs}
            content={({ subject, answer: { data, secrets } }) => (
              <>
                <Images repository={subject} />
                <DockerSection repository={subject.name} />
                <FieldsView {...{ data, secrets }} keepAs={{ kind: 'token', name: subject.name }} />
              </>
            )}
          />
        }
      />
      <Route
        path="robots"
        element={
          <ResourceListPage
            section={registrySection}
            resource={robotAccounts}
            renderCreated={(answer, name) => <RobotCreated {...{ answer, name }} />}
            below={<SavedSecretList secretKinds={['robot']} description={(t) => t('registry:robots.keptText')} />}
          />
        }
      />
      <Route
        path="docker"
        element={
          <SectionPage section={registrySection} tab={dockerPath}>
            <ServiceGate address="registryApiUrl">
              <DockerSection />
            </ServiceGate>
          </SectionPage>
        }
      />
      <Route path="*" element={<Navigate to={repositories.at} replace />} />
    </Routes>
  )
}

function RobotCreated({ answer, name }: { readonly answer: ResourceAnswer; readonly name: string }) {
  const { t } = useTranslation('registry')
  const [keptSecret, setKeptSecret] = useState<SavedSecret>()
  const { data, secrets } = answer
  const user = toText(readField(unwrapEnvelope(data), ['username', 'userName', 'user', 'robotName', 'name'])) || name
  const host = useService().connection.addresses.registryHost
  return (
    <div className="flex flex-col gap-5">
      {secrets.length > 0 ? (
        <CapturedSecrets secrets={secrets} keepAs={{ kind: 'robot', name: user }} onKept={setKeptSecret} />
      ) : (
        <Callout tone="info" title={t('robots.noSecret')} />
      )}
      {keptSecret ? (
        !host ? (
          <NoHost />
        ) : (
          <Section title={t('docker.title')}>
            <Card>
              <ul className="@container divide-y" aria-label={t('docker.login')}>
                <CommandLine label={t('docker.login')} line={loginLine({ host, kept: keptSecret.name, user })} />
              </ul>
            </Card>
          </Section>
        )
      ) : secrets.length > 0 ? (
        <p className="text-muted">{t('robots.keepFirst')}</p>
      ) : null}
      <AnswerFields {...{ data, secrets }} />
    </div>
  )
}

/** Deleting a repository deletes its images first. */
const repositoryDialogs = { delete: DeleteRepository }

/** Names the runtimes whose image reference is this image of the repository. */
function ImageUses({ subject, repository }: { readonly subject: ResourceSubject; readonly repository: string }) {
  const { t } = useTranslation('registry')
  const { connection } = useService()
  const { locale } = useFormats()
  const { data, isFetching } = useCall(
    'resources.every',
    { connectionId: connection.id, operation: 'runtime.agentRuntimes.list', size: 100 },
    { enabled: connection.addresses.runtimeApiUrl !== undefined, staleTime: 0 },
  )
  if (isFetching) return <Skeleton width={240} />
  if (!data) return <p>{t('images.usesUnknown')}</p>
  const digest = toText(readField(subject.row, ['digest', 'sha']))
  const references = [`${repository}:${subject.name}`, ...(digest === '' ? [] : [`${repository}@${digest}`])]
  const names = data.rows.flatMap((row) => {
    const image = toText(readField(row, ['image', 'imageUrl', 'imageUri', 'containerImage', 'imageName']))
    const isUsed = references.some((reference) => image === reference || image.endsWith(`/${reference}`))
    return isUsed ? [toText(readField(row, ['name', 'runtimeName', 'displayName', 'title', 'id']))] : []
  })
  if (names.length === 0) return <p>{t('images.unused')}</p>
  return <p className="font-strong">{t('images.usedBy', { count: names.length, names: formatList(names, locale) })}</p>
}

function Images({ repository: { id: repoId = '', name: repository } }: { readonly repository: ResourceSubject }) {
  const { t } = useTranslation('registry')
  const copyText = useCopyText()
  const host = useService().connection.addresses.registryHost
  const resource = useMemo(() => {
    const Effects: ResourceAction['Effects'] = (props) => <ImageUses {...props} repository={repository} />
    return { ...images, actions: images.actions.map((action) => ({ ...action, Effects })) }
  }, [repository])
  const listMenuItems = ({ id: tag }: ResourceSubject): readonly MenuItem[] => {
    if (!host || tag === undefined) return []
    const command = `docker pull ${imageReference({ host, repository, tag })}`
    return [{ label: t('images.copyPull'), onSelect: () => copyText(command, { description: command }) }]
  }
  return (
    <Section title={t('images.title')}>
      <ResourceList resource={resource} scope={{ repoId }} moreItems={listMenuItems} />
    </Section>
  )
}

/** Notice that the connection has no image host, with a link to its settings. */
function NoHost() {
  const { t } = useTranslation('registry')
  const { connection } = useService()
  return (
    <Callout
      tone="info"
      title={t('docker.noHost')}
      actions={[{ label: t('docker.setHost'), to: editConnectionPath(connection.id, 'registryHost') }]}
    >
      {t('docker.noHostText')}
    </Callout>
  )
}

function LoginFields({ host }: { readonly host: string }) {
  const { t } = useTranslation('registry')
  const { data: keptSecrets = [] } = useCall('resources.keptSecrets', { connectionId: useService().connection.id })
  const robotSecrets = keptSecrets.filter(({ kind }) => kind === 'robot')
  const [chosen, choose] = useState<string>()
  const [typed, setTyped] = useState<string>()
  const secret = robotSecrets.find(({ id }) => id === chosen) ?? robotSecrets[0]
  if (!secret) {
    return (
      <p className="text-muted">
        {t('docker.noKept')}{' '}
        <ButtonLink size="sm" variant="ghost" to="/registry/robots">
          {t('docker.toRobots')}
        </ButtonLink>
      </p>
    )
  }
  const user = typed ?? secret.name
  return (
    <>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(200px,1fr))] gap-3">
        <SelectField
          label={t('docker.robot')}
          value={secret.id}
          onValueChange={(id) => {
            choose(id)
            setTyped(undefined)
          }}
          options={robotSecrets.map(({ id, name, masked }) => ({ value: id, label: name, hint: masked }))}
        />
        <TextField label={t('docker.user')} hint={t('docker.userHint')} mono value={user} onChange={setTyped} />
      </div>
      <ul className="@container divide-y" aria-label={t('docker.login')}>
        <CommandLine label={t('docker.login')} line={loginLine({ host, kept: secret.name, user })} />
      </ul>
    </>
  )
}

function ImageFields({ host, repository }: { readonly host: string; readonly repository: string | undefined }) {
  const { t } = useTranslation('registry')
  const [typedRepository, setRepository] = useState('team/agent')
  const [local, setLocal] = useState('my-agent:latest')
  const [tag, setTag] = useState('1.0.0')
  const reference = imageReference({ host, repository: repository ?? typedRepository, tag })
  return (
    <>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(200px,1fr))] gap-3">
        {repository === undefined ? (
          <TextField label={t('docker.repository')} mono value={typedRepository} onChange={setRepository} />
        ) : null}
        <TextField label={t('docker.local')} mono value={local} onChange={setLocal} />
        <TextField label={t('docker.tag')} mono value={tag} onChange={(text) => setTag(text.trim())} />
      </div>
      <ul className="@container divide-y" aria-label={t('docker.images')}>
        <CommandLine label={t('docker.doTag')} line={`docker tag ${shellWord(local)} ${reference}`} />
        <CommandLine label={t('docker.push')} line={`docker push ${reference}`} />
        <CommandLine label={t('docker.pull')} line={`docker pull ${reference}`} />
      </ul>
    </>
  )
}

/** Commands to sign in, tag, push and pull. The repository is a text field if undefined. */
function DockerSection({ repository }: { readonly repository?: string }) {
  const { t } = useTranslation('registry')
  const host = useService().connection.addresses.registryHost
  return (
    <Section title={t('docker.title')} description={t('docker.text')}>
      {host ? (
        <Card>
          <div className="flex flex-col gap-4">
            <LoginFields host={host} />
            <ImageFields host={host} repository={repository} />
          </div>
        </Card>
      ) : (
        <NoHost />
      )}
    </Section>
  )
}

function CommandLine({ label, line }: { readonly label: string; readonly line: string }) {
  return (
    <li
      className={joinClassNames(
        'grid min-h-9 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 py-1',
        '@min-[521px]:grid-cols-[112px_minmax(0,1fr)_auto]',
      )}
    >
      <span className="text-muted @max-[521px]:col-span-full">{label}</span>
      <code className="select-text leading-4.75 wrap-anywhere">{line}</code>
      <CopyText text={line} label={label} />
    </li>
  )
}

const registrySection = buildSection('registry', [
  buildTab(repositories),
  buildTab(robotAccounts),
  { to: dockerPath, label: (t) => t('registry:docker.tab') },
])

/** Deletes a repository. If it contains images, offers to delete them first, with progress and a cancel button. */
function DeleteRepository({ subject, onClose, onDone }: ActionDialogProps) {
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
