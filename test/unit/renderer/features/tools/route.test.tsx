import type { ToolView } from '@shared/contract'
import { screen } from '@testing-library/react'
import { describe, expect, it, test } from 'vitest'
import { getToolState, needsReview, nextStep, toSiteTool } from '../../../../../src/renderer/features/tools/setups'
import {
  type FormOverrides,
  manyRoutes,
  previewInput,
  resolveToolForm,
} from '../../../../../src/renderer/features/tools/tool-form'
import { ToolPage } from '../../../../../src/renderer/features/tools/tool-page'
import { createPageRenderer, type FakeMethods, findEnabledButton } from '../../support/fake-main'
import { changes } from '../../support/many'
import { relayView } from '../../support/relay'
import { buildAppliedSetup, failedCheck, passedCheck, plan, tool } from '../../support/views'

const relayedSetup = buildAppliedSetup({
  route: 'relay',
  requestAddress: 'http://127.0.0.1:4870/t/claude-code/v1/messages',
})
const plans = [plan(), plan({ id: 'p2', name: 'second', models: ['other'] })]

const resolveRoute = (toolView: ToolView, picked: FormOverrides = {}) => {
  const choice = resolveToolForm({ tool: toolView, plans, currentPlan: undefined, picked })
  return [choice?.route, previewInput(toolView, choice, picked)?.route]
}

describe('the route of a tool’s requests', () => {
  test.each([
    ['the usual one, unnamed', tool(), {}, ['gateway', undefined]],
    ['the one in use', tool({ applied: relayedSetup }), {}, ['relay', 'relay']],
    ['the one in use, with another plan too', tool({ applied: relayedSetup }), { planId: 'p2' }, ['relay', 'relay']],
    ['the picked one', tool({ applied: relayedSetup }), { route: 'gateway' }, ['gateway', undefined]],
    ['the only one', tool({ routes: ['relay'] }), { route: 'gateway' }, ['relay', undefined]],
    ['none to name by hand', tool({ kind: 'guided', routes: [] }), {}, ['gateway', undefined]],
  ] as const)('is %s', (_, toolView, picked, expected) => {
    expect(resolveRoute(toolView, picked)).toEqual(expected)
  })

  it('is never the relay inside a WSL distribution, which cannot reach it', () => {
    const wslTool = toSiteTool(tool({ sites: ['user', 'wsl'] }), { kind: 'wsl', distribution: 'Ubuntu' })
    expect(resolveRoute(wslTool, { route: 'relay' })).toEqual(['gateway', undefined])
  })

  it('stays open for several tools with different routes, until one is selected', () => {
    const tools = [tool(), tool({ id: 'pi', applied: relayedSetup }), tool({ id: 'junie', routes: ['gateway'] })]
    expect(manyRoutes(tools, undefined).route).toBeUndefined()
    const { route, bound } = manyRoutes(tools, 'relay')
    expect([route, bound.map(({ id }) => id)]).toEqual(['relay', ['junie']])
  })
})

describe('a tool whose relay is off', () => {
  it('needs attention although its files are unchanged', () => {
    const toolView = tool({ applied: relayedSetup, relayOff: true })
    expect(getToolState(toolView)).toEqual({ word: 'relayOff', tone: 'danger' })
    expect(needsReview(toolView)).toBe(true)
    expect(nextStep(toolView)).toEqual({ label: 'putRight', to: '/tools/claude-code' })
  })
})

const answers: FakeMethods = {
  'plans.list': () => plans,
  'tools.preview': (input) => ({ previewId: 'p', ...changes(input.toolId, { setsWay: input.planId === 'p2' }) }),
}
const openPage = createPageRenderer(<ToolPage />, '/tools/claude-code', answers, '/tools/:toolId')
const renderPage = (toolView: ToolView, query: string, overrides: FakeMethods = {}) =>
  openPage({ 'tools.list': () => [toolView], ...overrides }, `/tools/claude-code${query}`)

describe('the page of a tool', () => {
  it('can apply a change of the relay’s plan without changing a file', async () => {
    const unchangedFiles = [{ path: '/x', action: 'none' as const, holdsKey: false, lines: [] }]
    await renderPage(tool({ applied: relayedSetup }), '?do=configure', {
      'tools.preview': () => ({ previewId: 'p', ...changes('claude-code', { files: unchangedFiles, setsWay: true }) }),
    })
    await screen.findByText(/The relay will use team for Claude Code/)
    await findEnabledButton('Apply')
  })

  it('shows once that the relay is off, starts it and verifies again', async () => {
    const relayOffFailure = { code: 'relay.off', message: 'Off.' } as const
    let isRelayOn = false
    const { main, user } = await renderPage(tool({ applied: relayedSetup, relayOff: true }), '?verify=1', {
      'tools.verify': () => (isRelayOn ? passedCheck : { ...failedCheck, failure: relayOffFailure }),
      'relay.start': () => {
        isRelayOn = true
        return relayView({ tools: [] })
      },
    })
    await screen.findByText('Tools that use the relay are offline until it runs.')
    await user.click(screen.getByRole('button', { name: 'Start the relay' }))
    await screen.findByText('Key and plan work')
    expect(main.askedFor('tools.verify')).toHaveLength(2)
  })
})
