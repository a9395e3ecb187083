import { expect, test } from 'vitest'
import { installedNames, missingNames } from '../../../scripts/lib/system-packages.mjs'

test('takes a library under the name of newer releases for installed, and a removed one for missing', () => {
  const output = 'libgtk-3-0t64:amd64 ii \nlibnss3:amd64 ii \ndbus rc \nxvfb un \n'
  const installed = installedNames(output)
  expect(missingNames(['libgtk-3-0', 'libnss3', 'dbus', 'xvfb'], installed)).toEqual(['dbus', 'xvfb'])
})
