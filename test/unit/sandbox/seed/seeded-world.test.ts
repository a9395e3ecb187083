import { describe, expect, test } from 'vitest'
import { seededWorld } from '../../../../src/sandbox/seed/seeded-world'
import { hashSeed } from '../../../../src/sandbox/state/store'

const dayMs = 86_400_000
const nowMs = Date.parse('2026-11-20T08:23:45.678Z')
const world = seededWorld(hashSeed('one'), nowMs)

/** Each usage bucket with the start of its hour. */
const bookings = Object.entries(world.usage).flatMap(([day, buckets]) =>
  Object.entries(buckets).map(([bucket, [input, output, cache, requests, errors]]) => {
    const [hour = '', planId = '', keyId = '', modelCode = ''] = bucket.split('|')
    const atMs = Date.parse(`${day}T${hour.padStart(2, '0')}:00:00Z`)
    return { atMs, planId, keyId, modelCode, tokens: input + output + cache, requests, errors }
  }),
)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, addend) => total + addend, 0)

describe('the seed data', () => {
  test('is the same for the same seed and time, and differs for another seed', () => {
    expect(seededWorld(hashSeed('one'), nowMs)).toEqual(world)
    expect(seededWorld(hashSeed('two'), nowMs).usage).not.toEqual(world.usage)
  })

  test('has quota usage that matches the usage of the current cycle', () => {
    for (const { planId, cycleEndsAt, cycleDays, models } of world.plans) {
      const fromMs = Date.parse(cycleEndsAt) - cycleDays * dayMs
      for (const { modelCode, tokensUsed, requestsUsed, tokenQuota, requestQuota } of models) {
        const modelBookings = bookings.filter(
          (booking) => booking.planId === planId && booking.modelCode === modelCode && booking.atMs >= fromMs,
        )
        expect([tokensUsed, requestsUsed]).toEqual([
          sum(modelBookings.map((booking) => booking.tokens)),
          sum(modelBookings.map((booking) => booking.requests)),
        ])
        expect(tokensUsed).toBeGreaterThan(0)
        expect(tokensUsed).toBeLessThanOrEqual(tokenQuota)
        expect(requestsUsed).toBeLessThanOrEqual(requestQuota)
      }
    }
  })
})
