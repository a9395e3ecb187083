import type { ComparisonSummary } from '@shared/contract'
import { Columns3, FileUp, Pin, PinOff, Plus, Rows3, Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { comparisonPath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { Button, renderActions } from '../../../ui/button'
import { IconButton } from '../../../ui/icon-button'
import { Menu, MenuButton } from '../../../ui/menu'
import { EmptyState, Page, PageHeader, Toolbar } from '../../../ui/page'
import { InlineDetails, Row, Rows } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { PlaygroundTabs } from '..'
import { type Template, templates } from './setup'
import { useComparisonMenu, useImportComparisons, useNewComparison, usePinComparison } from './use-comparison-menu'

const icons = { models: Columns3, prompts: Rows3 } as const

function NewButton() {
  const { t } = useTranslation('compare')
  const { begin, isPending } = useNewComparison()
  return (
    <Menu
      align="end"
      trigger={
        <Button variant="primary" icon={Plus} busy={isPending}>
          {t('new')}
        </Button>
      }
      items={templates.map((template) => ({
        label: t(`templates.${template}.label`),
        hint: t(`templates.${template}.hint`),
        icon: icons[template],
        onSelect: () => begin(template),
      }))}
    />
  )
}

function useImportAction() {
  const { t } = useTranslation('compare')
  const { mutate, isPending } = useImportComparisons()
  return { label: t('import'), icon: FileUp, busy: isPending, onClick: () => mutate({}) }
}

function EmptyComparisons() {
  const { t } = useTranslation('compare')
  const { begin, isPending } = useNewComparison()
  const importAction = useImportAction()
  const createAction = (template: Template) => ({
    label: t(`templates.${template}.label`),
    icon: icons[template],
    busy: isPending,
    onClick: () => begin(template),
  })
  return (
    <EmptyState
      icon={Columns3}
      title={t('empty.title')}
      actions={[{ ...createAction('models'), variant: 'primary' }, createAction('prompts'), importAction]}
    >
      {t('empty.text')}
    </EmptyState>
  )
}

function ComparisonRow({ comparison }: { readonly comparison: ComparisonSummary }) {
  const { t } = useTranslation('compare')
  const pinComparison = usePinComparison()
  const getMenuItems = useComparisonMenu()
  const { id, title, isPinned, columns, cases, updatedAt } = comparison
  return (
    <Row
      to={comparisonPath(id)}
      title={title}
      description={
        <InlineDetails
          items={[
            t('columns', { count: columns }),
            cases > 0 && t('cases.count', { count: cases }),
            <RelativeTime key="at" at={updatedAt} />,
          ]}
        />
      }
      trailing={
        <>
          <IconButton
            icon={isPinned ? PinOff : Pin}
            aria-pressed={isPinned}
            label={t(isPinned ? 'unpinNamed' : 'pinNamed', { title })}
            onClick={() => pinComparison(comparison)}
          />
          <MenuButton label={t('more', { title })} items={getMenuItems(comparison)} />
        </>
      }
    />
  )
}

function List({ comparisons }: { readonly comparisons: readonly ComparisonSummary[] }) {
  const { t, i18n } = useTranslation(['compare', 'common'])
  const importAction = useImportAction()
  const [text, setText] = useState('')
  const searchText = text.trim().toLocaleLowerCase(i18n.language)
  const shownComparisons = comparisons.filter(({ title }) =>
    title.toLocaleLowerCase(i18n.language).includes(searchText),
  )
  const groups = [
    { label: t('compare:pinned'), items: shownComparisons.filter(({ isPinned }) => isPinned) },
    { label: t('compare:list'), items: shownComparisons.filter(({ isPinned }) => !isPinned) },
  ].filter(({ items }) => items.length > 0)
  return (
    <div className="flex flex-col gap-3">
      <Toolbar>
        <SearchField
          label={t('compare:search')}
          value={text}
          onChange={setText}
          found={{ shown: shownComparisons.length, count: comparisons.length }}
          hasFindKey
        />
        <span className="ml-auto flex gap-2">{renderActions([importAction, <NewButton key="new" />], 'md')}</span>
      </Toolbar>
      {groups.length === 0 ? (
        <EmptyState
          icon={Search}
          title={t('compare:noMatch')}
          actions={[{ label: t('common:clearSearch'), onClick: () => setText('') }]}
        />
      ) : (
        groups.map(({ label, items }) => (
          <Rows key={label} label={label}>
            {items.map((comparison) => (
              <ComparisonRow key={comparison.id} comparison={comparison} />
            ))}
          </Rows>
        ))
      )}
    </div>
  )
}

export function ComparisonsPage() {
  const { t } = useTranslation('compare')
  const query = useCall('playground.comparisons', {})
  return (
    <Page width="wide">
      <PageHeader title={t('title')} state={t('state')} actions={<PlaygroundTabs />} />
      <Loaded query={query} rows={4}>
        {(comparisons) => (comparisons.length === 0 ? <EmptyComparisons /> : <List comparisons={comparisons} />)}
      </Loaded>
    </Page>
  )
}
