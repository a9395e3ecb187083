import { waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ChangeDialog } from '../../../../../src/renderer/features/mcp/change-dialog'
import { clickEnabledButton, createPageRenderer, findEnabledButton } from '../../support/fake-main'
import { buildBulkPreview, changes } from '../../support/many'

const renderDialog = createPageRenderer(
  <ChangeDialog
    requestedChange={{ what: 'server', toolId: 'pi', action: 'add' }}
    tools={[]}
    onClose={() => undefined}
  />,
  '/mcp',
  { 'tools.list': () => [] },
)

it('writes again after a refused write and a new preview, also while that preview is refreshed', async () => {
  let previews = 0
  const { main, queries, user } = await renderDialog({
    'mcp.preview': () => {
      previews += 1
      const preview = buildBulkPreview([changes('pi')], { previewId: `preview-${previews}` })
      return previews === 4 ? new Promise(() => undefined) : preview
    },
    'mcp.carryOut': () => ({ code: 'file.changed', message: 'changed' }),
  })
  await clickEnabledButton('Add')
  await clickEnabledButton('Show the new preview')
  const button = await findEnabledButton('Add')
  expect(previews).toBe(3)
  void queries.invalidateQueries({ queryKey: ['mcp.preview'] })
  await waitFor(() => expect(previews).toBe(4))
  await user.click(button)
  await waitFor(() =>
    expect(main.askedFor('mcp.carryOut')).toEqual([{ previewId: 'preview-1' }, { previewId: 'preview-3' }]),
  )
})
