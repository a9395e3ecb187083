import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Page, PageHeader } from '../../ui/page'
import { Tabs } from '../../ui/tabs'
import { useActiveConnection } from '../connections/use-connections'
import { CreateButton, CreateSheet } from './call-dialogs'
import { type Resource, type Text, useText } from './resource'
import { ResourceList, type ResourceListProps } from './resource-list'
import { ServiceGate } from './service-gate'

/** A place of the platform with its lists: what it is called, and its tabs with their places in the window. */
export interface Section {
  readonly title: Text
  /** What it is for, in one line. */
  readonly state: Text
  readonly label: Text
  readonly tabs: readonly { readonly to: string; readonly label: Text }[]
}

/** The tab of a list. */
export const tabOf = ({ at, words }: Resource): Section['tabs'][number] => ({ to: at, label: words.title })

interface SectionPageProps {
  readonly section: Section
  readonly tab: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The page of a section with one of its tabs shown. */
export function SectionPage({ section, tab, actions, children }: SectionPageProps) {
  const { t } = useTranslation('resources')
  const text = useText()
  const navigate = useNavigate()
  const connection: ConnectionView | undefined = useActiveConnection()
  const name = text(section.title)
  return (
    <Page width="wide">
      <PageHeader
        title={name}
        state={[text(section.state), connection && t('from', { connection: connection.name })]
          .filter(Boolean)
          .join(' · ')}
        actions={actions}
      />
      <Tabs
        label={text(section.label)}
        value={tab}
        onValueChange={(to) => void navigate(to, { replace: true })}
        tabs={section.tabs.map(({ to, label }) => ({
          value: to,
          label: text(label),
          content: to === tab ? children : null,
        }))}
      />
    </Page>
  )
}

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
