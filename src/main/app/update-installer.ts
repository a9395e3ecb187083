import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { app } from 'electron'
import type { UpdateInfo } from 'electron-updater'
import type { Send } from '../core/net/send'
import { downloadFile, requireUnchanged } from './updates/download-file'
import { type UpdateInstaller, UpdateSource } from './updates/updates'

type DownloadInfo = Parameters<UpdateInstaller['download']>[0]

/** Path of a file that exists only in packages. */
const resource = (name: string): string => join(process.resourcesPath, name)

/** Update source of this build. Undefined for a development build. */
export function updateSource(): UpdateSource | undefined {
  try {
    return UpdateSource.parse(JSON.parse(readFileSync(resource('update-source.json'), 'utf8')))
  } catch {
    return undefined
  }
}

/** File in which an administrator can set `{ "updates": false }` for all users. */
export function policyPath({ platform, env }: Pick<NodeJS.Process, 'platform' | 'env'>): string {
  if (platform === 'win32') return join(env.ProgramData ?? 'C:\\ProgramData', 'Platform Companion', 'policy.json')
  if (platform === 'darwin') return '/Library/Application Support/Platform Companion/policy.json'
  return '/etc/platform-companion/policy.json'
}

/** An unreadable policy forbids updates, because its intent is unknown. */
export function areUpdatesForbidden(path: string): boolean {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))?.updates === false
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
}

/** Reads at most `limit` bytes. Fails with `net.*` or `updates.noRelease`. */
export async function readAddress(
  send: Send,
  url: string,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const host = new URL(url).host
  const answer = await send({ method: 'GET', url, headers: {}, signal }).catch((error: unknown) => {
    if (error instanceof AppError) throw error
    throw new AppError('net.other', `The release server at ${host} cannot be reached.`, { cause: error })
  })
  if (answer.status !== 200 || answer.body === null) {
    throw new AppError('updates.noRelease', `The release server at ${host} answered with ${answer.status}.`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body) {
    size += chunk.length
    if (size > limit) throw new AppError('net.tooLong', `The response of the release server at ${host} is too large.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Creates the installer of updates. Undefined where the system's package manager installs updates. */
export function updateInstaller(send: Send): UpdateInstaller | undefined {
  const installsOwnUpdates = process.platform !== 'linux' || process.env.APPIMAGE !== undefined
  if (!app.isPackaged || !installsOwnUpdates) return undefined
  let updaterPromise: ReturnType<typeof loadUpdater> | undefined
  const updater = () => {
    updaterPromise ??= loadUpdater(send)
    return updaterPromise
  }
  return {
    download: async (file, options) => (await updater()).download(file, options),
    check: async () => (await updater()).check(),
    async install({ restart }) {
      const { install } = await updater()
      // Release the single-instance lock. Otherwise the new version would activate this process and exit.
      app.releaseSingleInstanceLock()
      await install(restart)
    },
  }
}

type DownloadOptions = Parameters<UpdateInstaller['download']>[1]

/** electron-updater only installs the verified release, so that no second request can return another result. */
async function loadUpdater(send: Send) {
  const { AppImageUpdater, MacUpdater, NsisUpdater, Provider } = await import('electron-updater')
  let currentDownload: { readonly file: DownloadInfo; readonly options: DownloadOptions } | undefined
  let downloadedUpdate: { readonly path: string; readonly file: DownloadInfo } | undefined
  const checkDownloaded = async (): Promise<void> => {
    if (downloadedUpdate === undefined) throw new AppError('updates.damaged', 'No version was downloaded.')
    await requireUnchanged(downloadedUpdate.path, downloadedUpdate.file)
  }
  const requireCurrent = () => {
    if (currentDownload) return currentDownload
    throw new AppError('internal.unexpected', 'No version was chosen to download.')
  }
  class VerifiedRelease extends Provider<UpdateInfo> {
    constructor(_options: unknown, _updater: unknown, runtime: never) {
      super(runtime)
    }
    async getLatestVersion(): Promise<UpdateInfo> {
      const { name, sha512, size, version } = requireCurrent().file
      const releaseDate = new Date(0).toISOString()
      return { version, files: [{ url: name, sha512, size }], path: name, sha512, releaseDate }
    }
    resolveFiles() {
      const { name, sha512, size, url } = requireCurrent().file
      return [{ url: new URL(url), info: { url: name, sha512, size } }]
    }
  }
  const Updater = { darwin: MacUpdater, win32: NsisUpdater }[process.platform as string] ?? AppImageUpdater
  const updater = new Updater()
  Object.assign(updater, {
    logger: null,
    autoDownload: false,
    autoInstallOnAppQuit: false,
    disableDifferentialDownload: true,
    updateConfigPath: resource('update-cache.yml'),
    httpExecutor: {
      download: (_url: URL, path: string) => {
        const { file, options } = requireCurrent()
        return downloadFile({ ...file, ...options, path, send })
      },
    },
  })
  // The type of `setFeedURL` lacks custom providers.
  const feedOptions: unknown = { provider: 'custom', updateProvider: VerifiedRelease }
  updater.setFeedURL(feedOptions as Parameters<typeof updater.setFeedURL>[0])
  return {
    async download(file: DownloadInfo, options: DownloadOptions) {
      currentDownload = { file, options }
      await updater.checkForUpdates()
      const [path] = await updater.downloadUpdate()
      if (path === undefined) throw new AppError('updates.damaged', 'The new version was not downloaded.')
      downloadedUpdate = { path, file }
    },
    check: checkDownloaded,
    async install(restart: boolean) {
      await checkDownloaded()
      if (updater instanceof MacUpdater) updater.quitAndInstall()
      else updater.install(true, restart)
    },
  }
}
