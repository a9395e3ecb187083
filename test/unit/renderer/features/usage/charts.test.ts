import type { UsageFlow } from '@shared/contract'
import { expect, it } from 'vitest'
import { buildFlowGraph } from '../../../../../src/renderer/features/usage/flow-card'
import { buildLevels } from '../../../../../src/renderer/features/usage/year-card'

it('draws a year by quarters that have data', () => {
  const toLevel = buildLevels([0, 0, 1, 2, 3, 4, 5, 6, 7, 1000])
  expect([0, 1, 3, 4, 6, 7, 1000].map(toLevel)).toEqual([0, 1, 1, 2, 3, 3, 4])
  expect([0, 5].map(buildLevels([0, 5]))).toEqual([0, 1])
  expect(buildLevels([])(0)).toBe(0)
})

it('draws a part once in its column, and merges identical flows', () => {
  const flow = (plan: string, model: string, tool: string | undefined, tokens: number): UsageFlow => ({
    ...{ plan: { id: plan }, model: { id: model }, tokens, requests: 1 },
    ...(tool !== undefined && { tool: { id: tool } }),
  })
  // A plan and a tool with the same name are distinct.
  const flows = [flow('a', 'm', 'a', 5), flow('a', 'm', undefined, 2), flow('b', 'm', 'a', 1)]
  const names = (of: UsageFlow) => [of.plan?.id ?? '', of.model?.id ?? '', of.tool?.id ?? 'others']
  const { nodes, links } = buildFlowGraph(flows, names, () => 'red')
  expect(nodes.map(({ name, column }) => `${column} ${name}`)).toEqual(['0 a', '1 m', '2 a', '2 others', '0 b'])
  expect(links).toEqual([
    { source: 0, target: 1, value: 7 },
    { source: 1, target: 2, value: 6 },
    { source: 1, target: 3, value: 2 },
    { source: 4, target: 1, value: 1 },
  ])
})
