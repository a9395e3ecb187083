import { expect, test } from 'vitest'
import { findModel, findPackage, packages } from '../../../src/sandbox/catalogue'

test.each(packages)(
  '$planType includes only models of the catalogue, each once and none for embeddings',
  ({ models }) => {
    const foundModels = models.map(({ modelCode }) => findModel(modelCode))
    expect(foundModels.map((model) => model?.modelCode)).toEqual([...new Set(models.map(({ modelCode }) => modelCode))])
    expect(foundModels.some((model) => model?.enabledTypes.includes('embedding'))).toBe(false)
  },
)

test('a more expensive type has more of every model and more keys', () => {
  for (const [index, dearer] of packages.entries()) {
    const cheaperPackage = packages[index - 1]
    if (cheaperPackage === undefined) continue
    expect(dearer.price).toBeGreaterThan(cheaperPackage.price)
    expect(dearer.maxKeys).toBeGreaterThan(cheaperPackage.maxKeys)
    for (const { modelCode, tokenQuota, requestQuota } of cheaperPackage.models) {
      const expensiveModel = dearer.models.find((model) => model.modelCode === modelCode)
      expect(expensiveModel?.tokenQuota).toBeGreaterThan(tokenQuota)
      expect(expensiveModel?.requestQuota).toBeGreaterThan(requestQuota)
    }
  }
})

test('a package is found by its id', () => {
  expect(packages.map(({ packageId }) => findPackage(packageId))).toEqual(packages)
  expect(findPackage('package-gold')).toBeUndefined()
})
