import type { ConversationView, PlaygroundSetup } from '@shared/contract/playground'
import { conversation } from './conversations'
import { messageKey } from './messages'
import { underWayAmong } from './runs'
import { noteTitle } from './search-text'
import { hide, keyOf, type Store } from './store'
import { newestEnd, show } from './tree'

/** Shows the branch that a message is in, down to its newest end. */
export function choose(store: Store, conversationId: string, messageId: string): ConversationView {
  const { db } = store
  db.transaction('IMMEDIATE', () => {
    const key = keyOf(store, 'conversations', conversationId)
    show(db, key, newestEnd(db, key, messageKey(store, key, messageId)))
  })
  return conversation(store, conversationId)
}

export const setUp = (store: Store, id: string, setup: PlaygroundSetup): void =>
  store.db.run(
    'UPDATE conversations SET setup = ? WHERE key = ?',
    ...[JSON.stringify(setup), keyOf(store, 'conversations', id)],
  )

export const rename = (store: Store, id: string, title: string): void =>
  store.db.transaction('IMMEDIATE', () => {
    const key = keyOf(store, 'conversations', id)
    store.db.run('UPDATE conversations SET title = ? WHERE key = ?', title, key)
    noteTitle(store.db, key, title)
  })

/** Hides a conversation; gives its runs under way. */
export const remove = (store: Store, id: string): readonly string[] =>
  store.db.transaction('IMMEDIATE', () => {
    const key = keyOf(store, 'conversations', id)
    hide(store, 'conversations', id)
    return underWayAmong(store, 'SELECT run FROM messages WHERE conversation = ?', key)
  })
