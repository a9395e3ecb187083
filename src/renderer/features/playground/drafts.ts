import type { ConversationView, PlaygroundDraft, PlaygroundSetup } from '@shared/contract'
import { useEffect } from 'react'
import { create } from 'zustand'
import { call, useCall } from '../../ipc'
import { useDefaultTarget, useTargetSources } from './targets'

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

/** Unsent message text by conversation. It is restored after a restart. */
export function useDraft(key: string): PlaygroundDraft {
  useEffect(() => {
    if (!useDrafts.getState()[key]) void loadDraft(key)
    window.addEventListener('pagehide', savingDraft.flush)
    return () => {
      window.removeEventListener('pagehide', savingDraft.flush)
      savingDraft.flush()
    }
  }, [key])
  return useDrafts((drafts) => drafts[key]) ?? emptyDraft
}

const newKey = ' new'

const useSetups = create<{
  /** Changed settings by conversation id. The key `new` is for the next new conversation. */
  readonly changed: Readonly<Record<string, PlaygroundSetup>>
  /** Target of the last used settings. New conversations start with it. */
  readonly last: PlaygroundSetup['target']
}>(() => ({ changed: {}, last: undefined }))

const savingSetup = createDelayedStore<PlaygroundSetup>((id, setup) => {
  // Ignore a failed save, because the next message sends these settings again.
  void call('playground.setUp', { id, setup }).catch(() => undefined)
})

export function changeSetup(conversationId: string | undefined, setup: PlaygroundSetup): void {
  useSetups.setState(({ changed }) => ({
    changed: { ...changed, [conversationId ?? newKey]: setup },
    last: setup.target,
  }))
  if (conversationId !== undefined) savingSetup.store(conversationId, setup)
}

/** Resets the settings of the next new conversation to the defaults, but keeps the last used target. */
export function resetNewSetup(): void {
  useSetups.setState(({ changed: { [newKey]: usedSetup, ...changed }, last }) => ({
    changed,
    last: usedSetup?.target ?? last,
  }))
}

/** Default settings. The target is the last used one if its plan still exists, else the current plan. */
function useDefaultSetup(isNeeded: boolean): PlaygroundSetup {
  const lastTarget = useSetups((setups) => setups.last)
  const { plans, isLoading } = useTargetSources()
  const fallback = useDefaultTarget()
  const needsLastConversation = isNeeded && !lastTarget
  const { data: list } = useCall('playground.conversations', needsLastConversation ? {} : undefined)
  const newestId = list?.items.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0]?.id
  const newestInput = newestId === undefined ? undefined : { id: newestId }
  const { data: newestConversation } = useCall('playground.conversation', newestInput)
  const target = lastTarget ?? newestConversation?.setup.target ?? fallback
  const isTargetMissing = target?.kind === 'plan' && !isLoading && !plans.some(({ id }) => id === target.planId)
  const existingTarget = isTargetMissing ? fallback : target
  return { system: '', parameters: {}, ...(existingTarget && { target: existingTarget }) }
}

export function useSetup(conversationId: string | undefined, conversation: ConversationView | undefined) {
  const changedSetup = useSetups((setups) => setups.changed[conversationId ?? newKey])
  const defaultSetup = useDefaultSetup(conversationId === undefined && !changedSetup)
  return changedSetup ?? conversation?.setup ?? defaultSetup
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
