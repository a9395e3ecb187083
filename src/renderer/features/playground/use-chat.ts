import type {
  BranchStep,
  ConversationView,
  MethodInput,
  MethodOutput,
  PlaygroundDraft,
  PlaygroundSetup,
} from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { callKey, useAction, useCall } from '../../ipc'
import { useBody } from './bodies'
import { parentAt } from './branch'
import { clearDraft, draftKey } from './drafts'
import { isSendable } from './parameters'
import { chatPath } from './paths'
import { isUnderWay } from './run-entries'
import { stopRuns, useRunHead } from './runs-store'
import { changeSetup, forgetNewSetup, useSetup } from './setups'

type ReadySetup = MethodInput<'playground.send'>['setup']

/** The set-up as it is sent, once it has a target. */
const readySetup = ({ target, ...rest }: PlaygroundSetup): ReadySetup | undefined =>
  target ? { ...rest, target } : undefined

/** The run of the shown branch's last answer while more of it may come. */
function useActiveRun(conversation: ConversationView | undefined): string | undefined {
  const last = useBody(conversation?.branch.at(-1)?.id)
  const told = last?.run
  const live = useRunHead(told && isUnderWay(told) ? told.id : undefined)
  const run = live ?? told
  return run && isUnderWay(run) ? run.id : undefined
}

/** Asks, and shows what came of it: a new conversation is gone to, one that is open is read again. */
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

/** Sends messages and asks again; nothing happens while something is on its way or cannot be sent. */
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
    // The failure is shown from the action's own state.
    sending.mutateAsync({ message, setup: ready, ...following }).then(onSent, () => undefined)
  }
  const regenerate = (answerId: string, modelCode?: string): void => {
    const userMessageId = parentAt(
      branch,
      branch.findIndex(({ id }) => id === answerId),
    )
    if (conversationId === undefined || userMessageId === undefined || !ready || isBusy) return
    const used = modelCode === undefined ? ready : { ...ready, target: { ...ready.target, modelCode } }
    if (modelCode !== undefined) changeSetup(conversationId, used)
    again.mutate({ conversationId, userMessageId, setup: used })
  }
  const dismiss = (): void => {
    sending.reset()
    again.reset()
  }
  return { post, regenerate, dismiss, isBusy, failure: (sending.error ?? again.error)?.failure }
}

/** Everything that can be done with a conversation, or with the one that begins next. */
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
    /** Asks something that was not typed; the draft stays. */
    ask: (text: string) => post({ text, attachments: [] }, lastId, () => undefined),
    edit: (messageId: string, message: PlaygroundDraft, onSent: () => void) => {
      const at = branch.findIndex(({ id }) => id === messageId)
      post(message, parentAt(branch, at), onSent)
    },
    stop: () => void stopRuns(activeRun === undefined ? [] : [activeRun]).catch(() => undefined),
  }
}

export type Chat = ReturnType<typeof useChat>
