import type { Database } from '../../sqlite'
import { fold } from './fold'

/** Makes a message be found by its text. */
export function noteText(db: Database, message: number, text: string): void {
  db.run('DELETE FROM found WHERE rowid = ?', message)
  if (text !== '') db.run('INSERT INTO found (rowid, text) VALUES (?, ?)', message, fold(text))
}

/** Makes a conversation be found by its title. */
export const noteTitle = (db: Database, conversation: number, title: string): void => noteText(db, -conversation, title)

/** Forgets everything that a conversation is found by. */
export function forgetTexts(db: Database, conversation: number): void {
  db.run('DELETE FROM found WHERE rowid IN (SELECT key FROM messages WHERE conversation = ?)', conversation)
  db.run('DELETE FROM found WHERE rowid = ?', -conversation)
}
