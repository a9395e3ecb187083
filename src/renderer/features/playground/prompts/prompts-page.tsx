import type { PromptSummary } from '@shared/contract'
import { fillVariables, listVariables } from '@shared/playground'
import i18next from 'i18next'
import { Columns3, Copy, Download, LibraryBig, MessageSquare, Plus, Search, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { copyText } from '../../../copy-text'
import { getLocale } from '../../../format'
import { showFailureToast } from '../../../i18n/failures'
import { call, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { chatPath, newPrompt, promptPath } from '../../../paths'
import { RelativeTime } from '../../../relative-time'
import { useExportAction, useToastAction, useUndoableRemoval } from '../../../toast-actions'
import { Badge } from '../../../ui/badge'
import { ButtonLink } from '../../../ui/button'
import { Chips } from '../../../ui/chips'
import { Dialog } from '../../../ui/dialog'
import { TextAreaField } from '../../../ui/field'
import { MenuButton, type MenuItem } from '../../../ui/menu'
import { EmptyState, Page, PageHeader, Toolbar } from '../../../ui/page'
import { InlineDetails, Row, Rows } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { useWindowState } from '../../../window-state'
import { changeDraft, changeSetup, draftKey, PlaygroundTabs, useDefaultTarget } from '..'
import { type PromptCopy, useNewComparison } from '../compare'
import { listTags } from './prompt-form'

const t = i18next.getFixedT(null, 'prompts')

function useImportAction() {
  const { mutate, isPending } = useToastAction('playground.import', {
    invalidates: ['playground'],
    onSuccess: ({ ids: { length } }) => length > 0 && void toast(t('imported', { count: length })),
  })
  return { label: t('import'), icon: Upload, busy: isPending, onClick: () => mutate({ kind: 'prompt' }) }
}

function EmptyPrompts() {
  const importAction = useImportAction()
  return (
    <EmptyState
      icon={LibraryBig}
      title={t('empty.title')}
      actions={[importAction, { label: t('new'), variant: 'primary', icon: Plus, to: promptPath(newPrompt) }]}
    >
      {t('empty.text', { example: '{{name}}' })}
    </EmptyState>
  )
}

function PromptRow({ prompt, items }: { readonly prompt: PromptSummary; readonly items: readonly MenuItem[] }) {
  const { id, name, tags, preview, versions, updatedAt } = prompt
  const time = <RelativeTime key="at" at={updatedAt} />
  return (
    <Row
      to={promptPath(id)}
      title={name}
      badge={tags.slice(0, 4).map((tag) => <Badge key={tag}>{tag}</Badge>)}
      description={<span className="block max-w-full truncate">{preview}</span>}
      trailing={
        <>
          <span className="whitespace-nowrap text-muted text-sm">
            <InlineDetails items={[versions > 1 && t('versions.count', { count: versions }), time]} />
          </span>
          <MenuButton label={t('more', { name })} items={items} />
        </>
      }
    />
  )
}

function List({ prompts }: { readonly prompts: readonly PromptSummary[] }) {
  const [filter, setFilter] = useWindowState('prompts.filter', initialFilter)
  const change = (changes: Partial<PromptFilter>): void =>
    setFilter((previousFilter) => ({ ...previousFilter, ...changes }))
  const { label, icon, onClick } = useImportAction()
  const exportPrompts = useExportPrompts()
  const promptActions = useOpenPrompt()
  const getMenuItems = usePromptMenu(promptActions)
  const tags = listTags(prompts)
  const shownPrompts = listPrompts(prompts, filter)
  return (
    <div className="flex flex-col gap-3">
      <Toolbar>
        <SearchField
          label={t('search')}
          value={filter.text}
          onChange={(text) => change({ text })}
          found={{ shown: shownPrompts.length, count: prompts.length }}
          hasFindKey
        />
        <Select
          className="w-37.5"
          aria-label={t('order.label')}
          value={filter.order}
          onValueChange={(order) => change({ order })}
          options={sortOrders.map((value) => ({ value, label: t(`order.${value}`) }))}
        />
        <span className="ml-auto flex gap-2">
          <MenuButton
            label={t('moreList')}
            items={[
              { label, icon, onSelect: onClick },
              {
                label: t('exportShown', { count: shownPrompts.length }),
                icon: Download,
                disabled: shownPrompts.length === 0,
                onSelect: () => exportPrompts(shownPrompts.map(({ id }) => id)),
              },
            ]}
          />
          <ButtonLink variant="primary" icon={Plus} to={promptPath(newPrompt)}>
            {t('new')}
          </ButtonLink>
        </span>
      </Toolbar>
      {tags.length > 0 ? (
        <Chips
          label={t('tags.filter')}
          chips={tags.map((tag) => ({ value: tag, label: tag }))}
          chosen={filter.tags}
          onChange={(chosen) => change({ tags: chosen })}
        />
      ) : null}
      {shownPrompts.length === 0 ? (
        <EmptyState
          icon={Search}
          title={t('noMatch')}
          actions={[{ label: t('showAll'), onClick: () => change(noFilter) }]}
        />
      ) : (
        <Rows label={t('list')}>
          {shownPrompts.map((prompt) => (
            <PromptRow key={prompt.id} prompt={prompt} items={getMenuItems(prompt)} />
          ))}
        </Rows>
      )}
      {promptActions.dialog}
    </div>
  )
}

export function PromptsPage() {
  const query = useCall('playground.prompts', {})
  return (
    <Page width="wide">
      <PageHeader title={t('title')} state={t('state')} actions={<PlaygroundTabs />} />
      <Loaded query={query} rows={4}>
        {(prompts) => (prompts.length === 0 ? <EmptyPrompts /> : <List prompts={prompts} />)}
      </Loaded>
    </Page>
  )
}

const sortOrders = ['newest', 'name'] as const

interface PromptFilter {
  readonly text: string
  /** Tags to filter by. A prompt must have all of them. */
  readonly tags: readonly string[]
  readonly order: (typeof sortOrders)[number]
}

const noFilter = { text: '', tags: [] }
const initialFilter: PromptFilter = { ...noFilter, order: 'newest' }

/** Matches all words in name, tags or the beginning of the text. Ignores tags that no longer exist. */
export function listPrompts(prompts: readonly PromptSummary[], filter: PromptFilter): readonly PromptSummary[] {
  const locale = getLocale()
  const terms = filter.text.toLocaleLowerCase(locale).split(/\s+/).filter(Boolean)
  const knownTags = new Set(prompts.flatMap(({ tags }) => tags))
  const existingFilterTags = filter.tags.filter((tag) => knownTags.has(tag))
  const matchingPrompts = prompts.filter(({ name, tags, preview }) => {
    const promptText = [name, ...tags, preview].join('\n').toLocaleLowerCase(locale)
    return existingFilterTags.every((tag) => tags.includes(tag)) && terms.every((word) => promptText.includes(word))
  })
  return filter.order === 'name'
    ? matchingPrompts.toSorted((a, b) => a.name.localeCompare(b.name, locale))
    : matchingPrompts.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
}

/** Form for the values of a prompt's variables. A variable without a value stays in the text as written. */
function FillVariablesDialog(props: {
  readonly prompt: PromptCopy
  readonly onClose: () => void
  readonly onFilled: (prompt: PromptCopy) => void
}) {
  const { prompt, onClose, onFilled } = props
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const nonemptyValues = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  const fill = (text: string): string => fillVariables(text, nonemptyValues)
  const submitValues = (): void => onFilled({ ...prompt, text: fill(prompt.text), system: fill(prompt.system) })
  return (
    <Dialog
      onClose={onClose}
      title={t('fill.title')}
      description={t('fill.text')}
      footer={[{ label: t('fill.button'), variant: 'primary', onClick: submitValues }]}
    >
      {listVariables(prompt.text, prompt.system).map((name, index) => (
        <TextAreaField
          key={name}
          label={name}
          className="field-sizing-content max-h-40 min-h-8.5"
          autoFocus={index === 0}
          rows={1}
          value={values[name] ?? ''}
          onChange={(text) => setValues({ ...values, [name]: text })}
        />
      ))}
    </Dialog>
  )
}

export function useOpenPrompt() {
  const navigate = useNavigate()
  const fallback = useDefaultTarget()
  const openInChat = ({ text, system, target = fallback, parameters }: PromptCopy): void => {
    changeSetup(undefined, { system, parameters, ...(target && { target }) })
    changeDraft(draftKey(undefined), ({ attachments }) => ({ text, attachments }))
    void navigate(chatPath())
  }
  const { beginWith, isPending } = useNewComparison()
  const [pendingPrompt, setPendingPrompt] = useState<PromptCopy>()
  const tryInChat = (prompt: PromptCopy): void =>
    listVariables(prompt.text, prompt.system).length > 0 ? setPendingPrompt(prompt) : openInChat(prompt)
  const dialog = pendingPrompt ? (
    <FillVariablesDialog
      prompt={pendingPrompt}
      onClose={() => setPendingPrompt(undefined)}
      onFilled={(prompt) => {
        setPendingPrompt(undefined)
        openInChat(prompt)
      }}
    />
  ) : null
  return { inChat: tryInChat, inComparison: beginWith, isPending, dialog }
}

type PromptRef = Pick<PromptSummary, 'id' | 'name'>

export function useRemovePrompt(onRemoved: () => void = () => undefined): (prompt: PromptRef) => void {
  const removePrompt = useUndoableRemoval('prompt')
  return ({ id, name }) => removePrompt(id, { title: t('removed', { name }), onRemoved })
}

export function useExportPrompts(): (ids: readonly string[]) => void {
  const { mutate } = useExportAction('playground.exportPrompts', ({ ids }) => t('exported', { count: ids.length }))
  return (ids) => mutate({ ids: [...ids] })
}

export const copyPrompt = (text: string): void => copyText(text, { title: t('copied') })

export function usePromptMenu({ inChat, inComparison }: ReturnType<typeof useOpenPrompt>) {
  const onError = showFailureToast()
  const remove = useRemovePrompt()
  const exportPrompts = useExportPrompts()
  const loadNewestPrompt = (id: string, use: (prompt: PromptCopy) => void): void => {
    call('playground.prompt', { id }).then(({ name, versions: [newest] }) => {
      if (newest) use({ name, ...newest })
    }, onError)
  }
  return ({ id, name }: PromptRef): readonly MenuItem[] => [
    { label: t('menu.chat'), icon: MessageSquare, onSelect: () => loadNewestPrompt(id, inChat) },
    { label: t('menu.compare'), icon: Columns3, onSelect: () => loadNewestPrompt(id, inComparison) },
    { label: t('menu.copy'), icon: Copy, onSelect: () => loadNewestPrompt(id, ({ text }) => copyPrompt(text)) },
    { label: t('menu.export'), icon: Download, onSelect: () => exportPrompts([id]) },
    'separator',
    { label: t('menu.remove'), icon: Trash2, danger: true, onSelect: () => remove({ id, name }) },
  ]
}
