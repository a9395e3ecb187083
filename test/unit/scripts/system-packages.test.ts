import { expect, test } from 'vitest'
import { installedNames, missingNames } from '../../../scripts/lib/system-packages.mjs'

test('accepts a library under its name in newer releases as installed, and a removed one as missing', () => {
  const output = 'libgtk-3-0t64:amd64 ii \nlibnss3:amd64 ii \ndbus rc \nxvfb un \n'
  const installedPackages = installedNames(output)
  expect(missingNames(['libgtk-3-0', 'libnss3', 'dbus', 'xvfb'], installedPackages)).toEqual(['dbus', 'xvfb'])
})
