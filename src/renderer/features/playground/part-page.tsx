import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { chatPath, comparePath, completionPath, embeddingsPath, promptsPath } from '../../paths'
import { joinClassNames } from '../../ui/cn'
import { EmptyState, Page, PageHeader } from '../../ui/page'

type PlaygroundPart = 'compare' | 'prompts'

const lists: Readonly<Record<PlaygroundPart, string>> = { compare: comparePath, prompts: promptsPath }

interface PartPageProps {
  readonly part: PlaygroundPart
  readonly children: ReactNode
}

/** Page frame while the item is loading or missing. */
export function PartPage({ part, children }: PartPageProps) {
  const { t } = useTranslation(part)
  return (
    <Page>
      <PageHeader title={t('one')} breadcrumb={[{ label: t('title'), to: lists[part] }]} />
      {children}
    </Page>
  )
}

/** Page shown after the user has removed the item. */
export function RemovedAttachment({ part }: Pick<PartPageProps, 'part'>) {
  const { t } = useTranslation(part)
  return (
    <PartPage part={part}>
      <EmptyState icon={SearchX} title={t('gone')} next={{ to: lists[part], label: t('toList') }}>
        {t('goneText')}
      </EmptyState>
    </PartPage>
  )
}

const tabs = [
  { id: 'chat', to: chatPath() },
  { id: 'compare', to: comparePath },
  { id: 'prompts', to: promptsPath },
  { id: 'completion', to: completionPath },
  { id: 'embeddings', to: embeddingsPath },
] as const

const isPathActive = (pathname: string, path: string): boolean =>
  path === chatPath() ? pathname === path || pathname.startsWith(`${path}/chat/`) : pathname.startsWith(path)

export function PlaygroundTabs() {
  const { t } = useTranslation('playground')
  const { pathname } = useLocation()
  return (
    <nav className="flex flex-wrap gap-0.5" aria-label={t('tabs.label')}>
      {tabs.map(({ id, to }) => (
        <Link
          key={id}
          to={to}
          className={joinClassNames(
            'inline-flex h-control-sm items-center whitespace-nowrap rounded-md px-2.5 font-medium text-muted',
            'hover:bg-hover hover:text-text hover:no-underline',
            'aria-[current=page]:bg-pressed aria-[current=page]:text-text',
          )}
          aria-current={isPathActive(pathname, to) ? 'page' : undefined}
        >
          {t(`tabs.${id}`)}
        </Link>
      ))}
    </nav>
  )
}
