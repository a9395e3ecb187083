import { expect, test } from 'vitest'
import { differences } from '../../../scripts/lib/installed.mjs'

const react = { version: '19.0.0', integrity: 'sha512-a' }
const binary = { version: '1.0.0', integrity: 'sha512-b', optional: true }
const wanted = { packages: { '': { version: '0.1.0' }, 'node_modules/react': react, 'node_modules/for-macos': binary } }

test('finds no difference when only optional packages are missing', () => {
  expect(differences(wanted, { packages: { 'node_modules/react': react } })).toEqual([])
})

test.each([
  ['a package is missing', {}, 'node_modules/react'],
  ['a package has another version', { 'node_modules/react': { ...react, version: '18.0.0' } }, 'node_modules/react'],
  [
    'a package has another checksum',
    { 'node_modules/react': { ...react, integrity: 'sha512-x' } },
    'node_modules/react',
  ],
  ['a package is no longer wanted', { 'node_modules/react': react, 'node_modules/old': react }, 'node_modules/old'],
  [
    'an optional package has another version',
    { 'node_modules/react': react, 'node_modules/for-macos': { ...binary, version: '0.9.0' } },
    'node_modules/for-macos',
  ],
])('finds the difference when %s', (_name, packages, expected) => {
  expect(differences(wanted, { packages })).toEqual([expected])
})
