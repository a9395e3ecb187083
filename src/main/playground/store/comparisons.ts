import { createHash, randomUUID } from 'node:crypto'
import {
  type CellAddress,
  type ComparisonCell,
  ComparisonSetup,
  type ComparisonSummary,
  type ComparisonView,
  PlaygroundAnswer,
  PlaygroundRun,
  type PromptDraft,
  type PromptSummary,
  PromptVersion,
  type PromptView,
} from '@shared/contract/playground'
import { getRepeatCount, listComparisonRows, listVariables, withoutThinkTags } from '@shared/playground'
import { z } from 'zod'
import { checkAnswer } from '../answer-checks'
import { isActive, writeRun } from './runs'
import {
  createNotFoundError,
  type KeptRun,
  parseIfReadable,
  parseStoredJson,
  requireRowKey,
  type Store,
  toIso,
} from './store'

/** Fields that make a new version. Versions are compared as JSON, so always serialize with this schema. */
const PromptBody = PromptVersion.omit({ number: true, createdAt: true, variables: true })
const Tags = z.array(z.string())
const previewLength = 200

/** Newest first. */
export const prompts = ({ db }: Store): PromptSummary[] =>
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
      tags: parseStoredJson(Tags, row.text(2)),
      updatedAt: toIso(row.number(3)),
      versions: row.number(4),
      preview: parseStoredJson(PromptBody, row.text(5)).text.slice(0, previewLength),
    }))

/** A prompt with its versions, newest first. Fails with `playground.notFound`. */
export function prompt({ db }: Store, id: string): PromptView {
  const [row] = db.rows('key, name, tags, updated_at', 'SELECT * FROM prompts WHERE id = ? AND removed_by IS NULL', id)
  if (!row) throw createNotFoundError('prompt')
  const versions = db
    .rows('number, at, body', 'SELECT * FROM prompt_versions WHERE prompt = ? ORDER BY number DESC', row.number(0))
    .map((version) => {
      const body = parseStoredJson(PromptBody, version.text(2))
      const variables = [...listVariables(body.text, body.system)]
      return { number: version.number(0), createdAt: toIso(version.number(1)), ...body, variables }
    })
  return { id, name: row.text(1), tags: parseStoredJson(Tags, row.text(2)), updatedAt: toIso(row.number(3)), versions }
}

/** Creates or updates a prompt. Adds a version only if its content has changed. */
export function savePrompt(store: Store, { id = randomUUID(), name, tags, ...body }: PromptDraft): PromptView {
  const { db } = store
  db.transaction('IMMEDIATE', () => {
    const nowMs = Date.now()
    db.run("INSERT OR IGNORE INTO prompts (id, updated_at, name, tags) VALUES (?, 0, '', '')", id)
    const key = requireRowKey(store, 'prompts', id)
    db.run(
      'UPDATE prompts SET updated_at = ?, name = ?, tags = ? WHERE key = ?',
      ...[nowMs, name, JSON.stringify(tags), key],
    )
    const json = JSON.stringify(PromptBody.parse(body))
    const newestSql = 'SELECT number, body FROM prompt_versions WHERE prompt = ? ORDER BY number DESC LIMIT 1'
    const newest = db.row(newestSql, key)
    if (newest?.text(1) === json) return
    const number = (newest?.number(0) ?? 0) + 1
    db.run('INSERT INTO prompt_versions (prompt, number, at, body) VALUES (?, ?, ?, ?)', ...[key, number, nowMs, json])
  })
  return prompt(store, id)
}

/** A comparison of an export, with the answers of its cells. */
export interface WholeComparison {
  readonly setup: ComparisonSetup
  readonly cells: readonly (Omit<ComparisonCell, 'check'> & { readonly answer: PlaygroundAnswer })[]
}

/** Lists comparisons, pinned ones first, then newest first. */
export const comparisons = ({ db }: Store): ComparisonSummary[] =>
  db
    .rows(
      'id, title, is_pinned, updated_at, columns, cases',
      'SELECT * FROM comparisons WHERE removed_by IS NULL ORDER BY is_pinned DESC, updated_at DESC, key DESC',
    )
    .map((row) => ({
      id: row.text(0),
      title: row.text(1),
      isPinned: row.number(2) === 1,
      updatedAt: toIso(row.number(3)),
      columns: row.number(4),
      cases: row.number(5),
    }))

/** A comparison with its cells in the setup's order. Fails with `playground.notFound`. */
export function comparison(store: Store, id: string): ComparisonView {
  const [row] = store.db.rows(
    'key, is_pinned, updated_at, setup',
    'SELECT * FROM comparisons WHERE id = ? AND removed_by IS NULL',
    id,
  )
  if (!row) throw createNotFoundError('comparison')
  const setup = parseStoredJson(ComparisonSetup, row.text(3))
  return {
    id,
    isPinned: row.number(1) === 1,
    updatedAt: toIso(row.number(2)),
    setup,
    cells: listCells(store, row.number(0), setup),
  }
}

/** Creates or updates a comparison. Cells of removed columns and cases stay hidden until `deleteRemovedCells` runs. */
export function saveComparison(store: Store, id: string, setup: ComparisonSetup): ComparisonView {
  store.db.transaction('IMMEDIATE', () => writeSetup(store, id, setup))
  return comparison(store, id)
}

/** Writes a comparison in a transaction and returns its row key. Fails with `playground.notFound` for a removed one. */
function writeSetup(store: Store, id: string, setup: ComparisonSetup): number {
  const { title, columns, cases } = setup
  store.db.run(
    `INSERT INTO comparisons (id, is_pinned, updated_at, columns, cases, title, setup) VALUES (?, 0, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, columns = excluded.columns, cases = excluded.cases,
     title = excluded.title, setup = excluded.setup`,
    ...[id, Date.now(), columns.length, cases.length, title, JSON.stringify(setup)],
  )
  return requireRowKey(store, 'comparisons', id)
}

/** Rates the answer of a run, or removes its rating. Fails with `playground.notFound` if the cell has a newer run. */
export function rateAnswer(store: Store, id: string, runId: string, rating: number | undefined): ComparisonView {
  const { db } = store
  db.transaction('IMMEDIATE', () => {
    const key = requireRowKey(store, 'comparisons', id)
    const run = db.row('SELECT run FROM cells JOIN runs ON runs.key = run WHERE comparison = ? AND id = ?', key, runId)
    if (!run) throw createNotFoundError('answer')
    db.run('UPDATE cells SET rating = ? WHERE run = ?', rating ?? null, run.number(0))
  })
  return comparison(store, id)
}

/** Adds an imported comparison and returns its id. Its runs get new ids. Ignores cells that are not in the setup. */
export const addComparison = (store: Store, { setup, cells }: WholeComparison): string =>
  store.db.transaction('IMMEDIATE', () => {
    const id = randomUUID()
    const key = writeSetup(store, id, setup)
    for (const { isStale, ...cell } of cells) {
      const digest = digestRequest(setup, cell)
      if (digest === undefined) continue
      const run = { ...cell.run, id: randomUUID(), state: isActive(cell.run) ? ('cut' as const) : cell.run.state }
      replaceCell(store, key, { ...cell, run, digest: isStale ? '' : digest })
    }
    return id
  })

/** Replaces the runs of cells. Fails with `playground.notFound` for an unknown cell. */
export const beginCells = (
  store: Store,
  id: string,
  cells: readonly (CellAddress & { readonly run: PlaygroundRun })[],
): void =>
  store.db.transaction('IMMEDIATE', () => {
    const { db } = store
    const key = requireRowKey(store, 'comparisons', id)
    const setupJson = db.row('SELECT setup FROM comparisons WHERE key = ?', key)?.text(0) ?? ''
    const setup = parseStoredJson(ComparisonSetup, setupJson)
    for (const { run, ...address } of cells) {
      const digest = digestRequest(setup, address)
      if (digest === undefined) throw createNotFoundError('cell')
      replaceCell(store, key, { ...address, run, answer: { text: '' }, digest })
    }
    db.run('UPDATE comparisons SET updated_at = ? WHERE key = ?', Date.now(), key)
  })

interface NewCell extends CellAddress, KeptRun {
  /** Digest of its request. */
  readonly digest: string
  readonly rating?: number | undefined
}

function replaceCell(store: Store, comparisonKey: number, cell: NewCell): void {
  const { columnId, caseId = '', repeat = 1, run, answer, digest, rating = null } = cell
  deleteCell(store, comparisonKey, cell)
  store.db.run(
    `INSERT INTO cells (comparison, column_id, case_id, repeat, run, asked, rating) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ...[comparisonKey, columnId, caseId, repeat, writeRun(store, { run, answer }), digest, rating],
  )
}

function deleteCell({ db }: Store, comparisonKey: number, { columnId, caseId = '', repeat = 1 }: CellAddress): void {
  const whereClause = 'comparison = ? AND column_id = ? AND case_id = ? AND repeat = ?'
  const key = [comparisonKey, columnId, caseId, repeat]
  const run = db.row(`SELECT run FROM cells WHERE ${whereClause}`, ...key)?.number(0)
  if (run === undefined) return
  db.run(`DELETE FROM cells WHERE ${whereClause}`, ...key)
  db.run('DELETE FROM runs WHERE key = ?', run)
}

/** Deletes cells of removed columns and cases, with their runs. */
export function deleteRemovedCells(store: Store): void {
  for (const row of store.db.rows('key, setup', 'SELECT key, setup FROM comparisons')) {
    const [key, setup] = [row.number(0), parseIfReadable(ComparisonSetup, row.text(1))]
    if (setup === undefined) continue
    for (const cell of readStoredCells(store, key)) {
      if (digestRequest(setup, cell) === undefined) deleteCell(store, key, cell)
    }
  }
}

/** `caseId` is empty in a comparison without cases. */
const readStoredCells = ({ db }: Store, key: number) =>
  db
    .rows(
      'column_id, case_id, repeat, asked, record, rating',
      `SELECT column_id, case_id, repeat, asked, record, rating
       FROM cells JOIN runs ON runs.key = cells.run WHERE comparison = ?`,
      key,
    )
    .map((row) => ({
      columnId: row.text(0),
      caseId: row.text(1),
      repeat: row.number(2),
      requestDigest: row.text(3),
      record: row.text(4),
      rating: row.maybe(5),
    }))

/** Maximum time in ms for checks of answers per call. Later calls check the other answers. */
const checkBudgetMs = 1000

function listCells(store: Store, key: number, setup: ComparisonSetup): ComparisonCell[] {
  const toAddress = (columnId: string, caseId: string, repeat: number): string => `${columnId} ${caseId} ${repeat}`
  const cellsByAddress = new Map(
    readStoredCells(store, key).map((cell) => [toAddress(cell.columnId, cell.caseId, cell.repeat), cell] as const),
  )
  const deadline = performance.now() + checkBudgetMs
  const rows = listComparisonRows(setup)
  return setup.columns.flatMap(({ id: columnId }) =>
    rows.flatMap(({ testCase, repeat }): ComparisonCell[] => {
      const cell = cellsByAddress.get(toAddress(columnId, testCase?.id ?? '', repeat))
      if (!cell) return []
      const run = parseStoredJson(PlaygroundRun, cell.record)
      const check =
        testCase && run.state === 'done' && performance.now() < deadline
          ? checkAnswer(testCase, run.id, () => readAnswerText(store, run.id))
          : undefined
      return [
        {
          columnId,
          ...(testCase && { caseId: testCase.id }),
          ...(repeat > 1 && { repeat }),
          run,
          isStale: digestRequest(setup, cell) !== cell.requestDigest,
          ...(cell.rating !== undefined && { rating: cell.rating }),
          ...(check && { check }),
        },
      ]
    }),
  )
}

function readAnswerText({ db }: Store, runId: string): string {
  const answer = db.row('SELECT answer FROM runs WHERE id = ?', runId)?.text(0) ?? ''
  return withoutThinkTags(parseStoredJson(PlaygroundAnswer, answer)).text
}

/**
 * Digest of a cell's request: target, parameters, texts, and used variables. Undefined for a cell that is not in the
 * setup. `caseId` is empty without cases.
 */
function digestRequest(setup: ComparisonSetup, { columnId, caseId = '', repeat = 1 }: CellAddress): string | undefined {
  const column = setup.columns.find(({ id }) => id === columnId)
  const values = caseId === '' ? [] : setup.cases.find(({ id }) => id === caseId)?.values
  if (!column || !values || (caseId === '') !== (setup.cases.length === 0)) return undefined
  if (repeat > getRepeatCount(setup)) return undefined
  const { target, parameters, system, prompt = setup.prompt } = column
  const variableValues = listVariables(prompt, system).map((name) => [name, values[setup.variables.lastIndexOf(name)]])
  const text = JSON.stringify([sortMembers(target ?? {}), sortMembers(parameters), system, prompt, variableValues])
  return createHash('sha256').update(text).digest('base64')
}

/** Members of an object sorted by name, so that property order does not matter. */
const sortMembers = (members: object): readonly (readonly [string, unknown])[] =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
