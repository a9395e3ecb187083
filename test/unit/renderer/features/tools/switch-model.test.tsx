import type { PlanQuota } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { ModelField } from '../../../../../src/renderer/features/tools/choice-form'
import { ExhaustedNotice } from '../../../../../src/renderer/features/tools/tool-notices'
import { installMain, renderInApp } from '../../support/fake-main'
import { buildBulkPreview, changes } from '../../support/many'
import { buildAppliedSetup, plan, tool } from '../../support/views'

const gauge = (quota: number, used: number) => ({
  quota,
  used,
  forecast: { kind: 'notEnough', reason: 'tooShort' } as const,
})
const quota: PlanQuota = {
  planId: 'p1',
  name: 'team',
  source: 'console',
  isExpired: false,
  at: '2026-11-28T08:00:00.000Z',
  models: [
    { modelCode: 'large', displayName: 'Large', tokens: gauge(100, 100), requests: gauge(100, 1) },
    { modelCode: 'fast', displayName: 'Fast', tokens: gauge(20_000_000, 16_200_000), requests: gauge(100, 1) },
  ],
}
const team = plan({ models: ['large', 'fast', 'new'] })
const tools = [
  tool({ applied: buildAppliedSetup() }),
  tool({ id: 'kilo', name: 'Kilo Code', status: 'drifted', applied: buildAppliedSetup() }),
]

it('switches every tool from a model without quota in one click', async () => {
  const main = installMain({
    'tools.list': () => tools,
    'plans.list': () => [team],
    'quota.list': () => [quota],
    'tools.previewMany': ({ choices }) => buildBulkPreview(choices.map(({ toolId }) => changes(toolId))),
    'tools.applyMany': () => tools,
  })
  await renderInApp(<ExhaustedNotice applied={buildAppliedSetup()} />)
  await screen.findByText('large has no quota left')
  await userEvent.click(await screen.findByRole('button', { name: 'Switch 1 tool to fast' }))
  await waitFor(() => expect(main.askedFor('tools.applyMany')).toHaveLength(1))
  expect(main.askedFor('tools.previewMany')).toMatchObject([
    { choices: [{ toolId: 'claude-code', planId: 'p1', keyId: 'k1', modelCode: 'fast', slots: { small: 'fast' } }] },
  ])
})

it('marks the models of a list with the quota that remains', async () => {
  installMain({ 'quota.list': () => [quota] })
  await renderInApp(<ModelField label="Model" value="large" plan={team} onChange={() => undefined} />)
  await screen.findByText('no tokens left')
  await userEvent.click(screen.getByRole('combobox'))
  const options = await screen.findAllByRole('option')
  expect(options.map(({ textContent }) => textContent)).toEqual([
    'largeno tokens left',
    'fast3.8M tokens left',
    'new',
    'Other model code…',
  ])
})
