import { AppError } from '@shared/failure'
import { expect, it } from 'vitest'
import { previewAndWrite } from '../../../../../src/main/cli/tools'

const fileChangedError = new AppError('file.changed', 'It changed since the preview.')

/** A change whose first writes fail with these errors. */
function createFailingChange(...failures: readonly Error[]) {
  const writtenIds: string[] = []
  let previews = 0
  const preview = async () => ({ previewId: `preview ${++previews}` })
  const applyTool = async (id: string) => {
    writtenIds.push(id)
    const failure = failures[writtenIds.length - 1]
    if (failure) throw failure
  }
  return { written: writtenIds, preview, write: applyTool }
}

it('a change is previewed and written again when a file changed in between', async () => {
  const { written, preview, write } = createFailingChange(fileChangedError)
  expect(await previewAndWrite(preview, write, {})).toEqual({ previewId: 'preview 2' })
  expect(written).toEqual(['preview 1', 'preview 2'])
})

it('a file that keeps changing is reported, and any other failure immediately', async () => {
  const alwaysFailingChange = createFailingChange(fileChangedError, fileChangedError, fileChangedError)
  await expect(previewAndWrite(alwaysFailingChange.preview, alwaysFailingChange.write, {})).rejects.toBe(
    fileChangedError,
  )
  expect(alwaysFailingChange.written).toHaveLength(3)
  const diskFullError = new AppError('file.unwritable', 'The disk is full.')
  const diskFullChange = createFailingChange(diskFullError)
  await expect(previewAndWrite(diskFullChange.preview, diskFullChange.write, {})).rejects.toBe(diskFullError)
  expect(diskFullChange.written).toHaveLength(1)
})

it('a dry run writes nothing', async () => {
  const { written, preview, write } = createFailingChange()
  await previewAndWrite(preview, write, { dryRun: true })
  expect(written).toEqual([])
})
