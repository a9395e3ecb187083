import type { SetupView, ToolView } from '@shared/contract'
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { ReroutePage } from '../../../../../src/renderer/features/relay/reroute-page'
import { listToolsAtOldPort, prepareReroute } from '../../../../../src/renderer/features/relay/use-relay'
import { createPageRenderer, expectLink, findEnabledButton } from '../../support/fake-main'
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
  const answers = { 'tools.list': () => [relayedTool], 'tools.previewMany': () => plainTextPreview }
  const { main, user } = await openPage(answers)
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
  await expectLink('Undo configuration…', '/tools/codex?do=undo')
})

const twoModelPlan = plan({ models: ['large', 'fast'] })

describe('pointing relay tools back', () => {
  it('requests the same plan, models and key delivery, directly at the plan', () => {
    const choice = { modelCode: 'fast', slots: { small: 'large' }, delivery: 'file' } as const
    const relayedTool = tool({ applied: buildRelayedSetup(choice), deliveries: ['helper', 'file'] })
    const { choices } = prepareReroute([relayedTool], [twoModelPlan], { to: 'gateway' })
    expect(choices).toEqual([{ toolId: 'claude-code', planId: 'p1', ...choice }])
  })

  it('sets the route explicitly where it differs from the default', () => {
    const relayedTool = tool({ applied: buildRelayedSetup() })
    expect(prepareReroute([relayedTool], [twoModelPlan], { to: 'relay' }).choices[0]?.route).toBe('relay')
    const otherDefault: ToolView = { ...relayedTool, routes: ['relay', 'gateway'] }
    expect(prepareReroute([otherDefault], [twoModelPlan], { to: 'gateway' }).choices[0]?.route).toBe('gateway')
  })

  it('includes every site, and no unselected tool or one that uses its plan directly', () => {
    const site = { kind: 'project', folder: '/code/a' } as const
    const applied = buildRelayedSetup()
    const projectSetup: SetupView = { site, status: 'drifted', drift: [], file: '', files: [], applied }
    const tools = [
      tool({ applied: buildAppliedSetup(), setups: [projectSetup] }),
      tool({ id: 'pi', applied: buildRelayedSetup() }),
      tool({ id: 'kilo', applied: buildRelayedSetup() }),
    ]
    const { choices } = prepareReroute(tools, [twoModelPlan], { to: 'gateway', toolIds: ['claude-code', 'pi'] })
    expect(choices.map(({ toolId }) => toolId)).toEqual(['claude-code', 'pi'])
    expect(choices.map((choice) => choice.site)).toEqual([site, undefined])
  })

  it('skips tools without another route or plan, and says why', () => {
    const tools = [
      tool({ id: 'codex', routes: ['relay'], applied: buildRelayedSetup() }),
      tool({ id: 'pi', applied: buildRelayedSetup({ planId: 'gone' }) }),
    ]
    const { choices, blocked } = prepareReroute(tools, [twoModelPlan], { to: 'gateway' })
    expect(choices).toEqual([])
    expect(blocked.map(({ tool: { id }, why }) => `${id}: ${why}`)).toEqual(['codex: onlyRelay', 'pi: planGone'])
  })

  it('finds tools whose files contain an old relay port', () => {
    const tools = [
      tool({ id: 'old', applied: buildRelayedSetup({ requestAddress: 'http://127.0.0.1:4871/t/x/v1/messages' }) }),
      tool({ id: 'new', applied: buildRelayedSetup() }),
    ]
    expect(listToolsAtOldPort(tools, { port: 4870 }).map(({ id }) => id)).toEqual(['old'])
    expect(listToolsAtOldPort([tool({ applied: buildAppliedSetup() })], { port: 4870 })).toEqual([])
  })
})
