import type { MethodInput, MethodOutput } from '@shared/contract'
import { AppError } from '@shared/failure'
import { exportText } from '../resources/export-text'
import type { RecordSets } from '../resources/record-sets'
import type { Disk } from '../tools/disk'
import { resolveLinks } from '../tools/files'
import { fileNameOf, writeStreamed } from '../tools/streamed-file'

/** Asks a person where to save; undefined when no place was chosen. */
export interface ResourceDialogs {
  saveRows(suggestedName: string, format: 'json' | 'csv'): Promise<string | undefined>
  saveText(suggestedName: string): Promise<string | undefined>
}

export interface ResourceFilesParts {
  readonly sets: RecordSets
  readonly dialogs: ResourceDialogs
  readonly disk: Disk
}

/** Rows and texts of the platform as files that a person chooses in a dialog. */
export interface ResourceFiles {
  /** Fails with `input.invalid` for a list that is no longer held, or with `file.unwritable`. */
  export(wish: MethodInput<'resources.export'>): Promise<MethodOutput<'resources.export'>>
  /** Fails with `file.unwritable`. */
  saveText(wish: MethodInput<'resources.saveText'>): Promise<MethodOutput<'resources.saveText'>>
}

/** What others of this machine may read: rows and logs are no secrets, and those in them are masked. */
const usualMode = 0o644

export function createResourceFiles({ sets, dialogs, disk }: ResourceFilesParts): ResourceFiles {
  const save = async (path: string | undefined, pieces: Iterable<string>): Promise<{ path?: string }> => {
    if (path === undefined) return {}
    await writeStreamed({ path: await resolveLinks(path, disk), pieces, mode: usualMode }, disk)
    return { path }
  }
  return {
    async export({ name, format, rows, setId, places }) {
      if ((rows === undefined) === (setId === undefined)) {
        throw new AppError('input.invalid', 'Give rows or the list that holds them.', { field: 'rows' })
      }
      const chosen = rows ?? sets.rows(setId ?? '', places)
      return save(await dialogs.saveRows(`${fileNameOf(name, 'rows')}.${format}`, format), exportText(chosen, format))
    },
    saveText: async ({ name, text }) => save(await dialogs.saveText(fileNameOf(name, 'text.txt')), [text]),
  }
}
