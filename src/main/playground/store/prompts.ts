import { randomUUID } from 'node:crypto'
import { type PromptDraft, type PromptSummary, PromptVersion, type PromptView } from '@shared/contract/playground'
import { z } from 'zod'
import { dated, notFound, parsed, requireRowKey, type Store } from './store'

/** What makes a version; JSON of it is compared, so that it is always written by this shape. */
const PromptBody = PromptVersion.omit({ number: true, createdAt: true, variables: true })
const Tags = z.array(z.string())
const previewLength = 200

/** The newest first. */
export const prompts = ({ db }: Store): readonly PromptSummary[] =>
  db
    .rows(
      'id, name, tags, updated_at, number, body',
      `SELECT id, name, tags, updated_at, number, body FROM prompts JOIN prompt_versions ON prompt = key
       AND number = (SELECT max(number) FROM prompt_versions WHERE prompt = key)
       WHERE removed_by IS NULL ORDER BY updated_at DESC, key DESC`,
    )
    .map((row) => ({
      id: row.text(0),
      name: row.text(1),
      tags: parsed(Tags, row.text(2)),
      updatedAt: dated(row.number(3)),
      versions: row.number(4),
      preview: parsed(PromptBody, row.text(5)).text.slice(0, previewLength),
    }))

/** A prompt with its versions, the newest first. Fails with `playground.notFound`. */
export function prompt({ db }: Store, id: string): PromptView {
  const [row] = db.rows('key, name, tags, updated_at', 'SELECT * FROM prompts WHERE id = ? AND removed_by IS NULL', id)
  if (!row) throw notFound('prompt')
  const versions = db
    .rows('number, at, body', 'SELECT * FROM prompt_versions WHERE prompt = ? ORDER BY number DESC', row.number(0))
    .map((version) => {
      const body = parsed(PromptBody, version.text(2))
      const variables = [...variablesIn(body.text, body.system)]
      return { number: version.number(0), createdAt: dated(version.number(1)), ...body, variables }
    })
  return { id, name: row.text(1), tags: parsed(Tags, row.text(2)), updatedAt: dated(row.number(3)), versions }
}

/** Creates a prompt or changes it; a new version only when what makes one has changed. */
export function savePrompt(store: Store, { id = randomUUID(), name, tags, ...body }: PromptDraft): PromptView {
  const { db } = store
  db.transaction('IMMEDIATE', () => {
    const now = Date.now()
    if (!db.row('SELECT key FROM prompts WHERE id = ?', id)) {
      db.run("INSERT INTO prompts (id, updated_at, name, tags) VALUES (?, 0, '', '')", id)
    }
    const key = requireRowKey(store, 'prompts', id)
    db.run(
      'UPDATE prompts SET updated_at = ?, name = ?, tags = ? WHERE key = ?',
      ...[now, name, JSON.stringify(tags), key],
    )
    const json = JSON.stringify(PromptBody.parse(body))
    const newest = db.row('SELECT number, body FROM prompt_versions WHERE prompt = ? ORDER BY number DESC LIMIT 1', key)
    if (newest?.text(1) === json) return
    const number = (newest?.number(0) ?? 0) + 1
    db.run('INSERT INTO prompt_versions (prompt, number, at, body) VALUES (?, ?, ?, ?)', ...[key, number, now, json])
  })
  return prompt(store, id)
}

const mark = /\{\{([^{}]{1,200})\}\}/g

/** The `{{names}}` in texts, each once, in the order in which they come. */
export const variablesIn = (...texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(mark)].flatMap(([, name = '']) => name.trim() || []))),
]
