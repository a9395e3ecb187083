import type { AlertSettings, Forecast, PlanQuota } from '@shared/contract/quota'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { AlertEpisode, AlertsRecord } from '../settings/quota-record'
import type { Errors } from './error-bursts'
import { isQuiet } from './quiet'
import { type Allowance, allowancesOf } from './tightest'

type RunsOut = Extract<Forecast, { kind: 'runsOut' }>
type Cycle = NonNullable<PlanQuota['cycle']>

interface OfModel {
  /** The plan's id on this machine or, where it is not here, at its account. */
  readonly planId: string
  readonly planName: string
  readonly modelCode: string
  /** Where the window shows more. */
  readonly path: string
}

interface OfAllowance extends OfModel {
  readonly allowance: 'tokens' | 'requests'
  readonly used: number
  readonly quota: number
  readonly cycle: Cycle
}

/** What a person is told; the words are `alert-words.ts`. */
export type Alert =
  | (OfAllowance & { readonly kind: 'threshold'; readonly percent: number })
  | (OfAllowance & { readonly kind: 'forecast'; readonly forecast: RunsOut })
  | (OfModel & {
      readonly kind: 'errorBurst'
      readonly errors: number
      readonly requests: number
      readonly mostly: UsageErrorKind
    })

/** What is known at a look. */
export interface Seen {
  readonly plans: readonly PlanQuota[]
  /** The failed requests of the last minutes. */
  readonly errors: readonly Errors[]
  /** The plans of this machine, for their names. */
  readonly localPlans: readonly LocalPlan[]
  readonly now: number
}

type LocalPlan = Pick<PlanQuota, 'origin' | 'name'> & { readonly id: string }

/** What to tell, and the episodes under way after that. */
export interface Found {
  readonly alerts: readonly Alert[]
  readonly episodes: readonly AlertEpisode[]
}

const minuteMs = 60_000
const dayMs = 86_400_000
const quietMs = 30 * minuteMs

/** What there is to tell that was not told in its episode. What is quiet now is told afterwards, if it is still so. */
export function findAlerts(seen: Seen, { settings, episodes }: Pick<AlertsRecord, 'settings' | 'episodes'>): Found {
  const book = new EpisodeBook(episodes, seen.now)
  const allowances = seen.plans.flatMap((plan) => (plan.isExpired ? [] : allowancesOf(plan)))
  const alerts = [
    ...allowances.flatMap((one) => thresholdAlert(one, settings, { book, now: seen.now })),
    ...(settings.forecast ? allowances.flatMap((one) => forecastAlert(one, settings, { book, now: seen.now })) : []),
    ...(settings.errorBursts ? seen.errors.flatMap((one) => burstAlert(one, settings, { book, seen })) : []),
  ]
  return { alerts, episodes: book.all() }
}

/** The episodes under way, without those that are over. */
class EpisodeBook {
  readonly #episodes = new Map<string, AlertEpisode>()

  constructor(episodes: readonly AlertEpisode[], now: number) {
    for (const episode of episodes) if (!isOver(episode, now)) this.put(episode)
  }

  get<K extends AlertEpisode['kind']>(kind: K, of: string): Extract<AlertEpisode, { kind: K }> | undefined {
    const found = this.#episodes.get(`${kind} ${of}`)
    return found && isOfKind(found, kind) ? found : undefined
  }

  put(episode: AlertEpisode): void {
    this.#episodes.set(`${episode.kind} ${episode.of}`, episode)
  }

  all(): readonly AlertEpisode[] {
    return [...this.#episodes.values()]
  }
}

const isOfKind = <K extends AlertEpisode['kind']>(
  episode: AlertEpisode,
  kind: K,
): episode is Extract<AlertEpisode, { kind: K }> => episode.kind === kind

function isOver(episode: AlertEpisode, now: number): boolean {
  if (episode.kind === 'errorBurst') return now - Date.parse(episode.lastAt) >= quietMs
  if (episode.kind === 'forecast' && now - Date.parse(episode.lastsSince ?? '') >= dayMs) return true
  return now - Date.parse(episode.endsAt) >= dayMs
}

interface Look {
  readonly book: EpisodeBook
  readonly now: number
}

/** The highest threshold that was passed, once in a cycle. */
function thresholdAlert(one: Allowance, settings: AlertSettings, { book, now }: Look): Alert[] {
  const { cycle } = one.plan
  if (!cycle) return []
  const { used, quota } = one.gauge
  const percent = Math.max(0, ...settings.thresholds.filter((threshold) => used * 100 >= threshold * quota))
  const of = nameOf(one, cycle)
  const told = book.get('threshold', of)?.percent ?? 0
  if (percent <= told || isQuiet(settings, subjectOf(one), now)) return []
  book.put({ kind: 'threshold', of, percent, endsAt: cycle.to })
  return [{ ...shownOf(one, cycle), kind: 'threshold', percent }]
}

/** Once until the forecast has said for a day that it lasts. */
function forecastAlert(one: Allowance, settings: AlertSettings, { book, now }: Look): Alert[] {
  const { cycle } = one.plan
  const { forecast } = one.gauge
  if (!cycle) return []
  const of = nameOf(one, cycle)
  const known = book.get('forecast', of)
  if (forecast.kind === 'lasts' && known && known.lastsSince === undefined)
    book.put({ ...known, lastsSince: new Date(now).toISOString() })
  if (forecast.kind !== 'runsOut') return []
  if (!known && isQuiet(settings, subjectOf(one), now)) return []
  book.put({ kind: 'forecast', of, endsAt: cycle.to })
  return known ? [] : [{ ...shownOf(one, cycle), kind: 'forecast', forecast }]
}

/** Once until nothing has failed for half an hour. */
function burstAlert(
  found: Errors,
  settings: AlertSettings,
  { book, seen }: { readonly book: EpisodeBook; readonly seen: Seen },
): Alert[] {
  const plan = seen.localPlans.find(({ id }) => id === found.planId)
  if (!plan) return []
  const { isBurst, ...errors } = found
  const of = JSON.stringify([errors.planId, errors.modelCode])
  const known = book.get('errorBurst', of)
  const subject = { planIds: [plan.id, plan.origin?.planId ?? plan.id], modelCode: errors.modelCode }
  if (!known && (!isBurst || isQuiet(settings, subject, seen.now))) return []
  book.put({ kind: 'errorBurst', of, lastAt: new Date(seen.now).toISOString() })
  const path = pathOf({ plan: plan.id, model: errors.modelCode })
  return known ? [] : [{ ...errors, kind: 'errorBurst', planName: plan.name, path }]
}

/** The same through restarts, and when an account's plan is kept on this machine later. */
function nameOf({ plan: { planId, origin }, model, kind }: Allowance, { to }: Cycle): string {
  const plan = origin ? [origin.connectionId, origin.planId] : [planId]
  return JSON.stringify([...plan, model.modelCode, kind, to])
}

const subjectOf = ({ plan: { planId, origin }, model: { modelCode } }: Allowance) => ({
  planIds: [planId, origin?.planId].filter((id) => id !== undefined),
  modelCode,
})

function shownOf({ plan, model: { modelCode }, kind, gauge: { used, quota } }: Allowance, cycle: Cycle): OfAllowance {
  const { planId, origin, name } = plan
  const path =
    planId === undefined && origin
      ? pathOf({ plan: origin.planId, connection: origin.connectionId, model: modelCode })
      : pathOf({ plan: planId ?? '', model: modelCode })
  const id = planId ?? origin?.planId ?? ''
  return { planId: id, planName: name, modelCode, allowance: kind, used, quota, cycle, path }
}

const pathOf = (query: Record<string, string>): string => `/usage?${new URLSearchParams(query)}`
