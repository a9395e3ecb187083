import type { HistoryEntry } from '@shared/contract'
import { AppError } from '@shared/failure'
import { changeLines, manyLines } from './change-lines'
import { confirm, type YesOption } from './confirm'
import type { CommandContext } from './context'
import { failForLeft } from './left-tools'
import { print, table } from './output'
import { recoverFirst } from './recover-first'
import { type SiteOptions, siteOf } from './site-options'

interface RestoreOptions extends SiteOptions, YesOption {
  readonly all?: boolean
  readonly dryRun?: boolean
}

const nothingWritten = 'Nothing was written (--dry-run).'

/** Puts the files of one tool back as they were, or of all. */
export async function restore(
  context: CommandContext,
  toolId: string | undefined,
  options: RestoreOptions,
): Promise<void> {
  const { core, output } = context
  if (options.all) return restoreAll(context, toolId, options)
  if (toolId === undefined) throw new AppError('input.invalid', 'Name a tool, or add --all.', { field: 'tool' })
  await recoverFirst(context)
  const { tools } = await core.loadTools()
  const preview = await tools.previewRestore({ toolId, site: siteOf(options) })
  if (!options.dryRun) await tools.carryOut(preview.previewId)
  const done = options.dryRun ? nothingWritten : `${toolId} is as it was before.`
  print(output, { ...preview, written: !options.dryRun }, () => [...changeLines(preview, output.hasColour), done])
}

async function restoreAll(context: CommandContext, toolId: string | undefined, options: RestoreOptions): Promise<void> {
  const { core, output } = context
  if (toolId !== undefined || siteOf(options).kind !== 'user') {
    throw new AppError('input.invalid', '--all takes back everything at every site. Leave out the tool and its site.', {
      field: 'all',
    })
  }
  await recoverFirst(context)
  const { tools } = await core.loadTools()
  const preview = await tools.previewRemoveAll()
  const count = preview.tools.length
  if (!options.dryRun && count > 0) {
    confirm(
      output,
      [`This takes back what was written for: ${preview.tools.map(({ toolId }) => toolId).join(', ')}`],
      options,
    )
    await tools.carryOutMany(preview.previewId)
  }
  const done = options.dryRun ? nothingWritten : `${count} ${count === 1 ? 'setup' : 'setups'} taken back.`
  print(output, { ...preview, written: !options.dryRun }, () => [...manyLines(preview, output.hasColour), done])
  failForLeft(preview)
}

/** Prints every write, newest first. */
export async function listHistory({ core, output }: CommandContext, toolId: string | undefined): Promise<void> {
  const entries = await (await core.loadTools()).tools.history(toolId)
  const row = ({ id, at, state, tools }: HistoryEntry): string[] => [
    id,
    at,
    [...new Set(tools.map(({ kind }) => kind))].join(','),
    tools.map((tool) => tool.toolId).join(', '),
    tools[0]?.planName ?? '-',
    state,
  ]
  print(output, entries, () => table(['WRITE', 'AT', 'WHAT', 'TOOLS', 'PLAN', 'STATE'], entries.map(row)))
}

/** Puts files back as they were right before a write. */
export async function rewind(context: CommandContext, id: string, { dryRun = false }): Promise<void> {
  const { core, output } = context
  await recoverFirst(context)
  const { tools } = await core.loadTools()
  const preview = await tools.previewRewind(id)
  if (preview.tools.length === 0) throw new AppError('input.invalid', manyLines(preview, false).join('\n'))
  if (!dryRun) await tools.carryOutMany(preview.previewId)
  const which = preview.left.length > 0 ? 'The other files' : 'The files'
  const done = dryRun ? nothingWritten : `${which} are as they were right before that write.`
  print(output, { ...preview, written: !dryRun }, () => [...manyLines(preview, output.hasColour), done])
  failForLeft(preview)
}
