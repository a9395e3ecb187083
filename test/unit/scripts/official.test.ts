import { expect, test } from 'vitest'
import { findReason } from '../../../scripts/electron/official.mjs'

test.each([
  ['TypeError: fetch failed\n    at node:internal/deps', 'the download host cannot be reached'],
  [
    'Downloading\nHTTPError: Response code 404 (Not Found) for x\n    at y',
    'HTTPError: Response code 404 (Not Found) for x',
  ],
  ['Error: EACCES: permission denied\n    at z', 'Error: EACCES: permission denied'],
  ['\n  something else\n', 'something else'],
  ['', 'no reason given'],
])('finds the reason in the installer’s output', (output, expected) => expect(findReason(output)).toBe(expected))
