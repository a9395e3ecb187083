import { screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { BulkHandoutPage } from '../../../../../../src/renderer/features/keys/handouts/bulk-page'
import { useHandoutsStore } from '../../../../../../src/renderer/features/keys/handouts/handout-fields'
import { createPageRenderer, type FakeMethods } from '../../../support/fake-main'
import { buildHandoutResult, buildLocalAccountPlan } from '../../../support/key-care'
import { plan } from '../../../support/views'

beforeEach(() => useHandoutsStore.setState({ made: [], names: '', results: [], accepted: undefined, taken: new Map() }))

const renderBulkPage = createPageRenderer(<BulkHandoutPage />, '/handout/many', {
  'plans.list': () => [plan({ id: 'p9' }), buildLocalAccountPlan()],
  'tools.list': () => [],
  'handouts.readNames': ({ text }) => ({
    holders: text.split('\n').map((name) => ({ kind: 'person', name })),
    left: [],
  }),
  'handouts.preview': () => ({ alsoServes: [], freeSlots: 5, makesKey: true, keyName: 'x' }),
  'handouts.createMany': ({ items }) => items.map(({ holder }) => buildHandoutResult({ id: holder.name, holder })),
})

/** Renders the page with pasted names. */
async function renderPage(names: string, overrides: FakeMethods = {}) {
  const page = await renderBulkPage(overrides)
  await page.user.click(await screen.findByRole('textbox', { name: 'Holders' }))
  await page.user.paste(names)
  return page
}

/** Renders the page and creates key files for Lan and Minh. */
async function createTwo(overrides: FakeMethods = {}) {
  const page = await renderPage('Lan\nMinh', overrides)
  await page.user.click(await screen.findByRole('button', { name: 'Create 2 key files' }))
  return page
}

describe('handing out several keys', () => {
  it('copies all passphrases as a list, and marks the copied ones', async () => {
    const { main, user } = await createTwo({ 'handouts.copyPassphrases': () => ({ clearsAfterMs: 30_000 }) })
    await user.click(await screen.findByRole('button', { name: 'Copy passphrase for Minh' }))
    expect(await screen.findAllByText('Copied')).toHaveLength(1)
    await user.click(screen.getByRole('button', { name: 'Copy all passphrases' }))
    await waitFor(() => expect(screen.getAllByText('Copied')).toHaveLength(2))
    expect(main.askedFor('handouts.copyPassphrases')).toEqual([{ ids: ['Minh'] }, { ids: ['Lan', 'Minh'] }])
  })

  it('prints all passphrases as one list, and marks them unless printing was cancelled', async () => {
    let outcome: 'printed' | 'cancelled' = 'cancelled'
    const { main, user } = await createTwo({ 'handouts.printPassphrases': () => ({ outcome }) })
    await user.click(await screen.findByRole('button', { name: 'Print all' }))
    await main.waitForCalls('handouts.printPassphrases', [{ ids: ['Lan', 'Minh'] }])
    expect(screen.queryByText('Printed')).toBeNull()
    outcome = 'printed'
    await user.click(screen.getByRole('button', { name: 'Print all' }))
    expect(await screen.findAllByText('Printed')).toHaveLength(2)
  })

  it('keeps names and results when the user returns', async () => {
    const firstPage = await renderPage('Lan')
    await firstPage.user.click(await screen.findByRole('button', { name: 'Create 1 key file' }))
    await screen.findByText('Key file created')
    firstPage.unmount()
    await renderBulkPage()
    await screen.findByText('Key file created')
    await firstPage.user.click(await screen.findByRole('button', { name: 'Enter other names' }))
    await waitFor(() => expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Holders' }).value).toBe(''))
  })

  it('offers nothing when keys cannot be created', async () => {
    await renderBulkPage({ 'plans.list': () => [plan()] })
    await screen.findByText('No keys to issue yet')
  })
})
