import type { PlaygroundMessage } from '@shared/contract'
import { create } from 'zustand'
import { call } from '../../ipc'

interface Bodies {
  readonly conversationId: string | undefined
  readonly byId: Readonly<Record<string, PlaygroundMessage>>
}

/** Messages of the open conversation, as far as they were on the screen. A message never changes; an answer under way is followed by its run. */
const useBodies = create<Bodies>(() => ({ conversationId: undefined, byId: {} }))

const mostAtOnce = 200
const asked = new Set<string>()

/** Asks for messages that are not there yet. Those of another conversation are forgotten. */
export async function wantBodies(conversationId: string, ids: readonly string[]): Promise<void> {
  if (useBodies.getState().conversationId !== conversationId) {
    asked.clear()
    useBodies.setState({ conversationId, byId: {} })
  }
  const missing = ids.filter((id) => !asked.has(id)).slice(0, mostAtOnce)
  if (missing.length === 0) return
  for (const id of missing) asked.add(id)
  try {
    const messages = await call('playground.messages', { conversationId, ids: missing })
    if (useBodies.getState().conversationId !== conversationId) return
    useBodies.setState(({ byId }) => ({
      byId: { ...byId, ...Object.fromEntries(messages.map((message) => [message.id, message])) },
    }))
  } catch {
    // Asked for again as soon as they are scrolled to.
    for (const id of missing) asked.delete(id)
  }
}

/** A message, once it is there. */
export const useBody = (id: string | undefined): PlaygroundMessage | undefined =>
  useBodies(({ byId }) => (id === undefined ? undefined : byId[id]))

/** A message that is there already, outside of rendering. */
export const bodyOf = (id: string): PlaygroundMessage | undefined => useBodies.getState().byId[id]
