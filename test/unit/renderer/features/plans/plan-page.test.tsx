import type { PlanView } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { PlanPage } from '../../../../../src/renderer/features/plans/plan-page'
import { useToolsStore } from '../../../../../src/renderer/features/tools'
import { installMain, renderInApp } from '../../support/fake-main'
import { buildAddress, buildAppliedSetup, failedCheck, passedCheck, plan, tool } from '../../support/views'

const usedPlan = plan({ models: ['large', 'fast'], usedBy: ['claude-code'] })

async function renderPage(
  initialPlan: PlanView = usedPlan,
  path = '/plans/p1',
  tools = [tool({ applied: buildAppliedSetup({ delivery: 'plain' }) })],
) {
  let currentPlan: PlanView | undefined = initialPlan
  const fakeMain = installMain({
    'plans.list': () => (currentPlan ? [currentPlan] : []),
    'tools.list': () => tools,
    'plans.readAddress': ({ text }) => buildAddress(text),
    'plans.check': ({ modelCode }) => {
      const check = { ...passedCheck, ...(modelCode === undefined ? {} : { modelCode }) }
      currentPlan = { ...initialPlan, lastCheck: check }
      return check
    },
    'plans.update': (input) => {
      currentPlan = { ...initialPlan, models: [...input.models], name: input.name }
      return currentPlan
    },
    'plans.takeKeyFromClipboard': () => ({ pendingId: 'held-1', masked: 'sk-...4fd9' }),
    'plans.replaceKey': () => {
      currentPlan = { ...initialPlan, keys: initialPlan.keys.map((key) => ({ ...key, masked: 'sk-...4fd9' })) }
      return currentPlan
    },
    'plans.copyKey': () => ({ clearsAfterMs: 30_000 }),
    'plans.remove': () => {
      currentPlan = undefined
      return {}
    },
  })
  const view = await renderInApp(<PlanPage />, path, '/plans/:planId')
  await screen.findByRole('heading', { name: /^team/, level: 1 })
  return { main: fakeMain, ...view }
}

describe('the page of a plan', () => {
  it('checks immediately when its address requests it', async () => {
    const { main, place } = await renderPage(usedPlan, '/plans/p1?check=1')
    await screen.findByText('Test passed')
    expect(main.askedFor('plans.check')).toEqual([{ planId: 'p1', modelCode: 'large' }])
    await waitFor(() => expect(place()).toBe('/plans/p1'))
  })

  it('links from a first plan to the changes of an installed tool, for this plan', async () => {
    await renderPage(plan({ usedBy: [] }), '/plans/p1', [tool({ status: 'absent', installed: true })])
    const preview = await screen.findByRole('link', { name: 'Preview changes' })
    expect(preview.getAttribute('href')).toBe('/tools/claude-code?do=configure')
    await userEvent.click(preview)
    expect(useToolsStore.getState().picked['claude-code']).toEqual({ planId: 'p1' })
  })

  it('links a rejected key to pasting another, and checks the new one', async () => {
    const { main } = await renderPage({ ...usedPlan, lastCheck: failedCheck })
    await userEvent.click(await screen.findByRole('button', { name: 'Paste the key again' }))
    const dialog = await screen.findByRole('dialog', { name: 'Replace key default-key' })
    expect(dialog.textContent).toContain('Claude Code have a copy of the old key')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Paste key' }))
    await userEvent.keyboard('{Control>}v{/Control}')
    await screen.findByText('sk-...4fd9')
    await userEvent.click(screen.getByRole('button', { name: 'Replace key' }))
    await main.waitForCalls('plans.replaceKey', [{ planId: 'p1', keyId: 'k1', pendingId: 'held-1' }])
    await waitFor(() => expect(main.askedFor('plans.check')).toHaveLength(1))
  })

  it('saves added and removed models immediately', async () => {
    const { main } = await renderPage()
    await userEvent.type(screen.getByLabelText('Model codes'), 'new-1{Enter}')
    await waitFor(() => expect(main.askedFor('plans.update')[0]).toMatchObject({ models: ['large', 'fast', 'new-1'] }))
    await userEvent.click(await screen.findByRole('button', { name: 'Remove fast' }))
    await waitFor(() => expect(main.askedFor('plans.update')[1]).toMatchObject({ models: ['large', 'new-1'] }))
  })

  it('is removed only after typing its name when tools use it', async () => {
    const { main, place } = await renderPage()
    await userEvent.click(screen.getByRole('button', { name: 'More actions' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Remove…' }))
    const confirmDialog = await screen.findByRole('alertdialog', { name: 'Remove team?' })
    expect(confirmDialog.textContent).toContain('Claude Code')
    const confirm = screen.getByRole('button', { name: 'Remove plan' })
    expect(confirm.hasAttribute('disabled')).toBe(true)
    await userEvent.type(screen.getByLabelText('Type team to confirm'), 'team')
    await userEvent.click(confirm)
    await waitFor(() => expect(place()).toBe('/plans'))
    expect(main.askedFor('plans.remove')).toEqual([{ planId: 'p1', evenIfUsed: true }])
  })
})
