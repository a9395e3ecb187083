import type { ProfileEntry } from '@shared/contract'
import { describe, expect, it, test } from 'vitest'
import {
  findEntryProblem,
  hasSameEntries,
  setEntryPlan,
  withModel,
} from '../../../../../../src/renderer/features/tools/profiles/edit-page'
import { findFreePlanName } from '../../../../../../src/renderer/features/tools/profiles/import-page'
import { presentEntries } from '../../../../../../src/renderer/features/tools/profiles/profile-actions'
import { appliedSetup, localPlan, setUpTool, writtenTool } from '../../../../../support/tool-setups'

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

  it('with another plan uses its first key, and its models unless it lists the current ones', () => {
    const { keyId: _, ...rest } = entry()
    const plan = localPlan({ id: 'p2', models: ['first', 'small'] })
    expect(setEntryPlan(entry(), plan)).toEqual({
      ...rest,
      planId: 'p2',
      modelCode: 'first',
      slots: { small: 'small' },
    })
  })

  it('with a plan without models keeps its own', () => {
    const { keyId: _, ...rest } = entry()
    expect(setEntryPlan(entry(), localPlan({ id: 'p2', models: [] }))).toEqual({ ...rest, planId: 'p2' })
  })

  test.each<[string, Partial<ProfileEntry>, string | undefined]>([
    ['nothing', {}, undefined],
    ['its plan', { planId: 'gone' }, 'plan'],
    ['its key', { keyId: 'gone' }, 'key'],
    ['its model', { modelCode: ' ' }, 'model'],
    ['a code in two words', { modelCode: 'a b' }, 'model'],
  ])('lacks %s', (_, overrides, problem) => {
    expect(findEntryProblem(entry(overrides), [localPlan()])).toBe(problem)
  })
})

describe('the current setups', () => {
  it('are one entry for each configured tool and site', () => {
    const { status, drift, file, files, applied } = setUpTool({}, { modelCode: 'small' })
    const site = { kind: 'project', folder: '/home/lan/shop' } as const
    const tools = [setUpTool({ setups: [{ site, status, drift, file, files, applied }] }), writtenTool({ id: 'crush' })]
    expect(
      presentEntries(tools).map((presentEntry) => [
        presentEntry.toolId,
        presentEntry.site.kind,
        presentEntry.modelCode,
      ]),
    ).toEqual([
      ['claude-code', 'user', 'large'],
      ['claude-code', 'project', 'small'],
    ])
  })

  it('omit a tool whose plan was removed', () => {
    const { planName: _, ...gone } = appliedSetup()
    expect(presentEntries([setUpTool({ applied: gone })])).toEqual([])
  })

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
