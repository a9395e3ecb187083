import { bucketOf } from '../state/usage'
import type { ModelAllowance, Plan, Tally, UsageBook } from '../state/world'
import { dayMs, hourMs, hourOf } from './moments'
import { createRandom, type Random } from './random'
import { cycleOf, type PlanSketch, planSketches } from './seeded-plans'

const pastDays = 40
/** Of a usual week, Sunday first. */
const byWeekday = [0.12, 1, 1.15, 1.1, 1.05, 0.85, 0.2]
/** Of a usual day in Vietnam (UTC+7), from midnight UTC: work from nine, a break at noon, a little in the evening. */
const byHour = [0.1, 0.5, 1, 1.1, 1, 0.3, 0.8, 1.1, 1.2, 1, 0.7, 0.3, 0.2, 0.35, 0.4, 0.2, 0.05, 0, 0, 0, 0, 0, 0, 0.02]

interface Stretch {
  readonly fromMs: number
  readonly toMs: number
  /** Tokens to spread over it. */
  readonly tokens: number
}

interface Pool {
  readonly planId: string
  readonly modelCode: string
  readonly keyIds: readonly string[]
}

interface Booking {
  readonly day: string
  readonly bucket: string
  readonly tally: Tally
}

interface Slot {
  readonly atMs: number
  readonly keyId: string
  readonly weight: number
}

function slotsOf({ fromMs, toMs }: Stretch, keyIds: Pool['keyIds'], random: Random): readonly Slot[] {
  const hours = Math.max(0, Math.round((toMs - fromMs) / hourMs))
  return Array.from({ length: hours }, (_, hour) => fromMs + hour * hourMs).flatMap((atMs) => {
    const moment = new Date(atMs)
    const usual = (byWeekday[moment.getUTCDay()] ?? 0) * (byHour[moment.getUTCHours()] ?? 0)
    const weight = usual * (0.4 + 1.2 * random.next())
    return weight < 0.05 ? [] : [{ atMs, keyId: keyIds[random.int(0, keyIds.length - 1)] ?? '', weight }]
  })
}

/** Splits tokens as a coding tool uses them: much input, most of it from the cache, little output. */
function split(tokens: number, random: Random) {
  const outputTokens = Math.round(tokens * (0.04 + 0.05 * random.next()))
  const cacheTokens = Math.round(tokens * (0.35 + 0.3 * random.next()))
  return [tokens - outputTokens - cacheTokens, outputTokens, cacheTokens] as const
}

/** The usage of one model in one stretch of time: exactly its tokens, spread over the hours. */
function spread({ planId, modelCode, keyIds }: Pool, stretch: Stretch, random: Random): readonly Booking[] {
  const slots = slotsOf(stretch, keyIds, random)
  const sum = slots.reduce((total, { weight }) => total + weight, 0)
  let left = stretch.tokens
  return slots.map(({ atMs, keyId, weight }, index) => {
    const tokens = index === slots.length - 1 ? left : Math.min(left, Math.round((stretch.tokens * weight) / sum))
    left -= tokens
    const requests = Math.max(1, Math.round(tokens / random.int(2_600, 5_200)))
    const errors = random.next() < 0.12 ? Math.ceil(requests * 0.04) : 0
    const tally: Tally = [...split(tokens, random), requests, errors]
    return { ...bucketOf({ atMs, planId, keyId, modelCode }), tally }
  })
}

/** The cycle under way uses the share that the sketch names, the one before it a little. */
function stretchesOf(sketch: PlanSketch, { modelCode, tokenQuota }: ModelAllowance, nowMs: number): readonly Stretch[] {
  const { fromMs, toMs } = cycleOf(sketch, nowMs)
  const untilNow = hourOf(nowMs)
  const before = { fromMs: untilNow - pastDays * dayMs, toMs: fromMs, tokens: Math.round(tokenQuota * 0.17) }
  const tokens = Math.round(tokenQuota * (sketch.share[modelCode] ?? 0))
  const now = { fromMs, toMs: Math.min(toMs, untilNow), tokens }
  return sketch.cycles > 1 ? [before, now] : [now]
}

/** 40 days of usage with the rhythm of weeks and days. Each hour of a key and a model is booked once. */
export function seededUsage(seed: string, plans: readonly Plan[], nowMs: number): UsageBook {
  const bookings = planSketches.flatMap((sketch) => {
    const { planId } = sketch
    const keyIds = sketch.keys.map((key) => key.keyId)
    const models = plans.find((plan) => plan.planId === planId)?.models ?? []
    return models.flatMap((model) => {
      const pool: Pool = { planId, modelCode: model.modelCode, keyIds }
      const random = createRandom(seed, `usage|${planId}|${model.modelCode}`)
      return stretchesOf(sketch, model, nowMs).flatMap((stretch) => spread(pool, stretch, random))
    })
  })
  const days = new Map<string, [string, Tally][]>()
  for (const { day, bucket, tally } of bookings) {
    const ofDay = days.get(day)
    if (ofDay) ofDay.push([bucket, tally])
    else days.set(day, [[bucket, tally]])
  }
  return Object.fromEntries([...days].map(([day, tallies]) => [day, Object.fromEntries(tallies)]))
}

/** Plans with what the book says they used since their cycle under way began. */
export function bookedPlans(plans: readonly Plan[], book: UsageBook): readonly Plan[] {
  const used = new Map<string, { tokens: number; requests: number }>()
  const startOf = new Map(plans.map((plan) => [plan.planId, Date.parse(plan.cycleEndsAt) - plan.cycleDays * dayMs]))
  for (const [day, buckets] of Object.entries(book)) {
    for (const [bucket, [input, output, cache, requests]] of Object.entries(buckets)) {
      const [hour = '0', planId = '', , modelCode = ''] = bucket.split('|')
      if (Date.parse(`${day}T00:00:00Z`) + Number(hour) * hourMs < (startOf.get(planId) ?? 0)) continue
      const pool = `${planId}|${modelCode}`
      const before = used.get(pool) ?? { tokens: 0, requests: 0 }
      used.set(pool, { tokens: before.tokens + input + output + cache, requests: before.requests + requests })
    }
  }
  return plans.map((plan) => ({
    ...plan,
    models: plan.models.map((model) => {
      const { tokens, requests } = used.get(`${plan.planId}|${model.modelCode}`) ?? { tokens: 0, requests: 0 }
      return { ...model, tokensUsed: tokens, requestsUsed: requests }
    }),
  }))
}
