import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { AppError } from '@shared/failure'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSettings } from '../../src/main/core/settings/settings'
import { openSettingsFile } from '../../src/main/core/settings/settings-file'
import { startRelay } from '../../src/main/relay/start-relay'
import { createLedger } from '../../src/main/usage/ledger-client'
import { buildProgram } from '../support/build-program'
import { getRounds, seed } from '../support/depth'
import type { ConfirmedWrite } from '../support/state-writer'
import { buildWriter, emptyLosses, findLostWrites, startWriter } from '../support/state-writers'
import { buildTable, sendRequest, token, upstream } from '../unit/main/relay/support'
import { createFolderInModules } from '../unit/support/folders'

type SettingsDisk = NonNullable<Parameters<typeof openSettingsFile>[0]['disk']>

let programs = ''
let program = ''
let folder = ''

beforeAll(async () => {
  programs = await createFolderInModules('state-writer')
  program = await buildWriter(programs)
})
afterAll(() => rm(programs, { recursive: true, force: true }))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'companion-storage-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const getFolders = () => ({ dataDir: join(folder, 'data'), keychainDir: join(folder, 'keychain') })

/** Deterministic random numbers from 0 to 1. */
function createRandom(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('concurrent writers', () => {
  it('of twenty processes and five hundred writes lose none, and leave no key without a record', async () => {
    const watcher = openSettingsFile({ dataDir: getFolders().dataDir })
    const names = Array.from({ length: 20 }, (_, number) => `w${number}`)
    const writerResults = await Promise.all(
      names.map((name) => startWriter(program, { ...getFolders(), name, writes: 25, isRemoving: true }).ended),
    )
    expect(writerResults.map(({ code, err }) => [code, err])).toEqual(names.map(() => [0, '']))
    const confirmedWrites = writerResults.flatMap((end) => end.confirmed)
    expect(confirmedWrites).toHaveLength(500)
    expect(await findLostWrites(confirmedWrites, getFolders())).toEqual(emptyLosses)
    expect(createSettings(watcher).read().handouts).toHaveLength(
      confirmedWrites.filter(({ part }) => part === 'handouts').length,
    )
  })
})

describe('random kills', () => {
  it('during a session of writes, next to another writer, keep everything that was confirmed', async () => {
    const random = createRandom(seed)
    const confirmedWrites: ConfirmedWrite[] = []
    const runningWriters: string[] = []
    for (let killIndex = 0; killIndex < getRounds(5, 200); killIndex += 1) {
      const secondWriter = startWriter(program, {
        ...getFolders(),
        name: `b${killIndex}`,
        writes: 4,
        isRemoving: false,
      })
      const killedWriter = startWriter(program, {
        ...getFolders(),
        name: `k${killIndex}`,
        writes: 100_000,
        isRemoving: true,
      })
      let remainingWrites = Math.floor(random() * 8)
      killedWriter.child.stdout.on('data', () => {
        remainingWrites -= 1
        if (remainingWrites < 0) killedWriter.child.kill('SIGKILL')
      })
      const [killed, secondResult] = await Promise.all([killedWriter.ended, secondWriter.ended])
      expect([killed.signal, secondResult.code, secondResult.err]).toEqual(['SIGKILL', 0, ''])
      confirmedWrites.push(...killed.confirmed, ...secondResult.confirmed)
      runningWriters.push(...killed.going)
    }
    expect(await findLostWrites(confirmedWrites, getFolders(), runningWriters)).toEqual(emptyLosses)
  })
})

/** Fills a disk completely, and returns a function that frees space. */
function fillDisk(mounted: string): () => void {
  const names: string[] = []
  const fillRemainingSpace = (): void => {
    for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
      for (let number = 0; number < 100; number += 1) {
        names.push(join(mounted, `filler-${size}-${number}`))
        writeFileSync(names.at(-1) ?? '', Buffer.alloc(size))
      }
    }
  }
  expect(fillRemainingSpace).toThrow(/ENOSPC/)
  return () => {
    for (const name of names) rmSync(name, { force: true })
  }
}

describe('a full disk', () => {
  const { openSync, writeFileSync: writeSync, fsyncSync, closeSync, renameSync } = fs

  it('at each call of each write keeps saved data, is reported, and everything continues afterwards', () => {
    let calls = 0
    let failingCall = Number.POSITIVE_INFINITY
    const countCall = (): void => {
      calls += 1
      if (calls === failingCall) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    }
    const call =
      <I extends unknown[], O>(work: (...input: I) => O) =>
      (...input: I): O => {
        countCall()
        return work(...input)
      }
    const disk: SettingsDisk = {
      openSync: call(openSync),
      writeFileSync: call(writeSync),
      fsyncSync: call(fsyncSync),
      renameSync: call(renameSync),
      closeSync,
    }
    const settings = createSettings(openSettingsFile({ dataDir: getFolders().dataDir, disk }))
    const expectedIds: string[] = []
    const failures: string[] = []
    for (let number = 0; number < getRounds(40, 400); number += 1) {
      const planId = `p${number}`
      calls = 0
      failingCall = (number % 5) + 1
      try {
        settings.update(({ pendingPurchases: purchases }) => ({
          pendingPurchases: [...purchases, { connectionId: 'c', planId }],
        }))
        expectedIds.push(planId)
      } catch (error) {
        failures.push(error instanceof AppError ? error.failure.code : String(error))
      }
      expect(settings.read().pendingPurchases.map((purchase) => purchase.planId)).toEqual(expectedIds)
    }
    // A write makes four disk calls. In every group of five writes, one of the calls 1 to 5 fails, so only the fifth
    // succeeds.
    expect(expectedIds).toHaveLength(getRounds(40, 400) / 5)
    expect(new Set(failures)).toEqual(new Set(['storage.full']))
  })

  // Mounting a real disk requires root on Linux.
  const canMount = process.platform === 'linux' && process.getuid?.() === 0
  const itWhenMountable = canMount ? it : undefined
  let mountedFolder = ''
  const mountTmpfs = (megabytes: number): void => {
    mountedFolder = join(folder, 'full')
    mkdirSync(mountedFolder)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', mountedFolder])
  }
  afterEach(() => {
    if (mountedFolder !== '') execFileSync('umount', [mountedFolder])
    mountedFolder = ''
  })

  itWhenMountable?.('of one megabyte keeps what was saved, says so, and goes on when there is room', () => {
    mountTmpfs(1)
    const settings = createSettings(openSettingsFile({ dataDir: mountedFolder }))
    settings.update({ theme: 'dark' })
    const textBefore = readFileSync(join(mountedFolder, 'settings.json'), 'utf8')
    const freeDiskSpace = fillDisk(mountedFolder)
    expect(() => settings.update({ theme: 'light' })).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'storage.full' }) }),
    )
    expect([readFileSync(join(mountedFolder, 'settings.json'), 'utf8'), settings.read().theme]).toEqual([
      textBefore,
      'dark',
    ])
    freeDiskSpace()
    settings.update({ theme: 'light' })
    expect(settings.read().theme).toBe('light')
  })

  itWhenMountable?.('under the relay stops no request, and each is counted once there is room', async () => {
    mountTmpfs(4)
    const workerPath = await buildProgram(resolve(import.meta.dirname, '../../src/main/usage-worker.ts'), programs)
    const warnings: string[] = []
    const ledger = createLedger({
      dataDir: mountedFolder,
      workerPath,
      zone: 'UTC',
      isBackground: true,
      flushMs: 10,
      retryMs: 50,
      onTrouble: (trouble) => warnings.push('failure' in trouble ? trouble.failure.message : trouble.kind),
    })
    const gateway = createServer((request, response) => {
      request.resume().on('end', () => response.end('{"usage":{"prompt_tokens":2,"completion_tokens":3}}'))
    }).listen(0, '127.0.0.1')
    await once(gateway, 'listening')
    const address = gateway.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const record = (entry: Parameters<typeof ledger.add>[0][number]) => ledger.add([entry])
    const relay = await startRelay({ port: 0, table: buildTable([upstream(url)]), record, caFiles: [] })
    let callCount = 0
    const sendRequests = async (count: number): Promise<void> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const path = `http://127.0.0.1:${relay.port}/t/x/v1/chat/completions`
      const responses = Array.from({ length: count }, () => sendRequest(path, '{"model":"m","messages":[]}', headers))
      for (const { status } of await Promise.all(responses)) expect(status).toBe(200)
      callCount += count
    }
    const readSpan = async () => (await ledger.getSpan('relay')).requests
    try {
      await sendRequests(20)
      await expect.poll(readSpan).toBe(20)
      const freeDiskSpace = fillDisk(mountedFolder)
      while (warnings.length === 0) await sendRequests(50)
      expect(warnings).toEqual([expect.stringContaining('the disk is full')])
      await sendRequests(500)
      expect(await ledger.storage()).toMatchObject({ state: 'unavailable' })
      expect(await readSpan()).toBeLessThan(callCount)
      freeDiskSpace()
      await sendRequests(5)
      await expect.poll(readSpan, { timeout: 60_000 }).toBe(callCount)
      expect(warnings.slice(1)).toEqual(['kept'])
    } finally {
      await relay.close(0)
      await ledger.close()
      gateway.close()
    }
  })
})
