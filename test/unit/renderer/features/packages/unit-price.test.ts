import { describe, expect, it } from 'vitest'
import {
  compare,
  findLowest,
  pricePerDay,
  pricePerMillion,
} from '../../../../../src/renderer/features/packages/unit-price'
import { onOffer } from '../../support/account'

const [large] = onOffer().models
const models = large ? [large, { ...large, modelCode: 'small', displayName: 'Small', tokenQuota: 60_000_000 }] : []

describe('what is worked out of a package', () => {
  it('is the price over its days, and over the tokens of all its models', () => {
    const one = onOffer({ price: 480_000, models })
    expect([pricePerDay(one), pricePerMillion(one)]).toEqual([16_000, 6_000])
  })

  it('is nothing where there is nothing to divide by', () => {
    const one = onOffer({ durationDays: 0, models: [] })
    expect([pricePerDay(one), pricePerMillion(one)]).toEqual([undefined, undefined])
  })
})

describe('a comparison', () => {
  const lines = compare([onOffer({ price: 600_000, models }), onOffer({ packageId: 'b', price: 490_000 })])
  const line = (id: string) => lines.find((one) => one.id === id)

  it('has a line for every model that one of the packages has', () => {
    expect(line('tokens small')?.values).toEqual([60_000_000, undefined])
    expect(line('requests aurora-large')?.values).toEqual([20_000, 20_000])
  })

  it('points out the lowest price only, and only when there is one', () => {
    const lowest = lines.flatMap((one) => (findLowest(one) === undefined ? [] : [[one.id, findLowest(one)]]))
    expect(lowest).toEqual([
      ['price', 490_000],
      ['perDay', 16_333],
      ['perMillion', 7_500],
    ])
    expect(compare([onOffer(), onOffer({ packageId: 'b' })]).map(findLowest)).not.toContain(490_000)
  })
})
