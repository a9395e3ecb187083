import type { PlanQuota } from '@shared/contract'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { KeyField, ModelField } from '../../../../../src/renderer/features/tools/choice-form'
import { findWorkingKey } from '../../../../../src/renderer/features/tools/tool-form'
import { installMain, renderInApp } from '../../support/fake-main'
import { buildLocalAccountPlan, buildLocalKey, rotation } from '../../support/key-care'
import { plan } from '../../support/views'

const twoModels = buildLocalAccountPlan({ id: 'p1', models: ['aurora-large', 'nova-vision'] })

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

/** Renders the tested field, and a button that changes its value from outside. */
function ExternallyChangedField({
  initialValue,
  changedValue,
}: {
  readonly initialValue: string
  readonly changedValue: string
}) {
  const [value, setValue] = useState(initialValue)
  return (
    <>
      <ModelField label="Model" value={value} plan={twoModels} onChange={setValue} />
      <button type="button" onClick={() => setValue(changedValue)}>
        change elsewhere
      </button>
    </>
  )
}

it('the field of a key marks a replaced key as waiting for its holder, when selected and in the list', async () => {
  const keys = [
    buildLocalKey({ replacedBy: { keyId: 'k2', name: 'lan-laptop-2' } }),
    buildLocalKey({ id: 'k2', name: 'lan-laptop-2', masked: 'sk-...c3d4', origin: { keyId: 'ak2' } }),
  ]
  const accountPlan = buildLocalAccountPlan({ keys, defaultKeyId: 'k2' })
  const handover = [{ holder: { kind: 'person', name: 'Lan' }, state: 'open' } as const]
  installMain({
    'plans.list': () => [accountPlan],
    'rotation.list': () => [rotation({ state: 'waiting', handover })],
  })
  await renderInApp(<KeyField plan={accountPlan} value="k1" onChange={() => undefined} />)
  const text = 'Replaced by lan-laptop-2, waiting for Lan'
  await screen.findByText(text)
  await userEvent.click(screen.getByRole('combobox'))
  const options = await screen.findAllByRole('option')
  expect(options.map(({ textContent }) => textContent)).toEqual([`lan-laptop${text}`, 'lan-laptop-2sk-...c3d4'])
  expect(findWorkingKey(accountPlan, 'k1')).toBe('k2')
})

describe('the field of a model', () => {
  it('offers the list again when a code outside the plan was replaced elsewhere', async () => {
    installMain({})
    await renderInApp(<ExternallyChangedField initialValue="not-in-this-plan" changedValue="nova-vision" />)
    expect(screen.getByLabelText('Model')).toHaveProperty('value', 'not-in-this-plan')
    await userEvent.click(screen.getByText('change elsewhere'))
    expect(screen.getByRole('combobox').textContent).toContain('nova-vision')
  })

  it('stays a text field while typing, even if the text matches the list', async () => {
    installMain({})
    await renderInApp(<ExternallyChangedField initialValue="nova" changedValue="" />)
    await userEvent.type(screen.getByLabelText('Model'), '-vision-2')
    expect(screen.getByLabelText('Model')).toHaveProperty('value', 'nova-vision-2')
  })

  it('marks the models of the list with the quota that remains', async () => {
    installMain({ 'quota.list': () => [quota] })
    await renderInApp(
      <ModelField
        label="Model"
        value="large"
        plan={plan({ models: ['large', 'fast', 'new'] })}
        onChange={() => undefined}
      />,
    )
    await screen.findByText('no tokens left')
    await userEvent.click(screen.getByRole('combobox'))
    const options = await screen.findAllByRole('option')
    const expectedTexts = ['largeno tokens left', 'fast3.8M tokens left', 'new', 'Other model code…']
    expect(options.map(({ textContent }) => textContent)).toEqual(expectedTexts)
  })
})
