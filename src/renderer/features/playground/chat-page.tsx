import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { useAction } from '../../ipc'
import { chatPath, messageParameter, promptsPath } from '../../paths'
import { isShortcut } from '../../shortcuts'
import { Button } from '../../ui/button'
import { Dialog, Sheet } from '../../ui/dialog'
import { Field, FieldGroup, TextArea, TextInput } from '../../ui/field'
import { useMarkdownAhead } from '../../ui/markdown/preload'
import { PageHeader } from '../../ui/page'
import { Hint } from '../../ui/text'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures'
import { ChatMiddle } from './chat-middle'
import { ConversationList } from './conversation-list'
import { draftKey, useDraft } from './drafts'
import { lastQuestion } from './message-parts'
import { countSet, ParametersFields } from './parameters-fields'
import { PlaygroundTabs } from './part-page'
import { TargetSelect } from './target-select'
import { findStandard } from './targets'
import { type Chat, readBody, useChat, usePanels } from './use-chat'

/** The shortcut for it begins a new chat, from anywhere on the page. */
function useNewChatKey(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isShortcut(event, 'newChat') || document.querySelector('[role="dialog"], [role="alertdialog"]')) return
      event.preventDefault()
      void navigate(chatPath())
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [navigate])
}

/** The message that the address names; the branch that it is in is shown. */
function useWanted({ conversation, choose }: Chat): string | undefined {
  const [search] = useSearchParams()
  const wanted = search.get(messageParameter) ?? undefined
  const asked = useRef<string>(undefined)
  useEffect(() => {
    if (!conversation || wanted === undefined || asked.current === wanted) return
    asked.current = wanted
    if (!conversation.branch.some(({ id }) => id === wanted)) choose(wanted)
  }, [conversation, wanted, choose])
  return wanted
}

function Setup({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation('playground')
  const { isSetupInline, isSetupOpen, openSetup } = usePanels()
  if (!isSetupInline) {
    return (
      <Sheet open={isSetupOpen} onClose={() => openSetup(false)} title={t('setup.title')}>
        <SetupPanel chat={chat} />
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
      <SetupPanel chat={chat} />
    </aside>
  )
}

/** Chats: the conversations, the one that is open, and what its next message is sent with. */
export function ChatPage() {
  const { t } = useTranslation('playground')
  const { conversationId } = useParams()
  const chat = useChat(conversationId)
  const wanted = useWanted(chat)
  const { isListOpen } = usePanels()
  useNewChatKey()
  useMarkdownAhead()
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex-none overflow-hidden border-b [scrollbar-gutter:stable_both-edges]">
        <div className="mx-auto max-w-300 px-5 pt-6 pb-2.5">
          <PageHeader title={t('title')} actions={<PlaygroundTabs />} />
        </div>
      </div>
      <div className="flex min-h-0 flex-1">
        {isListOpen ? <ConversationList conversationId={conversationId} /> : null}
        <ChatMiddle key={conversationId ?? ''} {...{ conversationId, chat, wanted }} />
        <Setup chat={chat} />
      </div>
    </div>
  )
}

/** What the next message is sent with: what answers, what it is told first, and how. */
function SetupPanel({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation('playground')
  const [isSaving, setSaving] = useState(false)
  const { setup, changeSetup, conversation } = chat
  const { target, system, parameters } = setup
  const count = countSet(parameters)
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
      <Field label={t('setup.system')}>
        <TextArea
          className="min-h-21"
          rows={4}
          value={system}
          placeholder={t('setup.systemPlaceholder')}
          onChange={(event) => changeSetup({ ...setup, system: event.target.value })}
        />
      </Field>
      <div className="-mb-2 flex min-h-7 items-baseline gap-2">
        <h3>{t('parameters.title')}</h3>
        <Hint className="flex-1">{count === 0 ? t('parameters.onlySet') : t('parameters.set', { count })}</Hint>
        {count === 0 ? null : (
          <Button size="sm" variant="ghost" onClick={() => changeSetup({ ...setup, parameters: {} })}>
            {t('setup.reset')}
          </Button>
        )}
      </div>
      <ParametersFields
        value={parameters}
        standard={findStandard(target)}
        onChange={(next) => changeSetup({ ...setup, parameters: next })}
      />
      <Hint>{t(conversation ? 'setup.kept' : 'setup.keptNew')}</Hint>
      <Button onClick={() => setSaving(true)}>{t('setup.savePrompt')}</Button>
      {isSaving ? <SavePrompt chat={chat} onClose={() => setSaving(false)} /> : null}
    </div>
  )
}

const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim().slice(0, 40))
      .filter((tag) => tag !== ''),
  ),
]

function useSave(onClose: () => void) {
  const { t } = useTranslation('playground')
  const navigate = useNavigate()
  return useAction('playground.savePrompt', {
    invalidates: ['playground'],
    onSuccess: ({ id, name }) => {
      onClose()
      const show = (): void => void navigate(`${promptsPath}/${encodeURIComponent(id)}`)
      void toast(t('savePrompt.saved'), { description: name, action: { label: t('savePrompt.open'), onClick: show } })
    },
  })
}

/** Keeps what is typed, or was asked last, in the prompts library together with the set-up. */
function SavePrompt({ chat, onClose }: { readonly chat: Chat; readonly onClose: () => void }) {
  const { t } = useTranslation(['playground', 'common'])
  const draft = useDraft(draftKey(chat.conversation?.id))
  const [name, setName] = useState(chat.conversation?.title ?? '')
  const [text, setText] = useState(() => draft.text || (readBody(lastQuestion(chat.branch) ?? '')?.text ?? ''))
  const [tags, setTags] = useState('')
  const saving = useSave(onClose)
  const { target, system, parameters } = chat.setup
  const save = (): void =>
    saving.mutate({ name, text, tags: tagsOf(tags).slice(0, 20), system, parameters, ...(target && { target }) })
  return (
    <Dialog
      onClose={onClose}
      title={t('savePrompt.title')}
      description={t('savePrompt.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button variant="primary" busy={saving.isPending} disabled={name.trim() === ''} onClick={save}>
            {t('common:save')}
          </Button>
        </>
      }
    >
      <FieldGroup>
        {saving.error ? <ExplainedFailure failure={saving.error.failure} /> : null}
        <Field label={t('savePrompt.name')} required>
          <TextInput autoFocus maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label={t('savePrompt.prompt')}>
          <TextArea rows={5} value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
        <Field label={t('savePrompt.tags')} hint={t('savePrompt.tagsHint')} optional>
          <TextInput value={tags} onChange={(event) => setTags(event.target.value)} />
        </Field>
      </FieldGroup>
    </Dialog>
  )
}
