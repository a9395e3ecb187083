import type { ProfileEntry } from '@shared/contract'
import { describe, expect, it, test } from 'vitest'
import { findFreePlanName } from '../../../../../../src/renderer/features/tools/profiles/import-page'
import { hasSameEntries, withModel } from '../../../../../../src/renderer/features/tools/profiles/profile-page'

const entry = (overrides: Partial<ProfileEntry> = {}): ProfileEntry => ({
  toolId: 'claude-code',
  site: { kind: 'user' },
  planId: 'p1',
  keyId: 'k1',
  modelCode: 'large',
  slots: { small: 'small', background: 'large' },
  delivery: 'helper',
  ...overrides,
})

describe('an entry of a profile', () => {
  it('with another model replaces the old one everywhere, and leaves other models', () => {
    expect(withModel(entry(), 'huge')).toEqual(entry({ modelCode: 'huge', slots: { small: 'small' } }))
  })
})

describe('the current setups', () => {
  it('are equal for any order of slots, but not with another key', () => {
    const slotEntry = entry({ slots: { background: 'large', small: 'small' } })
    expect(hasSameEntries([entry()], [slotEntry])).toBe(true)
    expect(hasSameEntries([entry()], [entry({ keyId: 'k2' })])).toBe(false)
    expect(hasSameEntries([entry()], [])).toBe(false)
  })
})

describe('the name of a new plan', () => {
  const gatewayUrl = 'https://gw.example.com'
  test.each<[string, readonly string[], string]>([
    ['team', [], 'team'],
    ['team', ['team', 'team-2'], 'team-3'],
    ['Đội một', [], 'i-m-t'],
    ['—', [], 'gw.example.com'],
    ['x'.repeat(50), ['x'.repeat(50)], `${'x'.repeat(48)}-2`],
  ])('made of "%s" is valid and unique', (name, takenNames, expected) => {
    expect(findFreePlanName({ name, gatewayUrl }, takenNames)).toBe(expected)
  })
})
