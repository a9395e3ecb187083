import type { RotationView } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { BulkRotationPage } from '../../../../../../src/renderer/features/keys/rotation/bulk-page'
import { rotateManyPath } from '../../../../../../src/renderer/paths'
import { createPageRenderer } from '../../../support/fake-main'
import {
  buildHandoutResult,
  buildLocalAccountPlan,
  buildLocalKey,
  entry,
  rotation,
  rotationPlan,
} from '../../../support/key-care'
import { tool } from '../../../support/views'

const keys = [
  { planId: 'p1', keyId: 'k1' },
  { planId: 'p1', keyId: 'k2' },
]

const renderPage = createPageRenderer(<BulkRotationPage />, rotateManyPath(keys), {
  'plans.list': () => [buildLocalAccountPlan()],
  'register.list': () => [entry({ tools: ['OpenCode', 'Claude Code'] })],
  'tools.list': () => [
    tool({ name: 'OpenCode', needsRestart: true }),
    tool({ id: 'zed', name: 'Zed', needsRestart: true }),
  ],
  'rotation.list': () => [],
  'rotation.preview': () => rotationPlan(),
  'rotation.startMany': () => [],
})

describe('rotating several keys', () => {
  it('lists keys and holders, and starts only on request', async () => {
    const { main } = await renderPage()
    const rows = within(await screen.findByRole('list', { name: 'Keys' })).getAllByRole('listitem')
    await waitFor(() => expect(rows.map(({ textContent }) => textContent)[0]).toContain('holder: Lan'))
    expect(rows[1]?.textContent).toContain('ci')
    await screen.findByText('Restart after the rotation if running: OpenCode')
    expect(main.askedFor('rotation.startMany')).toEqual([])
  })

  it('includes keys of plans that load after the page opened', async () => {
    let plans = [buildLocalAccountPlan({ keys: [buildLocalKey()] })]
    const { queries } = await renderPage({ 'plans.list': () => plans })
    await screen.findByRole('button', { name: 'Rotate 1 key' })
    plans = [buildLocalAccountPlan()]
    await queries.invalidateQueries()
    await screen.findByRole('button', { name: 'Rotate 2 keys' })
  })

  it('warns when the plan has too few slots for old and new keys', async () => {
    const { user } = await renderPage({ 'rotation.preview': () => rotationPlan({ slots: { used: 4, max: 5 } }) })
    await screen.findByText('Key limit: platform-team has room for 1 of 5 keys, and you selected 2')
    await user.click(screen.getByRole('radio', { name: 'None, delete immediately' }))
    // The holder Lan must confirm first, so the old key keeps using a key slot.
    expect(screen.getByText(/has room for/)).toBeTruthy()
    await user.click(screen.getByRole('radio', { name: 'Now' }))
    await waitFor(() => expect(screen.queryByText(/has room for/)).toBeNull())
  })

  it.each([
    [
      'already replaced: ci',
      [buildLocalKey(), buildLocalKey({ id: 'k2', name: 'ci', replacedBy: { keyId: 'n2', name: 'ci-2' } })],
      entry({ keyId: 'k2', keyName: 'ci' }),
    ],
    [
      'not saved on this computer: old-laptop',
      [buildLocalKey()],
      entry({ keyId: 'k2', keyName: 'old-laptop', isKeptHere: false }),
    ],
  ])('names a selected key that is %s, and rotates the others', async (text, localKeys, skippedEntry) => {
    await renderPage({
      'plans.list': () => [buildLocalAccountPlan({ keys: localKeys })],
      'register.list': () => [entry(), skippedEntry],
    })
    expect(await screen.findAllByText(/^Skipped, /)).toHaveLength(1)
    expect(screen.getByText(`Skipped, ${text} of platform-team`)).toBeTruthy()
    await screen.findByRole('button', { name: 'Rotate 1 key' })
  })

  it('names the holders before the start, and creates their kits from the report', async () => {
    const lanHolder = { kind: 'person' as const, name: 'Lan' }
    const handover = [{ holder: lanHolder, state: 'open' as const }]
    const waitingRotation = rotation({ state: 'waiting', newKeyId: 'n1', handover })
    const secondKey = { id: 'r2', oldKeyId: 'k2', oldKeyName: 'ci', newKeyId: 'n2', handover: [] }
    let list: RotationView[] = []
    const { main, user } = await renderPage({
      'rotation.list': () => list,
      'rotation.startMany': () => {
        list = [waitingRotation, { ...waitingRotation, ...secondKey }]
        return list
      },
      'handouts.createMany': () => {
        list = list.with(0, { ...waitingRotation, handover: [{ holder: lanHolder, state: 'handedOut' }] })
        return [buildHandoutResult({ holder: lanHolder, keyName: waitingRotation.newKeyName, path: '/tmp/lan.age' })]
      },
    })
    await screen.findByText('Other holder: Lan')
    await user.click(await screen.findByRole('button', { name: 'Rotate 2 keys' }))
    await screen.findByText('All 2 keys rotated')
    expect(screen.getByText('Old keys that others hold work until they confirm the new ones.')).toBeTruthy()
    const row = within(await screen.findByRole('list', { name: 'Issue new keys' })).getByRole('listitem')
    expect(row.textContent).toContain('To be issued')
    await user.click(screen.getByRole('button', { name: 'Create 1 key file…' }))
    await screen.findByRole('link', { name: 'Enter confirmation code of Lan' })
    await screen.findByText('/tmp/lan.age')
    const items = [{ planId: 'p1', keyId: 'n1', holder: lanHolder, toolIds: [] }]
    expect(main.askedFor('handouts.createMany')).toEqual([{ items, lock: { kind: 'passphrase' } }])
    const [firstItem] = within(screen.getByRole('list', { name: 'Report' })).getAllByRole('listitem')
    expect(firstItem?.textContent).toContain('Waiting for holders')
  })

  it('links to the register when no selected key can be rotated', async () => {
    await renderPage({}, '/rotate/many?one=["p1","gone"]')
    await screen.findByText('No keys selected')
  })
})
