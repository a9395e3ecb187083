import { describe, expect, it } from 'vitest'
import { compare, findLowestPrice } from '../../../../../../src/renderer/features/plans/packages/compare-page'
import { pricePerDay, pricePerMillion } from '../../../../../../src/renderer/features/plans/packages/package-access'
import { startI18n } from '../../../../../../src/renderer/i18n'
import { buildPackage } from '../../../support/account'

await startI18n('en')

const [large] = buildPackage().models
const models = large ? [large, { ...large, modelCode: 'small', displayName: 'Small', tokenQuota: 60_000_000 }] : []

it('derived prices of a package are undefined when they would divide by zero', () => {
  const offeredPackage = buildPackage({ durationDays: 0, models: [] })
  expect([pricePerDay(offeredPackage), pricePerMillion(offeredPackage)]).toEqual([undefined, undefined])
})

describe('a comparison', () => {
  const lines = compare([buildPackage({ price: 600_000, models }), buildPackage({ packageId: 'b', price: 490_000 })])
  const line = (id: string) => lines.find((comparedLine) => comparedLine.id === id)

  it('has a row for every model of a package', () => {
    expect(line('tokens small')?.values).toEqual([60_000_000, undefined])
    expect(line('requests aurora-large')?.values).toEqual([20_000, 20_000])
  })

  it('marks only the lowest price, if there is one', () => {
    const lowestPrices = lines.flatMap((comparedLine) =>
      findLowestPrice(comparedLine) === undefined ? [] : [[comparedLine.id, findLowestPrice(comparedLine)]],
    )
    expect(lowestPrices).toEqual([
      ['price', 490_000],
      ['perDay', 16_333],
      ['perMillion', 7_500],
    ])
    expect(compare([buildPackage(), buildPackage({ packageId: 'b' })]).map(findLowestPrice)).not.toContain(490_000)
  })
})
