import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@shared/failure'
import { app, type Session, session } from 'electron'
import type { UpdateInfo } from 'electron-updater'
import { type UpdateInstaller, UpdateSource } from '../updates/updates'

type Described = Parameters<UpdateInstaller['download']>[0]

/** Files that a package is made with and that a checkout has not. */
const resource = (name: string): string => join(process.resourcesPath, name)

/** Where this build looks for updates; undefined for one that was not made for handing out. */
export function updateSource(): UpdateSource | undefined {
  try {
    return UpdateSource.parse(JSON.parse(readFileSync(resource('update-source.json'), 'utf8')))
  } catch {
    return undefined
  }
}

/** Where an administrator may say `{ "updates": false }` for everybody on this computer. */
export function policyPath({ platform, env }: Pick<NodeJS.Process, 'platform' | 'env'>): string {
  if (platform === 'win32') return join(env.ProgramData ?? 'C:\\ProgramData', 'Platform Companion', 'policy.json')
  if (platform === 'darwin') return '/Library/Application Support/Platform Companion/policy.json'
  return '/etc/platform-companion/policy.json'
}

/** A policy that is there and cannot be read forbids: whoever wrote it wanted something. */
export function areUpdatesForbidden(path: string): boolean {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))?.updates === false
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
}

/** Connections of their own: those of the page lead nowhere. */
const updateSession = (): Session => session.fromPartition('updates', { cache: false })

/** Reads what is at an address by the system's proxies, and stops at the limit. */
export async function readAddress(
  url: string,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const host = new URL(url).host
  const answer = await updateSession()
    .fetch(url, { signal, redirect: 'error', credentials: 'omit' })
    .catch(() => {
      throw new AppError('net.other', `The release server at ${host} cannot be reached.`)
    })
  if (!answer.ok || answer.body === null) {
    throw new AppError('updates.noRelease', `The release server at ${host} answered with ${answer.status}.`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body) {
    size += chunk.length
    if (size > limit) throw new AppError('net.tooLong', `The release server at ${host} sends more than a description.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** How this copy of the app is replaced; undefined where the system's package manager does that. */
export function updateInstaller(): UpdateInstaller | undefined {
  const isOwn = process.platform !== 'linux' || process.env.APPIMAGE !== undefined
  if (!app.isPackaged || !isOwn) return undefined
  const opened = openUpdater()
  return {
    async download(file, { signal, onProgress }) {
      const { updater, describe, CancellationToken } = await opened()
      describe(file)
      const token = new CancellationToken()
      signal.addEventListener('abort', () => token.cancel(), { once: true })
      const tell = ({ transferred }: { transferred: number }): void => onProgress(transferred)
      updater.on('download-progress', tell)
      try {
        await updater.checkForUpdates()
        await updater.downloadUpdate(token)
      } catch (error) {
        throw downloadFailure(error)
      } finally {
        updater.off('download-progress', tell)
      }
    },
    async install({ restart }) {
      // The new one would otherwise hand over to this one and end.
      app.releaseSingleInstanceLock()
      const { install } = await opened()
      install(restart)
    },
  }
}

function downloadFailure(error: unknown): AppError {
  const isDamaged = error instanceof Error && 'code' in error && error.code === 'ERR_CHECKSUM_MISMATCH'
  return isDamaged
    ? new AppError('updates.damaged', 'The downloaded file does not match its checksum. It was deleted.')
    : new AppError('net.cut', 'The download of the new version was interrupted.', { cause: error })
}

/** Loaded when something is downloaded: nobody needs it before. */
function openUpdater() {
  let loading: ReturnType<typeof load> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}

async function load() {
  const { AppImageUpdater, CancellationToken, MacUpdater, NsisUpdater, Provider } = await import('electron-updater')
  let described: Described | undefined
  /** Gives what was verified before, so that nothing is asked for a second time and answered otherwise. */
  class VerifiedRelease extends Provider<UpdateInfo> {
    constructor(_options: unknown, _updater: unknown, runtime: never) {
      super(runtime)
    }
    async getLatestVersion(): Promise<UpdateInfo> {
      const { name, sha512, size, version } = described ?? fail()
      const releaseDate = new Date(0).toISOString()
      return { version, files: [{ url: name, sha512, size }], path: name, sha512, releaseDate }
    }
    resolveFiles() {
      const { name, sha512, size, url } = described ?? fail()
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
  })
  // Its type names one of the three arguments that a provider is made with.
  const feed: unknown = { provider: 'custom', updateProvider: VerifiedRelease }
  updater.setFeedURL(feed as Parameters<typeof updater.setFeedURL>[0])
  return {
    updater,
    CancellationToken,
    describe(file: Described) {
      described = file
    },
    install(restart: boolean) {
      if (updater instanceof MacUpdater) updater.quitAndInstall()
      else updater.install(true, restart)
    },
  }
}

function fail(): never {
  throw new AppError('internal.unexpected', 'There is no described version to download.')
}
