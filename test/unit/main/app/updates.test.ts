import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import type { UpdatesView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { downloadFile, requireUnchanged } from '../../../../src/main/app/download-file'
import { Updates, watchReplacement } from '../../../../src/main/app/updates'
import { directSend } from '../../../support/direct-send'
import { memorySettings } from '../../../support/memory-settings'
import { makeFolder } from '../../support/folders'
import { serve } from '../gateway/answering-server'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const source = {
  url: 'https://releases.example.com/app/',
  publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
}
const system = { platform: 'linux', arch: 'x64' } as const
const address = `https://releases.example.com/app/stable-linux-x64.json`
const content = Buffer.from('the new version')
const sha512 = createHash('sha512').update(content).digest('base64')
const releaseInfo = {
  descriptions: ['stable-linux-x64.json', 'beta-linux-x64.json'],
  version: '1.3.0',
  releasedAt: '2026-11-01T00:00:00Z',
  notes: { en: 'Faster.', vi: 'Nhanh hơn.' },
  page: 'https://example.com/download',
  file: { name: 'platform-companion-1.3.0.AppImage', size: 15, sha512 },
}

type ReleaseInfo = Omit<typeof releaseInfo, 'file'> & { file?: typeof releaseInfo.file }

/** A server's responses: the release description and its signature. */
function buildReleaseFiles(release: ReleaseInfo, key = privateKey): Record<string, string> {
  return signText(JSON.stringify(release), key)
}

const signText = (text: string, key = privateKey) => ({
  [address]: text,
  [`${address}.sig`]: sign(null, Buffer.from(text), key).toString('base64'),
})

function startUpdates({
  files = buildReleaseFiles(releaseInfo),
  hasInstaller = true,
  isForbidden = false,
  hasSource = true,
} = {}) {
  const settings = memorySettings()
  const told: UpdatesView[] = []
  const did: string[] = []
  const server = { files }
  const downloadedFile = { isModified: false }
  let download:
    | { resolve: () => void; reject: (error: unknown) => void; onProgress: (bytes: number) => void }
    | undefined
  const updates = new Updates({
    version: '1.2.0',
    system,
    source: hasSource ? source : undefined,
    isForbidden,
    installer: hasInstaller
      ? {
          download: ({ url, version }, { signal, onProgress }) =>
            new Promise((resolve, reject) => {
              did.push(`download ${version} ${url}`)
              signal.addEventListener('abort', () => reject(new AppError('net.cut', 'Cancelled.')))
              download = { resolve, reject, onProgress }
            }),
          check: async () => {
            if (downloadedFile.isModified) throw new AppError('updates.damaged', 'Modified after the download.')
          },
          install: async ({ restart }) => void did.push(restart ? 'install and start' : 'install'),
        }
      : undefined,
    send: async ({ url }) => new Response(server.files[url], { status: url in server.files ? 200 : 404 }),
    settings,
    clock: () => new Date('2026-11-23T10:00:00Z'),
    log: { info: () => undefined, error: () => undefined },
    onChanged: (view) => told.push(view),
    quit: () => did.push('quit'),
  })
  return { updates, settings, told, did, server, downloadedFile, downloads: () => download }
}

describe('checking for updates', () => {
  it('offers a newer signed version with notes in each language', async () => {
    const { updates, settings } = startUpdates()
    const { file: _, descriptions: __, ...release } = releaseInfo
    expect(await updates.check()).toEqual({
      version: '1.2.0',
      channel: 'stable',
      isAutomatic: true,
      by: 'app',
      checkedAt: '2026-11-23T10:00:00.000Z',
      state: { kind: 'available', release },
    })
    expect(settings.read().updates.newestSeen).toEqual({ stable: releaseInfo.releasedAt })
  })

  it.each(['1.2.0', '1.1.9', '1.3.0-beta.1'])('offers nothing on the stable channel for %s', async (version) => {
    const { updates } = startUpdates({ files: buildReleaseFiles({ ...releaseInfo, version }) })
    expect((await updates.check()).state).toEqual({ kind: 'idle' })
  })

  it('refuses a foreign signature and a description changed after signing', async () => {
    const otherKey = generateKeyPairSync('ed25519').privateKey
    const forgedUpdates = startUpdates({ files: buildReleaseFiles(releaseInfo, otherKey) })
    const notSigned = { kind: 'failed', failure: { code: 'updates.notSigned' } }
    expect((await forgedUpdates.updates.check()).state).toMatchObject(notSigned)
    const changedRelease = JSON.stringify({ ...releaseInfo, version: '9.0.0' })
    const tamperedUpdates = startUpdates({ files: { ...buildReleaseFiles(releaseInfo), [address]: changedRelease } })
    expect((await tamperedUpdates.updates.check()).state).toMatchObject(notSigned)
    expect(tamperedUpdates.updates.download().state.kind).toBe('failed')
    expect(tamperedUpdates.did).toEqual([])
  })

  it('refuses a signed description older than an earlier one', async () => {
    const { updates, server } = startUpdates()
    await updates.check()
    server.files = buildReleaseFiles({ ...releaseInfo, releasedAt: '2026-10-01T00:00:00Z' })
    const { state } = await updates.check()
    expect(state).toMatchObject({ kind: 'failed', failure: { code: 'updates.rolledBack' } })
    // A rejected update also discards the earlier offer.
    expect(state).not.toHaveProperty('release')
    expect(updates.download().state.kind).toBe('failed')
  })

  it('reports why nothing could be read, and retries', async () => {
    const { updates, server } = startUpdates({ files: {} })
    expect((await updates.check()).state).toMatchObject({ kind: 'failed', failure: { code: 'updates.noRelease' } })
    server.files = buildReleaseFiles(releaseInfo)
    expect((await updates.check()).state.kind).toBe('available')
  })

  it('does not check when disabled, or in a build without an update source', async () => {
    const disabledUpdates = startUpdates({ isForbidden: true })
    expect((await disabledUpdates.updates.check()).state).toEqual({ kind: 'off', reason: 'policy' })
    const updatesWithoutSource = startUpdates({ hasSource: false })
    expect((await updatesWithoutSource.updates.check()).state).toEqual({ kind: 'off', reason: 'build' })
    expect([...disabledUpdates.told, ...updatesWithoutSource.told]).toEqual([])
  })
})

async function downloadUpdate() {
  const startedUpdates = startUpdates()
  const { updates, downloads } = startedUpdates
  await updates.check()
  updates.download()
  downloads()?.resolve()
  await expect.poll(() => updates.get().state.kind).toBe('ready')
  return startedUpdates
}

describe('installing', () => {
  it('downloads with progress, and installs only on request', async () => {
    const { updates, did, downloads } = startUpdates()
    await updates.check()
    expect(updates.download().state).toMatchObject({ kind: 'downloading', doneBytes: 0, totalBytes: 15 })
    expect(did).toEqual(['download 1.3.0 https://releases.example.com/app/platform-companion-1.3.0.AppImage'])
    downloads()?.onProgress(7)
    expect(updates.get().state).toMatchObject({ doneBytes: 7 })
    downloads()?.resolve()
    await expect.poll(() => updates.get().state.kind).toBe('ready')
    await updates.finish()
    expect(did).toHaveLength(1)
    expect((await updates.install({ when: 'now' })).state).toMatchObject({ kind: 'ready', isAtQuit: true })
    await updates.finish()
    expect(did.slice(1)).toEqual(['quit', 'install and start'])
  })

  it('installs on quit without a restart when chosen', async () => {
    const { updates, did } = await downloadUpdate()
    await updates.install({ when: 'atQuit' })
    await updates.finish()
    expect(did.slice(1)).toEqual(['install'])
  })

  it.each(['now', 'atQuit'] as const)('refuses a modified file before it quits (%s)', async (when) => {
    const { updates, did, downloadedFile } = await downloadUpdate()
    downloadedFile.isModified = true
    const damaged = { kind: 'failed', failure: { code: 'updates.damaged' } }
    expect((await updates.install({ when })).state).toMatchObject(damaged)
    await updates.finish()
    expect(did.slice(1)).toEqual([])
    expect(updates.download().state.kind).toBe('downloading')
  })

  it('offers the version again after a cancelled download, and says why it failed', async () => {
    const { updates, downloads } = startUpdates()
    await updates.check()
    updates.download()
    updates.cancel()
    await expect.poll(() => updates.get().state.kind).toBe('available')
    updates.download()
    downloads()?.reject(new AppError('updates.damaged', 'Not the described one.'))
    await expect.poll(() => updates.get().state).toMatchObject({ kind: 'failed', failure: { code: 'updates.damaged' } })
    expect(updates.download().state.kind).toBe('downloading')
  })

  it('leaves installation to the package manager', async () => {
    const { updates, did } = startUpdates({ hasInstaller: false })
    expect((await updates.check()).by).toBe('system')
    expect(updates.download().state.kind).toBe('available')
    expect(did).toEqual([])
  })

  it('drops the offer of a channel when another one is selected', async () => {
    const { updates, settings, downloads } = startUpdates()
    await updates.check()
    updates.download()
    expect(updates.change({ channel: 'beta' })).toMatchObject({ channel: 'beta', state: { kind: 'idle' } })
    downloads()?.resolve()
    await Promise.resolve()
    expect(updates.get().state.kind).toBe('idle')
    expect(settings.read().updates.channel).toBe('beta')
  })
})

it('checks automatically, first and then periodically, only while enabled', async () => {
  const [first, second] = [startUpdates(), startUpdates()]
  second.updates.change({ isAutomatic: false })
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const stopTimers = [first, second].map(({ updates }) => updates.follow())
  vi.advanceTimersByTime(30_000)
  await expect.poll(() => first.did).toHaveLength(1)
  expect(second.updates.get().state.kind).toBe('idle')
  second.updates.change({ isAutomatic: true })
  vi.advanceTimersByTime(6 * 3_600_000)
  await expect.poll(() => second.did).toHaveLength(1)
  for (const stop of stopTimers) stop()
  expect(vi.getTimerCount()).toBe(0)
})

describe('a signed description', () => {
  const checkRelease = async (text: string) => {
    const { updates } = startUpdates({ files: signText(text) })
    return (await updates.check()).state
  }

  it('has no hidden characters in its notes, which keep their lines', async () => {
    const text = JSON.stringify({ ...releaseInfo, notes: { en: '- a\u202eb\r\n- c' } })
    expect(await checkRelease(text)).toMatchObject({ release: { notes: { en: '- ab\n- c' } } })
  })

  it.each([
    ['no JSON', '{'],
    ['a version that is none', JSON.stringify({ ...releaseInfo, version: 'newest' })],
    ['a file elsewhere', JSON.stringify({ ...releaseInfo, file: { ...releaseInfo.file, name: '../up' } })],
    ['a page that is no https', JSON.stringify({ ...releaseInfo, page: 'file:///etc/passwd' })],
  ])('is refused with %s', async (_, text) => {
    const failure = { code: 'updates.notSigned', message: expect.stringContaining('its format is unknown') }
    expect(await checkRelease(text)).toMatchObject({ kind: 'failed', failure })
  })

  it.each(['stable-darwin-x64', 'stable-linux-arm64', 'beta-linux-x64'])('is refused for %s', async (name) => {
    const failure = { message: expect.stringContaining('it is for another system or channel') }
    const release = { ...releaseInfo, descriptions: [`${name}.json`] }
    expect(await checkRelease(JSON.stringify(release))).toMatchObject({ failure })
  })
})

it('notices that a package manager replaced or removed the running program', () => {
  const folder = makeFolder()
  const program = join(folder, 'platform-companion')
  writeFileSync(program, 'old')
  const isReplaced = watchReplacement(program)
  expect(isReplaced()).toBe(false)
  writeFileSync(join(folder, 'new'), 'new')
  renameSync(join(folder, 'new'), program)
  expect(isReplaced()).toBe(true)
  const isRemoved = watchReplacement(program)
  rmSync(program)
  expect(isRemoved()).toBe(true)
})

const fileInfo = { size: content.length, sha512 }

async function startDownloadServer(listener: RequestListener) {
  const closedPaths: string[] = []
  const { url } = await serve((request, response) => {
    response.on('close', () => closedPaths.push(request.url ?? ''))
    listener(request, response)
  })
  const path = join(makeFolder(), 'next')
  const abort = new AbortController()
  const parts = { ...fileInfo, url: `${url}/next`, path, signal: abort.signal, send: directSend }
  const download = (overrides: Partial<typeof fileInfo> = {}, onProgress = (_doneBytes: number): void => undefined) =>
    downloadFile({ ...parts, ...overrides, onProgress })
  return { path, closed: closedPaths, abort, download }
}

describe('a download', () => {
  it('writes the described file and reports its progress', async () => {
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

  it('stops at the first byte beyond the described size and closes the connection', async () => {
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

  it.each([
    ['another content of the same size', content.toString().toUpperCase(), 'updates.damaged'],
    ['a part of the file', 'the new', 'updates.damaged'],
  ])('is refused with %s', async (_, body, code) => {
    const { path, download } = await startDownloadServer((_request, response) => response.end(body))
    await expect(download()).rejects.toMatchObject({ failure: { code } })
    expect(existsSync(path)).toBe(false)
  })

  it('stops immediately when cancelled', async () => {
    const { path, closed, abort, download } = await startDownloadServer((_, response) => response.write('the'))
    await expect(download({}, () => abort.abort())).rejects.toMatchObject({ failure: { code: 'net.cut' } })
    expect(existsSync(path)).toBe(false)
    await expect.poll(() => closed).toEqual(['/next'])
  })

  it('does not start without enough free space', async () => {
    const { closed, download } = await startDownloadServer((_, response) => response.end(content))
    await expect(download({ size: 2 ** 60 })).rejects.toMatchObject({ failure: { code: 'file.unwritable' } })
    expect(closed).toEqual([])
  })
})
