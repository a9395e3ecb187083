import { randomUUID } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type {
  AuditFilter,
  HandoutRequest,
  HandoutResult,
  Holder,
  KeyFileContent,
  KeyFileLock,
  MethodInput,
  MethodOutput,
} from '@shared/contract'
import { AppError } from '@shared/failure'
import { type Disk, errorCode, undefinedIfMissing } from '../../core/files/disk'
import { Content, createUnwritableError, readChosenFile, resolveLinks, writeFile } from '../../core/files/files'
import type { ClipboardPort } from '../../core/ports'

const maxBytes = 256_000
const maxNames = 1000

/** The bytes of a key file, at most 256 kB. Fails with `file.unreadable` or `handout.unreadable`. */
export async function readKeyFileBytes(path: string): Promise<Uint8Array> {
  const bytes = await readChosenFile(path, maxBytes)
  if (bytes.length <= maxBytes) return bytes
  throw new AppError('handout.unreadable', `${path} is too large for a key file. Choose another file.`)
}

/** Requires that a path is free. Fails with `file.unwritable` when the path exists. */
export async function requireNoFile(path: string, disk: Disk): Promise<void> {
  if ((await undefinedIfMissing(disk.lstat(path))) !== undefined) throw createFileExistsError(path)
}

/**
 * Writes a new file with mode 0600 and never overwrites one. Fails with `file.unwritable` and leaves no partial file.
 */
export async function writeNewFile(path: string, text: string, disk: Disk): Promise<void> {
  const file = await disk.create(path, 0o600).catch((error: unknown) => {
    throw errorCode(error) === 'EEXIST' ? createFileExistsError(path) : createUnwritableError(path, error)
  })
  try {
    await file.writeFile(Buffer.from(text)).then(() => file.sync())
  } catch (error) {
    await file.close()
    await disk.unlink(path).catch(() => undefined)
    throw createUnwritableError(path, error)
  }
  await file.close()
  await disk.syncFolder(dirname(path)).catch(() => undefined)
}

export async function findFreePath(folder: string, holderName: string, disk: Disk): Promise<string> {
  const nameStem = getKeyFileName(holderName).replace(/\.age$/, '')
  for (let suffix = 1; suffix <= maxNames; suffix += 1) {
    const path = join(folder, `${nameStem}${suffix === 1 ? '' : `-${suffix}`}.age`)
    if ((await undefinedIfMissing(disk.lstat(path))) === undefined) return path
  }
  throw createFileExistsError(join(folder, `${nameStem}.age`))
}

/** File name of a holder's key file, valid on every file system. */
function getKeyFileName(holderName: string): string {
  const nameStem = holderName
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
  return `${[...nameStem].slice(0, 50).join('') || 'key'}.kit.age`
}

const createFileExistsError = (path: string): AppError =>
  new AppError(
    'file.unwritable',
    `There is a file ${basename(path)} already, and a key file never replaces another file. Choose another name.`,
  )

/** Dialogs that ask for a path. Undefined when the user chose none. */
export interface HandoutDialogs {
  saveKit(suggestedName: string): Promise<string | undefined>
  openKit(): Promise<string | undefined>
  /** Asks whether to open the key file that the system opened with the app. */
  confirmOpenedKit(): Promise<string | undefined>
  chooseFolder(): Promise<string | undefined>
  saveRegister(suggestedName: string): Promise<string | undefined>
}

type KeysRequest = MethodInput<'handouts.createForKeys'>

interface BulkHandoutRequest {
  readonly planId: string
  readonly holders: readonly Holder[]
  readonly toolIds: string[]
  readonly lock: KeyFileLock
}

/** `signal` stops a bulk request before the next holder. `onProgress` gets the number of finished holders. */
export interface BulkOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((done: number) => void) | undefined
}

interface HandoutParts {
  readonly handouts: {
    create(request: HandoutRequest, path: string): Promise<HandoutResult>
    createMany(request: BulkHandoutRequest, folder: string, options?: BulkOptions): Promise<HandoutResult[]>
    createForKeys(request: KeysRequest, folder: string): Promise<HandoutResult[]>
    chooseKit(path: string): Promise<MethodOutput<'handouts.chooseKit'>>
    openKit(kitId: string, passphrase?: string): Promise<KeyFileContent>
  }
  readonly register: { csv(): Promise<string> }
  readonly audit: { csv(filter: AuditFilter): Promise<string> }
  readonly dialogs: HandoutDialogs
  readonly clipboard: ClipboardPort
  readonly disk: Disk
}

/**
 * Saves and opens key files, and exports the key register and the audit log, at paths that the user chooses in a
 * dialog.
 */
interface HandoutFiles {
  /**
   * Asks for the folder before creating a key. Creates nothing if the user cancels. Fails as `Handouts.create` does.
   */
  create(request: HandoutRequest): Promise<HandoutResult>
  createMany(request: BulkHandoutRequest, options?: BulkOptions): Promise<HandoutResult[]>
  createForKeys(request: KeysRequest): Promise<HandoutResult[]>
  chooseKit(isOpened?: boolean): Promise<MethodOutput<'handouts.chooseKit'>>
  /** Opens a key file. Without a passphrase, tries the text on the clipboard. */
  openKit(kitId: string, passphrase?: string): Promise<KeyFileContent>
  /** Exports the key register as CSV. Fails with `file.unwritable`. */
  exportRegister(): Promise<MethodOutput<'register.export'>>
  exportAudit(filter: AuditFilter): Promise<MethodOutput<'audit.export'>>
}

/** Excel needs the byte order mark to detect UTF-8. */
const byteOrderMark = '\uFEFF'

export function createHandoutFiles({
  handouts,
  register,
  audit,
  dialogs,
  clipboard,
  disk,
}: HandoutParts): HandoutFiles {
  const saveTable = async (name: string, csv: () => Promise<string>) => {
    const path = await dialogs.saveRegister(name)
    if (path === undefined) return { saved: false }
    const content = new Content(byteOrderMark + (await csv()))
    await writeFile({ path: await resolveLinks(path, disk), content, mode: 0o600 }, disk)
    return { saved: true, path }
  }
  return {
    async create(request) {
      const path = await dialogs.saveKit(getKeyFileName(request.holder.name))
      return path === undefined ? buildCancelledResult(request.holder) : handouts.create(request, path)
    },
    async createMany(request, options) {
      const folder = await dialogs.chooseFolder()
      if (folder === undefined) return request.holders.map(buildCancelledResult)
      return handouts.createMany(request, folder, options)
    },
    async createForKeys(request) {
      const folder = await dialogs.chooseFolder()
      const holders = request.keys.map(({ holder }) => holder)
      return folder === undefined ? holders.map(buildCancelledResult) : handouts.createForKeys(request, folder)
    },
    async chooseKit(isOpened) {
      const path = await (isOpened ? dialogs.confirmOpenedKit() : dialogs.openKit())
      return path === undefined ? {} : handouts.chooseKit(path)
    },
    openKit: async (kitId, passphrase) => handouts.openKit(kitId, passphrase ?? (await clipboard.readText()).trim()),
    exportRegister: () => saveTable('keys.csv', () => register.csv()),
    exportAudit: (filter) => saveTable('audit-log.csv', () => audit.csv(filter)),
  }
}

export const buildCancelledResult = (holder: Holder): HandoutResult => ({
  id: randomUUID(),
  holder,
  keyName: '',
  state: 'cancelled',
  hasPassphrase: false,
})
