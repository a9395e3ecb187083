import { spawnSync } from 'node:child_process'
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { withLock } from '../../../scripts/lib/lock.mjs'
import { makeFolder } from '../support/folders'

let folder = ''

beforeEach(() => {
  folder = makeFolder()
})

test('makes the second run wait for the first', async () => {
  const order: string[] = []
  let releaseLock = () => {}
  const finishPromise = new Promise<void>((resolve) => {
    releaseLock = resolve
  })
  const firstStartedPromise = new Promise<void>((resolve) => {
    void withLock(
      'x',
      async () => {
        resolve()
        await finishPromise
        order.push('first')
      },
      folder,
    )
  })
  await firstStartedPromise
  const secondRun = withLock('x', async () => void order.push('second'), folder)
  releaseLock()
  await secondRun
  expect(order).toEqual(['first', 'second'])
})

test('takes over the lock of a killed run, and leaves none behind', async () => {
  const path = join(folder, 'x.lock')
  writeFileSync(path, '')
  const minuteAgoSeconds = Date.now() / 1000 - 60
  utimesSync(path, minuteAgoSeconds, minuteAgoSeconds)
  expect(await withLock('x', async () => 'done', folder)).toBe('done')
  expect(existsSync(path)).toBe(false)
})

test('takes over sooner when the lock’s process is gone', async () => {
  const path = join(folder, 'x.lock')
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(path, String(pid))
  const recentSeconds = Date.now() / 1000 - 5
  utimesSync(path, recentSeconds, recentSeconds)
  expect(await withLock('x', async () => 'done', folder)).toBe('done')
})

test('releases the lock when the task fails', async () => {
  const lockPromise = withLock('x', () => Promise.reject(new Error('broken')), folder)
  await expect(lockPromise).rejects.toThrow('broken')
  expect(existsSync(join(folder, 'x.lock'))).toBe(false)
})
