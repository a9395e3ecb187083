import type { ConversationSummary, ConversationView, PlaygroundDraft, PlaygroundSetup } from '@shared/contract'
import { useEffect } from 'react'
import { create } from 'zustand'
import { call, useCall } from '../../ipc'
import { useDefaultTarget, usePlaces } from './targets'

/** Keeps values a moment after the last change of each, so that typing is not one write per letter. */
interface Delayed<Value> {
  readonly store: (key: string, value: Value) => void
  /** Keeps what waits at once. */
  readonly flush: () => void
  /** Forgets what waits under a key. */
  readonly drop: (key: string) => void
}

/** Calls `save` with the newest value of a key, `delayMs` after the last change of it. */
export function delayed<Value>(save: (key: string, value: Value) => void, delayMs: number): Delayed<Value> {
  const waiting = new Map<string, { readonly timer: ReturnType<typeof setTimeout>; readonly value: Value }>()
  const drop = (key: string): void => {
    clearTimeout(waiting.get(key)?.timer)
    waiting.delete(key)
  }
  const store = (key: string, value: Value): void => {
    drop(key)
    const keep = (): void => {
      waiting.delete(key)
      save(key, value)
    }
    waiting.set(key, { timer: setTimeout(keep, delayMs), value })
  }
  const flush = (): void => {
    for (const [key, { value }] of [...waiting]) {
      drop(key)
      save(key, value)
    }
  }
  return { store, flush, drop }
}

/** What is typed is kept so long after the last key, in ms. */
const keptAfterMs = 300

const emptyDraft: PlaygroundDraft = { text: '', attachments: [] }

/** The drafts this window knows, by their key. */
const useDrafts = create<Readonly<Record<string, PlaygroundDraft>>>(() => ({}))

const savingDraft = delayed<PlaygroundDraft>((key, draft) => {
  // What could not be kept stays in the field; the next change tries again.
  void call('playground.saveDraft', { key, draft }).catch(() => undefined)
}, keptAfterMs)

/** The key of a conversation's draft, or of the one a new conversation begins with. */
export const draftKey = (conversationId: string | undefined): string => `chat:${conversationId ?? 'new'}`

/** Changes a draft from what it is now; it is kept a moment later. */
export function changeDraft(key: string, change: (before: PlaygroundDraft) => PlaygroundDraft): void {
  const draft = change(useDrafts.getState()[key] ?? emptyDraft)
  useDrafts.setState({ [key]: draft })
  savingDraft.store(key, draft)
}

/** Empties a draft that was sent; kept at once. */
export function clearDraft(key: string): void {
  changeDraft(key, () => emptyDraft)
  savingDraft.flush()
}

async function load(key: string): Promise<void> {
  const draft = await call('playground.draft', { key }).catch(() => emptyDraft)
  // What was typed meanwhile is newer.
  if (!useDrafts.getState()[key]) useDrafts.setState({ [key]: draft })
}

/** What was typed and not sent, also before the last start. */
export function useDraft(key: string): PlaygroundDraft {
  useEffect(() => {
    if (!useDrafts.getState()[key]) void load(key)
    window.addEventListener('pagehide', savingDraft.flush)
    return () => {
      window.removeEventListener('pagehide', savingDraft.flush)
      savingDraft.flush()
    }
  }, [key])
  return useDrafts((drafts) => drafts[key]) ?? emptyDraft
}

interface Setups {
  /** What was changed here, by conversation; `new` is the one that begins next. */
  readonly changed: Readonly<Record<string, PlaygroundSetup>>
  /** What was used last: a new conversation begins with it. */
  readonly last: PlaygroundSetup | undefined
}

const newKey = ' new'

const useSetups = create<Setups>(() => ({ changed: {}, last: undefined }))

const savingSetup = delayed<PlaygroundSetup>((id, setup) => {
  // It goes along with the next message in any case.
  void call('playground.setUp', { id, setup }).catch(() => undefined)
}, keptAfterMs)

/** Changes what a conversation's next message is sent with, and what a new conversation begins with. */
export function changeSetup(conversationId: string | undefined, setup: PlaygroundSetup): void {
  useSetups.setState(({ changed }) => ({ changed: { ...changed, [conversationId ?? newKey]: setup }, last: setup }))
  if (conversationId !== undefined) savingSetup.store(conversationId, setup)
}

/** A new conversation begins with what was used last once more. */
export function forgetNewSetup(): void {
  useSetups.setState(({ changed: { [newKey]: used, ...changed }, last }) => ({ changed, last: used ?? last }))
}

/** The conversation that was used last. */
const findNewest = (items: readonly ConversationSummary[]): string | undefined =>
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
  const newest = findNewest(list?.items ?? [])
  const { data: kept } = useCall('playground.conversation', { id: newest ?? '' }, { enabled: isAsked && !!newest })
  const begun = last ?? kept?.setup ?? { system: '', parameters: {} }
  const { target = fallback, ...rest } = begun
  const isGone = target?.kind === 'plan' && !isLoading && !plans.some(({ id }) => id === target.planId)
  const existing = isGone ? fallback : target
  return { ...rest, ...(existing && { target: existing }) }
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
