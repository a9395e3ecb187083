import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ComparisonSetup, PromptDraft } from '@shared/contract'
import { describe, expect, it, test } from 'vitest'
import { Database } from '../../../../../src/main/core/sqlite/database'
import { expectFailure } from '../../../support/failures'
import { notFound, openStoreHere, setUpStore } from './current-store'
import { buildRun, buildTurn, buildWire, comparison, conversation, prompt, target } from './store-desk'

const { place, store, reopen } = setUpStore()

describe('drafts and files', () => {
  const file = (id: string) =>
    ({ id, kind: 'text', name: `${id}.txt`, mediaType: 'text/plain', bytes: 4, tokens: 1 }) as const
  const bytes = new Uint8Array([0, 255, 128, 7])

  it('keeps a draft by its key until the draft is empty', async () => {
    expect(await store.draft('new')).toEqual({ text: '', attachments: [] })
    await store.saveDraft('new', { text: 'half a thought \u0000 ', attachments: ['x'] })
    await reopen()
    expect(await store.draft('new')).toEqual({ text: 'half a thought \u0000 ', attachments: ['x'] })
    await store.saveDraft('new', { text: '', attachments: [] })
    expect(await store.draft('new')).toEqual({ text: '', attachments: [] })
  })

  it('keeps files that a message or a draft refers to, and drops the others at the next start', async () => {
    for (const id of ['sent', 'drafted', 'nobodys']) await store.attach(file(id), bytes)
    await store.attach(file('lonely'), randomBytes(10))
    await store.beginTurn(buildTurn('c', ['q', 'a'], { title: 'T', files: ['sent'] }))
    expect(await store.readLine('c', 'q')).toEqual([
      { id: 'q', role: 'user', text: 'text of q', attachments: ['sent'] },
    ])
    await store.saveDraft('c', { text: '', attachments: ['drafted'] })
    expect(await store.attachments(['nobodys', 'none', 'sent'])).toEqual([file('sent'), file('nobodys')])
    expect(new Uint8Array(await store.attachmentContent('nobodys'))).toEqual(bytes)
    await reopen()
    expect(await store.attachments(['nobodys', 'lonely', 'sent', 'drafted'])).toEqual([file('sent'), file('drafted')])
    expect(new Uint8Array(await store.attachmentContent('drafted'))).toEqual(bytes)
    await expect(store.attachmentContent('lonely')).rejects.toMatchObject(notFound)
    await store.remove(conversation('c'))
    await reopen()
    expect(await store.attachments(['sent', 'drafted'])).toEqual([file('drafted')])
  })

  it('stores equal content once', async () => {
    const largeBytes = randomBytes(1_000_000)
    for (let copyIndex = 0; copyIndex < 8; copyIndex += 1) await store.attach(file(`f${copyIndex}`), largeBytes)
    await store.saveDraft('d', { text: '', attachments: ['f0', 'f7'] })
    await reopen()
    expect((await stat(place.file)).size).toBeLessThan(1_500_000)
    expect(largeBytes.equals(await store.attachmentContent('f7'))).toBe(true)
  })
})

describe('runs', () => {
  it('keeps a run without a message, with its wire data', async () => {
    const recordedExchange = buildWire('data: {"x":"Tiếng Việt \u0000"}\n\n'.repeat(1000))
    await store.saveRun({ run: buildRun('one', 'running'), answer: { text: 'a' } })
    await store.saveRun({ run: buildRun('one', 'done'), answer: { text: 'ab' }, wire: recordedExchange })
    await store.saveRun({ run: buildRun('two', 'failed'), answer: { text: '' } })
    await reopen()
    expect(await store.wire('one')).toEqual(recordedExchange)
    expect(await store.runs(['two', 'none', 'one'])).toEqual([
      { run: buildRun('one', 'done'), answer: { text: 'ab' } },
      { run: buildRun('two', 'failed'), answer: { text: '' } },
    ])
  })

  it('shortens a large text and keeps its beginning and end', async () => {
    const noise = randomBytes(3_000_000).toString('base64')
    const wire = buildWire(`start${noise}end`, noise)
    await store.saveRun({ run: buildRun('big', 'done'), answer: { text: '' }, wire })
    const answerBody = expect.stringMatching(/^start.*\n… \(\d+ characters left out\) …\n.*end$/)
    expect(await store.wire('big')).toMatchObject({ isShortened: true, answerBody })
    await store.close()
    expect((await stat(place.file)).size).toBeLessThan(2_500_000)
  })

  it('drops the oldest wire data above the size limit, but never a run', async () => {
    await reopen({ wireBytes: 50_000 })
    const ids = Array.from({ length: 10 }, (_, n) => `run${n}`)
    for (const id of ids) {
      const recordedExchange = buildWire(randomBytes(9000).toString('latin1').replaceAll('\u0000', 'x'))
      await store.saveRun({ run: buildRun(id, 'done'), answer: { text: id }, wire: recordedExchange })
    }
    const hasWire = await Promise.all(ids.map(async (id) => (await store.wire(id)) !== undefined))
    expect((await store.runs(ids)).map(({ answer }) => answer.text)).toEqual(ids)
    expect([hasWire.at(0), hasWire.at(-1)]).toEqual([false, true])
    expect(hasWire.indexOf(true)).toBeGreaterThan(hasWire.lastIndexOf(false))
  })

  it('keeps the newest 500 runs without a reference', async () => {
    await store.beginTurn(buildTurn('c', ['q', 'named'], { title: 'T' }))
    await store.close()
    const db = new Database(place.file)
    const numbers = JSON.stringify(Array.from({ length: 520 }, (_, n) => n))
    db.run(
      `INSERT INTO runs (id, is_loose, record, answer) SELECT 'run' || value, 1, replace(?, 'ID', 'run' || value), ?
       FROM json_each(?)`,
      ...[JSON.stringify(buildRun('ID', 'done')), '{"text":""}', numbers],
    )
    db.close()
    await reopen()
    const savedRuns = await store.runs(['run0', 'run19', 'run20', 'run519', 'named'])
    expect(savedRuns.map(({ run }) => run.id)).toEqual(['named', 'run20', 'run519'])
  })
})

describe('comparisons', () => {
  const column = { id: 'one', name: 'One', target, system: 'Be {{tone}}', parameters: { temperature: 0.5, seed: 1 } }
  const secondPrompt = { id: 'two', name: 'Two', target, system: '', parameters: {}, prompt: 'Only {{ b }}' }
  const baseSetup: ComparisonSetup = {
    title: 'Which one',
    prompt: 'Tell of {{a}}',
    columns: [column, secondPrompt],
    variables: ['a', 'b', 'tone', 'unused'],
    cases: [
      { id: 'x', values: ['1', '2', 'kind', '0'] },
      { id: 'y', values: ['3', '4', 'rude', '0'] },
    ],
  }
  const allCells = ['one', 'two'].flatMap((columnId) => ['x', 'y'].map((caseId) => ({ columnId, caseId })))
  const beginCellRuns = (cells = allCells, mark = 'r') =>
    store.beginCells(
      'c',
      cells.map((cell) => ({ ...cell, run: buildRun(`${mark}-${cell.columnId}-${cell.caseId}`, 'done') })),
    )
  const listStaleCells = async () =>
    (await store.comparison('c')).cells
      .filter(({ isStale }) => isStale)
      .map((cell) => `${cell.columnId}-${cell.caseId}`)

  it('keeps the newest run of each cell, in the order of columns and cases', async () => {
    await store.saveComparison('c', baseSetup)
    await beginCellRuns()
    await beginCellRuns([{ columnId: 'two', caseId: 'x' }], 'again')
    const view = await store.comparison('c')
    expect(view).toMatchObject({ setup: baseSetup, isPinned: false })
    expect(view.cells.map(({ run }) => run.id)).toEqual(['r-one-x', 'r-one-y', 'again-two-x', 'r-two-y'])
    expect(await store.runs(['r-two-x'])).toEqual([])
    expect(await store.comparisons()).toMatchObject([{ id: 'c', title: 'Which one', columns: 2, cases: 2 }])
    await expect(beginCellRuns([{ columnId: 'one', caseId: 'z' }])).rejects.toMatchObject(notFound)
  })

  const changeColumn = (columnFields: Partial<typeof column>): ComparisonSetup => ({
    ...baseSetup,
    columns: [{ ...column, ...columnFields }, secondPrompt],
  })
  const changeCase = (...values: string[]): ComparisonSetup => ({
    ...baseSetup,
    cases: [{ id: 'x', values }, ...baseSetup.cases.slice(1)],
  })
  test.each<[string, ComparisonSetup, string[]]>([
    ['its model', changeColumn({ target: { ...target, modelCode: 'model-b' } }), ['one-x', 'one-y']],
    ['its system text', changeColumn({ system: 'Be {{tone}}!' }), ['one-x', 'one-y']],
    ['a parameter', changeColumn({ parameters: { temperature: 0.6, seed: 1 } }), ['one-x', 'one-y']],
    ['the shared prompt', { ...baseSetup, prompt: 'Speak of {{a}}' }, ['one-x', 'one-y']],
    ['a value', changeCase('9', '2', 'kind', '0'), ['one-x']],
    ['a value of another column', changeCase('1', '9', 'kind', '0'), ['two-x']],
    ['only a name', { ...changeColumn({ name: 'Uno' }), title: 'Other' }, []],
    ['a value that no prompt uses', changeCase('1', '2', 'kind', '9'), []],
    [
      'the order of everything',
      {
        ...baseSetup,
        columns: [secondPrompt, changeColumn({ parameters: { seed: 1, temperature: 0.5 } }).columns[0] ?? secondPrompt],
        cases: baseSetup.cases.toReversed(),
      },
      [],
    ],
  ])('marks answers as outdated when %s changed', async (_, changedSetup, expected) => {
    await store.saveComparison('c', baseSetup)
    await beginCellRuns()
    await store.saveComparison('c', changedSetup)
    expect(await listStaleCells()).toEqual(expected)
    await store.saveComparison('c', baseSetup)
    expect(await listStaleCells()).toEqual([])
  })

  it('keeps the runs of deleted columns and cases until the next start, for an undo', async () => {
    await store.saveComparison('c', baseSetup)
    await beginCellRuns()
    const smallerSetup = { ...baseSetup, columns: [secondPrompt], cases: baseSetup.cases.slice(1) }
    expect((await store.saveComparison('c', smallerSetup)).cells.map(({ run }) => run.id)).toEqual(['r-two-y'])
    expect((await store.saveComparison('c', baseSetup)).cells).toHaveLength(4)
    await store.saveComparison('c', smallerSetup)
    await reopen()
    await store.saveComparison('c', baseSetup)
    expect((await store.comparison('c')).cells.map(({ run }) => run.id)).toEqual(['r-two-y'])
    const allRunIds = allCells.map(({ columnId, caseId }) => `r-${columnId}-${caseId}`)
    expect(await store.runs(allRunIds)).toHaveLength(1)
    await store.saveComparison('c', { ...baseSetup, cases: [] })
    await store.beginCells('c', [{ columnId: 'one', run: buildRun('bare') }])
    expect((await store.comparison('c')).cells).toEqual([{ columnId: 'one', run: buildRun('bare'), isStale: false }])
  })

  it('is hidden when deleted, lists its unfinished runs, and is gone after the next start', async () => {
    await store.saveComparison('c', baseSetup)
    await beginCellRuns(allCells.slice(1))
    await store.beginCells('c', [{ columnId: 'one', caseId: 'x', run: buildRun('slow', 'running') }])
    await store.pin({ ...comparison('c'), isPinned: true })
    expect(await store.remove(comparison('c'))).toEqual(['slow'])
    await expect(store.saveComparison('c', baseSetup)).rejects.toMatchObject(notFound)
    await store.restore(comparison('c'))
    expect(await store.comparison('c')).toMatchObject({ isPinned: true, cells: { length: 4 } })
    await store.remove(comparison('c'))
    await reopen()
    await expect(store.restore(comparison('c'))).rejects.toMatchObject(notFound)
    expect([await store.comparisons(), await store.runs(['slow', 'r-one-y'])]).toEqual([[], []])
  })
})

describe('prompts', () => {
  const draft: PromptDraft = {
    id: 'p',
    name: 'Letters',
    tags: ['mail'],
    text: 'Write to {{name}} and {{ other }}',
    system: 'As {{role}} for {{name}}',
    target,
    parameters: { temperature: 0.5, seed: 1 },
  }

  it('creates a new version only when the content of a request changes', async () => {
    expect(await store.savePrompt(draft)).toMatchObject({
      versions: [{ number: 1, text: draft.text, target, variables: ['name', 'other', 'role'] }],
    })
    const changedFields = { name: 'Mail', tags: ['a', 'b'] }
    const promptDraft = { ...draft, ...changedFields, parameters: { seed: 1, temperature: 0.5, topP: undefined } }
    expect(await store.savePrompt(promptDraft)).toMatchObject({ ...changedFields, versions: { length: 1 } })
    const changes = [{ text: 'x' }, { system: 'y' }, { target: undefined }, { parameters: {} }]
    for (const change of changes) Object.assign(promptDraft, change) && (await store.savePrompt({ ...promptDraft }))
    const { versions } = await store.prompt('p')
    expect(versions.map(({ number }) => number)).toEqual([5, 4, 3, 2, 1])
    expect([versions[0]?.target, versions[4]?.text]).toEqual([undefined, draft.text])
    expect(await store.prompts()).toMatchObject([{ id: 'p', name: 'Mail', versions: 5, preview: 'x' }])
  })

  it('assigns an id to a prompt without one, and hides a deleted one until it is restored or the next start', async () => {
    const { id } = await store.savePrompt({ ...draft, id: undefined, text: 'long '.repeat(1000) })
    await store.savePrompt(draft)
    await store.remove(prompt('p'))
    expect((await store.prompts()).map((prompt) => [prompt.id, prompt.preview.length])).toEqual([[id, 200]])
    await expect(store.prompt('p')).rejects.toMatchObject(notFound)
    await store.restore(prompt('p'))
    expect((await store.prompts()).length).toBe(2)
    await store.remove(prompt('p'))
    await reopen()
    await expect(store.restore(prompt('p'))).rejects.toMatchObject(notFound)
    expect((await store.prompt(id)).versions.length).toBe(1)
  })
})

describe('ratings, repeats and imports of comparisons', () => {
  const column = { id: 'one', name: '', target, system: '', parameters: {} }
  const setup: ComparisonSetup = {
    title: 'Rated',
    prompt: 'Count to {{n}}',
    columns: [column],
    variables: ['n'],
    cases: [{ id: 'x', values: ['3'], check: 'contains', expected: '3' }],
    repeats: 2,
  }
  const begin = async () => {
    await store.saveComparison('c', setup)
    await store.beginCells('c', [
      { columnId: 'one', caseId: 'x', run: buildRun('first', 'running') },
      { columnId: 'one', caseId: 'x', repeat: 2, run: buildRun('second', 'running') },
    ])
    await store.saveRun({ run: buildRun('first', 'done'), answer: { text: '<think>5</think>1, 2, 3' } })
    await store.saveRun({ run: buildRun('second', 'done'), answer: { text: '<think>3</think>none' } })
  }

  it('keeps a rating until the cell runs again, and checks the answers of each run', async () => {
    await begin()
    await store.rateAnswer('c', 'second', 4)
    await reopen()
    expect((await store.comparison('c')).cells).toMatchObject([
      { run: { id: 'first' }, check: { isPassed: true } },
      { run: { id: 'second' }, repeat: 2, rating: 4, check: { isPassed: false, reason: 'mismatch' } },
    ])
    expect((await store.rateAnswer('c', 'second', undefined)).cells[1]).not.toHaveProperty('rating')
    await store.rateAnswer('c', 'second', 2)
    await store.beginCells('c', [{ columnId: 'one', caseId: 'x', repeat: 2, run: buildRun('third') }])
    expect((await store.comparison('c')).cells[1]).not.toHaveProperty('rating')
    await expect(store.rateAnswer('c', 'second', 1)).rejects.toMatchObject(notFound)
  })

  it('removes surplus runs of a cell at the next start after repeats were reduced', async () => {
    await begin()
    const { repeats: _, ...single } = setup
    expect((await store.saveComparison('c', single)).cells).toHaveLength(1)
    await reopen()
    expect((await store.saveComparison('c', setup)).cells.map(({ run }) => run.id)).toEqual(['first'])
  })

  it('keeps cells of an older file as first runs', async () => {
    const path = join(place.folder, 'old.sqlite')
    const newer = openStoreHere(path)
    await newer.comparisons()
    await newer.close()
    const old = new Database(path)
    old.exec(`DROP TABLE cells;
      CREATE TABLE cells (
        comparison INTEGER NOT NULL REFERENCES comparisons ON DELETE CASCADE, column_id TEXT NOT NULL,
        case_id TEXT NOT NULL, run INTEGER NOT NULL REFERENCES runs, asked TEXT NOT NULL,
        PRIMARY KEY (comparison, column_id, case_id)
      ) WITHOUT ROWID;
      CREATE INDEX cells_run ON cells (run);
      PRAGMA user_version = 2`)
    old.run(
      "INSERT INTO comparisons (id, is_pinned, updated_at, columns, cases, title, setup) VALUES ('c', 0, 0, 1, 1, '', ?)",
      JSON.stringify(setup),
    )
    old.run(
      'INSERT INTO runs (id, is_loose, record, answer) VALUES (\'r\', 0, ?, \'{"text":"3"}\')',
      JSON.stringify(buildRun('r', 'done')),
    )
    old.run("INSERT INTO cells (comparison, column_id, case_id, run, asked) VALUES (1, 'one', 'x', 1, '')")
    old.close()
    const call = openStoreHere(path)
    expect((await call.comparison('c')).cells).toMatchObject([{ run: { id: 'r' }, check: { isPassed: true } }])
    await call.close()
  })
})

describe('the database file', () => {
  it.runIf(process.platform !== 'win32')('is readable only by its owner', async () => {
    await store.comparisons()
    for (const suffix of ['', '-wal', '-shm'])
      expect((await stat(`${place.file}${suffix}`)).mode & 0o777, suffix).toBe(0o600)
  })

  it('is set aside when damaged, even if other processes seem to have it open', async () => {
    await store.saveDraft('d', { text: 'x', attachments: [] })
    await store.close()
    await writeFile(place.file, Buffer.alloc(40_000, 'no database'))
    await writeFile(`${place.file}-wal`, 'something')
    expect(await store.draft('d')).toEqual({ text: '', attachments: [] })
    await store.saveDraft('d', { text: 'y', attachments: [] })
    expect((await readdir(place.folder)).filter((name) => /damaged-.*Z$/.test(name)).length).toBe(1)
    await reopen()
    expect(await store.draft('d')).toMatchObject({ text: 'y' })
  })

  it('keeps all data when the search index is damaged, although an integrity check misses that', async () => {
    await store.beginTurn(buildTurn('c', ['q', 'a'], { title: 'Weather', files: [] }))
    const answer = { text: 'It will be sunny' }
    await store.saveRun({ run: buildRun('a', 'done'), answer })
    await store.close()
    const db = new Database(place.file)
    db.exec(`INSERT OR IGNORE INTO found_idx
             SELECT value, x'', 2 FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 2000) SELECT value FROM n)`)
    expect(db.row('SELECT integrity_check FROM pragma_integrity_check(1)')?.text(0)).toBe('ok')
    db.close()
    await store.rename('c', 'Forecast')
    const findConversationIds = async (search: string) => (await store.conversations({ search })).map(({ id }) => id)
    for (const word of ['forecast', 'sunny', 'text']) expect(await findConversationIds(word), word).toEqual(['c'])
    expect(await findConversationIds('weather')).toEqual([])
    expect((await readdir(place.folder)).filter((name) => /damaged/.test(name))).toEqual([])
  })

  it('is left alone when a newer version wrote it', async () => {
    await store.comparisons()
    await store.close()
    const newer = new Database(place.file)
    newer.exec('PRAGMA user_version = 99')
    newer.close()
    const bytesBefore = await readFile(place.file)
    const saving = store.saveDraft('d', { text: 'x', attachments: [] })
    await expectFailure(saving, 'playground.unavailable')
    await store.close().catch(() => {})
    expect(bytesBefore.equals(await readFile(place.file))).toBe(true)
  })
})
