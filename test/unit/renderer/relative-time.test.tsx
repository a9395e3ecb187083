import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { FieldValue } from '../../../src/renderer/features/platform/resources/fields-view'
import { PlatformTime, RelativeTime } from '../../../src/renderer/relative-time'
import { buildBuiltInConnection, connection } from './support/connections'
import { installMain, renderInApp } from './support/fake-main'

const dayMs = 86_400_000

it('times from the platform are shown relative to its server’s clock', async () => {
  const sevenDaysFromNow = new Date(Date.now() + 7 * dayMs).toISOString()
  installMain({ 'connections.list': () => [buildBuiltInConnection({ aheadMs: 7 * dayMs }), connection()] })
  await renderInApp(
    <>
      <p data-testid="field">
        <FieldValue value={sevenDaysFromNow} format="date" />
      </p>
      <p data-testid="platform">
        <PlatformTime at={sevenDaysFromNow} />
      </p>
      <p data-testid="plan">
        <RelativeTime at={sevenDaysFromNow} aheadMs={7 * dayMs} />
      </p>
      <p data-testid="ours">
        <RelativeTime at={sevenDaysFromNow} />
      </p>
    </>,
  )
  await waitFor(() => expect(screen.getByTestId('field').textContent).toBe('now'))
  const times = ['platform', 'plan', 'ours'].map((id) => screen.getByTestId(id).textContent)
  expect(times).toEqual(['now', 'now', 'in 7 days'])
})
