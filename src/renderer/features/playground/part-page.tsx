import i18next from 'i18next'
import { SearchX } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Link, useLocation } from 'react-router'
import { Loaded } from '../../loaded'
import { chatPath, comparePath, completionPath, embeddingsPath, promptsPath } from '../../paths'
import { joinClassNames } from '../../ui/cn'
import { EmptyState, Page, PageHeader } from '../../ui/page'

const t = i18next.getFixedT(null, ['playground', 'compare', 'prompts'])

type PlaygroundPart = 'compare' | 'prompts'

const lists: Readonly<Record<PlaygroundPart, string>> = { compare: comparePath, prompts: promptsPath }

interface PartPageProps<T> extends Pick<ComponentProps<typeof Loaded<T>>, 'query' | 'children'> {
  readonly part: PlaygroundPart
}

/** Renders an item when it is loaded. Before that, or if it was removed, renders a page that says so. */
export function PartPage<T>({ part, query, children }: PartPageProps<T>) {
  const isRemoved = query.error?.failure.code === 'playground.notFound'
  if (query.data !== undefined && !isRemoved) return children(query.data)
  return (
    <Page>
      <PageHeader title={t(`${part}:one`)} breadcrumb={[{ label: t(`${part}:title`), to: lists[part] }]} />
      {isRemoved ? (
        <EmptyState icon={SearchX} title={t(`${part}:gone`)} next={{ to: lists[part], label: t(`${part}:toList`) }}>
          {t(`${part}:goneText`)}
        </EmptyState>
      ) : (
        <Loaded query={query} rows={5}>
          {() => null}
        </Loaded>
      )}
    </Page>
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
  const { pathname } = useLocation()
  return (
    <nav className="flex flex-wrap gap-0.5" aria-label={t('playground:tabs.label')}>
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
          {t(`playground:tabs.${id}`)}
        </Link>
      ))}
    </nav>
  )
}
