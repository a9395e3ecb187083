import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Database } from '../../../../../src/main/core/sqlite/database'
import { createPlaygroundStore } from '../../../../../src/main/playground/store-client'
import { buildProgram } from '../../../../support/build-program'
import { getRounds } from '../../../../support/depth'
import { expectFailure } from '../../../support/failures'
import { createFolderInModules } from '../../../support/folders'
import { localStore } from '../local-store'
import type { ChildOrders, Message } from './store-child'
import { buildRun, buildTurn, conversation } from './store-desk'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let folder = ''
const program = (name: string) => join(folder, `${name}.mjs`)

beforeAll(async () => {
  folder = await createFolderInModules('playground-thread')
  for (const source of ['../../../../../src/main/playground-worker.ts', 'store-child.ts'])
    await buildProgram(resolve(import.meta.dirname, source), folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs a test with its own data folder. */
const toFolderPath = (work: (dataDir: string) => Promise<void>) => async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'playground-'))
  await work(dataDir).finally(() => rm(dataDir, { recursive: true, force: true }))
}
const openStore = (dataDir: string) =>
  createPlaygroundStore({ dataDir, workerPath: program('playground-worker'), retryMs: 0 })
const startWorker = (child: ChildProcess, order: Omit<ChildOrders, 'workerPath'>) =>
  child.send({ workerPath: program('playground-worker'), ...order } satisfies ChildOrders)

it.concurrent(
  'answers from its thread, passes bytes and failures on, and restarts with the saved data',
  toFolderPath(async (dataDir) => {
    const store = openStore(dataDir)
    const file = { id: 'f', kind: 'image', name: 'f.png', mediaType: 'image/png', bytes: 3 } as const
    await store.attach(file, new Uint8Array([1, 0, 255]))
    await store.beginTurn(buildTurn('c', ['q', 'a'], { title: 'T', files: ['f'] }))
    await expectFailure(store.conversation('none'), 'playground.notFound')
    await store.close()
    await expectFailure(store.draft('x'), 'playground.unavailable')
    const reopenedStore = openStore(dataDir)
    expect(new Uint8Array(await reopenedStore.attachmentContent('f'))).toEqual(new Uint8Array([1, 0, 255]))
    expect(await reopenedStore.runs(['a'])).toMatchObject([{ run: { state: 'cut' } }])
    await reopenedStore.close()
  }),
)

/** Kills the program after a number of messages and returns all messages up to then. */
async function runAndKill(count: number, dataDir: string): Promise<readonly Message[]> {
  const child = fork(program('store-child'), [], { stdio: 'inherit' })
  const messages: Message[] = []
  startWorker(child, { dataDir, until: 'killed', name: randomUUID() })
  await new Promise<void>((enough) => {
    child.on('message', (message: Message) => messages.push(message) === count && enough())
  })
  child.kill('SIGKILL')
  await once(child, 'exit')
  return messages
}

it.concurrent(
  'retains everything that it reported as saved, in an intact file, after a kill at any moment',
  toFolderPath(async (dataDir) => {
    for (let index = 0; index < getRounds(3, 12); index += 1) {
      const messages = await runAndKill(1 + ((index * 13) % 40), dataDir)
      const store = localStore(dataDir)
      const { text } = await store.draft('new')
      for (const message of messages) {
        if ('draft' in message) expect(text.length).toBeGreaterThanOrEqual(message.draft)
        if (!('conversation' in message)) continue
        const [savedRun] = await store.runs([`${message.conversation}-a`])
        expect(savedRun?.answer.text.length).toBeGreaterThanOrEqual(message.answer)
        expect(savedRun?.run.state).toBe(savedRun?.answer.text.length === 100_000 ? 'done' : 'cut')
        expect(message.isDone && (await store.wire(`${message.conversation}-a`)) === undefined).toBe(false)
        expect((await store.conversation(message.conversation)).branch.length).toBe(2)
      }
      await store.close()
      const db = new Database(join(dataDir, 'playground.sqlite'))
      expect(db.row('SELECT integrity_check FROM pragma_integrity_check')?.text(0)).toBe('ok')
      expect(db.row('SELECT count(*) FROM runs WHERE record LIKE \'%"running"%\'')?.number(0)).toBe(0)
      db.exec("INSERT INTO found (found) VALUES ('integrity-check')")
      expect(db.row('SELECT set_aside FROM state')?.text(0)).toBe('')
      db.close()
    }
  }),
)

it.concurrent(
  "leaves other processes' unfinished runs and deleted items alone until those processes are gone",
  toFolderPath(async (dataDir) => {
    const child = fork(program('store-child'), [], { stdio: 'inherit' })
    startWorker(child, { dataDir, until: 'waits', name: 'theirs' })
    await once(child, 'message')
    const store = openStore(dataDir)
    await store.beginTurn(buildTurn('ours', ['q', 'a'], { title: 'ours' }))
    expect(await store.runs(['theirs-a'])).toMatchObject([{ run: { state: 'running' }, answer: { text: 'so far' } }])
    child.kill('SIGKILL')
    await once(child, 'exit')
    const secondStore = openStore(dataDir)
    expect(await secondStore.runs(['theirs-a', 'a'])).toMatchObject([{ run: { state: 'cut' } }, { run: buildRun('a') }])
    await expectFailure(secondStore.restore(conversation('hidden')), 'playground.notFound')
    await Promise.all([store.close(), secondStore.close()])
  }),
)

it.concurrent(
  'is unavailable while another program locks the file, and recovers afterwards',
  toFolderPath(async (dataDir) => {
    const store = openStore(dataDir)
    await store.saveDraft('d', { text: 'before', attachments: [] })
    const db = new Database(join(dataDir, 'playground.sqlite'))
    db.exec('BEGIN EXCLUSIVE')
    await expectFailure(store.saveDraft('d', { text: 'after', attachments: [] }), 'playground.unavailable', {
      retryAfterMs: 500,
    })
    expect(await store.draft('d')).toMatchObject({ text: 'before' })
    db.exec('ROLLBACK')
    db.close()
    await store.saveDraft('d', { text: 'after', attachments: [] })
    expect(await store.draft('d')).toMatchObject({ text: 'after' })
    await store.close()
  }),
)

it.runIf(process.platform !== 'win32')(
  'is unavailable when the disk is full, and loses no earlier data',
  toFolderPath(async (dataDir) => {
    const command = `ulimit -f 4000; exec '${process.execPath}' '${program('store-child')}'`
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    startWorker(child, { dataDir, until: 'full', name: 'full' })
    const [message] = await once(child, 'message')
    await once(child, 'exit')
    expect(message).toEqual({ full: 'playground.unavailable', kept: true })
    const store = openStore(dataDir)
    expect([await store.draft('before'), (await store.conversation('full')).branch.length]).toMatchObject([
      { text: 'kept' },
      2,
    ])
    await store.close()
  }),
)
