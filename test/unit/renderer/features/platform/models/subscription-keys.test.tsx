import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { SubscriptionKeys } from '../../../../../../src/renderer/features/platform/models/routes'
import { ServiceGate } from '../../../../../../src/renderer/features/platform/resources/service-gate'
import { connection } from '../../../support/connections'
import { installMain, renderInApp } from '../../../support/fake-main'
import { entry } from '../../../support/key-care'
import { mockElementSize } from '../../../support/sized'

mockElementSize(600)

it('shows the keys of the connection\u2019s plans with their type, read-only', async () => {
  const { origin: _, ...handedOver } = entry({ planId: 'h', keyName: 'mine' })
  installMain({
    'connections.list': () => [connection({ isActive: true, addresses: { aipApiUrl: 'https://aip.example.com' } })],
    'register.list': () => [
      entry(),
      entry({ keyId: 'gone', keyName: 'deleted', status: 'gone' }),
      entry({ keyId: 'other', keyName: 'elsewhere', origin: { connectionId: 'c2', planId: 'b', keyId: 'b' } }),
      handedOver,
    ],
  })
  await renderInApp(
    <ServiceGate address="aipApiUrl">
      <SubscriptionKeys />
    </ServiceGate>,
  )
  const rows = (await screen.findAllByRole('row')).slice(1)
  expect(rows.map((row) => row.textContent)).toEqual(['lan-laptopPlan: platform-teamActivesk-...a1b2'])
  expect(screen.getByRole('link', { name: 'lan-laptop' }).getAttribute('href')).toContain('/plans/p1?tab=keys')
  expect(screen.queryByRole('button')).toBeNull()
})
