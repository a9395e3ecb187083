import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '@shared/failure'
import { parseJson } from '@shared/json'
import { createFolder, readRegularFile } from '../data-dir'
import { sleepSync, toStorageError, withProcessLock } from '../sqlite/process-lock'
import { isObject } from './records'
import { parseSettings, type RawStore } from './settings'
import { decodeSettings } from './window-settings'

/** File system calls of a write, in order. */
type SettingsDisk = Pick<typeof fs, 'openSync' | 'writeFileSync' | 'fsyncSync' | 'closeSync' | 'renameSync'>

interface SettingsFileOptions {
  readonly dataDir: string
  /** Called with the path of a copy of an unreadable file. */
  readonly onSetAside?: (path: string) => void
  readonly disk?: SettingsDisk
}

/**
 * Opens `<dataDir>/settings.json` (0600), shared by all processes of the app. Each change reads the file under a lock
 * and replaces it atomically. Fails with `file.unwritable` or `storage.denied`.
 */
export function openSettingsFile(options: SettingsFileOptions): SettingsFile {
  makeFolder(options.dataDir)
  const file = new SettingsFile(options)
  file.keepUnreadable()
  return file
}

export class SettingsFile implements RawStore {
  readonly path: string
  readonly #listeners = new Set<() => void>()
  /** Last valid content, used while the file is not valid JSON. The same object while the text is unchanged. */
  #last: Readonly<Record<string, unknown>> = {}
  #lastText: string | undefined
  #lastMark: string | undefined
  /** Content that the listeners know. Undefined while the file is unreadable. */
  #reported: unknown = this.#last

  constructor(private readonly options: SettingsFileOptions) {
    this.path = join(options.dataDir, 'settings.json')
  }

  read(): unknown {
    const mark = readFileMark(this.path)
    if (mark === undefined || mark !== this.#lastMark) this.#parse(this.#text())
    this.#lastMark = mark
    return this.#last
  }

  change<T>(work: (current: unknown) => { readonly stored: unknown; readonly result: T }): T {
    const { result, isNews } = withProcessLock(this.#lockPath, () => {
      const currentSettings = this.#moveAside() ? this.#last : this.#parse(this.#text())
      const { stored, result } = work(currentSettings)
      const isChanged = JSON.stringify(stored) !== JSON.stringify(currentSettings)
      if (isChanged) {
        const text = `${JSON.stringify(stored, null, '\t')}\n`
        this.#write(text)
        this.#parse(text)
      }
      return { result, isNews: isChanged }
    })
    if (isNews) this.lookAgain()
    return result
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Renames a settings file that is not a JSON object. Copies a file with unreadable parts, once per content. */
  keepUnreadable(): void {
    const text = this.#text()
    if (parseObject(text) === undefined) withProcessLock(this.#lockPath, () => this.#moveAside())
    else this.#copyAside(this.#parse(text))
    this.#reported = this.#last
  }

  get #lockPath(): string {
    return join(this.options.dataDir, 'settings.lock')
  }

  #parse(text: string | undefined): Readonly<Record<string, unknown>> {
    const parsedFields = text === this.#lastText ? undefined : parseObject(text)
    if (parsedFields === undefined) return this.#last
    this.#lastText = text
    this.#last = parsedFields
    return parsedFields
  }

  /** Undefined without a file. Fails with `storage.denied` or the system's error for an unreadable file. */
  #text(): string | undefined {
    try {
      return decodeSettings(readRegularFile(this.path))
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined
      throw toStorageError(error, this.path)
    }
  }

  /** Call it only under the lock, so that no other process replaces the file in between. */
  #moveAside(): boolean {
    if (parseObject(this.#text()) !== undefined) return false
    const backupPath = this.#asidePath(new Date().toISOString().replaceAll(/[:.]/g, '-'))
    fs.renameSync(this.path, backupPath)
    this.options.onSetAside?.(backupPath)
    return true
  }

  #copyAside(parsedFields: Readonly<Record<string, unknown>>): void {
    const { broken } = parseSettings(parsedFields)
    if (broken.length === 0) return
    const brokenValues = JSON.stringify(broken.map((name) => parsedFields[name]))
    const backupPath = this.#asidePath(createHash('sha256').update(brokenValues).digest('hex').slice(0, 12))
    if (fs.existsSync(backupPath)) return
    try {
      fs.copyFileSync(this.path, backupPath)
      this.options.onSetAside?.(backupPath)
    } catch {
      // Without disk space for a copy, the unreadable file stays, so nothing is lost.
    }
  }

  #asidePath(mark: string): string {
    return join(this.options.dataDir, `settings.broken-${mark}.json`)
  }

  /** Replaces the file atomically, under the lock. A leftover of a killed write has the same name and is removed. */
  #write(text: string): void {
    const { openSync, writeFileSync, fsyncSync, closeSync, renameSync } = this.options.disk ?? fs
    const path = this.#realPath()
    const temporaryFile = `${path}.tmp`
    try {
      fs.rmSync(temporaryFile, { force: true })
      const file = openSync(temporaryFile, 'wx', 0o600)
      try {
        writeFileSync(file, text)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      replace(temporaryFile, path, renameSync)
    } catch (error) {
      fs.rmSync(temporaryFile, { force: true })
      throw toStorageError(error, this.path)
    }
    try {
      const folder = fs.openSync(dirname(path), 'r')
      try {
        fs.fsyncSync(folder)
      } finally {
        fs.closeSync(folder)
      }
    } catch {
      // Ignore an error, because Windows cannot sync folders.
    }
  }

  /** Path of the settings file with symbolic links resolved. */
  #realPath(): string {
    try {
      return fs.realpathSync(this.path)
    } catch {
      return this.path
    }
  }

  /** Reports a change to the listeners, also one by another process. */
  lookAgain(): void {
    let current: unknown
    try {
      current = this.#parse(this.#text())
    } catch {
      // The listeners read the settings again and show why the file is unreadable.
    }
    if (current === this.#reported) return
    this.#reported = current
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Age of a file in ms from which its next change is detected. File systems have a resolution of 10 ms. */
const settledMs = 100

/** Change marker of a file. Undefined without a file, or if it changed too recently to detect another change. */
function readFileMark(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = fs.statSync(path, { bigint: true })
    return Date.now() - Number(ctimeMs) > settledMs ? [dev, ino, size, mtimeNs, ctimeNs].join(' ') : undefined
  } catch {
    return undefined
  }
}

/** Parses a JSON object. Returns an empty object for undefined, and undefined if the text is not a JSON object. */
function parseObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return {}
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)

/** Windows briefly rejects replacing a file that another program reads. */
function replace(from: string, to: string, rename: SettingsDisk['renameSync']): void {
  for (const pauseMs of process.platform === 'win32' ? [10, 40, 160, 640] : []) {
    try {
      rename(from, to)
      return
    } catch (error) {
      if (!isCode(error, 'EPERM', 'EACCES', 'EBUSY')) throw error
      sleepSync(pauseMs)
    }
  }
  rename(from, to)
}

function makeFolder(path: string): void {
  try {
    createFolder(path)
  } catch (cause) {
    const storageFailure = toStorageError(cause, path)
    if (storageFailure instanceof AppError) throw storageFailure
    const message = `The data folder ${path} can't be created or is not a folder. Choose another.`
    throw new AppError('file.unwritable', message, { cause })
  }
}
