import { expect, it, test } from 'vitest'
import { applyRoute, setRouteKey, setUpstream } from '../../../../../src/main/relay/routing/upstream-choices'

const choice = { planId: 'p1', keyId: 'k1', modelCode: 'large' }
const relayRoute = { toolId: 'claude-code', planId: 'p2', keyId: 'k9', failover: [{ planId: 'p1' }] }

test.each([
  ['the gateway', { ...choice, route: 'gateway' as const }, relayRoute, { planId: 'p1', keyId: 'k1' }],
  ['the relay', { ...choice, route: 'relay' as const }, relayRoute, { planId: 'p2', keyId: 'k9' }],
  [
    'the relay without a key',
    { ...choice, route: 'relay' as const },
    { planId: 'p2' },
    { planId: 'p2', keyId: undefined },
  ],
  ['the relay without a way', { ...choice, route: 'relay' as const }, undefined, { planId: 'p1', keyId: 'k1' }],
])('upstreams of a tool with %s', (_, chosen, savedRoute, expected) => {
  expect(applyRoute(chosen, savedRoute)).toEqual({ ...chosen, ...expected })
})

it('replaces a route, and keeps its fallbacks unless new ones are given', () => {
  const secondChoice = { toolId: 'opencode', planId: 'p1', failover: [] }
  expect(setUpstream([relayRoute, secondChoice], { toolId: 'claude-code', planId: 'p3' })).toEqual([
    { toolId: 'claude-code', planId: 'p3', failover: [{ planId: 'p1' }] },
    secondChoice,
  ])
  expect(setUpstream([secondChoice], { ...relayRoute, failover: [] })).toEqual([
    secondChoice,
    { ...relayRoute, failover: [] },
  ])
})

it('replaces a key in routes and fallbacks, and nothing else', () => {
  const isMatch = ({ planId, keyId }: { planId: string; keyId?: string | undefined }) =>
    planId === 'p1' && (keyId ?? 'k1') === 'k1'
  expect(setRouteKey([relayRoute, { toolId: 'pi', planId: 'p1', keyId: 'k2', failover: [] }], isMatch, 'new')).toEqual([
    { ...relayRoute, failover: [{ planId: 'p1', keyId: 'new' }] },
    { toolId: 'pi', planId: 'p1', keyId: 'k2', failover: [] },
  ])
})
