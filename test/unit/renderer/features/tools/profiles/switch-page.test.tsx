import type { BulkPreview } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Route, Routes } from 'react-router'
import { toast } from 'sonner'
import { afterEach, describe, expect, it } from 'vitest'
import { SwitchPage } from '../../../../../../src/renderer/features/tools/profiles/profile-page'
import { setUpTool } from '../../../../../support/tool-setups'
import { clickEnabledButton, createPageRenderer, expectLink, findEnabledButton } from '../../../support/fake-main'
import { changes } from '../../../support/many'
import { buildBulkPreview, historyEntry, profile, profileEntry } from '../../../support/profiles'
import { withToasts } from '../../../support/toasts'

const page = (
  <Routes>
    <Route path="/profiles/:profileId/switch" element={<SwitchPage />} />
    <Route path="*" element={<p>elsewhere</p>} />
  </Routes>
)
const renderPage = createPageRenderer(withToasts(page), '/profiles/w/switch', {
  'profiles.list': () => [profile()],
  'tools.list': () => [setUpTool(), setUpTool({ id: 'opencode', name: 'OpenCode' })],
  'profiles.previewUse': () => buildBulkPreview(),
  'tools.applyMany': () => [],
  'tools.history': () => [historyEntry({ id: 'e9' }), historyEntry({ id: 'e8' })],
  'tools.previewRewind': () => buildBulkPreview({ previewId: 'rewind-1' }),
})
const renderPreview = (preview: Partial<BulkPreview>) =>
  renderPage({ 'profiles.previewUse': () => buildBulkPreview(preview) })

/** A tool that the preview does not change. */
const toUnchangedTool = (toolId: string, failure: Failure): BulkPreview['left'][number] => ({
  toolId,
  site: { kind: 'user' },
  failure,
})

// Dismiss toasts, because they stay visible after their page is removed.
afterEach(() => void toast.dismiss())

describe('switching to a profile', () => {
  it('links to the undo page when not everything can be undone together', async () => {
    const left = [toUnchangedTool('claude-code', { code: 'file.changed', message: 'x' })]
    const { main, place } = await renderPage({ 'tools.previewRewind': () => buildBulkPreview({ left }) })
    await clickEnabledButton('Switch')
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(place()).toBe('/history/e9'))
    expect(main.askedFor('tools.applyMany')).toHaveLength(1)
  })

  it('does not write a key in plain text without consent', async () => {
    const { main } = await renderPreview({ tools: [changes('claude-code', { warnings: [{ code: 'plainText' }] })] })
    await screen.findByText('Allow plain text above first.')
    expect(screen.getByRole('button', { name: 'Switch' }).hasAttribute('disabled')).toBe(true)
    await userEvent.click(screen.getByRole('switch', { name: /plain text into the settings of Claude Code/ }))
    await clickEnabledButton('Switch')
    await waitFor(() => expect(main.askedFor('tools.applyMany')).toHaveLength(1))
  })

  it('lists tools that cannot be changed and unchanged ones', async () => {
    const entries = [profileEntry(), profileEntry({ toolId: 'opencode', toolName: 'OpenCode' })]
    const left = [toUnchangedTool('opencode', { code: 'file.unparsable', message: 'x', line: 3 })]
    await renderPage({
      'profiles.list': () => [profile(), profile({ id: 'o', name: 'other', isActive: true, entries })],
      'profiles.previewUse': () => buildBulkPreview({ left }),
    })
    await screen.findByText('Not in this profile, unchanged: OpenCode.')
    expect((await screen.findAllByText(/in line 3/)).length).toBeGreaterThan(0)
  })

  it('switches a tool whose plan changes only in the relay', async () => {
    const { main } = await renderPreview({ tools: [changes('claude-code', { files: [], setsWay: true })] })
    await clickEnabledButton('Switch')
    expect(main.askedFor('tools.applyMany')).toHaveLength(1)
  })

  it('links to the profile when its plan or key is missing', async () => {
    await renderPage({ 'profiles.previewUse': () => ({ code: 'profile.incomplete', message: 'team' }) })
    await screen.findByText('Profile incomplete')
    await expectLink('Choose another', '/profiles/w')
    expect(screen.queryByRole('button', { name: 'Switch' })).toBeNull()
  })

  it('explains a failure of the tray menu', async () => {
    await renderPage({}, '/profiles/w/switch?failed=file.unwritable')
    expect((await screen.findByRole('alert')).textContent).toMatch(/Can’t write the file/)
  })

  it('ignores an invalid code in the address', async () => {
    await renderPage({}, '/profiles/w/switch?failed=constructor.name')
    await findEnabledButton('Switch')
    expect(screen.queryByRole('alert')).toBeNull()
  })
})
