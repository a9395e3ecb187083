import type { AccountPlanView } from '@shared/contract/account'
import type { UsageCounts } from '@shared/contract/usage'
import { hourMs, minuteMs } from '@shared/durations'
import type { UsageQuestion } from '../account/console-client'
import type { Clock } from '../ports'
import type { AccountPlanId } from '../settings/settings'
import { rhythmFrom } from '../usage/forecast'
import { type CacheEntry, limitConcurrency, TtlCache, within } from './ttl-cache'

/** What was used in an hour; `start` in ms. */
export type Hour = UsageCounts & { readonly start: number }

export interface ConsoleDeps {
  readonly account: {
    plans(of: { readonly connectionId: string }): Promise<AccountPlanView[]>
    usage(
      question: UsageQuestion & { readonly connectionId: string },
    ): Promise<{ readonly series: readonly (UsageCounts & { readonly start: string })[] }>
  }
  readonly clock: Clock
  /** How far the clock of a connection's place is ahead of ours by its last answer, in ms; not at all unless given. */
  readonly aheadMsOf?: ((connectionId: string) => number) | undefined
  /** How long an answer is waited for; one that comes later is there for the next. */
  readonly patienceMs: number
}

/** What a console told of its plans, and how far its clock was ahead of ours then. */
interface ToldPlans {
  readonly plans: readonly AccountPlanView[]
  readonly aheadMs: number
}

const atOnce = 2

/** What consoles tell: their plans at most once a minute, the hours of a model, which change little, at most once an hour. */
export class ConsoleFigures {
  readonly #deps: ConsoleDeps
  readonly #plans: TtlCache<ToldPlans>
  readonly #hours: TtlCache<readonly Hour[]>
  /** By connection. */
  readonly #lastTold = new Map<string, CacheEntry<ToldPlans>>()

  constructor(deps: ConsoleDeps) {
    const { clock } = deps
    const turn = limitConcurrency(atOnce)
    this.#deps = deps
    this.#plans = new TtlCache({ clock, turn, forMs: minuteMs })
    this.#hours = new TtlCache({ clock, turn, forMs: hourMs })
  }

  /** The plans of an account; undefined when it cannot be asked now. */
  async plans(connectionId: string): Promise<CacheEntry<ToldPlans> | undefined> {
    const { account, patienceMs } = this.#deps
    const asked = this.#plans.get(connectionId, async () => {
      const plans = await account.plans({ connectionId })
      return { plans, aheadMs: this.#aheadMsOf(connectionId) }
    })
    const told = await within(asked, patienceMs)
    if (told) this.#lastTold.set(connectionId, told)
    return told
  }

  /** What an account told last; for when it cannot be asked. */
  lastTold(connectionId: string): CacheEntry<ToldPlans> | undefined {
    return this.#lastTold.get(connectionId)
  }

  /** The hours of the rhythm of one model; none when they cannot be asked for. */
  async hours(plan: AccountPlanId, modelCode: string): Promise<readonly Hour[]> {
    const { account, clock, patienceMs } = this.#deps
    const aheadMs = this.#lastTold.get(plan.connectionId)?.value.aheadMs ?? 0
    const name = JSON.stringify([plan.connectionId, plan.planId, modelCode, Math.round(aheadMs / hourMs)])
    const asked = this.#hours.get(name, async () => {
      const now = clock().getTime() + aheadMs
      const span = { from: new Date(rhythmFrom(now)).toISOString(), to: new Date(now).toISOString() }
      const { series } = await account.usage({ ...plan, ...span, interval: 'hour', modelCode })
      return series.map(({ start, ...counts }) => ({ ...counts, start: Date.parse(start) }))
    })
    return (await within(asked, patienceMs))?.value ?? []
  }

  /** Asks anew the next time. */
  forget(): void {
    this.#plans.forget()
    this.#hours.forget()
  }

  /** A clock that is right is told to the second, and after a while: it counts as ours. */
  #aheadMsOf(connectionId: string): number {
    const aheadMs = this.#deps.aheadMsOf?.(connectionId) ?? 0
    return Math.abs(aheadMs) < minuteMs ? 0 : aheadMs
  }
}
