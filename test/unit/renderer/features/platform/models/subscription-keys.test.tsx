import type { RegisterEntry } from '@shared/contract'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { SubscriptionKeys } from '../../../../../../src/renderer/features/platform/models/routes'
import { ServiceGate } from '../../../../../../src/renderer/features/platform/resources/service-gate'
import { connection } from '../../../support/connections'
import { installMain, renderInApp } from '../../../support/fake-main'
import { mockElementSize } from '../../../support/sized'

mockElementSize(600)

const key = (overrides: Partial<RegisterEntry> = {}): RegisterEntry => ({
  planId: 'p',
  planName: 'team',
  keyId: 'k',
  keyName: 'lan',
  status: 'ACTIVE',
  masked: 'sk-...a1b2',
  isKeptHere: true,
  tools: [],
  alsoServes: [],
  origin: { connectionId: 'c1', planId: 'a1', keyId: 'ak1' },
  ...overrides,
})

it('shows the keys of the connection\u2019s plans with their type, read-only', async () => {
  const { origin: _, ...handedOver } = key({ planId: 'h', keyName: 'mine' })
  installMain({
    'connections.list': () => [connection({ isActive: true, addresses: { aipApiUrl: 'https://aip.example.com' } })],
    'register.list': () => [
      key(),
      key({ keyId: 'gone', keyName: 'deleted', status: 'gone' }),
      key({ keyId: 'other', keyName: 'elsewhere', origin: { connectionId: 'c2', planId: 'b', keyId: 'b' } }),
      handedOver,
    ],
  })
  await renderInApp(
    <ServiceGate address="aipApiUrl">
      <SubscriptionKeys />
    </ServiceGate>,
  )
  const rows = (await screen.findAllByRole('row')).slice(1)
  expect(rows.map((row) => row.textContent)).toEqual(['lanPlan: teamActivesk-...a1b2'])
  expect(screen.getByRole('link', { name: 'lan' }).getAttribute('href')).toContain('/plans/p?tab=keys')
  expect(screen.queryByRole('button')).toBeNull()
})
