import type { OutlineItem, PlaygroundTarget } from '@shared/contract'
import i18next from 'i18next'
import {
  ChevronDown,
  ChevronUp,
  Code,
  GitBranch,
  Lightbulb,
  MessageSquareText,
  PanelLeft,
  PanelRight,
  SlidersHorizontal,
  Table2,
} from 'lucide-react'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { chatPath, messageParameter, newConnectionPath, promptPath } from '../../paths'
import { isDialogOpen, isShortcut, useWindowKey } from '../../shortcuts'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { Dialog, Sheet } from '../../ui/dialog'
import { TextAreaField, TextField } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { EmptyState, PageHeader } from '../../ui/page'
import { SearchField } from '../../ui/search-field'
import { SkeletonLines } from '../../ui/skeleton'
import { Hint } from '../../ui/text'
import { toast } from '../../ui/toast'
import { useMediaQuery } from '../../window-state'
import { Composer } from './composer'
import { ConversationList } from './conversation-list'
import { AddMcpTools } from './mcp-tools'
import { MessageLog } from './message-log'
import { getLastUserMessage } from './message-row'
import { countSetParameters, ParametersFields } from './parameters-fields'
import { PlaygroundTabs } from './part-page'
import { getStandard, TargetSelect, useTargetSources } from './target-select'
import {
  type Chat,
  draftKey,
  parseTags,
  setEditedMessage,
  useChat,
  useChatView,
  useDraft,
  useMessageBody,
} from './use-chat'

const t = i18next.getFixedT(null, ['playground', 'common'])

const conversationAreaClass = 'mx-auto flex min-h-0 w-full max-w-211 flex-1 flex-col gap-4 overflow-auto px-8 py-6'

interface ConversationAreaProps {
  readonly chat: Chat
  readonly targetMessageId: string | undefined
}

function ConversationHeader({ chat }: Pick<ConversationAreaProps, 'chat'>) {
  const { isListOpen, isSetupInline, isSetupOpen, openSetup } = usePanels()
  const [isOutlineOpen, setOutlineOpen] = useState(false)
  const { conversation } = chat
  const lastId = conversation?.branch.at(-1)?.id
  return (
    <div className="flex min-h-13 flex-none items-center gap-2 px-3 py-1">
      <IconButton
        icon={PanelLeft}
        size="md"
        label={t(isListOpen ? 'list.hide' : 'list.show')}
        onClick={() => useChatView.setState({ isListOpen: !isListOpen })}
      />
      <p className="min-w-0 flex-1 truncate font-strong" title={conversation?.title}>
        {conversation?.title ?? t('list.new')}
      </p>
      {conversation && lastId !== undefined ? <FindField conversationId={conversation.id} lastId={lastId} /> : null}
      {conversation?.branch.some(({ siblings }) => siblings.length > 1) ? (
        <IconButton icon={GitBranch} size="md" label={t('outline.title')} onClick={() => setOutlineOpen(true)} />
      ) : null}
      {isOutlineOpen && conversation ? (
        <OutlineDialog chat={chat} id={conversation.id} onClose={() => setOutlineOpen(false)} />
      ) : null}
      {isSetupInline && isSetupOpen ? null : (
        <div className="w-62.5 min-w-0">
          <TargetSelect
            label={t('setup.model')}
            value={chat.setup.target}
            onChange={(target) => chat.changeSetup({ ...chat.setup, target })}
          />
        </div>
      )}
      <IconButton
        icon={isSetupInline ? PanelRight : SlidersHorizontal}
        size="md"
        label={t(isSetupOpen ? 'setup.hide' : 'setup.show')}
        onClick={() => openSetup(!isSetupOpen)}
      />
    </div>
  )
}

function ConversationBody({ chat, targetMessageId }: ConversationAreaProps) {
  const { plans, connections, isLoading } = useTargetSources()
  const { query } = chat
  const { openSetup } = usePanels()
  if (chat.conversationId === undefined) {
    const hasNoTargets = !isLoading && plans.length === 0 && connections.length === 0 && !chat.setup.target
    if (hasNoTargets) return <NoTargets onLocal={(target) => chat.changeSetup({ ...chat.setup, target })} />
    return <FirstSteps chat={chat} />
  }
  if (query.error && !chat.conversation) {
    return (
      <div className={conversationAreaClass}>
        <ExplainedFailure
          failure={query.error.failure}
          handlers={{ tryAgain: () => void query.refetch() }}
          busy={query.isFetching}
          actions={[{ label: t('list.new'), to: chatPath() }]}
        />
      </div>
    )
  }
  if (!chat.conversation) return <SkeletonLines className={conversationAreaClass} widths={[52, 88, 70, 40, 92]} />
  return (
    <MessageLog
      conversation={chat.conversation}
      chat={chat}
      targetMessageId={targetMessageId}
      onChooseModel={() => openSetup(true)}
    />
  )
}

function ChatContentArea({ chat, targetMessageId }: ConversationAreaProps) {
  const searchMatch = useChatView(({ found }) => found)
  const { openSetup } = usePanels()
  const { failure, dismiss } = chat
  useEffect(() => () => useChatView.setState({ editing: undefined, found: undefined }), [])
  const editLastMessage = (): void => {
    const id = getLastUserMessage(chat.branch)
    if (id !== undefined) setEditedMessage(id)
  }
  return (
    <section className="flex min-h-0 min-w-0 flex-1 flex-col">
      <ConversationHeader chat={chat} />
      <ConversationBody chat={chat} targetMessageId={searchMatch ?? targetMessageId} />
      {failure ? (
        <div className="mx-auto w-full max-w-211 px-8 pb-2.5">
          <ExplainedFailure
            failure={failure}
            handlers={{ chooseModel: () => openSetup(true) }}
            actions={[{ label: t('common:close'), variant: 'ghost', onClick: dismiss }]}
          />
        </div>
      ) : null}
      <Composer chat={chat} onEditLast={editLastMessage} />
    </section>
  )
}

const examples = [
  { id: 'table', icon: Table2 },
  { id: 'code', icon: Code },
  { id: 'explain', icon: Lightbulb },
] as const

function FirstSteps({ chat }: { readonly chat: Chat }) {
  return (
    <div className={joinClassNames(conversationAreaClass, 'justify-center-safe')}>
      <div>
        <h2 className="text-lg">{t('empty.title')}</h2>
        <p className="max-w-140 text-muted">{t('empty.text')}</p>
      </div>
      <ul className="flex flex-col gap-2" aria-label={t('empty.tryOne')}>
        {examples.map(({ id, icon: Icon }) => (
          <li key={id}>
            <button
              type="button"
              className={joinClassNames(
                'flex size-full gap-2.5 rounded-lg border bg-surface p-3 text-left transition-colors',
                'hover:border-border-strong disabled:opacity-50',
              )}
              disabled={chat.isBusy || !chat.setup.target}
              onClick={() => chat.ask(t(`empty.examples.${id}.text`))}
            >
              <Icon size={15} strokeWidth={1.8} className="mt-0.5 text-muted" aria-hidden="true" />
              <span className="flex flex-col gap-0.5">
                <strong className="font-strong">{t(`empty.examples.${id}.title`)}</strong>
                <Hint as="span">{t(`empty.examples.${id}.text`)}</Hint>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Empty state without a plan or a connection. */
function NoTargets({ onLocal }: { readonly onLocal: (target: PlaygroundTarget) => void }) {
  const openSandbox = useAction('sandbox.open', {
    invalidates: ['sandbox', 'plans', 'tools', 'connections', 'playground'],
  })
  return (
    <div className={joinClassNames(conversationAreaClass, 'justify-center-safe')}>
      <EmptyState
        icon={MessageSquareText}
        title={t('empty.nobody')}
        actions={[
          { label: t('empty.sandbox'), busy: openSandbox.isPending, onClick: () => openSandbox.mutate({}) },
          { label: t('empty.addConnection'), to: newConnectionPath },
          { label: t('empty.addPlan'), variant: 'primary', to: '/plans/new' },
        ]}
      >
        {t('empty.nobodyText')}
      </EmptyState>
      <ExplainedFailure
        failure={openSandbox.error?.failure}
        handlers={{
          tryAgain: () => openSandbox.mutate({}),
          anotherPort: () => openSandbox.mutate({ anotherPort: true }),
        }}
      />
      <div className="flex flex-wrap items-center justify-center gap-3 text-muted">
        <p>{t('empty.local')}</p>
        <div className="w-65">
          <TargetSelect label={t('empty.local')} value={undefined} onChange={onLocal} />
        </div>
      </div>
    </div>
  )
}

function Setup({ chat }: { readonly chat: Chat }) {
  const { isSetupInline, isSetupOpen, openSetup } = usePanels()
  if (!isSetupInline) {
    return (
      <Sheet open={isSetupOpen} onClose={() => openSetup(false)} title={t('setup.title')}>
        <SettingsPanel chat={chat} />
      </Sheet>
    )
  }
  if (!isSetupOpen) return null
  return (
    <aside
      className="flex w-69 flex-none flex-col gap-3 overflow-auto border-l px-4 pt-3.5 pb-6"
      aria-label={t('setup.title')}
    >
      <h2 className="min-h-6">{t('setup.title')}</h2>
      <SettingsPanel chat={chat} />
    </aside>
  )
}

export function ChatPage() {
  const { conversationId } = useParams()
  const chat = useChat(conversationId)
  const { isListOpen } = usePanels()
  const navigate = useNavigate()
  const { conversation, choose } = chat
  const targetMessageId = useSearchParams()[0].get(messageParameter) ?? undefined
  const requestedId = useRef<string>(undefined)
  // Switch to the branch that contains the message in the page address.
  useEffect(() => {
    if (!conversation || targetMessageId === undefined || requestedId.current === targetMessageId) return
    requestedId.current = targetMessageId
    if (!conversation.branch.some(({ id }) => id === targetMessageId)) choose(targetMessageId)
  }, [conversation, targetMessageId, choose])
  useWindowKey((event) => {
    if (!isShortcut(event, 'newChat') || isDialogOpen()) return
    event.preventDefault()
    void navigate(chatPath())
  })
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex-none overflow-hidden border-b [scrollbar-gutter:stable_both-edges]">
        <div className="mx-auto max-w-300 px-5 pt-6 pb-2.5">
          <PageHeader title={t('title')} actions={<PlaygroundTabs />} />
        </div>
      </div>
      <div className="flex min-h-0 flex-1">
        {isListOpen ? <ConversationList conversationId={conversationId} /> : null}
        <ChatContentArea key={conversationId ?? ''} {...{ chat, targetMessageId }} />
        <Setup chat={chat} />
      </div>
    </div>
  )
}

function SettingsPanel({ chat }: { readonly chat: Chat }) {
  const [isSaving, setSaving] = useState(false)
  const { setup, changeSetup, conversation } = chat
  const { target, system, parameters } = setup
  const count = countSetParameters(parameters)
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1.5">
        <p className="font-medium">{t('setup.model')}</p>
        <TargetSelect
          label={t('setup.model')}
          value={target}
          onChange={(chosen) => changeSetup({ ...setup, target: chosen })}
        />
      </div>
      <TextAreaField
        label={t('setup.system')}
        className="min-h-21"
        rows={4}
        value={system}
        placeholder={t('setup.systemPlaceholder')}
        onChange={(text) => changeSetup({ ...setup, system: text })}
      />
      <div className="-mb-2 flex min-h-7 items-baseline gap-2">
        <h3>{t('parameters.title')}</h3>
        <Hint className={joinClassNames('flex-1', count > 0 && 'whitespace-nowrap')}>
          {count === 0 ? t('parameters.onlySet') : t('parameters.set', { count })}
        </Hint>
        {count === 0 ? null : (
          <Button size="sm" variant="ghost" onClick={() => changeSetup({ ...setup, parameters: {}, mcpTools: [] })}>
            {t('setup.reset')}
          </Button>
        )}
      </div>
      <ParametersFields
        value={parameters}
        standard={getStandard(target)}
        onChange={(nextParameters) => changeSetup({ ...setup, parameters: nextParameters })}
        toolsAction={<AddMcpTools setup={setup} standard={getStandard(target)} onChange={changeSetup} />}
      />
      {conversation ? <Hint>{t('setup.kept')}</Hint> : null}
      <Button onClick={() => setSaving(true)}>{t('setup.savePrompt')}</Button>
      {isSaving ? <SavePrompt chat={chat} onClose={() => setSaving(false)} /> : null}
    </div>
  )
}

function SavePrompt({ chat, onClose }: { readonly chat: Chat; readonly onClose: () => void }) {
  const draft = useDraft(draftKey(chat.conversation?.id))
  const [name, setName] = useState(chat.conversation?.title ?? '')
  const lastMessage = useMessageBody(getLastUserMessage(chat.branch))
  const [text, setText] = useState(draft.text || (lastMessage?.text ?? ''))
  const [tags, setTags] = useState('')
  const navigate = useNavigate()
  const saveChat = useAction('playground.savePrompt', {
    invalidates: ['playground'],
    onSuccess: ({ id, name: savedName }) => {
      onClose()
      const action = { label: t('savePrompt.open'), onClick: () => void navigate(promptPath(id)) }
      void toast(t('savePrompt.saved'), { description: savedName, action })
    },
  })
  const { target, system, parameters } = chat.setup
  const save = (): void =>
    saveChat.mutate({ name, text, tags: [...parseTags(tags)], system, parameters, ...(target && { target }) })
  return (
    <Dialog
      onClose={onClose}
      title={t('savePrompt.title')}
      description={t('savePrompt.text')}
      mutation={saveChat}
      action={{ label: t('common:save'), disabled: name.trim() === '', onClick: save }}
    >
      <TextField label={t('savePrompt.name')} required autoFocus maxLength={200} value={name} onChange={setName} />
      <TextAreaField label={t('savePrompt.prompt')} rows={5} value={text} onChange={setText} />
      <TextField
        label={t('savePrompt.tags')}
        hint={t('savePrompt.tagsHint')}
        optional
        value={tags}
        onChange={setTags}
      />
    </Dialog>
  )
}

/** Which panels are visible. In a wide window, the settings are next to the chat instead of over it. */
function usePanels() {
  const { isListOpen, isSetupShown, isSetupSheet } = useChatView()
  const fitsInlineSetup = useMediaQuery('(min-width: 1180px)')
  const isWideEnoughForList = useMediaQuery('(min-width: 960px)')
  return {
    isListOpen: isListOpen ?? isWideEnoughForList,
    isSetupInline: fitsInlineSetup,
    isSetupOpen: fitsInlineSetup ? isSetupShown : isSetupSheet,
    openSetup: (open: boolean) =>
      useChatView.setState(fitsInlineSetup ? { isSetupShown: open } : { isSetupSheet: open }),
  }
}

/** Finds a text in the visible branch of the conversation. Enter goes to the next match. */
function FindField(props: { readonly conversationId: string; readonly lastId: string }) {
  const [text, setText] = useState('')
  const [step, setStep] = useState(0)
  const searchText = useDeferredValue(text.trim())
  const { data: ids = [] } = useCall(
    'playground.find',
    { conversationId: props.conversationId, messageId: props.lastId, text: searchText },
    { enabled: searchText !== '' },
  )
  const index = ids.length === 0 ? 0 : ((step % ids.length) + ids.length) % ids.length
  const currentMatchId = searchText === '' ? undefined : ids[index]
  useEffect(() => useChatView.setState({ found: currentMatchId }), [currentMatchId])
  const move = (by: number): void => setStep(step + by)
  const change = (nextText: string): void => {
    setText(nextText)
    setStep(0)
  }
  return (
    <div className="flex items-center">
      <SearchField
        className={joinClassNames('flex-none', text === '' ? 'w-34 focus-within:w-48' : 'w-48')}
        label={t('find.label')}
        hasFindKey
        maxLength={200}
        value={text}
        onChange={change}
        onSubmit={(submitted) => submitted !== '' && move(1)}
        {...(searchText !== '' && { found: { shown: ids.length === 0 ? 0 : index + 1, count: ids.length } })}
      />
      {ids.length < 2 ? null : (
        <>
          <IconButton icon={ChevronUp} label={t('find.previous')} onClick={() => move(-1)} />
          <IconButton icon={ChevronDown} label={t('find.next')} onClick={() => move(1)} />
        </>
      )}
    </div>
  )
}

/** Dialog with the branches of a conversation. Each row shows the first words of a message. */
function OutlineDialog({ chat, id: conversationId, onClose }: { chat: Chat; id: string; onClose: () => void }) {
  const outline = useCall('playground.outline', { id: conversationId })
  const row = ({ id, role, depth, preview, modelCode, isShown }: OutlineItem) => (
    <li key={id} style={{ paddingLeft: Math.min(depth, 8) * 20 }}>
      <button
        type="button"
        className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover"
        aria-current={isShown || undefined}
        onClick={() => {
          chat.choose(id)
          onClose()
        }}
      >
        <span className="flex-none text-muted text-sm">{role === 'user' ? t('chat.you') : modelCode}</span>
        <span className={joinClassNames('min-w-0 flex-1 truncate', isShown && 'font-medium')}>{preview || '…'}</span>
        {isShown ? <Badge tone="accent">{t('outline.shown')}</Badge> : null}
      </button>
    </li>
  )
  return (
    <Dialog title={t('outline.title')} description={t('outline.text')} onClose={onClose}>
      <Loaded query={outline} rows={4}>
        {(items) => <ul className="flex flex-col">{items.map(row)}</ul>}
      </Loaded>
    </Dialog>
  )
}
