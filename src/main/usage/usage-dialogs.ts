import type { MethodInput, MethodOutput, UsageFilter } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { Clock } from '../ports'
import type { Disk } from '../tools/disk'
import { Content, fileNameOf, resolveLinks, writeFile, writeStreamed } from '../tools/files'
import { type ExportFormat, requestsText, seriesText } from './export-text'

/** Asks a person where to save; undefined when no place was chosen. */
export interface UsageDialogs {
  saveUsage(suggestedName: string, format: ExportFormat): Promise<string | undefined>
  savePicture(suggestedName: string): Promise<string | undefined>
}

/** What of the usage is needed here. */
interface UsageFilesParts {
  readonly usage: {
    series(query: MethodInput<'usage.series'>): Promise<MethodOutput<'usage.series'>>
    requests(query: MethodInput<'usage.requests'>): Promise<MethodOutput<'usage.requests'>>
  }
  readonly dialogs: UsageDialogs
  readonly disk: Disk
  readonly clock: Clock
}

/** Figures, requests and pictures of charts as files that a person chooses in a dialog. */
interface UsageFiles {
  /** Fails with `file.unwritable`, or as the figures do. */
  export(wish: MethodInput<'usage.export'>): Promise<MethodOutput<'usage.export'>>
  /** Fails with `input.invalid` for what is no PNG. */
  savePicture(picture: MethodInput<'usage.savePicture'>): Promise<MethodOutput<'usage.savePicture'>>
}

/** By this mark a spreadsheet knows that the text is UTF-8. */
const byteOrderMark = '\uFEFF'
const pageSize = 500
const privateMode = 0o600
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const pngEnd = Buffer.from([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])

export function createUsageFiles({ usage, dialogs, disk, clock }: UsageFilesParts): UsageFiles {
  const save = async (chosen: string, pieces: AsyncIterable<string>): Promise<{ path: string }> => {
    await writeStreamed({ path: await resolveLinks(chosen, disk), pieces, mode: privateMode }, disk)
    return { path: chosen }
  }
  return {
    async export({ filter, what, step, format }) {
      if (what === 'requests' && filter.scope === 'console')
        throw new AppError('input.invalid', 'The console tells sums alone, no single requests.', { field: 'what' })
      const name = `usage-${what}-${clock().toISOString().slice(0, 10)}.${format}`
      const path = await dialogs.saveUsage(name, format)
      if (path === undefined) return {}
      const mark = format === 'csv' ? byteOrderMark : ''
      const figures = async function* () {
        yield mark
        if (what === 'series') yield seriesText(await usage.series({ filter, step, compare: false }), filter, format)
        else yield* requestsText(pagesOf(usage, filter), filter, format)
      }
      return save(path, figures())
    },
    async savePicture({ name, pngBase64 }) {
      const bytes = Buffer.from(pngBase64, 'base64')
      if (!isPng(bytes)) throw new AppError('input.invalid', 'This is no PNG picture.', { field: 'pngBase64' })
      const path = await dialogs.savePicture(`${fileNameOf(name, 'usage')}.png`)
      if (path === undefined) return {}
      await writeFile({ path: await resolveLinks(path, disk), content: new Content(bytes), mode: privateMode }, disk)
      return { path }
    },
  }
}

async function* pagesOf(usage: UsageFilesParts['usage'], filter: UsageFilter) {
  let next: string | undefined
  do {
    const page = await usage.requests({ filter, limit: pageSize, next })
    yield page.requests
    next = page.next
  } while (next !== undefined)
}

const isPng = (bytes: Buffer): boolean =>
  bytes.subarray(0, 8).equals(pngSignature) &&
  bytes.toString('latin1', 12, 16) === 'IHDR' &&
  bytes.subarray(-8).equals(pngEnd)
