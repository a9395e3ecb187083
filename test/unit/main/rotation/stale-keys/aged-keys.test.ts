import type { PlanView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { agedKeys, shownAfter } from '../../../../../src/main/rotation/stale-keys'
import { localPlan } from '../../../../support/tool-setups'

const now = new Date('2026-11-21T08:00:00.000Z')
const daysAgo = (days: number): string => new Date(now.getTime() - days * 86_400_000).toISOString()

const key = (id: string, days: number, isOfAccount = false): PlanView['keys'][number] => ({
  ...{ id, name: `name of ${id}`, masked: 'sk-...', addedAt: daysAgo(days), kept: 'keychain' },
  ...(isOfAccount ? { origin: { keyId: id } } : {}),
})

const plans = [
  localPlan({ id: 'p1', keys: [key('young', 29.9), key('month', 30), key('old', 200)] }),
  localPlan({
    id: 'p2',
    origin: { connectionId: 'c', planId: 'p' },
    keys: [key('quarter', 90, true), key('pasted', 61)],
  }),
  localPlan({ id: 'p3', source: 'sandbox', keys: [key('sandbox', 400)] }),
]

describe('keys to be reminded of', () => {
  it('are those that have reached an age, the oldest first, each with the highest one', () => {
    const aged = agedKeys(plans, [60, 30, 90], { now, shown: [] })
    expect(aged.map(({ keyId, days, ageDays, canRotate }) => [keyId, days, ageDays, canRotate])).toEqual([
      ['old', 90, 200, false],
      ['quarter', 90, 90, true],
      ['pasted', 60, 61, false],
      ['month', 30, 30, false],
    ])
  })

  it('are told of once for each age, and the lower ages count as told', () => {
    const first = agedKeys(plans, [30, 60, 90], { now, shown: [] })
    const shown = shownAfter([], first, plans)
    expect(agedKeys(plans, [30, 60, 90], { now, shown })).toEqual([])
    const later = new Date(now.getTime() + 30 * 86_400_000)
    const again = agedKeys(plans, [30, 60, 90], { now: later, shown })
    expect(again.map(({ keyId, days }) => [keyId, days])).toEqual([
      ['pasted', 90],
      ['month', 60],
      ['young', 30],
    ])
    expect(agedKeys(plans, [30], { now, shown })).toEqual([])
  })

  it('are told of anew when another key took their place', () => {
    const [aged] = agedKeys(plans, [30], { now, shown: [] })
    const replaced = [localPlan({ keys: [key('old', 31)] })]
    expect(agedKeys(replaced, [30], { now, shown: aged?.marks ?? [] })).toHaveLength(1)
  })

  it('are none without an age to remind at', () => {
    expect(agedKeys(plans, [], { now, shown: [] })).toEqual([])
  })

  it('are forgotten when they are gone', () => {
    const aged = agedKeys(plans, [30], { now, shown: [] })
    expect(shownAfter([], aged, [])).toEqual([])
  })
})
