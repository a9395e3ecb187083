import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { PlaygroundAnswer, PlaygroundRun, PlaygroundWire } from '@shared/contract/playground'
import { noteText } from './search'
import { type KeptRun, parseIfReadable, parseStoredJson, type Store, shortenMiddle } from './store'

export const isActive = ({ state }: PlaygroundRun): boolean => state === 'waiting' || state === 'running'

/** Inserts or updates a run and returns its row key. `isLoose`: no message or cell refers to a new run. */
export function writeRun(store: Store, { run, answer, wire }: KeptRun, { isLoose = false } = {}): number {
  const { db } = store
  const owner = isActive(run) ? store.owner : null
  db.run(
    `INSERT INTO runs (id, owner, is_loose, record, answer) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, record = excluded.record, answer = excluded.answer`,
    ...[run.id, owner, isLoose ? 1 : 0, JSON.stringify(run), JSON.stringify(answer)],
  )
  const key = db.row('SELECT key FROM runs WHERE id = ?', run.id)?.number(0) ?? 0
  if (wire) saveRecordedExchange(store, key, wire)
  return key
}

/** Adds a run that belongs to no message, or updates any stored run. */
export function saveRun(store: Store, storedRun: KeptRun): void {
  store.db.transaction('IMMEDIATE', () => {
    const key = writeRun(store, storedRun, { isLoose: true })
    if (!isActive(storedRun.run)) indexAnswerText(store, key, storedRun.answer)
  })
}

/** Runs in creation order, without unknown ones. */
export const runs = ({ db }: Store, ids: readonly string[]): readonly KeptRun[] =>
  db
    .rows(
      'record, answer',
      'SELECT record, answer FROM runs WHERE id IN (SELECT value FROM json_each(?)) ORDER BY key',
      JSON.stringify(ids),
    )
    .map((row) => ({
      run: parseStoredJson(PlaygroundRun, row.text(0)),
      answer: parseStoredJson(PlaygroundAnswer, row.text(1)),
    }))

/** Request and response of a run. Undefined if they are not stored, or no longer. */
export function wire({ db }: Store, id: string): PlaygroundWire | undefined {
  const sql = 'SELECT CAST(wire AS BLOB) FROM wires JOIN runs ON key = run WHERE id = ?'
  const compressedWire = db.bytes(sql, id)
  return compressedWire && parseStoredJson(PlaygroundWire, inflateRawSync(compressedWire).toString('utf8'))
}

/** Marks runs of ended processes as `cut`. Their partial answers stay. */
export function interruptRuns(store: Store): void {
  const { db } = store
  const unfinishedRuns = db.rows(
    'key, record, answer',
    'SELECT key, record, answer FROM runs WHERE owner IS NOT NULL AND owner NOT IN (SELECT key FROM owners)',
  )
  for (const row of unfinishedRuns) {
    const [key, record] = [row.number(0), row.text(1)]
    const run = parseIfReadable(PlaygroundRun, record)
    const answer = parseIfReadable(PlaygroundAnswer, row.text(2))
    const interruptedRecord = run ? JSON.stringify({ ...run, state: 'cut' } satisfies PlaygroundRun) : record
    db.run('UPDATE runs SET owner = NULL, record = ? WHERE key = ?', interruptedRecord, key)
    if (answer) indexAnswerText(store, key, answer)
  }
}

function indexAnswerText({ db }: Store, run: number, { text }: PlaygroundAnswer): void {
  const message = db.row('SELECT key FROM messages WHERE run = ?', run)?.number(0)
  if (message !== undefined) noteText(db, message, text)
}

/** Maximum compressed bytes of one stored request with its response. */
const maxBytes = 2_000_000

/** Stores request and response, shortened if too large. Deletes the oldest above the total limit. */
function saveRecordedExchange({ db, wireBytes }: Store, run: number, wire: PlaygroundWire): void {
  const compressedWire = compressWithinLimit(wire)
  db.run('DELETE FROM wires WHERE run = ?', run)
  db.run('INSERT INTO wires (run, bytes, wire) VALUES (?, ?, ?)', run, compressedWire.length, compressedWire)
  while ((db.row('SELECT wire_bytes FROM state')?.number(0) ?? 0) > wireBytes) {
    db.run('DELETE FROM wires WHERE run = (SELECT min(run) FROM wires)')
  }
}

function compressWithinLimit({ requestBody, answerBody, ...wire }: PlaygroundWire): Uint8Array {
  let maxLength = Math.max(requestBody.length, answerBody.length)
  for (;;) {
    const shortenedWire: PlaygroundWire = {
      ...wire,
      requestBody: shortenMiddle(requestBody, maxLength),
      answerBody: shortenMiddle(answerBody, maxLength),
      isShortened: wire.isShortened || answerBody.length > maxLength,
    }
    const compressedWire = deflateRawSync(JSON.stringify(shortenedWire))
    if (compressedWire.length <= maxBytes) return compressedWire
    maxLength = Math.floor((0.9 * maxLength * maxBytes) / compressedWire.length)
  }
}
