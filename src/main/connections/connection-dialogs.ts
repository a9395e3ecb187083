import type { ConnectionDraft, ConnectionView } from '@shared/contract'
import { type Confirm, requireConsent } from '../consent/consent'
import type { Disk } from '../tools/disk'
import { namingFile } from '../tools/file-errors'
import { Content, resolveLinks, writeFile } from '../tools/files'
import { type ConnectionFile, connectionText, readConnectionText, requireCertificates } from './connection-file'

/** Asks a person for a path; undefined when none was chosen. */
export interface FileDialogs {
  openConnection(): Promise<string | undefined>
  openCertificates(): Promise<string | undefined>
  saveConnection(suggestedName: string): Promise<string | undefined>
}

/** What of the connections is needed here. */
interface ConnectionTexts {
  readDraft(text: string): ConnectionDraft
  fileOf(id: string): ConnectionFile
  list(): readonly Pick<ConnectionView, 'id' | 'caFile'>[]
}

interface ConnectionFilesDeps {
  readonly connections: ConnectionTexts
  readonly confirm: Confirm
  readonly dialogs: FileDialogs
  readonly disk: Disk
}

/** Connection files that a person chooses in a dialog. */
interface ConnectionFiles {
  /** Fails with `file.*`, `address.*` or `input.invalid`. */
  read(): Promise<{ draft?: ConnectionDraft }>
  /** Fails with `connection.notFound` or `file.unwritable`. */
  write(id: string): Promise<{ path?: string }>
  /** Fails with `file.unreadable`, or `file.unparsable` when it holds no certificate. */
  chooseCertificates(): Promise<{ path?: string }>
  /** Asks about a file of certificates that the person neither chose in a dialog nor uses for the connection already. Fails with `input.declined`. */
  requireTrusted(connection: { id?: string | undefined; name: string; caFile?: string | undefined }): Promise<void>
}

export function createConnectionFiles({ connections, confirm, dialogs, disk }: ConnectionFilesDeps): ConnectionFiles {
  const chosen = new Set<string>()
  return {
    async read() {
      const path = await dialogs.openConnection()
      if (path === undefined) return {}
      const text = await readConnectionText(path)
      const draft = readNamed(path, () => connections.readDraft(text))
      if (draft.caFile !== undefined) chosen.add(draft.caFile)
      return { draft }
    },
    async write(id) {
      const file = connections.fileOf(id)
      const chosen = await dialogs.saveConnection(fileNameFor(file.name))
      if (chosen === undefined) return {}
      const path = await resolveLinks(chosen, disk)
      await writeFile({ path, content: new Content(connectionText(file)), mode: 0o600 }, disk)
      return { path: chosen }
    },
    async chooseCertificates() {
      const path = await dialogs.openCertificates()
      if (path === undefined) return {}
      requireCertificates(path)
      chosen.add(path)
      return { path }
    },
    async requireTrusted({ id, name, caFile = '' }) {
      const path = caFile.trim()
      const isUsed = connections.list().some((one) => one.id === id && one.caFile === path)
      if (path === '' || isUsed || chosen.has(path)) return
      await requireConsent(confirm, { kind: 'trustCertificates', connection: name, path })
      chosen.add(path)
    },
  }
}

const fileNameFor = (name: string): string => `${name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 50)}.json`

function readNamed<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw namingFile(path, error)
  }
}
