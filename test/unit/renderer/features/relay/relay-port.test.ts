import { expect, test } from 'vitest'
import { readPort } from '../../../../../src/renderer/features/relay/relay-page'

test.each([
  ['4870', 4870],
  [' 1024 ', 1024],
  ['65535', 65_535],
  ['1023', undefined],
  ['65536', undefined],
  ['48.7', undefined],
  ['0x1fff', undefined],
  ['1e4', undefined],
  ['', undefined],
])('parses the port %j as %s', (text, port) => {
  expect(readPort(text)).toBe(port)
})
