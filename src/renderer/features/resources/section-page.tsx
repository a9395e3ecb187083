import type { ConnectionView } from '@shared/contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Page, PageHeader } from '../../ui/page'
import { Tabs } from '../../ui/tabs'
import { useActiveConnection } from '../connections/use-connections'
import type { Resource, Text } from './resource'
import { useText } from './use-text'

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
