import type { McpCallView } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { CallList } from '../../../../../src/renderer/features/mcp/call-list'
import { ChangeDialog } from '../../../../../src/renderer/features/mcp/change-dialog'
import { clickEnabledButton, createPageRenderer, findEnabledButton } from '../../support/fake-main'
import { buildBulkPreview, changes } from '../../support/many'

const successfulCall: McpCallView = { at: '2026-11-20T00:00:00.000Z', name: 'quota', durationMs: 3, outcome: 'ok' }

const renderList = createPageRenderer(<CallList />, '/mcp', {
  'mcp.tools': () => [],
  'mcp.calls': () => [successfulCall],
  'mcp.recordsArguments': () => false,
})

it('stays off without a warning when the user declines, and reports other failures', async () => {
  let code: 'input.declined' | 'storage.full' = 'input.declined'
  const { user } = await renderList({ 'mcp.setRecordsArguments': () => ({ code, message: 'no' }) })
  const recording = await screen.findByRole('switch', { name: 'Record arguments' })
  await waitFor(() => expect(recording.hasAttribute('disabled')).toBe(false))
  await user.click(recording)
  await waitFor(() => expect(recording.hasAttribute('disabled')).toBe(false))
  expect(recording.getAttribute('aria-checked')).toBe('false')
  expect(screen.queryByRole('alert')).toBeNull()
  code = 'storage.full'
  await user.click(recording)
  await screen.findByRole('alert')
})

const renderDialog = createPageRenderer(
  <ChangeDialog requestedChange={{ what: 'server', toolId: 'pi', action: 'add' }} onClose={() => undefined} />,
  '/mcp',
  { 'tools.list': () => [], 'mcp.tools': () => [] },
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
  await main.waitForCalls('mcp.carryOut', [{ previewId: 'preview-1' }, { previewId: 'preview-3' }])
})
