import type { SetupView, ToolView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { listToolsAtOldPort, prepareReroute } from '../../../../../src/renderer/features/relay/use-relay'
import { buildAppliedSetup, plan, tool } from '../../support/views'

const buildRelayedSetup = (port: number, overrides: Parameters<typeof buildAppliedSetup>[0] = {}) =>
  buildAppliedSetup({ route: 'relay', requestAddress: `http://127.0.0.1:${port}/t/x/v1/messages`, ...overrides })
const plans = [plan({ models: ['large', 'fast'] })]

describe('pointing relay tools back', () => {
  it('requests the same plan, models and key delivery, directly at the plan', () => {
    const relayedTool = tool({
      applied: buildRelayedSetup(4870, { modelCode: 'fast', slots: { small: 'large' }, delivery: 'file' }),
      deliveries: ['helper', 'file'],
    })
    expect(prepareReroute([relayedTool], plans, { to: 'gateway' }).choices).toEqual([
      { toolId: 'claude-code', planId: 'p1', modelCode: 'fast', slots: { small: 'large' }, delivery: 'file' },
    ])
  })

  it('sets the route explicitly where it differs from the default', () => {
    const relayedTool = tool({ applied: buildRelayedSetup(4870) })
    expect(prepareReroute([relayedTool], plans, { to: 'relay' }).choices[0]?.route).toBe('relay')
    const otherDefault: ToolView = { ...relayedTool, routes: ['relay', 'gateway'] }
    expect(prepareReroute([otherDefault], plans, { to: 'gateway' }).choices[0]?.route).toBe('gateway')
  })

  it('includes every site, and no unselected tool or one that uses its plan directly', () => {
    const site = { kind: 'project', folder: '/code/a' } as const
    const applied = buildRelayedSetup(4870)
    const projectSetup: SetupView = { site, status: 'drifted', drift: [], file: '', files: [], applied }
    const tools = [
      tool({ applied: buildAppliedSetup(), setups: [projectSetup] }),
      tool({ id: 'pi', applied: buildRelayedSetup(4870) }),
      tool({ id: 'kilo', applied: buildRelayedSetup(4870) }),
    ]
    const { choices } = prepareReroute(tools, plans, { to: 'gateway', toolIds: ['claude-code', 'pi'] })
    expect(choices.map(({ toolId, site: choiceSite }) => [toolId, choiceSite])).toEqual([
      ['claude-code', site],
      ['pi', undefined],
    ])
  })

  it('skips tools without another route or plan, and says why', () => {
    const tools = [
      tool({ id: 'codex', routes: ['relay'], applied: buildRelayedSetup(4870) }),
      tool({ id: 'pi', applied: buildRelayedSetup(4870, { planId: 'gone' }) }),
    ]
    const { choices, blocked } = prepareReroute(tools, plans, { to: 'gateway' })
    expect(choices).toEqual([])
    expect(blocked.map(({ tool: { id }, why }) => [id, why])).toEqual([
      ['codex', 'onlyRelay'],
      ['pi', 'planGone'],
    ])
  })

  it('finds tools whose files contain an old relay port', () => {
    const tools = [
      tool({ id: 'old', applied: buildRelayedSetup(4871) }),
      tool({ id: 'new', applied: buildRelayedSetup(4870) }),
    ]
    expect(listToolsAtOldPort(tools, { port: 4870 }).map(({ id }) => id)).toEqual(['old'])
    expect(listToolsAtOldPort([tool({ applied: buildAppliedSetup() })], { port: 4870 })).toEqual([])
  })
})
