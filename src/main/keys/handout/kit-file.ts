import { randomUUID } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type {
  AuditFilter,
  HandoutRequest,
  HandoutResult,
  Holder,
  KeyFileContent,
  MethodInput,
  MethodOutput,
} from '@shared/contract'
import { AppError } from '@shared/failure'
import { byteOrderMark } from '../../core/csv'
import { type Disk, errorCode, undefinedIfMissing } from '../../core/files/disk'
import { Content, createUnwritableError, readChosenFile, resolveLinks, writeFile } from '../../core/files/files'
import type { ClipboardPort, FileDialogs } from '../../core/ports'

const maxNames = 1000

/** The bytes of a key file, at most 256 kB. Fails with `file.unreadable` or `handout.unreadable`. */
export const readKeyFileBytes = (path: string): Promise<Uint8Array> =>
  readChosenFile(
    path,
    256_000,
    () => new AppError('handout.unreadable', `${path} is too large for a key file. Choose another file.`),
  )

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

type BulkRequest = Omit<MethodInput<'handouts.createMany'>, 'callId'>
type KeysRequest = MethodInput<'handouts.createForKeys'>

/** `signal` stops a bulk request before the next holder. `onProgress` gets the number of finished holders. */
export interface BulkOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((done: number) => void) | undefined
}

interface HandoutParts {
  readonly handouts: {
    create(request: HandoutRequest, path: string): Promise<HandoutResult>
    createMany(request: BulkRequest, folder: string, options?: BulkOptions): Promise<HandoutResult[]>
    createForKeys(request: KeysRequest, folder: string): Promise<HandoutResult[]>
    chooseKit(path: string): Promise<MethodOutput<'handouts.chooseKit'>>
    openKit(kitId: string, passphrase?: string): Promise<KeyFileContent>
  }
  readonly register: { csv(): Promise<string> }
  readonly audit: { csv(filter: AuditFilter): Promise<string> }
  readonly dialogs: Pick<FileDialogs, 'open' | 'save' | 'chooseFolder'>
  /** Asks whether to open the key file that the system opened with the app. Undefined if not. */
  readonly confirmOpenedKit: () => Promise<string | undefined>
  readonly clipboard: ClipboardPort
  readonly disk: Disk
}

/**
 * Saves and opens key files, and exports the key register and the audit log, at paths that the user chooses in a
 * dialog.
 */
export function createHandoutFiles(parts: HandoutParts) {
  const { handouts, register, audit, dialogs, confirmOpenedKit, clipboard, disk } = parts
  const saveTable = async (name: string, csv: () => Promise<string>) => {
    const path = await dialogs.save(name, 'csv')
    if (path === undefined) return { saved: false }
    const content = new Content(byteOrderMark + (await csv()))
    await writeFile({ path: await resolveLinks(path, disk), content, mode: 0o600 }, disk)
    return { saved: true, path }
  }
  return {
    /** Asks for the path before creating a key. Creates nothing if the user cancels. Fails as `Handouts.create` does. */
    async create(request: HandoutRequest): Promise<HandoutResult> {
      const path = await dialogs.save(getKeyFileName(request.holder.name), 'keyFile')
      return path === undefined ? buildCancelledResult(request.holder) : handouts.create(request, path)
    },
    async createMany(request: BulkRequest, options?: BulkOptions): Promise<HandoutResult[]> {
      const folder = await dialogs.chooseFolder()
      if (folder === undefined) return request.holders.map(buildCancelledResult)
      return handouts.createMany(request, folder, options)
    },
    async createForKeys(request: KeysRequest): Promise<HandoutResult[]> {
      const folder = await dialogs.chooseFolder()
      const holders = request.keys.map(({ holder }) => holder)
      return folder === undefined ? holders.map(buildCancelledResult) : handouts.createForKeys(request, folder)
    },
    async chooseKit(isOpened?: boolean): Promise<MethodOutput<'handouts.chooseKit'>> {
      const path = await (isOpened ? confirmOpenedKit() : dialogs.open('keyFile'))
      return path === undefined ? {} : handouts.chooseKit(path)
    },
    /** Opens a key file. Without a passphrase, tries the text on the clipboard. */
    openKit: async (kitId: string, passphrase?: string) =>
      handouts.openKit(kitId, passphrase ?? (await clipboard.readText()).trim()),
    exportRegister: () => saveTable('keys.csv', () => register.csv()),
    exportAudit: (filter: AuditFilter) => saveTable('audit-log.csv', () => audit.csv(filter)),
  }
}

export const buildCancelledResult = (holder: Holder): HandoutResult => ({
  id: randomUUID(),
  holder,
  keyName: '',
  state: 'cancelled',
  hasPassphrase: false,
})
