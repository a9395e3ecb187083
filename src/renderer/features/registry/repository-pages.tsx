import type { ConnectionView } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams } from 'react-router'
import type { MenuItem } from '../../ui/menu'
import { Section } from '../../ui/page'
import { useActiveConnection } from '../connections/use-connections'
import type { Subject } from '../resources/resource'
import { ResourceDetailPage, type Shown } from '../resources/resource-detail-page'
import { ResourceList } from '../resources/resource-list'
import { ResourceListPage } from '../resources/resource-list-page'
import { useCopyAloud } from '../resources/use-row-menu'
import { DeleteRepository } from './delete-repository'
import { pullLine } from './docker-lines'
import { DockerSection } from './docker-section'
import { images } from './images'
import { repositories } from './repositories'
import { registrySection } from './section'

/** All repositories; deleting one looks for its images first. */
export function RepositoriesPage() {
  const connection = useActiveConnection()
  const [doomed, doom] = useState<Subject>()
  const close = (): void => doom(undefined)
  return (
    <>
      <ResourceListPage
        section={registrySection}
        resource={repositories}
        onDo={(_, subject) => {
          doom(subject)
          return true
        }}
      />
      {doomed && connection ? (
        <DeleteRepository connection={connection} subject={doomed} onClose={close} onDeleted={close} />
      ) : null}
    </>
  )
}

function Images({ shown }: { readonly shown: Shown }) {
  const { t } = useTranslation('registry')
  const copy = useCopyAloud()
  const { connection, subject } = shown
  const { id: repoId = '', name: repository } = subject
  const host = connection.addresses.registryHost
  const more = ({ id: tag }: Subject): readonly MenuItem[] =>
    host && tag !== undefined
      ? [{ label: t('images.copyPull'), onSelect: () => copy(pullLine({ host, repository, tag })) }]
      : []
  return (
    <Section title={t('images.title')}>
      <ResourceList resource={images} connection={connection} scope={{ repoId }} moreItems={more} />
    </Section>
  )
}

interface Doomed {
  readonly connection: ConnectionView
  readonly subject: Subject
}

/** One repository: its images, lines for a terminal, and all its fields. */
export function RepositoryPage() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const [doomed, doom] = useState<Doomed>()
  return (
    <>
      <ResourceDetailPage
        section={registrySection}
        resource={repositories}
        id={id}
        onDo={(_, { connection, subject }) => {
          doom({ connection, subject })
          return true
        }}
      >
        {(shown) => (
          <>
            <Images shown={shown} />
            <DockerSection connection={shown.connection} repository={shown.subject.name} />
          </>
        )}
      </ResourceDetailPage>
      {doomed ? (
        <DeleteRepository
          {...doomed}
          onClose={() => doom(undefined)}
          onDeleted={() => void navigate(repositories.at, { replace: true })}
        />
      ) : null}
    </>
  )
}
