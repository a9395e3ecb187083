import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { PackagePage } from '../../../../../../src/renderer/features/plans/packages/package-page'
import { buildBuyer, buildPackage, consoleConnection } from '../../../support/account'
import { createPageRenderer, expectLink } from '../../../support/fake-main'
import { buildAddress } from '../../../support/views'

const url = 'https://gateway.example.com'

const renderPage = createPageRenderer(
  <PackagePage />,
  '/plans/packages/package-pro',
  {
    'connections.list': () => [consoleConnection],
    'account.get': () => buildBuyer(),
    'account.packages': () => [buildPackage()],
    'plans.readAddress': ({ text }) => buildAddress(text),
  },
  '/plans/packages/:packageId',
)

const heading = (name: string) => screen.findByRole('heading', { name, level: 1 })

describe('a package', () => {
  it('shows its endpoint for both standards and its model codes, each with a copy button', async () => {
    const offer = buildPackage({ subscriptionEndpoint: url, activationNotes: ['Ready within an hour.'] })
    await renderPage({ 'account.packages': () => [offer] })
    await heading('Pro')
    const addresses = await screen.findByRole('list', { name: 'Addresses for tools' })
    expect(addresses.textContent).toContain(`${url}/v1/chat/completions`)
    expect(addresses.textContent).toContain(`${url}/v1/messages`)
    expect(within(addresses).getAllByRole('button', { name: /^Copy/ })).toHaveLength(4)
    expect(screen.getByRole('button', { name: 'Copy model code aurora-large' })).toBeTruthy()
    expect(screen.getByText('Ready within an hour.')).toBeTruthy()
    expect(screen.queryByText(/^Auto-renew is on by default/)).toBeNull()
  })

  it('shows default texts when the console sends no notes and no endpoint', async () => {
    await renderPage()
    await heading('Pro')
    expect(screen.getByText(/^Auto-renew is on by default/)).toBeTruthy()
    expect(screen.queryByText('Subscription endpoint')).toBeNull()
  })

  it('has a heading and a back link without an account', async () => {
    await renderPage({ 'connections.list': () => [] })
    await heading('Package')
    await expectLink('Packages', '/plans/packages')
    await screen.findByText('No active connection')
  })
})
