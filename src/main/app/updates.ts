import { createPublicKey, verify } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { MethodInput, ReleaseView, UpdateChannel, UpdatesView } from '@shared/contract'
import { hourMs } from '@shared/durations'
import { AppError, type Failure } from '@shared/failure'
import { withoutHidden } from '@shared/hidden-characters'
import { parseJson } from '@shared/json'
import { app } from 'electron'
import type { UpdateInfo } from 'electron-updater'
import gt from 'semver/functions/gt.js'
import prerelease from 'semver/functions/prerelease.js'
import valid from 'semver/functions/valid.js'
import { z } from 'zod'
import { lazy } from '../core/lazy'
import { refuseRequestAddress } from '../core/net/address'
import type { Send } from '../core/net/send'
import type { Clock, Log } from '../core/ports'
import type { SettingsStore } from '../core/settings/settings'
import { readBody } from '../gateway/server-message'
import { type DescribedFile, type DownloadOptions, downloadFile, requireUnchanged } from './download-file'

interface UpdateInstaller {
  /** Resolves when the file has the described SHA-512. Rejects with an `AppError`. */
  download(
    file: NonNullable<Release['file']> & { readonly url: string; readonly version: string },
    options: DownloadOptions,
  ): Promise<void>
  /** Rejects with `updates.damaged` if the downloaded file was modified since. */
  check(): Promise<void>
  /** Checks the file again, replaces this version, and optionally restarts. The app exits afterwards. */
  install(options: { readonly restart: boolean }): Promise<void>
}

interface UpdatesDeps {
  readonly version: string
  readonly system: Pick<NodeJS.Process, 'platform' | 'arch'>
  /** Update source. Undefined in a development build. */
  readonly source: UpdateSource | undefined
  /** Whether an administrator disabled updates. */
  readonly isForbidden: boolean
  /** Installer of updates. Undefined where the system's package manager installs them. */
  readonly installer: UpdateInstaller | undefined
  /** Whether another version was installed while this one runs. */
  readonly isReplaced?: () => boolean
  readonly send: Send
  readonly settings: Pick<SettingsStore, 'read' | 'update'>
  readonly clock: Clock
  readonly log: Log
  readonly onChanged: (view: UpdatesView) => void
  readonly quit: () => void
}

const limits = { descriptionBytes: 256 * 1024, signatureBytes: 1024, checkMs: 20_000 }
const firstCheckDelayMs = 30_000
const checkIntervalMs = 6 * hourMs
const progressIntervalMs = 250

type UpdateState = UpdatesView['state']

/** Returns whether a file was replaced or removed since this call. A package manager writes a new file on an upgrade. */
export function watchReplacement(path: string): () => boolean {
  const stamp = (): string => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return `${stats?.ino} ${stats?.mtimeMs}`
  }
  const firstStamp = stamp()
  return () => stamp() !== firstStamp
}

/**
 * Checks for updates and installs them only after a click. Accepts a description only with a valid signature of the built-in
 * key and only if it is not older than the last one, so a hijacked server can neither forge nor downgrade a version.
 */
export class Updates {
  #state: UpdateState
  #found: Release | undefined
  #download: AbortController | undefined
  #isInstallRequested: 'now' | 'atQuit' | undefined

  constructor(private readonly deps: UpdatesDeps) {
    const disabledReason = deps.isForbidden ? 'policy' : deps.source === undefined ? 'build' : undefined
    this.#state = disabledReason === undefined ? { kind: 'idle' } : { kind: 'off', reason: disabledReason }
  }

  get(): UpdatesView {
    const { settings, version, installer, isReplaced } = this.deps
    const { isAutomatic, channel, checkedAt } = settings.read().updates
    return {
      version,
      channel,
      isAutomatic,
      by: installer === undefined ? 'system' : 'app',
      state: this.#state,
      ...(checkedAt && { checkedAt }),
      ...(isReplaced?.() && { isReplaced: true }),
    }
  }

  /** Checks periodically while enabled. Returns a stop function. */
  follow(): () => void {
    const checkIfAutomatic = (): void => {
      if (!this.deps.settings.read().updates.isAutomatic) return
      void this.check().then(() => {
        if (this.#state.kind === 'available') this.download()
      })
    }
    const timers = [setTimeout(checkIfAutomatic, firstCheckDelayMs), setInterval(checkIfAutomatic, checkIntervalMs)]
    return () => timers.forEach(clearTimeout)
  }

  /** Changes the update settings. Another channel discards an offer of the previous channel. */
  change({ isAutomatic, channel }: MethodInput<'updates.change'>): UpdatesView {
    const settingsBefore = this.deps.settings.read().updates
    this.deps.settings.update(({ updates }) => ({
      updates: { ...updates, ...(isAutomatic !== undefined && { isAutomatic }), ...(channel && { channel }) },
    }))
    if (channel !== undefined && channel !== settingsBefore.channel && this.#state.kind !== 'off') {
      this.#download?.abort()
      this.#found = undefined
      this.#isInstallRequested = undefined
      this.#set({ kind: 'idle' })
    }
    return this.get()
  }

  async check(): Promise<UpdatesView> {
    const { source } = this.deps
    if (source === undefined || !['idle', 'available', 'failed'].includes(this.#state.kind)) return this.get()
    // Discard an earlier offer, because the current description was refused.
    this.#found = undefined
    this.#set({ kind: 'checking' })
    const { channel } = this.deps.settings.read().updates
    try {
      const release = await this.#newest(source, channel)
      this.#found = release
      this.#set(release === undefined ? { kind: 'idle' } : { kind: 'available', release: toReleaseView(release) })
    } catch (error) {
      this.#fail(error)
    }
    return this.get()
  }

  /** Starts the download without waiting for it. */
  download(): UpdatesView {
    void this.#fetch()
    return this.get()
  }

  cancel(): UpdatesView {
    this.#download?.abort()
    return this.get()
  }

  /** Quits only if the downloaded file is unmodified. Otherwise the app keeps running and shows the failure. */
  async install({ when }: MethodInput<'updates.install'>): Promise<UpdatesView> {
    if (this.#state.kind !== 'ready') return this.get()
    try {
      await this.deps.installer?.check()
    } catch (error) {
      this.#fail(error)
      return this.get()
    }
    this.#isInstallRequested = when
    this.#set({ ...this.#state, isAtQuit: true })
    if (when === 'now') this.deps.quit()
    return this.get()
  }

  /** Installs a requested update when the app quits. */
  async finish(): Promise<void> {
    this.#download?.abort()
    const { installer } = this.deps
    if (this.#state.kind === 'ready' && this.#isInstallRequested)
      await installer?.install({ restart: this.#isInstallRequested === 'now' })
  }

  async #newest({ url, publicKey }: UpdateSource, channel: UpdateChannel): Promise<Release | undefined> {
    const { send, settings, clock, version, system } = this.deps
    const name = descriptionName(channel, system)
    const address = `${url.replace(/\/$/, '')}/${name}`
    const signal = AbortSignal.timeout(limits.checkMs)
    const text = await readText(send, address, { limit: limits.descriptionBytes, signal })
    const signature = await readText(send, `${address}.sig`, { limit: limits.signatureBytes, signal })
    const release = readRelease({ text, signature, publicKey, name })
    const newestReleasedAt = settings.read().updates.newestSeen[channel]
    if (newestReleasedAt !== undefined && Date.parse(release.releasedAt) < Date.parse(newestReleasedAt)) {
      const message = `The server offers ${release.version}, which is older than what it offered before. Nothing was installed.`
      throw new AppError('updates.rolledBack', message)
    }
    const checkedAt = clock().toISOString()
    settings.update(({ updates }) => ({
      updates: { ...updates, checkedAt, newestSeen: { ...updates.newestSeen, [channel]: release.releasedAt } },
    }))
    // The stable channel offers no betas.
    const isInChannel = channel === 'beta' || prerelease(release.version) === null
    return gt(release.version, version) && isInChannel ? release : undefined
  }

  async #fetch(): Promise<void> {
    const { installer, source } = this.deps
    const release = this.#found
    const isOpen = this.#state.kind === 'available' || this.#state.kind === 'failed'
    if (!isOpen || release?.file === undefined || installer === undefined || source === undefined) return
    const { file } = release
    const download = new AbortController()
    this.#download = download
    const view = toReleaseView(release)
    let reportedAt = 0
    const report = (doneBytes: number): void => {
      if (download.signal.aborted) return
      this.#state = { kind: 'downloading', release: view, doneBytes, totalBytes: file.size }
      const nowMs = this.deps.clock().getTime()
      if (nowMs - reportedAt < progressIntervalMs) return
      reportedAt = nowMs
      this.deps.onChanged(this.get())
    }
    report(0)
    const url = `${source.url.replace(/\/$/, '')}/${file.name}`
    try {
      const describedFile = { ...file, url, version: release.version }
      await installer.download(describedFile, { signal: download.signal, onProgress: report })
      if (!download.signal.aborted) this.#set({ kind: 'ready', release: view, isAtQuit: false })
    } catch (error) {
      if (!download.signal.aborted) this.#fail(error)
    }
    // The channel may have changed during the download. If so, do not offer this release again.
    if (download.signal.aborted && this.#found === release) this.#set({ kind: 'available', release: view })
  }

  #fail(error: unknown): void {
    this.deps.log.error('updates', error)
    const unexpectedFailure: Failure = { code: 'internal.unexpected', message: 'The update failed unexpectedly.' }
    const failure = error instanceof AppError ? error.failure : unexpectedFailure
    const availableRelease = this.#found
    this.#set({ kind: 'failed', failure, ...(availableRelease && { release: toReleaseView(availableRelease) }) })
  }

  #set(state: UpdateState): void {
    this.#state = state
    this.deps.onChanged(this.get())
  }
}

/** Update address (https, or http to loopback) and public key, built into packages. */
const UpdateSource = z.object({
  url: z.url({ protocol: /^https?$/ }).refine((url) => refuseRequestAddress(url) === undefined),
  /** An Ed25519 public key as base64 of its SubjectPublicKeyInfo (DER). */
  publicKey: z.string(),
})
type UpdateSource = z.infer<typeof UpdateSource>

const notes = z
  .string()
  .max(20_000)
  .transform((text) => text.split(/\r?\n/).map(withoutHidden).join('\n'))

/** A release description for one channel and system, signed as a whole, so that parts cannot be combined. */
const Release = z.object({
  /** File names under which this description is valid, so that no other system or channel accepts it. */
  descriptions: z.array(z.string().max(100)).max(10),
  version: z
    .string()
    .max(64)
    .refine((text) => valid(text) === text),
  releasedAt: z.iso.datetime(),
  notes: z.object({ en: notes, vi: notes.optional() }),
  page: z
    .url({ protocol: /^https$/ })
    .max(2000)
    .optional(),
  /** Installer file. Absent if this system only has packages of its package manager. */
  file: z
    .object({
      name: z.string().regex(/^[\w][\w.-]{0,199}$/),
      size: z.number().int().positive().max(2e9),
      sha512: z.base64().length(88),
    })
    .optional(),
})
type Release = z.infer<typeof Release>

/** File name of the description for a channel and system: `stable-linux-x64.json`. */
const descriptionName = (channel: string, { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): string =>
  `${channel}-${platform}-${arch}.json`

/** Parses a description that was signed by `publicKey` for this name. Fails with `updates.notSigned` otherwise. */
function readRelease(served: {
  readonly text: string
  readonly signature: string
  readonly publicKey: string
  readonly name: string
}): Release {
  const key = createPublicKey({ key: Buffer.from(served.publicKey, 'base64'), format: 'der', type: 'spki' })
  const isSignatureValid = verify(null, Buffer.from(served.text), key, Buffer.from(served.signature.trim(), 'base64'))
  if (!isSignatureValid) throw createUnsignedError('it is not signed with the key of this app')
  const parsedRelease = Release.safeParse(parseJson(served.text))
  if (!parsedRelease.success) throw createUnsignedError('it is signed, but its format is unknown')
  if (!parsedRelease.data.descriptions.includes(served.name))
    throw createUnsignedError('it is for another system or channel')
  return parsedRelease.data
}

const createUnsignedError = (reason: string): AppError =>
  new AppError('updates.notSigned', `The description of the new version was refused: ${reason}. Nothing was installed.`)

const toReleaseView = ({ file: _, descriptions: __, ...view }: Release): ReleaseView => view

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

/** Folder of the file `policy.json`, in which an administrator can set `{ "updates": false }` for all users. */
function policyFolder({ platform, env }: NodeJS.Process): string {
  if (platform === 'win32') return join(env.ProgramData ?? 'C:\\ProgramData', 'Platform Companion')
  return platform === 'darwin' ? '/Library/Application Support/Platform Companion' : '/etc/platform-companion'
}

/** An unreadable policy forbids updates, because its intent is unknown. */
export function areUpdatesForbidden(): boolean {
  try {
    return JSON.parse(readFileSync(join(policyFolder(process), 'policy.json'), 'utf8'))?.updates === false
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
}

/** Reads at most `limit` bytes. Fails with `net.*` or `updates.noRelease`. */
async function readText(
  send: Send,
  url: string,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<string> {
  const host = new URL(url).host
  const answer = await send({ method: 'GET', url, headers: {}, signal }).catch((error: unknown) => {
    if (error instanceof AppError) throw error
    throw new AppError('net.other', `The release server at ${host} cannot be reached.`, { cause: error })
  })
  if (answer.status !== 200)
    throw new AppError('updates.noRelease', `The release server at ${host} answered with ${answer.status}.`)
  const { text, isTooLong, error } = await readBody(answer.body, limit)
  if (isTooLong) throw new AppError('net.tooLong', `The response of the release server at ${host} is too large.`)
  if (error) throw error
  return text
}

/** Creates the installer of updates. Undefined where the system's package manager installs updates. */
export function updateInstaller(send: Send): UpdateInstaller | undefined {
  const installsOwnUpdates = process.platform !== 'linux' || process.env.APPIMAGE !== undefined
  if (!app.isPackaged || !installsOwnUpdates) return undefined
  const updater = lazy(() => loadUpdater(send))
  return {
    download: async (...described) => (await updater()).download(...described),
    check: async () => (await updater()).check(),
    install: async (options) => (await updater()).install(options),
  }
}

/** electron-updater only installs the verified release, so that no second request can return another result. */
async function loadUpdater(send: Send): Promise<UpdateInstaller> {
  const { AppImageUpdater, MacUpdater, NsisUpdater, Provider } = await import('electron-updater')
  let currentDownload: Parameters<UpdateInstaller['download']> | undefined
  let downloadedUpdate: (DescribedFile & { readonly path: string }) | undefined
  const checkDownloaded = async (): Promise<void> => {
    if (downloadedUpdate === undefined) throw new AppError('updates.damaged', 'No version was downloaded.')
    await requireUnchanged(downloadedUpdate.path, downloadedUpdate)
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
      const { name, sha512, size, version } = requireCurrent()[0]
      const releaseDate = new Date(0).toISOString()
      return { version, files: [{ url: name, sha512, size }], path: name, sha512, releaseDate }
    }
    resolveFiles() {
      const { name, sha512, size, url } = requireCurrent()[0]
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
        const [file, options] = requireCurrent()
        return downloadFile({ ...file, ...options, path, send })
      },
    },
  })
  // The type of `setFeedURL` lacks custom providers.
  const feedOptions: unknown = { provider: 'custom', updateProvider: VerifiedRelease }
  updater.setFeedURL(feedOptions as Parameters<typeof updater.setFeedURL>[0])
  return {
    async download(file, options) {
      currentDownload = [file, options]
      await updater.checkForUpdates()
      const [path] = await updater.downloadUpdate()
      if (path === undefined) throw new AppError('updates.damaged', 'The new version was not downloaded.')
      downloadedUpdate = { ...file, path }
    },
    check: checkDownloaded,
    async install({ restart }) {
      // Release the single-instance lock. Otherwise the new version would activate this process and exit.
      app.releaseSingleInstanceLock()
      await checkDownloaded()
      if (updater instanceof MacUpdater) updater.quitAndInstall()
      else updater.install(true, restart)
    },
  }
}
