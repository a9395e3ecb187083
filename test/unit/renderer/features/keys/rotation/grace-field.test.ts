import { describe, expect, it } from 'vitest'
import { defaultGrace, toGraceMs } from '../../../../../../src/renderer/features/keys/rotation/grace-field'

const hour = 3_600_000
const day = 24 * hour

describe('a grace period', () => {
  it.each([
    ['1', 'hour', hour],
    ['36', 'hour', 36 * hour],
    [' 3 ', 'day', 3 * day],
    ['30', 'day', 30 * day],
    ['720', 'hour', 30 * day],
    ['0', 'day', 0],
    ['31', 'day', undefined],
    ['721', 'hour', undefined],
    ['1.5', 'day', undefined],
    ['-1', 'day', undefined],
    ['1e2', 'hour', undefined],
    ['', 'day', undefined],
    ['two', 'day', undefined],
  ] as const)('entered as %j %ss is %j ms', (amount, unit, ms) => {
    expect(toGraceMs({ chosen: 'custom', amount, unit })).toBe(ms)
  })

  it('defaults to a day, whatever the custom fields contain', () => {
    expect(toGraceMs({ ...defaultGrace, amount: 'nonsense' })).toBe(day)
  })
})
