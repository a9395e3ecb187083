import type { ConversationSummary, ConversationView, PlaygroundSetup } from '@shared/contract'
import { create } from 'zustand'
import { call, useCall } from '../../ipc'
import { delayed } from './delayed'
import { useDefaultTarget, usePlaces } from './targets'

interface Setups {
  /** What was changed here, by conversation; `new` is the one that begins next. */
  readonly changed: Readonly<Record<string, PlaygroundSetup>>
  /** What was used last: a new conversation begins with it. */
  readonly last: PlaygroundSetup | undefined
}

const keptAfterMs = 300
const newKey = ' new'

const useSetups = create<Setups>(() => ({ changed: {}, last: undefined }))

const saving = delayed<PlaygroundSetup>((id, setup) => {
  // It goes along with the next message in any case.
  void call('playground.setUp', { id, setup }).catch(() => undefined)
}, keptAfterMs)

/** Changes what a conversation's next message is sent with, and what a new conversation begins with. */
export function changeSetup(conversationId: string | undefined, setup: PlaygroundSetup): void {
  useSetups.setState(({ changed }) => ({ changed: { ...changed, [conversationId ?? newKey]: setup }, last: setup }))
  if (conversationId !== undefined) saving.put(conversationId, setup)
}

/** A new conversation begins with what was used last once more. */
export function forgetNewSetup(): void {
  useSetups.setState(({ changed: { [newKey]: used, ...changed }, last }) => ({ changed, last: used ?? last }))
}

/** The conversation that was used last. */
const newestOf = (items: readonly ConversationSummary[]): string | undefined =>
  items.reduce<ConversationSummary | undefined>(
    (newest, one) => (newest && newest.updatedAt >= one.updatedAt ? newest : one),
    undefined,
  )?.id

/** What a new conversation begins with: the last used set-up, if its plan is still there; else the plan in use. */
function useFirstSetup(isNeeded: boolean): PlaygroundSetup {
  const last = useSetups((setups) => setups.last)
  const { plans, isLoading } = usePlaces()
  const fallback = useDefaultTarget()
  const isAsked = isNeeded && !last
  const { data: list } = useCall('playground.conversations', {}, { enabled: isAsked })
  const newest = newestOf(list?.items ?? [])
  const { data: kept } = useCall('playground.conversation', { id: newest ?? '' }, { enabled: isAsked && !!newest })
  const begun = last ?? kept?.setup ?? { system: '', parameters: {} }
  const { target = fallback, ...rest } = begun
  const isGone = target?.kind === 'plan' && !isLoading && !plans.some(({ id }) => id === target.planId)
  const there = isGone ? fallback : target
  return { ...rest, ...(there && { target: there }) }
}

/** What the next message is sent with. */
export function useSetup(
  conversationId: string | undefined,
  conversation: ConversationView | undefined,
): PlaygroundSetup {
  const changed = useSetups((setups) => setups.changed[conversationId ?? newKey])
  const first = useFirstSetup(conversationId === undefined && !changed)
  return changed ?? conversation?.setup ?? first
}
