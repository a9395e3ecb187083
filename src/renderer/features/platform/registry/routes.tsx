import type { ResourceAnswer, SavedSecret } from '@shared/contract'
import i18next from 'i18next'
import { useMemo, useState } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { CopyText, copyText } from '../../../copy-text'
import { formatList } from '../../../format'
import { useCall } from '../../../ipc'
import { editConnectionPath } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { TextField } from '../../../ui/field'
import type { MenuItem } from '../../../ui/menu'
import { Card, CardSection, Section } from '../../../ui/page'
import { SelectField } from '../../../ui/select'
import { Skeleton } from '../../../ui/skeleton'
import {
  AnswerView,
  buildTab,
  FieldsView,
  type ResourceAction,
  ResourceDetailPage,
  ResourceList,
  ResourceListPage,
  type Section as ResourceSection,
  type ResourceSubject,
  readField,
  SavedSecretList,
  SectionPage,
  ServiceGate,
  toText,
  unwrapEnvelope,
  useService,
} from '../resources'
import { dockerPath, imageReference, images, loginLine, repositories, robotAccounts, shellWord } from './repositories'

const t = i18next.getFixedT(null, 'registry')

export function RegistryRoutes() {
  return (
    <Routes>
      <Route index element={<Navigate to={repositories.at} replace />} />
      <Route path="repositories" element={<ResourceListPage section={registrySection} resource={repositories} />} />
      <Route
        path="repositories/:id"
        element={
          <ResourceDetailPage
            section={registrySection}
            resource={repositories}
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
            below={<SavedSecretList secretKind="robot" description={t('robots.keptText')} />}
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
  const [keptSecret, setKeptSecret] = useState<SavedSecret>()
  const { data, secrets } = answer
  const user = toText(readField(unwrapEnvelope(data), ['username', 'userName', 'user', 'robotName', 'name'])) || name
  const host = useService().connection.addresses.registryHost
  return (
    <AnswerView
      answer={answer}
      keepAs={{ kind: 'robot', name: user }}
      noSecret={t('robots.noSecret')}
      onKept={setKeptSecret}
    >
      {keptSecret ? (
        !host ? (
          <NoHost />
        ) : (
          <CardSection title={t('docker.title')}>
            <ul className="@container divide-y" aria-label={t('docker.login')}>
              <CommandLine label={t('docker.login')} line={loginLine({ host, kept: keptSecret.name, user })} />
            </ul>
          </CardSection>
        )
      ) : secrets.length > 0 ? (
        <p className="text-muted">{t('robots.keepFirst')}</p>
      ) : null}
    </AnswerView>
  )
}

/** Names the runtimes whose image reference is this image of the repository. */
function ImageUses({ subject, repository }: { readonly subject: ResourceSubject; readonly repository: string }) {
  const { connection } = useService()
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
  return <p className="font-strong">{t('images.usedBy', { count: names.length, names: formatList(names) })}</p>
}

function Images({ repository: { id: repoId = '', name: repository } }: { readonly repository: ResourceSubject }) {
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

const registrySection: ResourceSection = {
  name: 'registry',
  tabs: [buildTab(repositories), buildTab(robotAccounts), { to: dockerPath, label: 'registry:docker.tab' }],
}
