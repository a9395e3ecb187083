import { expect, test } from 'vitest'
import { differences } from '../../../scripts/lib/installed.mjs'

const reactPackage = { version: '19.0.0', integrity: 'sha512-a' }
const binary = { version: '1.0.0', integrity: 'sha512-b', optional: true }
const expectedLock = {
  packages: { '': { version: '0.1.0' }, 'node_modules/react': reactPackage, 'node_modules/for-macos': binary },
}

test('finds no difference when only optional packages are missing', () => {
  expect(differences(expectedLock, { packages: { 'node_modules/react': reactPackage } })).toEqual([])
})

test.each([
  ['a package is missing', {}, 'node_modules/react'],
  [
    'a package has another version',
    { 'node_modules/react': { ...reactPackage, version: '18.0.0' } },
    'node_modules/react',
  ],
  [
    'a package has another checksum',
    { 'node_modules/react': { ...reactPackage, integrity: 'sha512-x' } },
    'node_modules/react',
  ],
  [
    'a package is no longer wanted',
    { 'node_modules/react': reactPackage, 'node_modules/old': reactPackage },
    'node_modules/old',
  ],
  [
    'an optional package has another version',
    { 'node_modules/react': reactPackage, 'node_modules/for-macos': { ...binary, version: '0.9.0' } },
    'node_modules/for-macos',
  ],
])('finds the difference when %s', (_name, packages, expected) => {
  expect(differences(expectedLock, { packages })).toEqual([expected])
})
