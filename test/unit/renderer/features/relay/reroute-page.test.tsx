import type { MethodInput } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { ReroutePage } from '../../../../../src/renderer/features/relay/reroute-page'
import { installMain, renderInApp } from '../../support/fake-main'
import { buildBulkPreview, changes } from '../../support/many'
import { buildAppliedSetup, plan, tool } from '../../support/views'

const buildRelayedSetup = (overrides: Parameters<typeof buildAppliedSetup>[0] = {}) =>
  buildAppliedSetup({ route: 'relay', requestAddress: 'http://127.0.0.1:4870/t/x/v1/messages', ...overrides })

async function renderPage(tools: ReturnType<typeof tool>[], path = '/relay/point?to=gateway') {
  const fakeMain = installMain({
    'tools.list': () => tools,
    'plans.list': () => [plan()],
    'tools.previewMany': ({ choices }: MethodInput<'tools.previewMany'>) =>
      buildBulkPreview(choices.map(({ toolId }) => changes(toolId))),
    'tools.applyMany': () => tools,
  })
  await renderInApp(<ReroutePage />, path)
  return { main: fakeMain, user: userEvent.setup() }
}

it('shows one diff of all tools of the relay and writes it with one click', async () => {
  const { main, user } = await renderPage([
    tool({ applied: buildRelayedSetup() }),
    tool({ id: 'pi', name: 'pi', applied: buildRelayedSetup() }),
  ])
  const button = await screen.findByRole('button', { name: 'Connect 2 tools directly' })
  await waitFor(() => expect(button.hasAttribute('disabled')).toBe(false))
  expect(screen.getByRole('table', { name: 'Changes in /home/lan/.pi/settings.json' })).toBeTruthy()
  await user.click(button)
  await screen.findByText('Tools now connect directly')
  expect(main.askedFor('tools.applyMany')).toEqual([{ previewId: 'many-1' }])
})

it('asks before a plain-text key replaces the relay’s token', async () => {
  const relayedTool = tool({ applied: buildRelayedSetup({ delivery: 'plain' }), deliveries: ['plain'] })
  const { main, user } = await renderPage([relayedTool])
  await screen.findByText(/Allow plain text above/)
  await user.keyboard('{Control>}{Enter}{/Control}')
  expect(main.askedFor('tools.applyMany')).toEqual([])
  await user.click(screen.getByRole('switch', { name: 'Write the key as plain text for Claude Code' }))
  await user.click(screen.getByRole('button', { name: 'Connect 1 tool directly' }))
  await waitFor(() => expect(main.askedFor('tools.applyMany')).toHaveLength(1))
})

it('explains why a tool cannot leave the relay, with a link to undo its setup', async () => {
  await renderPage([tool({ id: 'codex', name: 'Codex CLI', routes: ['relay'], applied: buildRelayedSetup() })])
  await screen.findByText(/works only via the relay/)
  expect(screen.getByRole('link', { name: 'Undo configuration…' }).getAttribute('href')).toBe('/tools/codex?do=undo')
})
