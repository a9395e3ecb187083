import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { withProcessLock, withProcessLockAsync } from '../../../../../src/main/core/sqlite/process-lock'
import { makeFolder } from '../../../support/folders'

let lock = ''
beforeEach(() => {
  lock = join(makeFolder(), 'some.lock')
})

const failure = (code: string) => expect.objectContaining({ failure: expect.objectContaining({ code }) })

/** A process that holds the lock until killed. */
async function holder() {
  const program = `
    const Driver = require('libsql')
    const opened = new Driver(process.argv[1])
    opened.exec('PRAGMA journal_mode = MEMORY')
    opened.exec('BEGIN IMMEDIATE')
    process.stdout.write('held')
    setInterval(() => opened.inTransaction, 1000)`
  const child = spawn(process.execPath, ['-e', program, lock], { cwd: resolve(import.meta.dirname, '../../../../..') })
  await once(child.stdout, 'data')
  return child
}

describe('a lock between processes', () => {
  it('waits until the killed holder is gone, and no longer', async () => {
    const child = await holder()
    const childExitPromise = once(child, 'close')
    let isProcessKilled = false
    const resultPromise = withProcessLockAsync(lock, async () => isProcessKilled)
    isProcessKilled = child.kill('SIGKILL')
    expect(await resultPromise).toBe(true)
    await childExitPromise
  })

  it('times out without running anything', async () => {
    const child = await holder()
    await expect(withProcessLockAsync(lock, () => expect.unreachable(), 1)).rejects.toEqual(failure('storage.busy'))
    child.kill('SIGKILL')
    await once(child, 'close')
  })

  it.each([
    ['forward', 86_400_000, 30_000, 'had'],
    ['back', -86_400_000, 1, 'storage.busy'],
  ] as const)('times out after the same time when the clock is set %s', async (_, jumpMs, atMostMs, outcome) => {
    const child = await holder()
    let nowMs = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => {
      nowMs += jumpMs
      return nowMs
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const childExitPromise = once(child, 'close')
    const resultPromise = withProcessLockAsync(lock, async () => 'had', atMostMs).catch((error) => error.failure.code)
    if (outcome === 'had') child.kill('SIGKILL')
    expect(await resultPromise).toBe(outcome)
    child.kill('SIGKILL')
    await childExitPromise
  })

  it('is released when its task fails, and leaves an empty private file', () => {
    const fail = () => {
      throw new Error('no')
    }
    expect(() => withProcessLock(lock, fail)).toThrow('no')
    expect(withProcessLock(lock, () => 'done')).toBe('done')
    expect([statSync(lock).size, statSync(lock).mode & 0o777]).toEqual([0, 0o600])
  })

  it.each([
    ['a text', 'what somebody wrote'],
    ['a database that is none', `SQLite format 3\0${'x'.repeat(8192)}`],
  ])('is acquired although %s is in its file', (_, text) => {
    writeFileSync(lock, text)
    expect(withProcessLock(lock, () => 'done')).toBe('done')
    expect(statSync(lock).size).toBe(0)
  })

  it('cannot be acquired where its file cannot be created', () => {
    mkdirSync(lock)
    expect(() => withProcessLock(lock, () => expect.unreachable())).toThrow(failure('storage.denied'))
  })
})
