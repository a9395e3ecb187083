import type { UsageCounts } from '@shared/contract'
import { tokensOf } from './points'

/** A part of a chart: one stack of each bar. */
export interface Part {
  readonly id: 'requests' | 'input' | 'output' | 'cache' | 'errors'
  /** A colour by its meaning. */
  readonly colour: string
  readonly of: (counts: UsageCounts) => number
}

/** A chart over time: its parts from the bottom up, and what they make together. */
export interface Measure {
  readonly id: 'tokens' | 'requests' | 'errors'
  readonly parts: readonly Part[]
  readonly total: (counts: UsageCounts) => number
}

const requests = (counts: UsageCounts): number => counts.requests
const errors = (counts: UsageCounts): number => counts.errors

/** The charts over time, in their order. */
export const measures: Readonly<Record<Measure['id'], Measure>> = {
  tokens: {
    id: 'tokens',
    total: tokensOf,
    parts: [
      { id: 'input', colour: 'var(--chart-input)', of: ({ inputTokens }) => inputTokens },
      { id: 'output', colour: 'var(--chart-output)', of: ({ outputTokens }) => outputTokens },
      { id: 'cache', colour: 'var(--chart-cache)', of: ({ cacheTokens }) => cacheTokens },
    ],
  },
  requests: {
    id: 'requests',
    total: requests,
    parts: [{ id: 'requests', colour: 'var(--chart-requests)', of: requests }],
  },
  errors: { id: 'errors', total: errors, parts: [{ id: 'errors', colour: 'var(--chart-errors)', of: errors }] },
}
