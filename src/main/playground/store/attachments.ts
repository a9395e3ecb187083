import { createHash } from 'node:crypto'
import { PlaygroundAttachment, PlaygroundDraft } from '@shared/contract/playground'
import { notFound, parsed, type Store } from './store'

/** Keeps a file; the same content once. */
export const attach = (store: Store, attachment: PlaygroundAttachment, content: Uint8Array): void =>
  store.db.transaction('IMMEDIATE', () => insertAttachment(store, attachment, content))

/** The same inside of a transaction. An id that is there keeps what it is. */
export function insertAttachment({ db, owner }: Store, attachment: PlaygroundAttachment, content: Uint8Array): void {
  const hash = createHash('sha256').update(content).digest('hex')
  db.run('INSERT OR IGNORE INTO contents (hash, content) VALUES (?, ?)', hash, content)
  db.run(
    `INSERT INTO attachments (id, content, owner, facts) VALUES (?, (SELECT key FROM contents WHERE hash = ?), ?, ?)
     ON CONFLICT (id) DO UPDATE SET owner = excluded.owner`,
    ...[attachment.id, hash, owner, JSON.stringify(attachment)],
  )
}

/** What is known of files, in the order that was asked for; unknown ones are left out. */
export function attachments({ db }: Store, ids: readonly string[]): readonly PlaygroundAttachment[] {
  const rows = db.rows(
    'facts',
    'SELECT facts FROM attachments WHERE id IN (SELECT value FROM json_each(?))',
    JSON.stringify(ids),
  )
  const byId = new Map(rows.map((row) => parsed(PlaygroundAttachment, row.text(0))).map((one) => [one.id, one]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Fails with `playground.notFound`. */
export function attachmentContent({ db }: Store, id: string): Uint8Array {
  const content = db.bytes(
    'SELECT CAST(c.content AS BLOB) FROM attachments AS a JOIN contents AS c ON c.key = a.content WHERE id = ?',
    id,
  )
  if (!content) throw notFound('attachment')
  return content
}

/** Keys of files, each once. Fails with `playground.notFound` for one that is not there. */
export function attachmentKeys({ db }: Store, ids: readonly string[]): readonly number[] {
  return [...new Set(ids)].map((id) => {
    const key = db.row('SELECT key FROM attachments WHERE id = ?', id)?.number(0)
    if (key === undefined) throw notFound('attachment')
    return key
  })
}

/** Drops what no message and no draft names, but for what a process that is there has added and may still send. */
export function sweepAttachments({ db }: Store): void {
  db.run(
    `DELETE FROM attachments WHERE owner NOT IN (SELECT key FROM owners)
     AND key NOT IN (SELECT attachment FROM named_attachments)
     AND id NOT IN (SELECT value FROM drafts, json_each(draft, '$.attachments'))`,
  )
  db.run('DELETE FROM contents WHERE key NOT IN (SELECT content FROM attachments)')
}

/** What was typed and not sent; nothing where nothing was. */
export function draft({ db }: Store, key: string): PlaygroundDraft {
  const kept = db.row('SELECT draft FROM drafts WHERE key = ?', key)?.text(0)
  return kept === undefined ? { text: '', attachments: [] } : parsed(PlaygroundDraft, kept)
}

export function saveDraft({ db }: Store, key: string, one: PlaygroundDraft): void {
  if (one.text === '' && one.attachments.length === 0) db.run('DELETE FROM drafts WHERE key = ?', key)
  else db.run('INSERT OR REPLACE INTO drafts (key, draft) VALUES (?, ?)', key, JSON.stringify(one))
}
