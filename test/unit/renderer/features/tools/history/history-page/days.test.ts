import { describe, expect, it, test } from 'vitest'
import {
  daysAgo,
  filterEntries,
  groupByDay,
} from '../../../../../../../src/renderer/features/tools/history/history-page'
import { buildHistoryTool, historyEntry } from '../../../../support/profiles'

const tools = [
  { id: 'claude-code', name: 'Claude Code' },
  { id: 'opencode', name: 'OpenCode' },
]

const entries = [
  historyEntry({
    id: 'a',
    at: '2026-11-21T15:00:00',
    tools: [buildHistoryTool({ planName: 'Dự án', modelCode: 'large' })],
  }),
  historyEntry({
    id: 'b',
    at: '2026-11-21T08:00:00',
    tools: [buildHistoryTool({ toolId: 'opencode', modelCode: 'vendor/coder' })],
  }),
  historyEntry({
    id: 'c',
    at: '2026-11-19T23:59:00',
    tools: [
      buildHistoryTool({ files: [{ path: '/home/lan/.claude/OTHER.json', action: 'create' }] }),
      buildHistoryTool({ toolId: 'opencode' }),
    ],
  }),
]

const ids = (toolId: string | undefined, text: string): string[] =>
  filterEntries(entries, { toolId, text }, tools).map(({ id }) => id)

describe('searching a write', () => {
  test.each<[string, string[]]>([
    ['', ['a', 'b', 'c']],
    ['   ', ['a', 'b', 'c']],
    ['opencode', ['b', 'c']],
    ['du an', ['a']],
    ['coder', ['b']],
    ['other.JSON', ['c']],
    ['claude other', ['c']],
    ['claude nothing', []],
  ])('"%s" finds every word in tool, plan, model or file', (text, expected) => {
    expect(ids(undefined, text)).toEqual(expected)
  })

  it('by tool finds the writes that include it', () => {
    expect(ids('opencode', '')).toEqual(['b', 'c'])
    expect(ids('opencode', 'coder')).toEqual(['b'])
  })
})

describe('the days of the history', () => {
  it('contain the writes of one calendar day each, in order', () => {
    expect(groupByDay(entries).map((day) => day.entries.map(({ id }) => id))).toEqual([['a', 'b'], ['c']])
    expect(groupByDay([])).toEqual([])
  })

  test.each([
    ['2026-11-21T00:01:00', 0],
    ['2026-11-20T23:59:00', 1],
    ['2026-11-14T12:00:00', 7],
  ])('are counted by midnights: %s is %i days ago', (timestamp, days) => {
    expect(daysAgo(timestamp, new Date('2026-11-21T00:30:00'))).toBe(days)
  })
})
