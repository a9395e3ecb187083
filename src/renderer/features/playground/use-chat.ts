import type {
  BranchStep,
  ConversationView,
  MethodInput,
  MethodOutput,
  PlaygroundDraft,
  PlaygroundMessage,
  PlaygroundSetup,
} from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Code, Copy, FileText, SearchCode } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { create } from 'zustand'
import { useCopyText } from '../../copy-text'
import { call, callKey, useAction, useCall } from '../../ipc'
import { chatPath } from '../../paths'
import type { MenuItem } from '../../ui/menu'
import { changeSetup, clearDraft, draftKey, forgetNewSetup, useSetup } from './drafts'
import { isSendable } from './parameters-fields'
import { isUnderWay, stopRuns, useRunHead } from './runs-store'
import { changedTarget, type TargetChange } from './targets'

interface ChatView {
  /** Undefined follows the window width. */
  readonly isListOpen: boolean | undefined
  /** Shows the set-up next to the chat if there is room. */
  readonly isSetupShown: boolean
  /** Shows the set-up as a sheet over the chat. */
  readonly isSetupSheet: boolean
  readonly search: string
  readonly editing: string | undefined
  readonly set: (change: Partial<Omit<ChatView, 'set'>>) => void
}

/** View state, kept for the lifetime of the window. */
export const useChatView = create<ChatView>((set) => ({
  isListOpen: undefined,
  isSetupShown: true,
  isSetupSheet: false,
  search: '',
  editing: undefined,
  set,
}))

type ReadySetup = MethodInput<'playground.send'>['setup']

const readySetup = ({ target, ...rest }: PlaygroundSetup): ReadySetup | undefined =>
  target ? { ...rest, target } : undefined

/** The run of the last answer while it is active. */
function useActiveRun(conversation: ConversationView | undefined): string | undefined {
  const last = useBody(conversation?.branch.at(-1)?.id)
  const told = last?.run
  const live = useRunHead(told && isUnderWay(told) ? told.id : undefined)
  const run = live ?? told
  return run && isUnderWay(run) ? run.id : undefined
}

/** Sends the request, then opens a new conversation or reloads the open one. */
function useAsking(conversationId: string | undefined) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const onSuccess = async (sent: MethodOutput<'playground.send'>): Promise<void> => {
    await queries.invalidateQueries({
      queryKey: callKey('playground.conversation', { id: sent.conversationId }),
    })
    if (sent.conversationId === conversationId) return
    forgetNewSetup()
    await navigate(chatPath(sent.conversationId), { replace: true })
  }
  const sending = useAction('playground.send', { onSuccess })
  const again = useAction('playground.regenerate', { onSuccess })
  return { sending, again }
}

function useChoose(conversationId: string | undefined): (messageId: string) => void {
  const queries = useQueryClient()
  const choosing = useAction('playground.choose', {
    onSuccess: (view) => queries.setQueryData(callKey('playground.conversation', { id: view.id }), view),
  })
  return (messageId) => {
    if (conversationId !== undefined) choosing.mutate({ conversationId, messageId })
  }
}

/** Ignores calls while a request is pending or invalid. */
function usePosting(conversationId: string | undefined, setup: PlaygroundSetup, branch: readonly BranchStep[]) {
  const { sending, again } = useAsking(conversationId)
  const ready = readySetup(setup)
  const isBusy = sending.isPending || again.isPending
  const post = (message: PlaygroundDraft, parentId: string | undefined, onSent: () => void): void => {
    if (!ready || isBusy || !isSendable(setup.parameters)) return
    const following = {
      ...(conversationId !== undefined && { conversationId }),
      ...(parentId !== undefined && { parentId }),
    }
    // The failure is shown from the mutation state.
    sending.mutateAsync({ message, setup: ready, ...following }).then(onSent, () => undefined)
  }
  const regenerate = (answerId: string, change?: TargetChange): void => {
    const userMessageId = parentAt(
      branch,
      branch.findIndex(({ id }) => id === answerId),
    )
    if (conversationId === undefined || userMessageId === undefined || !ready || isBusy) return
    const used = change ? { ...ready, target: changedTarget(ready.target, change) } : ready
    if (change) changeSetup(conversationId, used)
    again.mutate({ conversationId, userMessageId, setup: used })
  }
  const dismiss = (): void => {
    sending.reset()
    again.reset()
  }
  return { post, regenerate, dismiss, isBusy, failure: (sending.error ?? again.error)?.failure }
}

export function useChat(conversationId: string | undefined) {
  const query = useCall(
    'playground.conversation',
    { id: conversationId ?? '' },
    { enabled: conversationId !== undefined },
  )
  const conversation = conversationId === undefined ? undefined : query.data
  const setup = useSetup(conversationId, conversation)
  const branch = conversation?.branch ?? []
  const { post, ...posting } = usePosting(conversationId, setup, branch)
  const activeRun = useActiveRun(conversation)
  const choose = useChoose(conversationId)
  const lastId = branch.at(-1)?.id
  return {
    ...posting,
    query,
    conversation,
    branch,
    setup,
    activeRun,
    choose,
    changeSetup: (next: PlaygroundSetup) => changeSetup(conversationId, next),
    send: (draft: PlaygroundDraft) => post(draft, lastId, () => clearDraft(draftKey(conversationId))),
    /** Asks a given text and keeps the draft. */
    ask: (text: string) => post({ text, attachments: [] }, lastId, () => undefined),
    edit: (messageId: string, message: PlaygroundDraft, onSent: () => void) => {
      const at = branch.findIndex(({ id }) => id === messageId)
      post(message, parentAt(branch, at), onSent)
    },
    stop: () => void stopRuns(activeRun === undefined ? [] : [activeRun]).catch(() => undefined),
  }
}

export type Chat = ReturnType<typeof useChat>

interface Bodies {
  readonly conversationId: string | undefined
  readonly byId: Readonly<Record<string, PlaygroundMessage>>
}

/** Cached messages of the open conversation. Messages never change, and runs deliver streaming answers. */
const useBodies = create<Bodies>(() => ({ conversationId: undefined, byId: {} }))

const maxQueued = 200
const asked = new Set<string>()

/** Fetches missing messages and drops those of another conversation. */
export async function wantBodies(conversationId: string, ids: readonly string[]): Promise<void> {
  if (useBodies.getState().conversationId !== conversationId) {
    asked.clear()
    useBodies.setState({ conversationId, byId: {} })
  }
  const missing = ids.filter((id) => !asked.has(id)).slice(0, maxQueued)
  if (missing.length === 0) return
  for (const id of missing) asked.add(id)
  try {
    const messages = await call('playground.messages', { conversationId, ids: missing })
    if (useBodies.getState().conversationId !== conversationId) return
    useBodies.setState(({ byId }) => ({
      byId: { ...byId, ...Object.fromEntries(messages.map((message) => [message.id, message])) },
    }))
  } catch {
    // Allows a retry when they scroll into view again.
    for (const id of missing) asked.delete(id)
  }
}

/** Undefined until it is loaded. */
export const useBody = (id: string | undefined): PlaygroundMessage | undefined =>
  useBodies(({ byId }) => (id === undefined ? undefined : byId[id]))

/** Reads a loaded message outside of rendering. */
export const readBody = (id: string): PlaygroundMessage | undefined => useBodies.getState().byId[id]

export interface OpenedInspector {
  readonly runId: string
  readonly face: 'request' | 'code'
}

interface AnswerAtHand {
  readonly runId: string
  readonly markdown: string
  /** Text without Markdown syntax. */
  readonly getPlainText: () => string
}

/** Stable object, so that rows do not re-render. */
export interface LogActions {
  readonly edit: (messageId: string, message: PlaygroundDraft) => void
  readonly beginEdit: (messageId: string | undefined) => void
  readonly regenerate: (answerId: string, change?: TargetChange) => void
  readonly choose: (messageId: string) => void
  readonly copy: (text: string) => void
  readonly inspect: (runId: string) => void
  readonly openMenu: (anchor: HTMLElement, answer: AnswerAtHand) => void
  readonly chooseModel: () => void
}

interface Wiring {
  readonly chat: Chat
  readonly open: (anchor: HTMLElement, items: readonly MenuItem[]) => void
  readonly inspect: (opened: OpenedInspector) => void
  readonly onChooseModel: () => void
}

export function useLogActions(wiring: Wiring): LogActions {
  const { t } = useTranslation('playground')
  const copy = useCopyText()
  const latest = useRef({ ...wiring, copy, t })
  latest.current = { ...wiring, copy, t }
  return useMemo((): LogActions => {
    const getLatest = () => latest.current
    const beginEdit = (editing: string | undefined): void => useChatView.getState().set({ editing })
    const getMenuItems = ({ runId, markdown, getPlainText }: AnswerAtHand): readonly MenuItem[] => {
      const { t, copy, inspect } = getLatest()
      const copies: readonly MenuItem[] = [
        { label: t('chat.copyMarkdown'), icon: Copy, onSelect: () => copy(markdown) },
        { label: t('chat.copyText'), icon: FileText, onSelect: () => copy(getPlainText()) },
        'separator',
      ]
      return [
        ...(markdown === '' ? [] : copies),
        { label: t('chat.inspect'), icon: SearchCode, onSelect: () => inspect({ runId, face: 'request' }) },
        { label: t('chat.asCode'), icon: Code, onSelect: () => inspect({ runId, face: 'code' }) },
      ]
    }
    return {
      edit: (id, message) => getLatest().chat.edit(id, message, () => beginEdit(undefined)),
      beginEdit,
      regenerate: (answerId, modelCode) => getLatest().chat.regenerate(answerId, modelCode),
      choose: (messageId) => getLatest().chat.choose(messageId),
      copy: (text) => getLatest().copy(text),
      inspect: (runId) => getLatest().inspect({ runId, face: 'request' }),
      openMenu: (anchor, answer) => getLatest().open(anchor, getMenuItems(answer)),
      chooseModel: () => getLatest().onChooseModel(),
    }
  }, [])
}

/** Parent id of the message at an index. The first message has none. */
const parentAt = (branch: readonly BranchStep[], index: number): string | undefined => branch[index - 1]?.id
