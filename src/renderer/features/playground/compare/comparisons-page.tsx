import type { ComparisonSummary } from '@shared/contract'
import i18next from 'i18next'
import {
  Columns3,
  Copy,
  FileJson,
  FileSpreadsheet,
  FileUp,
  Pin,
  PinOff,
  Plus,
  Rows3,
  Search,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { getLocale } from '../../../format'
import { showFailureToast } from '../../../i18n/failures'
import { call, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { comparisonPath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { useCurrentPlan } from '../../../session'
import { useExportAction, useToastAction, useUndoableRemoval } from '../../../toast-actions'
import { Button, renderActions } from '../../../ui/button'
import { IconButton } from '../../../ui/icon-button'
import { Menu, MenuButton, type MenuItem } from '../../../ui/menu'
import { EmptyState, Page, PageHeader, Toolbar } from '../../../ui/page'
import { Row, Rows } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { PlaygroundTabs } from '..'
import { createPromptSetup, createSetup, newId, type PromptCopy, type Template, templates } from './setup'

const t = i18next.getFixedT(null, ['compare', 'common'])

const icons = { models: Columns3, prompts: Rows3 } as const

function NewButton() {
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
  const navigate = useNavigate()
  const { mutate, isPending } = useToastAction('playground.import', {
    invalidates: ['playground'],
    onSuccess: ({ ids: [id, ...otherIds] }) => {
      if (id !== undefined && otherIds.length === 0) void navigate(comparisonPath(id))
    },
  })
  return { label: t('import'), icon: FileUp, busy: isPending, onClick: () => mutate({ kind: 'comparison' }) }
}

function EmptyComparisons() {
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
  const pinComparison = usePinComparison()
  const getMenuItems = useComparisonMenu()
  const { id, title, isPinned, columns, cases, updatedAt } = comparison
  return (
    <Row
      to={comparisonPath(id)}
      title={title}
      description={[
        t('columns', { count: columns }),
        cases > 0 && t('cases.count', { count: cases }),
        <RelativeTime key="at" at={updatedAt} />,
      ]}
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
  const importAction = useImportAction()
  const [text, setText] = useState('')
  const searchText = text.trim().toLocaleLowerCase(getLocale())
  const shownComparisons = comparisons.filter(({ title }) => title.toLocaleLowerCase(getLocale()).includes(searchText))
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

type ComparisonRef = Pick<ComparisonSummary, 'id' | 'title' | 'isPinned'>

/** Saves a comparison and opens it. */
function useCreateComparison() {
  const navigate = useNavigate()
  return useToastAction('playground.saveComparison', {
    invalidates: ['playground'],
    onSuccess: ({ id }) => void navigate(comparisonPath(id)),
  })
}

function usePinComparison(): (comparison: Pick<ComparisonRef, 'id' | 'isPinned'>) => void {
  const pinAction = useToastAction('playground.pin', { invalidates: ['playground'] })
  return ({ id, isPinned }) => pinAction.mutate({ kind: 'comparison', id, isPinned: !isPinned })
}

export function useComparisonMenu(
  onRemoved: () => void = () => undefined,
): (comparison: ComparisonRef) => readonly MenuItem[] {
  const removeComparison = useUndoableRemoval('comparison')
  const exportComparison = useExportAction('playground.exportComparison', () => t('exported'))
  const pinComparison = usePinComparison()
  const onError = showFailureToast()
  const saveComparison = useCreateComparison()
  /** Copies the settings and test cases of a comparison, without its answers. */
  const duplicate = (id: string, title: string): void =>
    void call('playground.comparison', { id }).then(({ setup: { winner: _, ...setup } }) => {
      const columns = setup.columns.map(({ rating: __, ...column }) => column)
      const copyTitle = t('copyTitle', { title }).slice(0, 200)
      saveComparison.mutate({ id: newId(), setup: { ...setup, title: copyTitle, columns } })
    }, onError)
  return ({ id, title, isPinned }) => [
    {
      label: t(isPinned ? 'menu.unpin' : 'menu.pin'),
      icon: isPinned ? PinOff : Pin,
      onSelect: () => pinComparison({ id, isPinned }),
    },
    { label: t('menu.duplicate'), icon: Copy, onSelect: () => duplicate(id, title) },
    { label: t('menu.csv'), icon: FileSpreadsheet, onSelect: () => exportComparison.mutate({ id, format: 'csv' }) },
    { label: t('menu.json'), icon: FileJson, onSelect: () => exportComparison.mutate({ id, format: 'json' }) },
    'separator',
    {
      label: t('menu.remove'),
      icon: Trash2,
      danger: true,
      onSelect: () => removeComparison(id, { title: t('removed', { title }), onRemoved }),
    },
  ]
}

export function useNewComparison() {
  const plan = useCurrentPlan()
  const saveComparison = useCreateComparison()
  const createFromTemplate = (template: Template): void =>
    saveComparison.mutate({
      id: newId(),
      setup: createSetup(template, plan, {
        title: t(`templates.${template}.name`),
        variants: [t('templates.first'), t('templates.second')],
      }),
    })
  const createFromPrompt = (prompt: PromptCopy): void =>
    saveComparison.mutate({ id: newId(), setup: createPromptSetup(prompt, plan) })
  return { begin: createFromTemplate, beginWith: createFromPrompt, isPending: saveComparison.isPending }
}
