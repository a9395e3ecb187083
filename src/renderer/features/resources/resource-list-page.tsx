import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { Fragment, type ReactNode } from 'react'
import { CreateButton, CreateSheet } from './create-thing'
import type { Resource } from './resource'
import { ResourceList, type ResourceListProps } from './resource-list'
import { type Section, SectionPage } from './section-page'
import { ServiceGate } from './service-gate'

type Around = Omit<ResourceListProps, 'resource' | 'connection' | 'scope' | 'emptyAction'>

interface ListPageProps extends Around {
  readonly section: Section
  readonly resource: Resource
  /** More of the page, beneath the list. */
  readonly below?: (connection: ConnectionView) => ReactNode
  /** What came back when a new one was made, in another way than as fields. */
  readonly renderCreated?: (answer: ResourceAnswer, name: string) => ReactNode
  /** More of the page, above the list. */
  readonly above?: (connection: ConnectionView) => ReactNode
}

/** A tab of a section that lists one kind of thing, with the button that makes a new one. */
export function ResourceListPage({ section, resource, renderCreated, above, below, ...around }: ListPageProps) {
  return (
    <SectionPage section={section} tab={resource.at} actions={<CreateButton resource={resource} />}>
      <ServiceGate address={resource.address}>
        {(connection) => (
          <Fragment key={resource.id}>
            {above?.(connection)}
            <ResourceList {...{ resource, connection, ...around }} emptyAction={<CreateButton resource={resource} />} />
            {below?.(connection)}
            <CreateSheet {...{ resource, connection }} renderAnswer={renderCreated} />
          </Fragment>
        )}
      </ServiceGate>
    </SectionPage>
  )
}
