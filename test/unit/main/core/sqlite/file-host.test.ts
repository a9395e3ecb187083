import { expect, it } from 'vitest'
import { FileHost } from '../../../../../src/main/core/sqlite/file-host'

/**
 * A database file whose first reads fail with this SQLite code. Records for each opening whether damage was suspected.
 */
function createHost(code: string, failures: number) {
  let failureCount = failures
  const openedAsSuspect: boolean[] = []
  const open = (isSuspect: boolean) => {
    openedAsSuspect.push(isSuspect)
    return { isInPlace: () => true, close: () => undefined }
  }
  const host = new FileHost<ReturnType<typeof open>>({
    name: 'notes',
    unavailable: 'usage.unavailable',
    retryMs: 0,
    open,
  })
  const read = (): string => {
    host.open()
    if (failureCount === 0) return 'there'
    failureCount -= 1
    throw Object.assign(new Error('no'), { code })
  }
  return { openedAsSuspect, ask: () => host.run(read) }
}

it.each(['SQLITE_CORRUPT', 'SQLITE_TOOBIG', 'SQLITE_CONSTRAINT'])('checks a file thoroughly after %s', async (code) => {
  const { ask, openedAsSuspect } = createHost(code, 1)
  expect(await ask()).toBe('there')
  expect(openedAsSuspect).toEqual([false, true])
})

it('reports an unusable file when its values are too long even after the check', async () => {
  await expect(createHost('SQLITE_TOOBIG', 2).ask()).rejects.toMatchObject({ failure: { code: 'usage.unavailable' } })
})
