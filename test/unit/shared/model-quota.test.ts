import type { PlanQuota } from '@shared/contract'
import { findUsableModel, listExhaustedModels, listModelSwitches } from '@shared/model-quota'
import { describe, expect, it } from 'vitest'
import { buildAppliedSetup, tool } from '../renderer/support/views'

const gauge = (used: number, quota?: number) => ({
  used,
  ...(quota === undefined ? {} : { quota }),
  forecast: { kind: 'notEnough', reason: 'tooShort' } as const,
})

const model = (modelCode: string, tokens: ReturnType<typeof gauge>, requests: ReturnType<typeof gauge>) => ({
  modelCode,
  displayName: modelCode,
  tokens,
  requests,
})

const planQuota: PlanQuota = {
  planId: 'p1',
  name: 'team',
  source: 'console',
  isExpired: false,
  at: '2026-11-28T08:00:00.000Z',
  models: [
    model('without-tokens', gauge(100, 100), gauge(1, 10)),
    model('without-requests', gauge(1, 100), gauge(12, 10)),
    model('with-both', gauge(99, 100), gauge(9, 10)),
    model('unlimited', gauge(5, 0), gauge(5, 0)),
    model('unknown', gauge(5), gauge(5)),
  ],
}

describe('models without remaining quota', () => {
  it.each([
    ['have no tokens or no requests left', [planQuota], 'p1', ['without-tokens', 'without-requests']],
    ['are unknown for another plan', [planQuota], 'p2', []],
    ['are unknown for an expired plan', [{ ...planQuota, isExpired: true }], 'p1', []],
    ['are unknown without quotas', [], 'p1', []],
  ])('%s', (_, quotas, planId, codes) => {
    expect([...listExhaustedModels(quotas, planId)]).toEqual(codes)
  })

  it.each([
    [['a', 'b'], ['a'], 'b'],
    [['a', 'b'], [], 'a'],
    [['a', 'b'], ['a', 'b'], 'a'],
    [[], ['a'], undefined],
  ])('are no default: of %j without %j it is %j', (models, exhausted, code) => {
    expect(findUsableModel(models, new Set(exhausted))).toBe(code)
  })
})

const project = { kind: 'project', folder: '/home/lan/shop' } as const
const setup = { status: 'configured' as const, drift: [], file: '', files: [] }
const tools = [
  tool({
    id: 'main',
    status: 'configured',
    applied: buildAppliedSetup({ planId: 'p1', modelCode: 'a', slots: { small: 'b' } }),
    setups: [
      { ...setup, site: project, applied: buildAppliedSetup({ planId: 'p1', modelCode: 'a', delivery: 'file' }) },
    ],
  }),
  tool({
    id: 'slot',
    status: 'configured',
    applied: buildAppliedSetup({ planId: 'p1', modelCode: 'b', slots: { small: 'a' } }),
  }),
  tool({ id: 'other-plan', status: 'configured', applied: buildAppliedSetup({ planId: 'p2', modelCode: 'a' }) }),
  tool({
    id: 'other-model',
    status: 'configured',
    applied: buildAppliedSetup({ planId: 'p1', modelCode: 'b', slots: {} }),
  }),
  tool({ id: 'modified', status: 'drifted', applied: buildAppliedSetup({ planId: 'p1', modelCode: 'a' }) }),
  tool({ id: 'absent', status: 'absent' }),
]

it('switching all tools from a model keeps scope, key, key delivery and the other models, and names modified tools', () => {
  const { choices, modified } = listModelSwitches(tools, { planId: 'p1', from: 'a', to: 'c' })
  expect(
    choices.map(({ toolId, site, modelCode, slots, delivery }) => [toolId, site, modelCode, slots, delivery]),
  ).toEqual([
    ['main', { kind: 'user' }, 'c', { small: 'b' }, buildAppliedSetup().delivery],
    ['main', project, 'c', buildAppliedSetup().slots, 'file'],
    ['slot', { kind: 'user' }, 'b', { small: 'c' }, buildAppliedSetup().delivery],
  ])
  expect(choices.every(({ planId, keyId }) => planId === 'p1' && keyId === buildAppliedSetup().keyId)).toBe(true)
  expect(modified).toEqual(['modified'])
})
