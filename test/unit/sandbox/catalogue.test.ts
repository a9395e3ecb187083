import { expect, test } from 'vitest'
import { findModel, findPackage, packages } from '../../../src/sandbox/catalogue'

test.each(packages)(
  '$planType includes only models of the catalogue, each once and none for embeddings',
  ({ models }) => {
    const found = models.map(({ modelCode }) => findModel(modelCode))
    expect(found.map((model) => model?.modelCode)).toEqual([...new Set(models.map(({ modelCode }) => modelCode))])
    expect(found.some((model) => model?.enabledTypes.includes('embedding'))).toBe(false)
  },
)

test('a more expensive type has more of every model and more keys', () => {
  for (const [index, dearer] of packages.entries()) {
    const cheaper = packages[index - 1]
    if (cheaper === undefined) continue
    expect(dearer.price).toBeGreaterThan(cheaper.price)
    expect(dearer.maxKeys).toBeGreaterThan(cheaper.maxKeys)
    for (const { modelCode, tokenQuota, requestQuota } of cheaper.models) {
      const more = dearer.models.find((model) => model.modelCode === modelCode)
      expect(more?.tokenQuota).toBeGreaterThan(tokenQuota)
      expect(more?.requestQuota).toBeGreaterThan(requestQuota)
    }
  }
})

test('a package is found by its id', () => {
  expect(packages.map(({ packageId }) => findPackage(packageId))).toEqual(packages)
  expect(findPackage('package-gold')).toBeUndefined()
})
