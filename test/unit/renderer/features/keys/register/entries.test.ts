import { describe, expect, it } from 'vitest'
import { needsHandout } from '../../../../../../src/renderer/features/connections/account/keys'
import {
  isOld,
  isUnacknowledged,
  listEntries,
  listHolders,
  noFilter,
} from '../../../../../../src/renderer/features/keys/register/entries'
import { entry } from '../../../support/key-care'

const currentTime = new Date('2026-11-21T08:00:00.000Z')
const toIsoDaysAgo = (days: number): string => new Date(currentTime.getTime() - days * 86_400_000).toISOString()

const lanEntry = entry({
  keyName: 'lan',
  holder: { kind: 'person', name: 'Lan Đỗ' },
  purpose: 'cửa hàng',
  createdAt: toIsoDaysAgo(10),
})
const pipelineEntry = entry({
  keyId: 'k2',
  keyName: 'ci',
  holder: { kind: 'tool', name: 'pipeline' },
  machine: 'runner-7',
  tools: ['OpenCode'],
  handedOutAt: toIsoDaysAgo(3),
  createdAt: toIsoDaysAgo(91),
})
const minhEntry = entry({
  keyId: 'k3',
  keyName: 'minh',
  holder: { kind: 'person', name: 'Minh' },
  status: 'DISABLED',
  handedOutAt: toIsoDaysAgo(8),
  acknowledgedAt: toIsoDaysAgo(7),
  alsoServes: ['Hương'],
  createdAt: toIsoDaysAgo(400),
})
const deletedKeyEntry = entry({
  keyId: 'k4',
  keyName: 'gone',
  status: 'gone',
  handedOutAt: toIsoDaysAgo(3),
  createdAt: toIsoDaysAgo(400),
})
const entryWithoutHolder = (({ holder: _, createdAt: __, ...rest }) => ({ ...rest, keyId: 'k5', keyName: 'spare' }))(
  entry(),
)
const allEntries = [lanEntry, pipelineEntry, minhEntry, deletedKeyEntry, entryWithoutHolder]

describe('the register', () => {
  it.each([
    ['holder', false, ['gone', 'lan', 'minh', 'ci', 'spare']],
    ['created', true, ['lan', 'ci', 'gone', 'minh', 'spare']],
    ['handedOut', true, ['ci', 'gone', 'minh', 'lan', 'spare']],
    ['status', false, ['ci', 'lan', 'spare', 'minh', 'gone']],
    ['no such column', true, ['spare', 'minh', 'lan', 'gone', 'ci']],
  ] as const)('is sorted by %s, downwards: %j', (by, isDescending, names) => {
    const rows = listEntries(allEntries, noFilter, { sorting: { by, isDescending }, currentTime })
    expect(rows.map(({ keyName }) => keyName)).toEqual(names)
  })

  it('offers no confirmation for a deleted or disabled key, and no age without a creation date', () => {
    expect(allEntries.filter(isUnacknowledged).map(({ keyName }) => keyName)).toEqual(['ci'])
    expect(isUnacknowledged({ ...pipelineEntry, status: 'DISABLED' })).toBe(false)
    expect(isOld(entryWithoutHolder, currentTime)).toBe(false)
    expect(isOld(entry({ createdAt: toIsoDaysAgo(89.9) }), currentTime)).toBe(false)
  })
})

describe('key holders', () => {
  it('are listed once by name, with all keys, also shared ones', () => {
    const sharedEntry = entry({ keyId: 'k9', holder: { kind: 'tool', name: 'pipeline' }, alsoServes: ['Lan Đỗ', 'An'] })
    const holderList = listHolders([sharedEntry, lanEntry, pipelineEntry, entry({ keyId: 'k8', holder: undefined })])
    expect(holderList.map(({ holder, entries }) => [holder, entries.map(({ keyId }) => keyId)])).toEqual([
      [{ kind: 'person', name: 'An' }, ['k9']],
      [{ kind: 'person', name: 'Lan Đỗ' }, ['k9', lanEntry.keyId]],
      [{ kind: 'tool', name: 'pipeline' }, ['k9', 'k2']],
    ])
  })

  it('are a tool if one of its keys says so', () => {
    const holderList = listHolders([{ ...lanEntry, alsoServes: ['pipeline'] }, pipelineEntry])
    expect(holderList.map(({ holder, entries }) => [holder, entries.length])).toEqual([
      [{ kind: 'person', name: 'Lan Đỗ' }, 1],
      [{ kind: 'tool', name: 'pipeline' }, 2],
    ])
  })
})

const rotatedEntry = entry({ rotatedAt: toIsoDaysAgo(1), holder: { kind: 'person', name: 'Lan' } })

it.each([
  ['has to be handed out to its holder', rotatedEntry, true],
  ['has not once it was', { ...rotatedEntry, handedOutAt: toIsoDaysAgo(0) }, false],
  ['has not when nobody holds it', { ...rotatedEntry, holder: undefined }, false],
  [
    'has not to a tool that uses it here',
    { ...rotatedEntry, holder: { kind: 'tool' as const, name: 'Zed' }, tools: ['Zed'] },
    false,
  ],
  ['has not once it is gone', { ...rotatedEntry, status: 'gone' as const }, false],
])('a replacement key %s', (_, testedEntry, isDue) => {
  expect(needsHandout(testedEntry)).toBe(isDue)
})
