import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { HomePage } from '../../../../../src/renderer/features/home/home-page'
import { accountPlan, buyer, withConsole } from '../../support/account'
import { installMain, renderInApp } from '../../support/fake-main'
import { accountPlanHere, rotation } from '../../support/key-care'
import { plan } from '../../support/views'

type Answers = Parameters<typeof installMain>[0]

async function open(over: Answers = {}) {
  installMain({
    'app.get': () => ({ version: '1', platform: 'linux', dataDir: '/d', vault: { kind: 'keychain' } }),
    'connections.list': () => [{ ...withConsole, isActive: true }],
    'account.get': () => buyer(),
    'account.plans': () => [accountPlan({ localPlanId: 'p1' })],
    'plans.list': () => [accountPlanHere()],
    'tools.list': () => [],
    'sandbox.get': () => ({ state: 'stopped' }),
    'rotation.list': () => [],
    ...over,
  })
  return renderInApp(<HomePage />)
}

describe('the home page of a team lead', () => {
  it('offers to rotate and to hand out a key', async () => {
    await open()
    expect((await screen.findByRole('link', { name: 'Rotate a key' })).getAttribute('href')).toBe('/rotate')
    expect(screen.getByRole('link', { name: 'Hand out a key' }).getAttribute('href')).toBe('/handout')
  })

  it('says which rotation is not done, why nothing is broken, and leads to it', async () => {
    const left = { toolId: 'zed', toolName: 'Zed', site: { kind: 'user' as const }, state: 'failed' as const }
    await open({ 'rotation.list': () => [rotation({ state: 'stopped', tools: [left] })] })
    await screen.findByText('The rotation of lan-laptop is not done')
    expect(screen.getByText(/Not moved to the new key: Zed/)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Look at it' }).getAttribute('href')).toBe('/rotate/r1')
  })
})

it('offers neither to whom only a key was handed', async () => {
  await open({ 'connections.list': () => [], 'plans.list': () => [plan()] })
  await screen.findByRole('link', { name: 'Add a plan' })
  expect(screen.queryByRole('link', { name: 'Rotate a key' })).toBeNull()
})
