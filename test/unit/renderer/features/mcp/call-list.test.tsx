import type { McpCallView } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { CallList } from '../../../../../src/renderer/features/mcp/call-list'
import { createPageRenderer } from '../../support/fake-main'

const successfulCall: McpCallView = { at: '2026-11-20T00:00:00.000Z', name: 'quota', durationMs: 3, outcome: 'ok' }

const renderPage = createPageRenderer(<CallList />, '/mcp', {
  'mcp.tools': () => [],
  'mcp.calls': () => [successfulCall],
  'mcp.recordsArguments': () => false,
})

it('stays off without a warning when the user declines, and reports other failures', async () => {
  let code: 'input.declined' | 'storage.full' = 'input.declined'
  const { user } = await renderPage({ 'mcp.setRecordsArguments': () => ({ code, message: 'no' }) })
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
