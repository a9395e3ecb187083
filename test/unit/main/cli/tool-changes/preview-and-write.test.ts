import { AppError } from '@shared/failure'
import { expect, it } from 'vitest'
import { previewAndWrite } from '../../../../../src/main/cli/tools'

const changedError = new AppError('file.changed', 'It changed since the preview.')

/** A change whose first writes fail with these errors. */
function changeThatFails(...failures: readonly Error[]) {
  const writtenIds: string[] = []
  let previews = 0
  const preview = async () => ({ previewId: `preview ${++previews}` })
  const write = async (id: string) => {
    writtenIds.push(id)
    const failure = failures[writtenIds.length - 1]
    if (failure) throw failure
  }
  return { written: writtenIds, preview, write }
}

it('a change is previewed and written again when a file changed in between', async () => {
  const { written, preview, write } = changeThatFails(changedError)
  expect(await previewAndWrite(preview, write, {})).toEqual({ previewId: 'preview 2' })
  expect(written).toEqual(['preview 1', 'preview 2'])
})

it('a file that keeps changing is reported, and any other failure immediately', async () => {
  const alwaysChanging = changeThatFails(changedError, changedError, changedError)
  await expect(previewAndWrite(alwaysChanging.preview, alwaysChanging.write, {})).rejects.toBe(changedError)
  expect(alwaysChanging.written).toHaveLength(3)
  const diskFullError = new AppError('file.unwritable', 'The disk is full.')
  const diskFull = changeThatFails(diskFullError)
  await expect(previewAndWrite(diskFull.preview, diskFull.write, {})).rejects.toBe(diskFullError)
  expect(diskFull.written).toHaveLength(1)
})

it('a dry run writes nothing', async () => {
  const { written, preview, write } = changeThatFails()
  await previewAndWrite(preview, write, { dryRun: true })
  expect(written).toEqual([])
})
