import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openLedger } from '../../../../../src/main/usage/ledger/open-ledger'
import { createLedger, type Ledger, type LedgerProblem } from '../../../../../src/main/usage/ledger-client'
import type { LedgerEntry } from '../../../../../src/main/usage/ports'
import { buildProgram } from '../../../../support/build-program'
import { getRounds } from '../../../../support/depth'
import { makeFolder, makeProgramFolder } from '../../../support/folders'
import type { ChildOrders, Message } from './thread-child'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

const folder = makeProgramFolder()
let dataDir = ''
const program = (name: string) => join(folder, `${name}.mjs`)

beforeAll(async () => {
  for (const source of ['../../../../../src/main/usage-worker.ts', 'crashing-worker.ts', 'thread-child.ts'])
    await buildProgram(resolve(import.meta.dirname, source), folder)
})
beforeEach(() => {
  dataDir = makeFolder()
})

const noon = Date.parse('2025-11-10T12:00:00Z')
const entry = (number: number): LedgerEntry => ({ id: `app-${number}`, at: noon, source: 'app', modelCode: 'model-a' })
const entries = (count: number, firstNumber = 0) => Array.from({ length: count }, (_, n) => entry(firstNumber + n))
const openTestLedger = (worker = 'usage-worker', onTrouble?: (trouble: LedgerProblem) => void) =>
  createLedger({ dataDir, workerPath: program(worker), flushMs: 20, zone: 'UTC', onTrouble })

describe('a ledger in a worker thread', () => {
  it('stores entries without a reply, answers queries, and restarts with stored data', async () => {
    const ledger = openTestLedger()
    ledger.add(entries(3))
    await expect.poll(async () => (await ledger.getSpan('app')).requests).toBe(3)
    ledger.add(entries(1700, 100))
    await ledger.close()
    const reopenedLedger = openTestLedger()
    expect(await reopenedLedger.storage()).toMatchObject({ state: 'ready', requests: 1703 })
    const filter = { scope: 'app', from: 0, to: noon + 1 } as const
    const unknownPage = reopenedLedger.requests({ filter, onlyErrors: false, limit: 1, before: 'x' })
    await expect(unknownPage).rejects.toMatchObject({ failure: { code: 'input.invalid' } })
    await reopenedLedger.prune(noon + 1)
    expect(await reopenedLedger.storage()).toMatchObject({ requests: 0 })
    expect(await reopenedLedger.getSpan('app')).toMatchObject({ requests: 1703 })
    await reopenedLedger.close()
  })

  it('answers without a worker while there is no file, as for an empty one, and keeps new entries', async () => {
    const filter = { scope: 'machine', from: 0, to: noon + 1 } as const
    const readAllTotals = (ledger: Ledger) =>
      Promise.all([
        ledger.shares({ filter, by: 'model', limit: 5 }),
        ledger.latency({ filter, step: 'day', limit: 5 }),
        ledger.requests({ filter, onlyErrors: false, limit: 5 }),
        ledger.listHours('p1', 0),
        ledger.countSince(0),
        ledger.relayTotals(),
        ledger.getSpan('app'),
        ledger.positions('codex'),
        ledger.prune(noon),
      ])
    const withoutFile = openTestLedger('no-such-worker')
    const answers = await readAllTotals(withoutFile)
    expect(await readdir(dataDir)).toEqual([])
    await withoutFile.close()
    const ledger = openTestLedger()
    await ledger.storage()
    expect(await readdir(dataDir)).toContain('usage.sqlite')
    expect(answers).toEqual(await readAllTotals(ledger))
    ledger.add(entries(3))
    await ledger.flush()
    expect(await ledger.getSpan('app')).toMatchObject({ requests: 3 })
    await ledger.close()
  })

  it('restarts a crashed worker with all pending requests, and counts none twice', async () => {
    const ledger = openTestLedger('crashing-worker')
    await writeFile(`${join(dataDir, 'usage.sqlite')}.crash-first`, '')
    ledger.add(entries(1200))
    const [firstFlush, askedMeanwhile] = await Promise.allSettled([ledger.flush(), ledger.flush()])
    expect([firstFlush, askedMeanwhile]).toMatchObject([
      { reason: { failure: { code: 'usage.unavailable' } } },
      { status: 'fulfilled' },
    ])
    expect(await ledger.storage()).toMatchObject({ state: 'ready', requests: 1200 })
    await ledger.close()
  })

  it('stops its idle worker with the file closed, and restarts it as often as needed', async () => {
    const ledger = createLedger({ dataDir, workerPath: program('usage-worker'), flushMs: 20, idleMs: 50, zone: 'UTC' })
    const openFiles = async (): Promise<number> => {
      const links = await readdir('/proc/self/fd')
      const files = await Promise.all(links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => '')))
      return files.filter((file) => file.startsWith(join(dataDir, 'usage.sqlite'))).length
    }
    for (let round = 1; round <= 5; round += 1) {
      ledger.add(entries(10, 10 * round))
      await ledger.flush()
      expect((await ledger.getSpan('app')).requests).toBe(10 * round)
      if (process.platform === 'linux') {
        expect(await openFiles()).toBeGreaterThan(0)
        await expect.poll(openFiles).toBe(0)
      } else await wait(200)
    }
    await ledger.close()
  })

  it('continues without a ledger when its worker crashes again, and reports the losses at the end', async () => {
    const problems: LedgerProblem[] = []
    const ledger = openTestLedger('crashing-worker', (trouble) => problems.push(trouble))
    for (const name of ['first', 'second']) await writeFile(`${join(dataDir, 'usage.sqlite')}.crash-${name}`, '')
    for (const number of [1, 2, 3]) {
      ledger.add(entries(number))
      await expect(ledger.flush()).rejects.toMatchObject({ failure: { code: 'usage.unavailable' } })
    }
    expect(await ledger.storage()).toEqual({ state: 'unavailable', bytes: 0, requests: 0 })
    // More entries than the queue holds, so the oldest are lost first.
    ledger.add(entries(60_000))
    await ledger.close()
    expect(problems).toMatchObject([{ kind: 'waiting' }, { kind: 'lost', requests: 60_006 }])
  })
})

const posixIt = it.runIf(process.platform !== 'win32')

describe('a process with a ledger', () => {
  const startChild = (until: ChildOrders['until'], env: NodeJS.ProcessEnv = process.env) => {
    const child = fork(program('thread-child'), [], { stdio: 'inherit', env })
    child.send({ dataDir, workerPath: program('usage-worker'), until } satisfies ChildOrders)
    return child
  }
  const readLedger = <T>(read: (ledger: ReturnType<typeof openLedger>) => T): T => {
    const ledger = openLedger({ file: join(dataDir, 'usage.sqlite'), zone: 'UTC' })
    try {
      return read(ledger)
    } finally {
      ledger.close()
    }
  }
  const countStored = () => readLedger((ledger) => ledger.getSpan('app').requests)

  it('writes concurrently with others, and none loses a request', async () => {
    const childResults = Array.from({ length: getRounds(3, 20) }, () => once(startChild('added'), 'exit'))
    expect(new Set((await Promise.all(childResults)).map(([code]) => code))).toEqual(new Set([0]))
    expect(countStored()).toBe(500 * childResults.length)
  })

  it.each([
    ['ICT-7', '+07:00'],
    ['<+0530>-5:30', /./],
    ['', 'UTC'],
    [':/etc/localtime', /./],
    ['/usr/share/zoneinfo/Asia/Tokyo', /^(Asia\/Tokyo|\+09:00|UTC)$/],
    ['Nonsense/City', 'UTC'],
    ['Asia/Kolkata', /^Asia\/(Kolkata|Calcutta)$/],
  ])('counts days when TZ is %j, which is not a time zone that every part supports', async (TZ, zone) => {
    const child = startChild('added', { ...process.env, TZ })
    let reportedZone: string | undefined
    child.on('message', (message: Message) => {
      if ('zone' in message) reportedZone = message.zone
    })
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(reportedZone).toMatch(zone)
    expect(countStored()).toBe(500)
  })

  it('loses at most a second of requests when killed, and leaves an intact file', async () => {
    for (let round = 0; round < getRounds(1, 2); round += 1) {
      const child = startChild('killed')
      const reports: { added: number; at: number }[] = []
      await new Promise<void>((resolveKilled) => {
        child.on('message', ({ added }: { added: number }) => {
          reports.push({ added, at: Date.now() })
          if (Date.now() - (reports[0]?.at ?? 0) > 1300) resolveKilled()
        })
      })
      const killedAt = Date.now()
      child.kill('SIGKILL')
      await once(child, 'exit')
      const storedCount = countStored()
      const olderCount = reports.findLast(({ at }) => at < killedAt - 1000)?.added ?? 0
      expect(olderCount).toBeGreaterThan(0)
      expect(storedCount).toBeGreaterThanOrEqual(olderCount)
      readLedger((ledger) => {
        expect(ledger.contents()).toMatchObject({ requests: storedCount, setAside: undefined })
        ledger.erase()
      })
    }
  })

  posixIt('continues when the disk is full, and writes pending entries when there is space', async () => {
    const command = `ulimit -f 4000; exec '${process.execPath}' '${program('thread-child')}'`
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const orders: ChildOrders = { dataDir, workerPath: program('usage-worker'), until: 'full' }
    const childResultPromise = new Promise<Message>((resolveTold) => {
      child.on('message', (message: Message) => 'full' in message && resolveTold(message))
    })
    child.send(orders)
    expect(await childResultPromise).toEqual({
      full: expect.objectContaining({ state: 'unavailable', requests: true }),
      afterwards: { state: 'ready', hasRest: true, troubles: ['waiting', 'kept'] },
    })
    await once(child, 'exit')
  })
})
