import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { FieldValue } from '../../../src/renderer/features/platform/resources/fields-view'
import { PlatformTime, RelativeTime } from '../../../src/renderer/relative-time'
import { buildBuiltIn, connection } from './support/connections'
import { installMain, renderInApp } from './support/fake-main'

const dayMs = 86_400_000

it('times from the platform are shown relative to its server’s clock', async () => {
  const inSevenDays = new Date(Date.now() + 7 * dayMs).toISOString()
  installMain({ 'connections.list': () => [buildBuiltIn({ aheadMs: 7 * dayMs }), connection()] })
  await renderInApp(
    <>
      <p data-testid="field">
        <FieldValue value={inSevenDays} format="date" />
      </p>
      <p data-testid="platform">
        <PlatformTime at={inSevenDays} />
      </p>
      <p data-testid="plan">
        <RelativeTime at={inSevenDays} aheadMs={7 * dayMs} />
      </p>
      <p data-testid="ours">
        <RelativeTime at={inSevenDays} />
      </p>
    </>,
  )
  await waitFor(() => expect(screen.getByTestId('field').textContent).toBe('now'))
  const shownTimes = ['platform', 'plan', 'ours'].map((id) => screen.getByTestId(id).textContent)
  expect(shownTimes).toEqual(['now', 'now', 'in 7 days'])
})
