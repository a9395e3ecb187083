import { expect, it, test } from 'vitest'
import { chosenBy, setUpstream, withKey } from '../../../../../src/main/relay/routing/upstream-choices'

const choice = { planId: 'p1', keyId: 'k1', modelCode: 'large' }
const way = { toolId: 'claude-code', planId: 'p2', keyId: 'k9', failover: [{ planId: 'p1' }] }

test.each([
  ['the gateway', { ...choice, route: 'gateway' as const }, way, { planId: 'p1', keyId: 'k1' }],
  ['the relay', { ...choice, route: 'relay' as const }, way, { planId: 'p2', keyId: 'k9' }],
  [
    'the relay without a key',
    { ...choice, route: 'relay' as const },
    { planId: 'p2' },
    { planId: 'p2', keyId: undefined },
  ],
  ['the relay without a way', { ...choice, route: 'relay' as const }, undefined, { planId: 'p1', keyId: 'k1' }],
])('upstreams of a tool with %s', (_, chosen, known, expected) => {
  expect(chosenBy(chosen, known)).toEqual({ ...chosen, ...expected })
})

it('replaces a route, and keeps its fallbacks unless new ones are given', () => {
  const secondChoice = { toolId: 'opencode', planId: 'p1', failover: [] }
  expect(setUpstream([way, secondChoice], { toolId: 'claude-code', planId: 'p3' })).toEqual([
    { toolId: 'claude-code', planId: 'p3', failover: [{ planId: 'p1' }] },
    secondChoice,
  ])
  expect(setUpstream([secondChoice], { ...way, failover: [] })).toEqual([secondChoice, { ...way, failover: [] }])
})

it('replaces a key in routes and fallbacks, and nothing else', () => {
  const isIt = ({ planId, keyId }: { planId: string; keyId?: string | undefined }) =>
    planId === 'p1' && (keyId ?? 'k1') === 'k1'
  expect(withKey([way, { toolId: 'pi', planId: 'p1', keyId: 'k2', failover: [] }], isIt, 'new')).toEqual([
    { ...way, failover: [{ planId: 'p1', keyId: 'new' }] },
    { toolId: 'pi', planId: 'p1', keyId: 'k2', failover: [] },
  ])
})
