import { expect, it } from 'vitest'
import { FileHost } from '../../../../../src/main/core/sqlite/file'
import { seed } from '../../../../support/depth'
import { corruptDatabases, findFaults } from '../../../../support/sqlite-corruption'
import { expectFailure } from '../../../support/failures'

/**
 * A database file whose first reads fail with this SQLite code. Records for each opening whether damage was suspected.
 */
function createFileHost(code: string, failures: number) {
  let failureCount = failures
  const suspectFlags: boolean[] = []
  const openHost = (isSuspect: boolean) => {
    suspectFlags.push(isSuspect)
    return { close: () => undefined }
  }
  const host = new FileHost<ReturnType<typeof openHost>>({
    file: 'notes.sqlite',
    name: 'notes',
    unavailable: 'usage.unavailable',
    retryMs: 0,
    open: openHost,
  })
  const readText = (): string => {
    host.open()
    if (failureCount === 0) return 'there'
    failureCount -= 1
    throw Object.assign(new Error('no'), { code })
  }
  return { openedAsSuspect: suspectFlags, ask: () => host.run(readText) }
}

it.each(['SQLITE_CORRUPT', 'SQLITE_TOOBIG', 'SQLITE_CONSTRAINT'])('checks a file thoroughly after %s', async (code) => {
  const { ask, openedAsSuspect } = createFileHost(code, 1)
  expect(await ask()).toBe('there')
  expect(openedAsSuspect).toEqual([false, true])
})

it('reports an unusable file when its values are too long even after the check', async () => {
  await expectFailure(createFileHost('SQLITE_TOOBIG', 2).ask(), 'usage.unavailable')
})

it('works with texts that are not UTF-8 and with damaged files, and reports what cannot be read', async () => {
  const results = await corruptDatabases({ seed, isThorough: false, rounds: 1 })
  expect(findFaults(results)).toEqual({ ends: [], wrong: [], unusable: [] })
  expect(results.usage.all.length).toBeGreaterThan(13)
  expect(results.playground.all.length).toBeGreaterThan(18)
})
