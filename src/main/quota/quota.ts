import type { MethodInput, MethodOutput, PlanView } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import { dayMs } from '@shared/durations'
import type { Clock, Log } from '../ports'
import type { SettingsStore } from '../settings/settings'
import { rhythmFrom } from '../usage/forecast'
import type { HourOfModel, Ledger } from '../usage/ports'
import { localClock } from '../usage/usage-pattern'
import { type ConsoleDeps, ConsoleFigures } from './console-figures'
import { tightestFirst, tightestLine } from './lowest-quota'
import { consoleFigures, machineFigures, type PlanFigures, planQuota, usualCycleDays } from './plan-figures'

export interface QuotaDeps {
  readonly account: ConsoleDeps['account']
  /** Ids of the connections with a console. */
  readonly consoles: () => readonly string[]
  readonly plans: {
    list(): readonly PlanView[]
    /** Fails with `plan.notFound`. */
    find(planId: string): { readonly id: string }
  }
  readonly ledger: Pick<Ledger, 'hoursOf'>
  readonly settings: SettingsStore
  readonly clock: Clock
  /** How far the clock of a connection's place is ahead of ours, in ms: its plans follow that. */
  readonly aheadMsOf?: ConsoleDeps['aheadMsOf']
  readonly log: Log
  /** The person's time zone, an IANA name. */
  readonly zone: () => string
  /** How long a console is waited for. */
  readonly patienceMs?: number
  /** Hears every list of quotas that was made. */
  readonly onListed?: (plans: readonly PlanQuota[]) => void
}

type Of = MethodInput<'quota.allowances'>

const usualPatienceMs = 6_000

/** What is left of every plan's allowances, and what is likely to come of them. */
export class Quota {
  readonly #deps: QuotaDeps
  readonly #console: ConsoleFigures

  constructor(deps: QuotaDeps) {
    const { account, clock, aheadMsOf, patienceMs = usualPatienceMs } = deps
    this.#deps = deps
    this.#console = new ConsoleFigures({ account, clock, aheadMsOf, patienceMs })
  }

  /** Every plan, the one with the tightest allowance first. A console is asked at most once a minute; where it fails, this machine's figures stand in. */
  async list(): Promise<PlanQuota[]> {
    const { clock, zone } = this.#deps
    const told = (await Promise.all(this.#deps.consoles().map((id) => this.#ofConsole(id)))).flat()
    const isTold = ({ id, origin }: PlanView): boolean =>
      told.some((plan) => plan.planId === id || isSamePlan(plan.origin, origin))
    const local = this.#deps.plans.list().filter((plan) => !isTold(plan))
    const figures = [...told, ...(await Promise.all(local.map((plan) => this.#ofMachine(plan))))]
    const moment = { now: clock().getTime(), clock: localClock(zone()) }
    const plans: PlanQuota[] = []
    for (const each of figures) plans.push(await planQuota(each, moment))
    const listed = tightestFirst(plans)
    this.#deps.onListed?.(listed)
    return listed
  }

  /** As `list`, with every console asked anew. */
  refresh(): Promise<PlanQuota[]> {
    this.forget()
    return this.list()
  }

  /** Asks every console anew the next time. */
  forget(): void {
    this.#console.forget()
  }

  /** The tightest allowance of all in one line, for the tray and for prompts; undefined when none is known. */
  async tightestLine(locale: 'en' | 'vi'): Promise<string | undefined> {
    return tightestLine(await this.list(), locale)
  }

  /** What a person told of a plan; nothing at first. */
  allowances({ planId }: Of): MethodOutput<'quota.allowances'> {
    const known = this.#known(planId)
    return { allowances: [...(known?.allowances ?? [])], cycleDays: known?.cycleDays ?? usualCycleDays }
  }

  /** The length of a plan's cycle as a person told it. */
  cycleDaysOf(planId: string): number | undefined {
    return this.#known(planId)?.cycleDays
  }

  /** Takes the place of what was told before; of a model that comes twice the last counts. Fails with `plan.notFound`. */
  setAllowances({ planId, cycleDays, allowances }: MethodInput<'quota.setAllowances'>): void {
    const { plans, settings } = this.#deps
    const { id } = plans.find(planId)
    const here = new Set(plans.list().map((plan) => plan.id))
    const byModel = new Map(allowances.map((one) => [one.modelCode, one]))
    settings.update(({ allowances: known }) => {
      const others = known.filter((one) => one.planId !== id && here.has(one.planId))
      return { allowances: [...others, { planId: id, cycleDays, allowances: [...byModel.values()] }] }
    })
  }

  #known(planId: string) {
    return this.#deps.settings.read().allowances.find((one) => one.planId === planId)
  }

  async #ofConsole(connectionId: string): Promise<PlanFigures[]> {
    const told = await this.#console.plans(connectionId)
    if (!told) return this.#lastTold(connectionId)
    const { plans, aheadMs } = told.value
    return Promise.all(
      plans.map(async (plan) => {
        const codes = plan.status === 'EXPIRED' ? [] : plan.models.map(({ modelCode }) => modelCode)
        const of = { connectionId, planId: plan.planId }
        const hours = new Map(
          await Promise.all(codes.map(async (code) => [code, await this.#console.hours(of, code)] as const)),
        )
        return consoleFigures(plan, { connectionId, at: told.at, aheadMs, hoursOf: (code) => hours.get(code) ?? [] })
      }),
    )
  }

  /** Of a console that does not answer: what it told before of the plans that this machine has no figures of. */
  #lastTold(connectionId: string): PlanFigures[] {
    const last = this.#console.lastTold(connectionId)
    if (!last) return []
    const { plans, aheadMs } = last.value
    return plans
      .filter(({ planId }) => !this.#isHere({ connectionId, planId }))
      .map((plan) => consoleFigures(plan, { connectionId, at: last.at, aheadMs, hoursOf: () => [] }))
  }

  #isHere(origin: PlanQuota['origin']): boolean {
    return this.#deps.plans.list().some((plan) => isSamePlan(plan.origin, origin))
  }

  async #ofMachine(plan: PlanView): Promise<PlanFigures> {
    const { clock, ledger, log } = this.#deps
    const at = clock()
    const { origin } = plan
    const told = origin && this.#console.lastTold(origin.connectionId)?.value
    const lastTold = told?.plans.find(({ planId }) => planId === origin?.planId)
    const known = this.#known(plan.id)
    const cycleDays = lastTold?.cycleDays ?? known?.cycleDays ?? usualCycleDays
    const from = Math.min(rhythmFrom(at.getTime()), at.getTime() - (cycleDays + 1) * dayMs)
    const hours = await ledger.hoursOf(plan.id, from).catch((error: unknown): readonly HourOfModel[] => {
      log.error('quota.ledger', error)
      return []
    })
    return machineFigures(plan, { lastTold, known, hours, at, aheadMs: told?.aheadMs ?? 0 })
  }
}

const isSamePlan = (one: PlanQuota['origin'], other: PlanQuota['origin']): boolean =>
  one !== undefined && one.connectionId === other?.connectionId && one.planId === other.planId
