import type { PlanQuota } from '@shared/contract/quota'
import { z } from 'zod'
import { parseJson } from '../../gateway/server-message'

/** Platform address of a connection. Undefined if it has none or was removed. */
export type GetPlatformAddress = (connectionId: string) => string | undefined

type LocalPlan = Pick<PlanQuota, 'origin' | 'name'> & { readonly id: string }

type Ids = Pick<PlanQuota, 'planId' | 'origin'>
type Name = readonly string[]

const WordList = z.array(z.string())

/** Recognizes the same plan through several connections to its platform and its local copies. */
export class PlanIdentity {
  readonly #getPlatformAddress: GetPlatformAddress
  /** Cache by connection, because each lookup reads a file and there may be thousands of allowances. */
  readonly #places = new Map<string, string>()
  /** Indexes for fast lookup of thousands of allowances. */
  readonly #local: ReadonlyMap<string, LocalPlan & { readonly named: Name }>
  readonly #alike: ReadonlyMap<string, readonly LocalPlan[]>

  constructor(localPlans: readonly LocalPlan[], getPlatformAddress: GetPlatformAddress) {
    this.#getPlatformAddress = getPlatformAddress
    const local = localPlans.map((plan) => ({ ...plan, named: this.toName({ planId: plan.id, origin: plan.origin }) }))
    this.#local = new Map(local.map((plan) => [plan.id, plan]))
    const groups = groupBy(local, ({ named }) => JSON.stringify(named))
    this.#alike = new Map(groups.map((same) => [JSON.stringify(same[0].named), same]))
  }

  /** Platform address with the platform's plan id, or the local id of a plan without an account. */
  toName({ planId = '', origin }: Ids): Name {
    return origin ? [this.#findPlace(origin.connectionId), origin.planId] : [planId]
  }

  listIds(plan: Ids): readonly string[] {
    const { planId, origin } = plan
    const localPlans = this.#alike.get(JSON.stringify(this.toName(plan))) ?? []
    return [...new Set([planId, origin?.planId, ...localPlans.map(({ id }) => id)].filter((id) => id !== undefined))]
  }

  /** First local copy of the same plan. Undefined if it is not saved here. */
  findLocal(planId: string): LocalPlan | undefined {
    const plan = this.#local.get(planId)
    return plan && this.#alike.get(JSON.stringify(plan.named))?.[0]
  }

  /** Removes duplicate plans. Prefers console data, then the latest. */
  distinct(plans: readonly PlanQuota[]): readonly PlanQuota[] {
    return groupBy(plans, (plan) => JSON.stringify(this.toName(plan))).map((same) => {
      const bestPlan = same.reduce((a, b) => (isBetter(b, a) ? b : a))
      const planId = same.find((plan) => plan.planId !== undefined)?.planId
      return planId === undefined ? bestPlan : { ...bestPlan, planId }
    })
  }

  /**
   * Replaces the connection or local plan in an alert's name from an earlier app version by the current plan identity.
   */
  renamed(episodeKey: string): string {
    const identity = WordList.safeParse(parseJson(episodeKey)).data
    if (!identity) return episodeKey
    const [ownerId = '', ...rest] = identity
    const plan = this.#local.get(ownerId)
    return JSON.stringify([...(plan?.named ?? [this.#findPlace(ownerId)]), ...rest])
  }

  /** Without an address, use the connection's id. */
  #findPlace(connectionId: string): string {
    const knownPlace = this.#places.get(connectionId)
    if (knownPlace !== undefined) return knownPlace
    const address = this.#getPlatformAddress(connectionId)
    const platformAddress = address === undefined ? connectionId : withoutSlash(address)
    this.#places.set(connectionId, platformAddress)
    return platformAddress
  }
}

const withoutSlash = (address: string): string =>
  (URL.canParse(address) ? new URL(address).href : address).replace(/\/+$/, '')

/** Sources of quota figures, the most complete first. */
const knowing: readonly PlanQuota['source'][] = ['console', 'machine']

const isBetter = (a: PlanQuota, b: PlanQuota): boolean =>
  a.source === b.source ? a.at > b.at : knowing.indexOf(a.source) < knowing.indexOf(b.source)

/** Groups in the order of their first members. */
export function groupBy<T>(elements: readonly T[], by: (element: T) => string): (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const element of elements) {
    const group = groups.get(by(element))
    if (group) group.push(element)
    else groups.set(by(element), [element])
  }
  return [...groups.values()]
}
