import { describe, expect, it } from 'vitest'
import { forbiddenIn, freeName, missingCredits } from '../../../../../../src/renderer/features/plans/packages/buy-sheet'
import { compare, findLowest } from '../../../../../../src/renderer/features/plans/packages/compare-page'
import {
  mayBuy,
  pricePerDay,
  pricePerMillion,
} from '../../../../../../src/renderer/features/plans/packages/package-access'
import { buyer, onOffer } from '../../../support/account'

describe('characters that a name must not contain', () => {
  it.each([
    ['team_1.a-B', []],
    ['my plan!', [' ', '!']],
    ['gói gói', ['ó', ' ']],
    ['go\u0301i', ['ó']],
    ['a/b/c', ['/']],
    ['📦x', ['📦']],
  ])('of %j are %j', (name, characters) => {
    expect(forbiddenIn(name)).toEqual(characters)
  })
})

describe('a suggested name', () => {
  it.each([
    ['Pro', [], 'pro'],
    ['Pro', ['pro'], 'pro-2'],
    ['Pro', ['PRO', 'pro-2'], 'pro-3'],
    ['team-2', ['team-2'], 'team'],
    ['team-2', ['team', 'team-2'], 'team-3'],
    ['Gói Đội ngũ', [], 'goi-doi-ngu'],
    ['!!!', [], 'plan'],
  ])('from %j next to %j is %j', (from, taken, name) => {
    expect(freeName(from, taken)).toBe(name)
  })

  it('respects the maximum length, whatever its number', () => {
    const name = freeName('x'.repeat(80), ['x'.repeat(46)])
    expect([name.length <= 50, name.endsWith('-2')]).toEqual([true, true])
  })
})

describe('who can buy', () => {
  it.each([
    ['ROOT', true],
    ['ADMIN', true],
    ['DEVELOPER', false],
    ['VIEWER', false],
  ] as const)('%s: %s', (role, may) => {
    expect(mayBuy(buyer({ role }))).toBe(may)
  })

  it('lacks exactly the total minus the credits', () => {
    expect([
      missingCredits(buyer({ credits: 90_000 }), 99_000),
      missingCredits(buyer({ credits: 99_000 }), 99_000),
    ]).toEqual([9_000, 0])
  })
})

const [large] = onOffer().models
const models = large ? [large, { ...large, modelCode: 'small', displayName: 'Small', tokenQuota: 60_000_000 }] : []

describe('derived prices of a package', () => {
  it('are the price per day and per token of all models', () => {
    const one = onOffer({ price: 480_000, models })
    expect([pricePerDay(one), pricePerMillion(one)]).toEqual([16_000, 6_000])
  })

  it('are undefined when they would divide by zero', () => {
    const one = onOffer({ durationDays: 0, models: [] })
    expect([pricePerDay(one), pricePerMillion(one)]).toEqual([undefined, undefined])
  })
})

describe('a comparison', () => {
  const lines = compare([onOffer({ price: 600_000, models }), onOffer({ packageId: 'b', price: 490_000 })])
  const line = (id: string) => lines.find((one) => one.id === id)

  it('has a row for every model of a package', () => {
    expect(line('tokens small')?.values).toEqual([60_000_000, undefined])
    expect(line('requests aurora-large')?.values).toEqual([20_000, 20_000])
  })

  it('marks only the lowest price, if there is one', () => {
    const lowest = lines.flatMap((one) => (findLowest(one) === undefined ? [] : [[one.id, findLowest(one)]]))
    expect(lowest).toEqual([
      ['price', 490_000],
      ['perDay', 16_333],
      ['perMillion', 7_500],
    ])
    expect(compare([onOffer(), onOffer({ packageId: 'b' })]).map(findLowest)).not.toContain(490_000)
  })
})
