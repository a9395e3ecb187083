import { describe, expect, test } from 'vitest'
import { daysAgo } from '../../../../../../../src/renderer/features/tools/history/history-page'

describe('the days of the history', () => {
  test.each([
    ['2026-11-21T00:01:00', 0],
    ['2026-11-20T23:59:00', 1],
    ['2026-11-14T12:00:00', 7],
  ])('are counted by midnights: %s is %i days ago', (timestamp, days) => {
    expect(daysAgo(timestamp, new Date('2026-11-21T00:30:00'))).toBe(days)
  })
})
