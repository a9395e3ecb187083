import type { ToolView } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ReroutePage } from '../../../../../src/renderer/features/relay/reroute-page'
import { createPageRenderer, findEnabledButton } from '../../support/fake-main'
import { buildBulkPreview, changes } from '../../support/many'
import { buildAppliedSetup, plan, tool } from '../../support/views'

const buildRelayedSetup = (overrides: Parameters<typeof buildAppliedSetup>[0] = {}) =>
  buildAppliedSetup({ route: 'relay', requestAddress: 'http://127.0.0.1:4870/t/x/v1/messages', ...overrides })

const openPage = createPageRenderer(<ReroutePage />, '/relay/point?to=gateway', {
  'plans.list': () => [plan()],
  'tools.previewMany': ({ choices }) => buildBulkPreview(choices.map(({ toolId }) => changes(toolId))),
  'tools.applyMany': () => [],
})
const renderPage = (...tools: ToolView[]) => openPage({ 'tools.list': () => tools })
const plainTextPreview = buildBulkPreview([changes('claude-code', { warnings: [{ code: 'plainText' }] })])

it('shows one diff of all tools of the relay and writes it with one click', async () => {
  const pi = tool({ id: 'pi', name: 'pi', applied: buildRelayedSetup() })
  const { main, user } = await renderPage(tool({ applied: buildRelayedSetup() }), pi)
  const button = await findEnabledButton('Connect 2 tools directly')
  expect(screen.getByRole('table', { name: 'Changes in /home/lan/.pi/settings.json' })).toBeTruthy()
  await user.click(button)
  await screen.findByText('Tools now connect directly')
  expect(main.askedFor('tools.applyMany')).toEqual([{ previewId: 'many-1' }])
})

it('asks before a plain-text key replaces the relay’s token', async () => {
  const relayedTool = tool({ applied: buildRelayedSetup({ delivery: 'plain' }), deliveries: ['plain'] })
  const { main, user } = await openPage({
    'tools.list': () => [relayedTool],
    'tools.previewMany': () => plainTextPreview,
  })
  await screen.findByText(/Allow plain text above/)
  await user.keyboard('{Control>}{Enter}{/Control}')
  expect(main.askedFor('tools.applyMany')).toEqual([])
  await user.click(screen.getByRole('switch', { name: 'Write the key as plain text for Claude Code' }))
  await user.click(screen.getByRole('button', { name: 'Connect 1 tool directly' }))
  await waitFor(() => expect(main.askedFor('tools.applyMany')).toHaveLength(1))
})

it('explains why a tool cannot leave the relay, with a link to undo its setup', async () => {
  await renderPage(tool({ id: 'codex', name: 'Codex CLI', routes: ['relay'], applied: buildRelayedSetup() }))
  await screen.findByText(/works only via the relay/)
  expect(screen.getByRole('link', { name: 'Undo configuration…' }).getAttribute('href')).toBe('/tools/codex?do=undo')
})
