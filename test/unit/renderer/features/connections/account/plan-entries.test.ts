import { describe, expect, it } from 'vitest'
import { formatPlanEnd } from '../../../../../../src/renderer/features/connections/account/plan-entries'
import { createFormats } from '../../../../../../src/renderer/format'

const currentTime = new Date('2026-11-21T12:00:00.000Z')

describe('the end of a plan', () => {
  it.each([
    ['2026-11-26T12:00:00.000Z', false, 'in 5 days'],
    ['2026-11-16T12:00:00.000Z', true, '5 days ago'],
    ['2026-11-26T12:00:00.000Z', true, 'Nov 26, 2026'],
  ])(
    'at %s, expired %s, is shown as %j, and never as future when the platform says expired',
    (expiresAt, isExpired, text) => {
      expect(formatPlanEnd({ expiresAt, isExpired }, createFormats('en'), currentTime).short).toBe(text)
    },
  )
})
