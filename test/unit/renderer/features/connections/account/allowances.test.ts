import { describe, expect, it } from 'vitest'
import {
  getCycleShare,
  isAheadOfPace,
  readAllowance,
  tightestModel,
} from '../../../../../../src/renderer/features/connections/account/allowances'
import { model } from '../../../support/account'

describe('a quota', () => {
  it.each([
    ['ample', 800_000, 200_000, 0.2],
    ['low', 900_000, 100_000, 0.1],
    ['low', 999_999, 1, 0.000001],
    ['out', 1_000_000, 0, 0],
    ['out', 1_200_000, 0, 0],
  ] as const)('is %s when %i of a million tokens are used', (level, tokensUsed, left, remainingShare) => {
    expect(readAllowance(model({ tokensUsed }), 'tokens')).toMatchObject({ level, left, leftShare: remainingShare })
  })

  it('of zero cannot run out', () => {
    expect(readAllowance(model({ tokenQuota: 0, tokensUsed: 0 }), 'tokens').level).toBe('ample')
  })
})

describe('the tightest model', () => {
  it('has the smallest remaining share of tokens or requests', () => {
    const models = [
      model({ modelCode: 'a', tokensUsed: 600_000 }),
      model({ modelCode: 'b', tokensUsed: 0, requestsUsed: 950 }),
      model({ modelCode: 'c', tokensUsed: 900_000 }),
    ]
    expect(tightestModel(models)?.modelCode).toBe('b')
  })

  it('is undefined for a plan without models', () => {
    expect(tightestModel([])).toBeUndefined()
  })
})

describe('the pace of a cycle', () => {
  const currentTime = new Date('2026-11-21T00:00:00.000Z')
  it.each([
    ['half over', 'ACTIVE', '2026-12-06T00:00:00.000Z', 0.5],
    ['over', 'ACTIVE', '2026-11-20T00:00:00.000Z', 1],
    ['not begun when it was renewed ahead', 'ACTIVE', '2027-01-15T00:00:00.000Z', 0],
    ['unknown for a plan that does not run', 'EXPIRED', '2026-12-06T00:00:00.000Z', undefined],
  ] as const)('is %s', (_name, status, expiresAt, share) => {
    expect(getCycleShare({ status, expiresAt, cycleDays: 30 }, currentTime)).toBe(share)
  })

  it.each([
    [0.5, 650_000, true],
    [0.5, 550_000, false],
    [0.01, 200_000, false],
    [undefined, 900_000, false],
  ])('at %s with %i of a million tokens used is exceeded: %s', (cycle, tokensUsed, isFast) => {
    expect(isAheadOfPace(readAllowance(model({ tokensUsed }), 'tokens'), cycle)).toBe(isFast)
  })
})
