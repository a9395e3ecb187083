import type { PackageView } from '@shared/contract'
import { screen, within } from '@testing-library/react'
import { Route, Routes } from 'react-router'
import { describe, expect, it } from 'vitest'
import { PackagePage } from '../../../../../../src/renderer/features/plans/packages/package-page'
import { buildBuyer, buildPackage, consoleConnection } from '../../../support/account'
import { installMain, renderInApp } from '../../../support/fake-main'
import { buildAddress } from '../../../support/views'

const url = 'https://gateway.example.com'

async function renderPage(offer: PackageView, connections = [consoleConnection]) {
  installMain({
    'connections.list': () => connections,
    'account.get': () => buildBuyer(),
    'account.packages': () => [offer],
    'plans.readAddress': ({ text }) => buildAddress(text),
  })
  const pages = (
    <Routes>
      <Route path="/plans/packages/:packageId" element={<PackagePage />} />
    </Routes>
  )
  await renderInApp(pages, '/plans/packages/package-pro')
}

const heading = (name: string) => screen.findByRole('heading', { name, level: 1 })

describe('a package', () => {
  it('shows its endpoint for both standards and its model codes, each with a copy button', async () => {
    await renderPage(buildPackage({ subscriptionEndpoint: url, activationNotes: ['Ready within an hour.'] }))
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
    await renderPage(buildPackage())
    await heading('Pro')
    expect(screen.getByText(/^Auto-renew is on by default/)).toBeTruthy()
    expect(screen.queryByText('Subscription endpoint')).toBeNull()
  })

  it('has a heading and a back link without an account', async () => {
    await renderPage(buildPackage(), [])
    await heading('Package')
    expect(screen.getByRole('link', { name: 'Packages' }).getAttribute('href')).toBe('/plans/packages')
    await screen.findByText('No active connection')
  })
})
