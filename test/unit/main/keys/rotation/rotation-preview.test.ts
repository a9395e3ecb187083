import { expect, it } from 'vitest'
import { newKeyName } from '../../../../../src/main/keys/rotation/rotation-preview'

const currentTime = new Date('2026-11-21T23:59:59Z')
const long = 'é'.repeat(50)

it.each([
  ['takes the day behind it', 'default-key', [], 'default-key-2026-11-21'],
  ['loses the day of the rotation before', 'default-key-2026-08-01', [], 'default-key-2026-11-21'],
  ['loses the number of it as well', 'ci-2026-08-01-3', [], 'ci-2026-11-21'],
  ['keeps what only looks alike', 'ci-2026', [], 'ci-2026-2026-11-21'],
  ['is counted on where it is taken', 'ci', ['ci-2026-11-21', 'ci-2026-11-21-2'], 'ci-2026-11-21-3'],
  ['is another than that of the key itself', 'ci-2026-11-21', ['ci-2026-11-21'], 'ci-2026-11-21-2'],
  ['has at most 50 characters', long, [], `${'é'.repeat(39)}-2026-11-21`],
])('a name %s', (_, oldName, taken, name) => {
  expect(newKeyName(oldName, taken, currentTime)).toBe(name)
})
