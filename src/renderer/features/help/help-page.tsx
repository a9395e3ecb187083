import { useQuery } from '@tanstack/react-query'
import i18next from 'i18next'
import { BookOpen, Footprints } from 'lucide-react'
import { useNavigate, useParams } from 'react-router'
import { getLocale } from '../../format'
import { guidePath, helpPath } from '../../paths'
import { goOnTour } from '../../session'
import { Button } from '../../ui/button'
import { Markdown } from '../../ui/markdown/markdown'
import { Page, PageHeader } from '../../ui/page'
import { Row, RowIcon, Rows } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { Tabs } from '../../ui/tabs'
import { FailureList, ShortcutList } from './help-lists'
import type { GuideId } from './help-panel'

const t = i18next.getFixedT(null, 'help')

const documents = import.meta.glob<string>(['../../../../docs/{guide,vi/guide}/*.md', '../../../../CHANGELOG*.md'], {
  query: '?raw',
  import: 'default',
})

const root = '../../../..'
const guideIds = ['developer', 'team-lead', 'engineer', 'quota-watcher'] as const satisfies readonly GuideId[]

/** Removes title and images, and replaces links to other documents by their text. */
export const toHelpMarkdown = (markdown: string): string =>
  markdown
    .replace(/^(---\n[\s\S]*?\n---\n)?\s*# .*\n/, '')
    .replace(/^!\[.*\n+/gm, '')
    .replace(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1')

/** A bundled document in the user's language, or in English if it is not translated. */
function Document({ en, vi }: { readonly en: string; readonly vi: string }) {
  const path = getLocale() === 'vi' && documents[root + vi] ? vi : en
  const { data } = useQuery({
    queryKey: ['document', path],
    queryFn: async () => toHelpMarkdown((await documents[root + path]?.()) ?? ''),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data === undefined) return <SkeletonRows rows={6} />
  return (
    <div lang={path === vi ? 'vi' : 'en'} className="max-w-170">
      <Markdown text={data} />
    </div>
  )
}

function Guides() {
  return (
    <>
      <Rows label={t('tabs.guides')}>
        {guideIds.map((id) => (
          <Row
            key={id}
            leading={<RowIcon icon={BookOpen} />}
            title={t(`guides.names.${id}`)}
            description={t(`guides.texts.${id}`)}
            to={guidePath(id)}
          />
        ))}
      </Rows>
      <div>
        <Button icon={Footprints} onClick={() => goOnTour(1)}>
          {t('tour.take')}
        </Button>
      </div>
    </>
  )
}

const tabs = ['guides', 'errors', 'shortcuts', 'news'] as const

export function HelpPage() {
  const navigate = useNavigate()
  const { '*': subpath = '' } = useParams()
  const [section, name] = subpath.split('/')
  const guide = section === 'guides' ? guideIds.find((id) => id === name) : undefined
  if (guide) {
    return (
      <Page>
        <PageHeader title={t(`guides.names.${guide}`)} breadcrumb={[{ label: t('title'), to: helpPath }]} />
        <Document en={`/docs/guide/${guide}.md`} vi={`/docs/vi/guide/${guide}.md`} />
      </Page>
    )
  }
  const contents = {
    guides: <Guides />,
    errors: <FailureList />,
    shortcuts: <ShortcutList />,
    news: <Document en="/CHANGELOG.md" vi="/CHANGELOG.vi.md" />,
  }
  const value = tabs.find((tab) => tab === section) ?? 'guides'
  return (
    <Page>
      <PageHeader title={t('title')} />
      <Tabs
        label={t('title')}
        value={value}
        onValueChange={(tab) => void navigate(`${helpPath}/${tab}`)}
        tabs={tabs.map((tab) => ({
          value: tab,
          label: t(`tabs.${tab}`),
          content: value === tab ? contents[tab] : null,
        }))}
      />
    </Page>
  )
}
