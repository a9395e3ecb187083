import { nextZoom } from '@shared/shortcuts'
import { expect, it } from 'vitest'

it.each([
  [100, 'in', 110],
  [100, 'out', 90],
  [200, 'in', 200],
  [50, 'out', 50],
  [105, 'in', 110],
  [175, 'reset', 100],
] as const)('of %i a step %s makes %i', (percent, step, expectedPercent) => {
  expect(nextZoom(percent, step)).toBe(expectedPercent)
})
