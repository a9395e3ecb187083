import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { downloadFile, requireUnchanged } from '../../../../../src/main/app/updates/download-file'
import { directSend } from '../../../../support/direct-send'
import { makeFolder } from '../../../support/folders'

const content = Buffer.from('the new version')
const fileInfo = { size: content.length, sha512: createHash('sha512').update(content).digest('base64') }
const cleanupTasks: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanupTasks.splice(0)) await cleanUp()
})

async function startDownloadServer(listener: RequestListener) {
  const closedPaths: string[] = []
  const server = createServer((request, response) => {
    response.on('close', () => closedPaths.push(request.url ?? ''))
    listener(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanupTasks.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  const path = join(makeFolder(), 'next')
  const { port } = server.address() as AddressInfo
  const abort = new AbortController()
  const download = (
    overrides: Partial<typeof fileInfo> = {},
    onProgress: (doneBytes: number) => void = () => undefined,
  ) =>
    downloadFile({
      ...fileInfo,
      ...overrides,
      url: `http://127.0.0.1:${port}/next`,
      path,
      onProgress,
      signal: abort.signal,
      send: directSend,
    })
  return { path, closed: closedPaths, abort, download }
}

describe('a download', () => {
  test('writes the described file and reports its progress', async () => {
    const { path, download } = await startDownloadServer((_, response) => response.end(content))
    const progressBytes: number[] = []
    await download({}, (doneBytes) => progressBytes.push(doneBytes))
    expect(readFileSync(path)).toEqual(content)
    expect(progressBytes.at(-1)).toBe(content.length)
    await requireUnchanged(path, fileInfo)
    for (const exchanged of [Buffer.alloc(content.length, 'x'), 'shorter']) {
      writeFileSync(path, exchanged)
      await expect(requireUnchanged(path, fileInfo)).rejects.toMatchObject({ failure: { code: 'updates.damaged' } })
      expect(existsSync(path)).toBe(false)
    }
    await expect(requireUnchanged(path, fileInfo)).rejects.toMatchObject({ failure: { code: 'updates.damaged' } })
  })

  test('stops at the first byte beyond the described size and closes the connection', async () => {
    let sentBytes = 0
    const { path, closed, download } = await startDownloadServer((_, response) => {
      const block = Buffer.alloc(64 * 1024)
      const send = () => {
        while (!response.destroyed && response.write(block)) sentBytes += block.length
      }
      response.on('drain', send)
      send()
    })
    await expect(download()).rejects.toMatchObject({ failure: { code: 'updates.damaged' } })
    expect(existsSync(path)).toBe(false)
    await expect.poll(() => closed).toEqual(['/next'])
    expect(sentBytes).toBeLessThan(20e6)
  })

  test.each([
    ['another content of the same size', content.toString().toUpperCase(), 'updates.damaged'],
    ['a part of the file', 'the new', 'updates.damaged'],
  ])('is refused with %s', async (_, body, code) => {
    const { path, download } = await startDownloadServer((_request, response) => response.end(body))
    await expect(download()).rejects.toMatchObject({ failure: { code } })
    expect(existsSync(path)).toBe(false)
  })

  test('stops immediately when cancelled', async () => {
    const { path, closed, abort, download } = await startDownloadServer((_, response) => response.write('the'))
    await expect(download({}, () => abort.abort())).rejects.toMatchObject({ failure: { code: 'net.cut' } })
    expect(existsSync(path)).toBe(false)
    await expect.poll(() => closed).toEqual(['/next'])
  })

  test('does not start without enough free space', async () => {
    const { closed, download } = await startDownloadServer((_, response) => response.end(content))
    await expect(download({ size: 2 ** 60 })).rejects.toMatchObject({ failure: { code: 'file.unwritable' } })
    expect(closed).toEqual([])
  })
})
