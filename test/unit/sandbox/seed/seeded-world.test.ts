import { describe, expect, test } from 'vitest'
import { seededWorld } from '../../../../src/sandbox/seed/seeded-world'
import { hashSeed } from '../../../../src/sandbox/state/store'
import { World } from '../../../../src/sandbox/state/world'

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

  test('is valid in a state file', () => {
    expect(World.parse(JSON.parse(JSON.stringify(world)))).toEqual(world)
  })

  test('has three plans in different states', () => {
    const rows = world.plans.map(({ name, status, autoRenew, expiresAt }) => {
      const days = (Date.parse(expiresAt) - nowMs) / dayMs
      return [name, status, autoRenew, Math.ceil(days)]
    })
    expect(rows).toEqual([
      ['sandbox-pro', 'ACTIVE', true, 18],
      ['team-spring', 'ACTIVE', false, 3],
      ['sandbox-expired', 'EXPIRED', false, -3],
    ])
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

  test('has one model with a used-up quota', () => {
    const exhaustedModels = world.plans
      .flatMap(({ models }) => models)
      .filter((model) => model.tokensUsed === model.tokenQuota)
    expect(exhaustedModels.map(({ modelCode }) => modelCode)).toEqual(['nova-vision'])
  })

  test('has 40 days of usage, none in the future, with quiet weekends', () => {
    const bookingTimes = bookings.map(({ atMs }) => atMs)
    expect(Math.max(...bookingTimes)).toBeLessThan(nowMs)
    expect((nowMs - Math.min(...bookingTimes)) / dayMs).toBeGreaterThan(38)
    expect((nowMs - Math.min(...bookingTimes)) / dayMs).toBeLessThan(41)
    const sumTokensOnDays = (weekdays: readonly number[]) =>
      sum(bookings.filter(({ atMs }) => weekdays.includes(new Date(atMs).getUTCDay())).map(({ tokens }) => tokens)) /
      weekdays.length
    expect(sumTokensOnDays([0, 6])).toBeLessThan(sumTokensOnDays([1, 2, 3, 4, 5]) / 3)
  })

  test('records usage on existing keys', () => {
    const keys = new Set(world.keys.map(({ keyId, planId }) => `${planId}|${keyId}`))
    expect(bookings.filter(({ planId, keyId }) => !keys.has(`${planId}|${keyId}`))).toEqual([])
  })

  test('has a dozen memories with thousands of events, none expired or in the future', () => {
    const { memories } = world.memory
    expect(memories).toHaveLength(12)
    const events = memories.flatMap(({ sessions }) => sessions.flatMap((session) => session.events))
    expect(events.length).toBeGreaterThan(4_000)
    for (const { sessions, eventExpiryDuration } of memories) {
      for (const { createdAt } of sessions.flatMap((session) => session.events)) {
        const ageMs = nowMs - Date.parse(createdAt)
        expect(ageMs).toBeGreaterThan(0)
        expect(ageMs).toBeLessThan(eventExpiryDuration * dayMs)
      }
    }
  })

  test('has records with a matching strategy, session and namespace', () => {
    for (const { strategies, sessions, records } of world.memory.memories) {
      const sessionKeys = new Set(sessions.map(({ actorId, sessionId }) => `${actorId}|${sessionId}`))
      for (const record of records) {
        const strategy = strategies.find(({ id }) => id === record.longTermMemoryStrategyId)
        expect(strategy).toBeDefined()
        expect(sessionKeys).toContain(`${record.actorId}|${record.sessionId}`)
        expect(record.namespace).toMatch(/^\/strategies\/[^{}]+$/)
        expect(record.namespace).toContain(`/actors/${record.actorId}`)
      }
    }
    expect(sum(world.memory.memories.map(({ records }) => records.length))).toBeGreaterThan(600)
  })

  test('has endpoints of existing versions', () => {
    for (const { versions, endpoints } of world.runtime.runtimes) {
      expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1))
      for (const { version } of endpoints) expect(version).toBeLessThanOrEqual(versions.length)
    }
    expect(world.runtime.runtimes.length).toBeGreaterThanOrEqual(4)
  })

  test('has unique ids', () => {
    const { memory, runtime, registry, plans, keys, aip } = world
    const ids = [
      ...memory.memories.flatMap(({ id, sessions, records }) => [
        id,
        ...sessions.map(({ sessionId }) => sessionId),
        ...records.map((record) => record.id),
      ]),
      ...runtime.runtimes.flatMap(({ id, endpoints }) => [id, ...endpoints.map((endpoint) => endpoint.id)]),
      ...registry.repositories.map(({ id }) => id),
      ...registry.robotAccounts.map(({ id }) => id),
      ...plans.map(({ planId }) => planId),
      ...keys.map(({ keyId }) => keyId),
      ...aip.apiKeys.map(({ keyId }) => keyId),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })
})
