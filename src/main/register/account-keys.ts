import { setTimeout as wait } from 'node:timers/promises'
import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import { AppError } from '@shared/failure'
import type { RegisterRecord } from '../settings/settings'

/** A plan of an account with its keys. */
interface PlanKeys {
  readonly plan: Pick<AccountPlanView, 'planId' | 'name' | 'localPlanId'>
  readonly keys: readonly SubscriptionKeyView[]
}

/** What a console told. `isFresh`: just now, and not some time ago. */
export interface ConsoleKeys {
  readonly plans: readonly PlanKeys[]
  readonly isFresh: boolean
}

/** What is asked. */
export interface RegisterAccount {
  /** The keys of every plan. An account that does not answer, or goes on giving keys, is left out. */
  planKeys(of: { readonly connectionId: string }): Promise<PlanKeys[]>
}

/** The keys of every console, each asked for at most some time; what it told last stands in for one that does not answer. */
export class Accounts {
  readonly #account: RegisterAccount
  readonly #last = new Map<string, ConsoleKeys>()
  /** Counts questions and changes; by connection, the count at which what is known was asked for. */
  #count = 0
  readonly #askedAt = new Map<string, number>()
  /** Connections whose answer came when nobody waited any more. */
  readonly #late = new Set<string>()
  readonly #onLate: () => void

  constructor(account: RegisterAccount, onLate: () => void = () => undefined) {
    this.#account = account
    this.#onLate = onLate
  }

  /** What is known by connection, after asking for so many ms. */
  async ask(connectionIds: readonly string[], patienceMs: number): Promise<ReadonlyMap<string, ConsoleKeys>> {
    for (const id of this.#last.keys()) if (!connectionIds.includes(id)) this.#last.delete(id)
    const waiting = new AbortController()
    const late = wait(patienceMs, undefined, { signal: waiting.signal }).catch(() => undefined)
    // What came late is there for the next who asks, which is the one that was told of it.
    const toAsk = connectionIds.filter((id) => !this.#late.delete(id))
    let isOver = false
    const askOne = async (id: string): Promise<void> => {
      const isNews = await this.#askOne(id)
      if (!isOver || !isNews) return
      this.#late.add(id)
      this.#onLate()
    }
    const asked = Promise.all(toAsk.map(askOne))
    await Promise.race([late, asked]).finally(() => waiting.abort())
    isOver = true
    return this.known()
  }

  /** What was told last. */
  known(): ReadonlyMap<string, ConsoleKeys> {
    return this.#last
  }

  /** Takes over keys as the console returned them after a change. */
  noteKeys(changed: readonly AccountKey[]): void {
    const byAddress = new Map(changed.map(({ address, key }) => [keyAddressText(address), key]))
    for (const connectionId of new Set(changed.map(({ address }) => address.connectionId))) {
      const told = this.#last.get(connectionId)
      if (!told) continue
      this.#late.delete(connectionId)
      this.#askedAt.set(connectionId, this.#next())
      const plans = told.plans.map(({ plan, keys }) => ({
        plan,
        keys: keys.map(
          (key) => byAddress.get(keyAddressText({ connectionId, planId: plan.planId, keyId: key.keyId })) ?? key,
        ),
      }))
      this.#last.set(connectionId, { ...told, plans })
    }
  }

  /** An answer that comes too late for who asked is there for the next; one to an older question is dropped. */
  async #askOne(connectionId: string): Promise<boolean> {
    const at = this.#next()
    const plans = await this.#account.planKeys({ connectionId }).catch((error: unknown) => {
      if (error instanceof AppError) return undefined
      throw error
    })
    const last = this.#last.get(connectionId)
    if (at < (this.#askedAt.get(connectionId) ?? 0)) return false
    this.#askedAt.set(connectionId, at)
    if (plans) this.#last.set(connectionId, { plans, isFresh: true })
    else if (last) this.#last.set(connectionId, { ...last, isFresh: false })
    return plans !== undefined
  }

  #next(): number {
    this.#count += 1
    return this.#count
  }
}

/** A key as its account has it. */
export interface AccountKey {
  readonly address: KeyAddress
  readonly key: SubscriptionKeyView
}

/** A key of an account, or, without a connection, one that was handed over to this machine. */
export interface KeyAddress {
  /** Empty for a key of this machine alone. */
  readonly connectionId: string
  readonly planId: string
  readonly keyId: string
}

/** The same text for the same key. */
export const keyAddressText = ({ connectionId, planId, keyId }: KeyAddress): string =>
  JSON.stringify([connectionId, planId, keyId])

/** Whether two are the same key. */
export const isSame = (one: KeyAddress, other: KeyAddress): boolean => keyAddressText(one) === keyAddressText(other)

/** The address alone of what has more. */
export const bare = ({ connectionId, planId, keyId }: KeyAddress | RegisterRecord): KeyAddress => ({
  connectionId,
  planId,
  keyId,
})
