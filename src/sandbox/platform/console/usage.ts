import { z } from 'zod'
import { type Interval, reportUsage, type UsageQuery, type UsageSums } from '../../state/usage-report'
import type { Plan, World } from '../../state/world'
import { type Call, ok, type Reply } from '../operation'
import { invalidInput } from '../refusals'
import { planOnRecord } from './lookups'

const dayMs = 86_400_000
const usualDays = 30
/** Ours: the longest time a series may span. */
const mostDays: Readonly<Record<Interval, number>> = { hour: 45, day: 400 }

const Moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()])
const noSums: UsageSums = { inputTokens: 0, outputTokens: 0, cacheTokens: 0, requests: 0, errors: 0 }

/** A parameter that may be there once: the key filter is single select (spec, "Limits"). Throws 400. */
function once(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  if (values.length > 1)
    throw invalidInput(`The query parameter "${name}" may be given once; it came ${values.length} times.`)
  return values[0]
}

function momentMs(query: URLSearchParams, name: string): number | undefined {
  const text = once(query, name)
  if (text === undefined) return undefined
  const parsed = Moment.safeParse(text)
  if (parsed.success) return Date.parse(parsed.data)
  const shown = text.slice(0, 40)
  throw invalidInput(`The query parameter "${name}" must be a time such as 2026-01-31T00:00:00Z; it was "${shown}".`)
}

function intervalOf(query: URLSearchParams): Interval {
  const text = once(query, 'interval') ?? 'day'
  if (text === 'hour' || text === 'day') return text
  throw invalidInput(`The query parameter "interval" must be "hour" or "day"; it was "${text.slice(0, 40)}".`)
}

function timesOf(query: URLSearchParams, nowMs: number): Pick<UsageQuery, 'fromMs' | 'toMs' | 'interval'> {
  const interval = intervalOf(query)
  const toMs = momentMs(query, 'to') ?? nowMs
  const fromMs = momentMs(query, 'from') ?? toMs - usualDays * dayMs
  if (fromMs >= toMs) throw invalidInput('The query parameter "from" must be before "to".')
  const most = mostDays[interval]
  if (toMs - fromMs <= most * dayMs) return { fromMs, toMs, interval }
  throw invalidInput(`By ${interval}, "from" and "to" may be at most ${most} days apart.`)
}

function modelOf(query: URLSearchParams, plan: Plan): string | undefined {
  const modelCode = once(query, 'model')
  if (modelCode === undefined || plan.models.some((model) => model.modelCode === modelCode)) return modelCode
  const codes = plan.models.map((model) => model.modelCode).join(', ')
  throw invalidInput(`The query parameter "model" must be a model of the plan: ${codes}.`)
}

/** Deleted keys can be asked for: their usage is retained. */
function keyOf(query: URLSearchParams, world: World, { planId }: Plan): string | undefined {
  const keyId = once(query, 'keyId')
  if (keyId === undefined || world.keys.some((key) => key.keyId === keyId && key.planId === planId)) return keyId
  throw invalidInput(`The query parameter "keyId" must be a key of the plan; "${keyId.slice(0, 100)}" is none.`)
}

const tokensOf = ({ inputTokens, outputTokens, cacheTokens }: UsageSums): number =>
  inputTokens + outputTokens + cacheTokens

/** Usage of a plan of this account, also of an expired or deleted one; tokens = input + output + cache. Throws 400 and 404. */
export function getUsage({ store, params, query }: Call): Reply {
  const world = store.world()
  const plan = planOnRecord(world, params.planId)
  const modelCode = modelOf(query, plan)
  const filters = { planId: plan.planId, modelCode, keyId: keyOf(query, world, plan) }
  const { totals, series, byModel } = reportUsage(world.usage, { ...timesOf(query, store.nowMs()), ...filters })
  const models = plan.models.filter((model) => modelCode === undefined || model.modelCode === modelCode)
  return ok({
    totals: { ...totals, tokens: tokensOf(totals) },
    series,
    models: models.map(({ modelCode: code, tokenQuota, requestQuota }) => {
      const sums = byModel.get(code) ?? noSums
      return { modelCode: code, tokens: tokensOf(sums), requests: sums.requests, tokenQuota, requestQuota }
    }),
  })
}
