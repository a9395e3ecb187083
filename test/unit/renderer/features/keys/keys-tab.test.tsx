import type { SubscriptionKeyView } from '@shared/contract'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { KeysTab } from '../../../../../src/renderer/features/keys/keys-tab'
import { accountPlan, subscriptionKey } from '../../support/account'
import { chooseMenuItem, createPageRenderer, type FakeMethods } from '../../support/fake-main'
import { buildLocalAccountPlan, buildLocalKey, rotation } from '../../support/key-care'
import { createDeferred } from '../../support/later'
import { mockElementSize } from '../../support/sized'
import { tool } from '../../support/views'

mockElementSize(900)

const usedKey = subscriptionKey({ usedBy: ['claude-code'] })
const otherKey = subscriptionKey({ keyId: 'k2', name: 'ci', masked: 'sk-...9c04' })
const buildRemoteKey = (): SubscriptionKeyView => {
  const { kept: _, ...rest } = otherKey
  return rest
}

const answers: FakeMethods = {
  'tools.list': () => [tool()],
  'account.keys': () => [usedKey, buildRemoteKey()],
  'plans.list': () => [],
}
const renderPage = (overrides?: FakeMethods, plan = accountPlan({ localPlanId: 'p1' })) =>
  createPageRenderer(<KeysTab connectionId="c1" plan={plan} />, '/plans/a1?tab=keys', answers)(overrides)

describe('the keys of a plan', () => {
  it('are marked when replaced by a rotation while the holder still uses them', async () => {
    const replacedKey = buildLocalKey({ origin: { keyId: 'k1' }, replacedBy: { keyId: 'n1', name: 'lan-laptop-2' } })
    await renderPage({
      'plans.list': () => [buildLocalAccountPlan({ keys: [replacedKey] })],
      'rotation.list': () => [
        rotation({ state: 'waiting', handover: [{ holder: { kind: 'person', name: 'Lan' }, state: 'open' }] }),
      ],
    })
    const row = await screen.findByRole('row', { name: /lan-laptop/ })
    await waitFor(() => expect(row.textContent).toContain('sk-...a1b2ReplacedWaiting for Lan'))
    // The replaced key cannot be rotated again.
    expect(within(row).queryByRole('button', { name: /^Rotate key/ })).toBeNull()
    await userEvent.click(within(row).getByRole('button', { name: /^Actions for/ }))
    const item = await screen.findByRole('menuitem', { name: /Rotate/ })
    expect([item.getAttribute('aria-disabled'), item.textContent]).toEqual(['true', 'Rotate…Waiting for Lan'])
  })

  it('cannot be used or changed while the platform masks them', async () => {
    await renderPage({}, accountPlan({ provisioned: false }))
    await screen.findByText(/Keys are available after provisioning/)
    expect(screen.queryByRole('button', { name: /Copy key|Actions for|Save ci|Add key/ })).toBeNull()
  })

  it('are added once, with their final name', async () => {
    const deferredKey = createDeferred<SubscriptionKeyView>()
    const { main } = await renderPage({ 'account.addKey': () => deferredKey.promise })
    await userEvent.click(await screen.findByRole('button', { name: 'Add key' }))
    const dialog = await screen.findByRole('dialog', { name: 'Add a key to platform-team' })
    expect(dialog.textContent).toContain('Key 3 of 5.')
    await userEvent.type(within(dialog).getByRole('textbox'), '  minh  ')
    const confirm = within(dialog).getByRole('button', { name: 'Add key' })
    fireEvent.click(confirm)
    fireEvent.click(confirm)
    deferredKey.answer(subscriptionKey({ name: 'minh' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(main.askedFor('account.addKey')).toEqual([{ connectionId: 'c1', planId: 'a1', name: 'minh' }])
  })

  it.each([
    ['', true],
    ['   ', true],
    ['x'.repeat(50), false],
    ['x'.repeat(51), true],
  ])('refuse a name like %j: %s', async (name, isRefused) => {
    await renderPage()
    await userEvent.click(await screen.findByRole('button', { name: 'Add key' }))
    const dialog = await screen.findByRole('dialog')
    fireEvent.change(within(dialog).getByRole('textbox'), { target: { value: name } })
    expect(within(dialog).getByRole('button', { name: 'Add key' }).hasAttribute('disabled')).toBe(isRefused)
  })
})

describe('saved keys of a plan', () => {
  const accountKeys = [usedKey, otherKey].map((key, index) => ({ ...key, keyId: `ak${index + 1}` }))
  const twoKeyAnswers = { 'account.keys': () => accountKeys }

  it('are rotated from their row, and handed out from their menu, by their ids on this computer', async () => {
    const { place } = await renderPage({ ...twoKeyAnswers, 'plans.list': () => [buildLocalAccountPlan()] })
    await userEvent.click(await screen.findByRole('button', { name: 'Rotate key ci' }))
    expect(place()).toBe('/rotate?plan=p1&key=k2')
    await chooseMenuItem('ci', 'Issue this key…')
    expect(place()).toBe('/handout?plan=p1&key=k2')
  })

  it('are rotated together when several are selected', async () => {
    await renderPage({ ...twoKeyAnswers, 'plans.list': () => [buildLocalAccountPlan()] })
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select all keys that can be rotated' }))
    const link = await screen.findByRole('link', { name: 'Rotate 2 keys' })
    const query = new URLSearchParams(link.getAttribute('href')?.split('?')[1])
    expect(query.getAll('one')).toEqual(['["p1","k1"]', '["p1","k2"]'])
  })

  it('cannot be rotated without being saved, and the menu explains the first step', async () => {
    await renderPage()
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for ci' }))
    const item = await screen.findByRole('menuitem', { name: /Rotate…/ })
    expect(item.textContent).toContain('Save it to this computer first')
    expect(item.getAttribute('aria-disabled')).toBe('true')
  })
})
