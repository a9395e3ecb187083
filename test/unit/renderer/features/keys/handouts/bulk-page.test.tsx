import type { HandoutResult } from '@shared/contract'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BulkHandoutPage } from '../../../../../../src/renderer/features/keys/handouts/bulk-page'
import { useHandoutsStore } from '../../../../../../src/renderer/features/keys/handouts/handout-fields'
import { createPageRenderer, type FakeMethods } from '../../../support/fake-main'
import { buildHandoutResult, buildLocalAccountPlan } from '../../../support/key-care'
import { createDeferred } from '../../../support/later'
import { plan } from '../../../support/views'

beforeEach(() => useHandoutsStore.setState({ made: [], names: '', results: [], accepted: undefined, taken: new Map() }))

const person = (name: string) => ({ kind: 'person' as const, name })
const keyLimitFailure = { code: 'account.keyLimitReached', message: 'no' } as const

const renderBulkPage = createPageRenderer(<BulkHandoutPage />, '/handout/many', {
  'plans.list': () => [plan({ id: 'p9' }), buildLocalAccountPlan()],
  'tools.list': () => [],
  'handouts.readNames': ({ text }) => ({
    holders: [...new Set(text.split('\n').filter(Boolean))].map(person),
    left: text.includes('Lan\nLan') ? ['Lan'] : [],
  }),
  'handouts.preview': () => ({ alsoServes: [], freeSlots: 5, makesKey: true, keyName: 'x' }),
  'handouts.createMany': ({ holders }) =>
    holders.map(
      (holder): HandoutResult => buildHandoutResult({ id: holder.name, holder, path: `/kits/${holder.name}.age` }),
    ),
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
  it('shows recipients and skipped names', async () => {
    await renderPage('Lan\nLan\nMinh')
    const list = await screen.findByRole('list', { name: 'Holders' })
    expect(
      within(list)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['Lan', 'Minh'])
    expect(screen.getByText(/Skipped, duplicate or unreadable: Lan/)).toBeTruthy()
  })

  it('creates a kit and a passphrase each', async () => {
    const { main } = await createTwo()
    await screen.findByText('All 2 key files created')
    expect(screen.getByText('/kits/Minh.age')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Copy passphrase for Lan' })).toBeTruthy()
    expect(main.askedFor('handouts.createMany')).toMatchObject([
      { planId: 'p1', holders: [person('Lan'), person('Minh')], toolIds: [], lock: { kind: 'passphrase' } },
    ])
  })

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
    await waitFor(() => expect(main.askedFor('handouts.printPassphrases')).toEqual([{ ids: ['Lan', 'Minh'] }]))
    expect(screen.queryByText('Printed')).toBeNull()
    outcome = 'printed'
    await user.click(screen.getByRole('button', { name: 'Print all' }))
    expect(await screen.findAllByText('Printed')).toHaveLength(2)
  })

  it('shows progress after a folder was chosen, and can be canceled', async () => {
    let done: number | undefined
    const deferredResults = createDeferred<HandoutResult[]>()
    const { main, user } = await createTwo({
      'handouts.createMany': () => deferredResults.promise,
      'handouts.progress': () => (done === undefined ? {} : { done }),
      'calls.cancel': () => ({}),
    })
    await waitFor(() => expect(main.askedFor('handouts.progress')).not.toEqual([]))
    expect(screen.queryByRole('progressbar')).toBeNull()
    done = 1
    await screen.findByRole('progressbar', { name: '1 of 2 created' }, { timeout: 3000 })
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    const inputs = [...main.askedFor('handouts.createMany'), ...main.askedFor('calls.cancel')]
    const [createdId, cancelledId] = inputs.map((input) => z.object({ callId: z.string() }).parse(input).callId)
    expect(cancelledId).toBe(createdId)
    await screen.findByText('Stopping after the current key…')
    deferredResults.answer([
      buildHandoutResult({ id: 'Lan', holder: person('Lan') }),
      buildHandoutResult({ id: 'c', holder: person('Minh'), state: 'cancelled', hasPassphrase: false }),
    ])
    await screen.findByText('1 of 2 created')
    expect(screen.getByRole('button', { name: 'Create the rest' })).toBeTruthy()
  })

  it('explains failures, and retries only those', async () => {
    let isKeyLimitReached = true
    const { main, user } = await createTwo({
      'handouts.createMany': ({ holders }) =>
        holders.map((holder) =>
          holder.name === 'Minh' && isKeyLimitReached
            ? buildHandoutResult({ id: 'f', holder, state: 'failed', failure: keyLimitFailure })
            : buildHandoutResult({ id: holder.name, holder }),
        ),
    })
    await screen.findByText('1 of 2 created')
    expect(screen.getByText(/Key limit reached/)).toBeTruthy()
    isKeyLimitReached = false
    await user.click(screen.getByRole('button', { name: 'Create the rest' }))
    await screen.findByText('All 2 key files created')
    expect(
      main
        .askedFor('handouts.createMany')
        .map((input) => JSON.stringify(input))
        .at(-1),
    ).toContain('"holders":[{"kind":"person","name":"Minh"}]')
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
