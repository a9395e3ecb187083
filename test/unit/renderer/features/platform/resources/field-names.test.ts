import { expect, it } from 'vitest'
import { formatFieldName } from '../../../../../../src/renderer/features/platform/resources/lookup'

it.each([
  ['lastUsedAt', 'Last used at'],
  ['image_tag', 'Image tag'],
  ['runtimeApiUrl', 'Runtime API URL'],
  ['id', 'ID'],
  ['x-vendor', 'x-vendor'],
  ['0', '0'],
  ['HTTP_PROXY', 'HTTP_PROXY'],
])('the field %s is called %s', (name, text) => {
  expect(formatFieldName(name)).toBe(text)
})
