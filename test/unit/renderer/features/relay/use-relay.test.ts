import { describe, expect, it } from 'vitest'
import { atOldPort, prepareReroute } from '../../../../../src/renderer/features/relay/use-relay'
import { applied, plan, tool } from '../../support/views'

const through = (port: number, over: Parameters<typeof applied>[0] = {}) =>
  applied({ route: 'relay', requestAddress: `http://127.0.0.1:${port}/t/x/v1/messages`, ...over })
const plans = [plan({ models: ['large', 'fast'] })]

describe('pointing tools that go through the relay', () => {
  it('asks for the same plan, models and way to the key, straight at the plan', () => {
    const one = tool({
      applied: through(4870, { modelCode: 'fast', slots: { small: 'large' }, delivery: 'file' }),
      deliveries: ['helper', 'file'],
    })
    expect(prepareReroute([one], plans, { to: 'gateway' }).choices).toEqual([
      { toolId: 'claude-code', planId: 'p1', modelCode: 'fast', slots: { small: 'large' }, delivery: 'file' },
    ])
  })

  it('names the route where the tool would usually go the other way', () => {
    const one = tool({ applied: through(4870) })
    expect(prepareReroute([one], plans, { to: 'relay' }).choices[0]?.route).toBe('relay')
    expect(prepareReroute([{ ...one, routes: ['relay', 'gateway'] }], plans, { to: 'gateway' }).choices[0]?.route).toBe(
      'gateway',
    )
  })

  it('takes every site, and no tool that was not asked for or goes straight to its plan', () => {
    const site = { kind: 'project', folder: '/code/a' } as const
    const inProject = { site, status: 'drifted', drift: [], file: '', files: [], applied: through(4870) } as const
    const tools = [
      tool({ applied: applied(), setups: [{ ...inProject, drift: [], files: [] }] }),
      tool({ id: 'pi', applied: through(4870) }),
      tool({ id: 'kilo', applied: through(4870) }),
    ]
    const { choices } = prepareReroute(tools, plans, { to: 'gateway', toolIds: ['claude-code', 'pi'] })
    expect(choices.map(({ toolId, site: at }) => [toolId, at])).toEqual([
      ['claude-code', site],
      ['pi', undefined],
    ])
  })

  it('leaves what has no other way, or whose plan is gone, and says why', () => {
    const tools = [
      tool({ id: 'codex', routes: ['relay'], applied: through(4870) }),
      tool({ id: 'pi', applied: through(4870, { planId: 'gone' }) }),
    ]
    const { choices, blocked } = prepareReroute(tools, plans, { to: 'gateway' })
    expect(choices).toEqual([])
    expect(blocked.map(({ tool: { id }, why }) => [id, why])).toEqual([
      ['codex', 'onlyRelay'],
      ['pi', 'planGone'],
    ])
  })

  it('finds the tools whose files hold a port that the relay left', () => {
    const tools = [tool({ id: 'old', applied: through(4871) }), tool({ id: 'new', applied: through(4870) })]
    expect(atOldPort(tools, { port: 4870 }).map(({ id }) => id)).toEqual(['old'])
    expect(atOldPort([tool({ applied: applied() })], { port: 4870 })).toEqual([])
  })
})
