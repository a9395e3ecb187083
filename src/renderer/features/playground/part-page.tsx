import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader } from '../../ui/page'
import { comparePath, promptsPath } from './paths'

/** The page of one comparison or one prompt. */
export type Part = 'compare' | 'prompts'

const lists: Readonly<Record<Part, string>> = { compare: comparePath, prompts: promptsPath }

interface PartPageProps {
  readonly part: Part
  readonly children: ReactNode
}

/** The frame of a page whose thing is not there yet, or not any more. */
export function PartPage({ part, children }: PartPageProps) {
  const { t } = useTranslation(part)
  return (
    <Page>
      <PageHeader title={t('one')} breadcrumb={[{ label: t('title'), to: lists[part] }]} />
      {children}
    </Page>
  )
}

/** Says that the thing was removed, and leads to the list. */
export function GonePart({ part }: Pick<PartPageProps, 'part'>) {
  const { t } = useTranslation(part)
  return (
    <PartPage part={part}>
      <EmptyState
        icon={SearchX}
        title={t('gone')}
        actions={
          <ButtonLink variant="primary" to={lists[part]}>
            {t('toList')}
          </ButtonLink>
        }
      >
        {t('goneText')}
      </EmptyState>
    </PartPage>
  )
}
