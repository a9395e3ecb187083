import type { PlaygroundDraft } from '@shared/contract'
import { useEffect } from 'react'
import { create } from 'zustand'
import { call } from '../../ipc'
import { delayed } from './delayed'

/** What is typed is kept so long after the last key, in ms. */
const keptAfterMs = 300

const nothing: PlaygroundDraft = { text: '', attachments: [] }

/** The drafts this window knows, by their key. */
const useDrafts = create<Readonly<Record<string, PlaygroundDraft>>>(() => ({}))

const saving = delayed<PlaygroundDraft>((key, draft) => {
  // What could not be kept stays in the field; the next change tries again.
  void call('playground.saveDraft', { key, draft }).catch(() => undefined)
}, keptAfterMs)

/** The key of a conversation's draft, or of the one a new conversation begins with. */
export const draftKey = (conversationId: string | undefined): string => `chat:${conversationId ?? 'new'}`

/** Changes a draft from what it is now; it is kept a moment later. */
export function changeDraft(key: string, change: (before: PlaygroundDraft) => PlaygroundDraft): void {
  const draft = change(useDrafts.getState()[key] ?? nothing)
  useDrafts.setState({ [key]: draft })
  saving.put(key, draft)
}

/** Empties a draft that was sent; kept at once. */
export function clearDraft(key: string): void {
  changeDraft(key, () => nothing)
  saving.flush()
}

async function load(key: string): Promise<void> {
  const draft = await call('playground.draft', { key }).catch(() => nothing)
  // What was typed meanwhile is newer.
  if (!useDrafts.getState()[key]) useDrafts.setState({ [key]: draft })
}

/** What was typed and not sent, also before the last start. */
export function useDraft(key: string): PlaygroundDraft {
  useEffect(() => {
    if (!useDrafts.getState()[key]) void load(key)
    window.addEventListener('pagehide', saving.flush)
    return () => {
      window.removeEventListener('pagehide', saving.flush)
      saving.flush()
    }
  }, [key])
  return useDrafts((drafts) => drafts[key]) ?? nothing
}
