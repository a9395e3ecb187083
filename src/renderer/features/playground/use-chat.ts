import type {
  BranchStep,
  ConversationView,
  MethodOutput,
  PlaygroundDraft,
  PlaygroundMessage,
  PlaygroundSetup,
  PlaygroundToolResult,
} from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useEffect } from 'react'
import { useNavigate, useParams } from 'react-router'
import { create } from 'zustand'
import { call, callKey, useAction, useCall } from '../../ipc'
import { chatPath } from '../../paths'
import { useToastAction } from '../../toast-actions'
import { toast } from '../../ui/toast'
import { isSendable } from './parameters-fields'
import { isRunActive, stopRuns, useRunHead } from './runs-store'
import { type TargetChange, useDefaultTarget, useTargetSources, withTargetChange } from './target-select'

const t = i18next.getFixedT(null, 'playground')

interface ChatView {
  /** Whether the conversation list is open. If undefined, it is open in a wide window. */
  readonly isListOpen: boolean | undefined
  /** Whether the settings are shown next to the chat, if the window is wide enough. */
  readonly isSetupShown: boolean
  /** Whether the settings are shown over the chat. */
  readonly isSetupSheet: boolean
  readonly search: string
  readonly editing: string | undefined
  /** Id of the message that contains the current search match. */
  readonly found: string | undefined
}

/** Which parts of the chat page are open, kept until the window closes. */
export const useChatView = create<ChatView>(() => ({
  isListOpen: undefined,
  isSetupShown: true,
  isSetupSheet: false,
  search: '',
  editing: undefined,
  found: undefined,
}))

/** Opens the form that edits a message, or closes it. */
export const setEditedMessage = (editing: string | undefined): void => useChatView.setState({ editing })

/** Id of the run that generates the last answer, while it is active. */
function useActiveRun(conversation: ConversationView | undefined): string | undefined {
  const storedRun = useMessageBody(conversation?.branch.at(-1)?.id)?.run
  const run = useRunHead(storedRun && isRunActive(storedRun) ? storedRun.id : undefined) ?? storedRun
  return run && isRunActive(run) ? run.id : undefined
}

/** Actions that change the tree of messages. */
function useMessageTree(conversationId: string | undefined) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const onSuccess = (view: ConversationView): void =>
    void queries.setQueryData(callKey('playground.conversation', { id: view.id }), view)
  const chooseBranchAction = useAction('playground.choose', { onSuccess })
  const removeMessage = useToastAction('playground.removeMessage', { onSuccess })
  const editAnswerAction = useToastAction('playground.editAnswer', { onSuccess })
  const branchAction = useToastAction('playground.branch', {
    onSuccess: async (branch) => {
      await navigate(chatPath(branch.conversationId))
      void toast(t('chat.branched'))
    },
  })
  const place = (messageId: string) => ({ conversationId: conversationId ?? '', messageId })
  return {
    choose: (messageId: string) => chooseBranchAction.mutate(place(messageId)),
    remove: (messageId: string) => removeMessage.mutate(place(messageId)),
    branchOff: (messageId: string) => branchAction.mutate(place(messageId)),
    editAnswer: (messageId: string, text: string, onSaved: () => void) =>
      void editAnswerAction.mutateAsync({ ...place(messageId), text }).then(onSaved, () => undefined),
  }
}

/**
 * Sends a message, then opens the new conversation or reloads the current one. Ignores calls while a request is pending
 * or invalid.
 */
function usePostMessage(conversationId: string | undefined, setup: PlaygroundSetup, branch: readonly BranchStep[]) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const onSuccess = async ({ conversationId: sentTo }: MethodOutput<'playground.send'>): Promise<void> => {
    await queries.invalidateQueries({ queryKey: callKey('playground.conversation', { id: sentTo }) })
    if (sentTo === conversationId) return
    resetNewSetup()
    await navigate(chatPath(sentTo), { replace: true })
  }
  const sendMessage = useAction('playground.send', { onSuccess })
  const regenerateRun = useAction('playground.regenerate', { onSuccess })
  const { target } = setup
  const preparedSetup = target && { ...setup, target }
  const isBusy = sendMessage.isPending || regenerateRun.isPending
  const post = (message: PlaygroundDraft, parentId: string | undefined, onSent: () => void): void => {
    if (!preparedSetup || isBusy || !isSendable(setup.parameters)) return
    const input = { message, setup: preparedSetup, conversationId, parentId }
    // Ignore the rejection, because the page shows the failure of the mutation.
    sendMessage.mutateAsync(input).then(onSent, () => undefined)
  }
  const regenerate = (answerId: string, change?: TargetChange): void => {
    const userMessageId = getParentId(branch, answerId)
    if (conversationId === undefined || userMessageId === undefined || !preparedSetup || isBusy) return
    const usedSetup = { ...preparedSetup, target: withTargetChange(preparedSetup.target, change ?? {}) }
    if (change) changeSetup(conversationId, usedSetup)
    regenerateRun.mutate({ conversationId, userMessageId, setup: usedSetup })
  }
  const dismiss = (): void => {
    sendMessage.reset()
    regenerateRun.reset()
  }
  const failure = (sendMessage.error ?? regenerateRun.error)?.failure
  return { post, regenerate, dismiss, isBusy, failure }
}

export function useChat(conversationId: string | undefined) {
  const query = useCall('playground.conversation', conversationId === undefined ? undefined : { id: conversationId })
  const conversation = query.data
  const changedSetup = useSetups((setups) => setups[conversationId ?? newKey])
  const defaultSetup = useDefaultSetup(conversationId === undefined && !changedSetup)
  const setup = changedSetup ?? conversation?.setup ?? defaultSetup
  const branch = conversation?.branch ?? []
  const { post, ...posting } = usePostMessage(conversationId, setup, branch)
  const activeRun = useActiveRun(conversation)
  const tree = useMessageTree(conversationId)
  const lastId = branch.at(-1)?.id
  return {
    ...posting,
    conversationId,
    query,
    conversation,
    branch,
    setup,
    activeRun,
    ...tree,
    changeSetup: (nextSetup: PlaygroundSetup) => changeSetup(conversationId, nextSetup),
    send: (draft: PlaygroundDraft) => post(draft, lastId, () => clearDraft(draftKey(conversationId))),
    /** Sends a text as a message, without clearing the draft in the message field. */
    ask: (text: string) => post({ text, attachments: [] }, lastId, () => undefined),
    sendResults: (answerId: string, toolResults: PlaygroundToolResult[], onSent: () => void) =>
      post({ text: '', attachments: [], toolResults }, answerId, onSent),
    edit: (messageId: string, message: PlaygroundDraft, onSent: () => void) =>
      post(message, getParentId(branch, messageId), onSent),
    stop: () => void stopRuns(activeRun === undefined ? [] : [activeRun]).catch(() => undefined),
  }
}

export type Chat = ReturnType<typeof useChat>

/** Number of messages that are loaded together. */
const chunkSize = 40

/** Message of the open conversation, loaded with those around it. Undefined until it is loaded. */
export function useMessageBody(id: string | undefined): PlaygroundMessage | undefined {
  const { conversationId } = useParams()
  const conversationInput = conversationId === undefined ? undefined : { id: conversationId }
  const { data: conversation } = useCall('playground.conversation', conversationInput)
  const branch = conversation?.branch ?? []
  const index = branch.findIndex((step) => step.id === id)
  const start = index - (index % chunkSize)
  const ids = branch.slice(start, start + chunkSize).map((step) => step.id)
  const { data: messages = [] } = useCall(
    'playground.messages',
    conversationId === undefined || index < 0 ? undefined : { conversationId, ids },
    { staleTime: Number.POSITIVE_INFINITY, placeholderData: (previous) => previous },
  )
  return messages.find((message) => message.id === id)
}

/** Id of the message before another one in the branch. Undefined for the first message. */
const getParentId = (branch: readonly BranchStep[], messageId: string): string | undefined =>
  branch[branch.findIndex(({ id }) => id === messageId) - 1]?.id

const draftDebounceMs = 300

/** Calls `save` with the newest values after the last change. `flush` saves pending values immediately. */
function createDelayedStore<Value>(save: (key: string, value: Value) => void) {
  const pending = new Map<string, Value>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    clearTimeout(timer)
    const entries = [...pending]
    pending.clear()
    for (const [key, value] of entries) save(key, value)
  }
  const store = (key: string, value: Value): void => {
    pending.set(key, value)
    clearTimeout(timer)
    timer = setTimeout(flush, draftDebounceMs)
  }
  return { store, flush }
}

const emptyDraft: PlaygroundDraft = { text: '', attachments: [] }

const useDrafts = create<Readonly<Record<string, PlaygroundDraft>>>(() => ({}))

const savingDraft = createDelayedStore<PlaygroundDraft>((key, draft) => {
  // Ignore a failed save. The text stays in the field, and the next change saves it.
  void call('playground.saveDraft', { key, draft }).catch(() => undefined)
})

/** Key of a conversation's draft. A new conversation uses `new`. */
export const draftKey = (conversationId: string | undefined): string => `chat:${conversationId ?? 'new'}`

export function changeDraft(key: string, change: (previousDraft: PlaygroundDraft) => PlaygroundDraft): void {
  const draft = change(useDrafts.getState()[key] ?? emptyDraft)
  useDrafts.setState({ [key]: draft })
  savingDraft.store(key, draft)
}

/** Clears a sent draft and saves the empty draft immediately. */
export function clearDraft(key: string): void {
  changeDraft(key, () => emptyDraft)
  savingDraft.flush()
}

async function loadDraft(key: string): Promise<void> {
  const draft = await call('playground.draft', { key }).catch(() => emptyDraft)
  // Ignore the loaded draft if the user has typed something while it loaded.
  if (!useDrafts.getState()[key]) useDrafts.setState({ [key]: draft })
}

/** Unsent text by key. It is restored after a restart. Undefined while loading. */
export function useStoredDraft(key: string): PlaygroundDraft | undefined {
  useEffect(() => {
    if (!useDrafts.getState()[key]) void loadDraft(key)
    window.addEventListener('pagehide', savingDraft.flush)
    return () => {
      window.removeEventListener('pagehide', savingDraft.flush)
      savingDraft.flush()
    }
  }, [key])
  return useDrafts((drafts) => drafts[key])
}

export const useDraft = (key: string): PlaygroundDraft => useStoredDraft(key) ?? emptyDraft

/** Key of the settings of the next new conversation. */
const newKey = ' new'
/** Key of the settings that were used last. New conversations start with their target. */
const lastKey = ' last'

/** Changed settings by conversation id. */
const useSetups = create<Readonly<Record<string, PlaygroundSetup>>>(() => ({}))

const savingSetup = createDelayedStore<PlaygroundSetup>((id, setup) => {
  // Ignore a failed save, because the next message sends these settings again.
  void call('playground.setUp', { id, setup }).catch(() => undefined)
})

export function changeSetup(conversationId: string | undefined, setup: PlaygroundSetup): void {
  useSetups.setState({ [conversationId ?? newKey]: setup, [lastKey]: setup })
  if (conversationId !== undefined) savingSetup.store(conversationId, setup)
}

/** Resets the settings of the next new conversation to the defaults, but keeps the last used target. */
function resetNewSetup(): void {
  const { [newKey]: usedSetup, ...setups } = useSetups.getState()
  useSetups.setState({ ...setups, ...(usedSetup && { [lastKey]: usedSetup }) }, true)
}

/** Default settings. The target is the last used one if its plan still exists, else the current plan. */
function useDefaultSetup(isNeeded: boolean): PlaygroundSetup {
  const lastTarget = useSetups((setups) => setups[lastKey])?.target
  const { plans, isLoading } = useTargetSources()
  const fallback = useDefaultTarget()
  const needsLastConversation = isNeeded && !lastTarget
  const { data: list } = useCall('playground.conversations', needsLastConversation ? {} : undefined)
  const newestId = list?.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0]?.id
  const newestInput = newestId === undefined ? undefined : { id: newestId }
  const { data: newestConversation } = useCall('playground.conversation', newestInput)
  const target = lastTarget ?? newestConversation?.setup.target ?? fallback
  const isTargetMissing = target?.kind === 'plan' && !isLoading && !plans.some(({ id }) => id === target.planId)
  const existingTarget = isTargetMissing ? fallback : target
  return { system: '', parameters: {}, ...(existingTarget && { target: existingTarget }) }
}

/**
 * Files in the clipboard. Empty if it also contains formatted text, because spreadsheets and Word add a picture of
 * copied text.
 */
export function pastedFiles(
  data: Pick<DataTransfer, 'types' | 'getData'> & { readonly files: Iterable<File> },
): File[] {
  const hasPlainText = data.types.includes('text/html') && data.getData('text/plain').trim() !== ''
  return hasPlainText ? [] : [...data.files]
}

/** Parses comma-separated tags and adds them without duplicates. At most 20 tags of 40 characters. */
export const parseTags = (text: string, tags: readonly string[] = []): readonly string[] =>
  [...new Set([...tags, ...text.split(',').map((tag) => tag.trim().slice(0, 40))])].filter(Boolean).slice(0, 20)
