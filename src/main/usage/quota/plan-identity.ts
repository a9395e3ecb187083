import type { PlanQuota } from '@shared/contract/quota'
import { z } from 'zod'
import { parseExternalJson } from '../../gateway/server-message'

/** Platform address of a connection. Undefined if it has none or was removed. */
export type GetPlatformAddress = (connectionId: string) => string | undefined

type LocalPlan = Pick<PlanQuota, 'origin' | 'name' | 'label'> & { readonly id: string }

type Ids = Pick<PlanQuota, 'planId' | 'origin'>
type Name = readonly string[]

const WordList = z.array(z.string())

/** Identifies a plan that is reached through several connections to its platform or saved locally several times. */
export class PlanIdentity {
  /** Cache by connection, because each lookup reads a file and there may be thousands of allowances. */
  readonly #places = new Map<string, string>()
  /** Local plans by id, for fast lookup. */
  readonly #local: ReadonlyMap<string, LocalPlan & { readonly named: Name }>
  readonly #alike: ReadonlyMap<string, readonly LocalPlan[]>

  constructor(
    localPlans: readonly LocalPlan[],
    private readonly getPlatformAddress: GetPlatformAddress,
  ) {
    const namedLocalPlans = localPlans.map((plan) => ({ ...plan, named: this.toName({ ...plan, planId: plan.id }) }))
    this.#local = new Map(namedLocalPlans.map((plan) => [plan.id, plan]))
    const groups = groupBy(namedLocalPlans, ({ named }) => JSON.stringify(named))
    this.#alike = new Map(groups.map((same) => [JSON.stringify(same[0].named), same]))
  }

  /** Identity of a plan: its platform's address and plan id, or only the local id if it belongs to no account. */
  toName({ planId = '', origin }: Ids): Name {
    return origin ? [this.#findPlace(origin.connectionId), origin.planId] : [planId]
  }

  listIds(plan: Ids): readonly string[] {
    const { planId, origin } = plan
    const localPlans = this.#alike.get(JSON.stringify(this.toName(plan))) ?? []
    return [...new Set([planId, origin?.planId, ...localPlans.map(({ id }) => id)].filter((id) => id !== undefined))]
  }

  /** First local plan with the same identity. Undefined if the plan is not saved on this computer. */
  findLocal(planId: string): LocalPlan | undefined {
    const plan = this.#local.get(planId)
    return plan && this.#alike.get(JSON.stringify(plan.named))?.[0]
  }

  /** Removes duplicate plans. Prefers console data, then the latest. */
  distinct(plans: readonly PlanQuota[]): readonly PlanQuota[] {
    return groupBy(plans, (plan) => JSON.stringify(this.toName(plan))).map((same) => {
      const isBetter = (a: PlanQuota, b: PlanQuota) => (a.source === b.source ? a.at > b.at : a.source === 'console')
      const bestPlan = same.reduce((a, b) => (isBetter(b, a) ? b : a))
      const planId = same.find((plan) => plan.planId !== undefined)?.planId
      return planId === undefined ? bestPlan : { ...bestPlan, planId }
    })
  }

  /** Converts an alert key of an earlier app version, which contains a connection or local plan. */
  renamed(episodeKey: string): string {
    const identity = WordList.safeParse(parseExternalJson(episodeKey)).data
    if (!identity) return episodeKey
    const [ownerId = '', ...rest] = identity
    const plan = this.#local.get(ownerId)
    return JSON.stringify([...(plan?.named ?? [this.#findPlace(ownerId)]), ...rest])
  }

  /** Platform address of a connection, or the connection's id if it has no address. */
  #findPlace(connectionId: string): string {
    const cachedAddress = this.#places.get(connectionId)
    if (cachedAddress !== undefined) return cachedAddress
    const address = this.getPlatformAddress(connectionId) ?? connectionId
    const platformAddress = (URL.canParse(address) ? new URL(address).href : address).replace(/\/+$/, '')
    this.#places.set(connectionId, platformAddress)
    return platformAddress
  }
}

/** Groups elements by a text. Groups are in the order of their first elements. */
export function groupBy<T>(elements: readonly T[], by: (element: T) => string): (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const element of elements) {
    const group = groups.get(by(element))
    if (group) group.push(element)
    else groups.set(by(element), [element])
  }
  return [...groups.values()]
}
