import { AppError, type FailureCode } from '@shared/failure'
import { type Sleep, withAbort } from '../../core/net/deadline'
import type { Log } from '../../core/ports'
import type { AccountPlanId, SettingsStore } from '../../core/settings/settings'

interface PurchasesDeps {
  readonly settings: SettingsStore
  readonly sleep: Sleep
  readonly log: Log
  /** Saves the first key once the plan is provisioned. Resolves to false while the plan is not provisioned. */
  readonly settle: (purchase: AccountPlanId) => Promise<boolean>
  readonly onSettled: () => void
}

const initialDelayMs = 1000
const maxPauseMs = 30_000
/** Maximum retry delay in ms while requests or saving fail. */
const maxPauseAfterFailureMs = 300_000

/** Failures after which a purchase is not polled any more. */
const permanentFailureCodes: readonly FailureCode[] = ['api.notFound', 'connection.notFound']

interface Run {
  readonly stop: AbortController
  readonly ended: Promise<void>
  /** Listeners for each failed attempt. */
  readonly listeners: Set<(failure: AppError) => void>
}

/** Polls purchases until they are provisioned and their first key is saved. Survives restarts. */
export class Purchases {
  readonly #runs = new Map<string, Run>()
  #isStopped = false

  constructor(private readonly deps: PurchasesDeps) {}

  /** Records a purchase and starts polling. Never fails, because the purchase itself succeeded. */
  follow(purchase: AccountPlanId): void {
    try {
      this.deps.settings.update(({ pendingPurchases }) => ({
        pendingPurchases: [...pendingPurchases.filter((other) => toKey(other) !== toKey(purchase)), purchase],
      }))
      this.#start(purchase)
    } catch (error) {
      this.deps.log.error('account.purchase', error)
    }
  }

  resume(): void {
    for (const purchase of this.deps.settings.read().pendingPurchases) this.#start(purchase)
  }

  forget(purchase: AccountPlanId): void {
    this.#runs.get(toKey(purchase))?.stop.abort()
    this.#settled(purchase)
  }

  /** Stops polling at exit. Pending purchases resume at the next start. */
  stop(): void {
    this.#isStopped = true
    for (const { stop: controller } of this.#runs.values()) controller.abort()
  }

  /** Rejects with the first failure of the purchase or `net.cancelled`, while polling continues. */
  async wait(purchase: AccountPlanId, signal: AbortSignal = new AbortController().signal): Promise<void> {
    const run = this.#runs.get(toKey(purchase))
    if (!run) return
    const failurePromise = new Promise<never>((_, reject) => run.listeners.add(reject))
    await withAbort(Promise.race([run.ended, failurePromise]), signal).catch((error: unknown) => {
      if (error instanceof AppError) throw error
      throw new AppError('net.cancelled', 'Waiting was canceled. The platform still provisions the plan.')
    })
  }

  #start(purchase: AccountPlanId): void {
    const name = toKey(purchase)
    if (this.#isStopped || this.#runs.has(name)) return
    const controller = new AbortController()
    const listeners: Run['listeners'] = new Set()
    const endPromise = this.#pursue(purchase, { stop: controller, listeners }).finally(() => this.#runs.delete(name))
    this.#runs.set(name, { stop: controller, ended: endPromise, listeners })
  }

  /** Never rejects. */
  async #pursue(purchase: AccountPlanId, { stop: { signal }, listeners }: Omit<Run, 'ended'>): Promise<void> {
    for (let pauseCount = 0; !signal.aborted; pauseCount++) {
      let maxDelayMs = maxPauseMs
      try {
        const isKept = await this.deps.settle(purchase)
        if (signal.aborted) return
        if (isKept) this.#settled(purchase)
      } catch (error) {
        this.deps.log.error('account.purchase', error)
        if (signal.aborted || !this.#isPending(purchase)) return
        const message = "Couldn't follow the purchase. Refresh the list of plans."
        const failure = error instanceof AppError ? error : new AppError('internal.unexpected', message)
        if (permanentFailureCodes.includes(failure.failure.code)) this.#settled(purchase)
        for (const listen of listeners) listen(failure)
        maxDelayMs = maxPauseAfterFailureMs
      }
      if (!this.#isPending(purchase)) return
      await this.deps.sleep(Math.min(initialDelayMs * 2 ** pauseCount, maxDelayMs), signal).catch(() => undefined)
    }
  }

  #settled(purchase: AccountPlanId): void {
    if (!this.#isPending(purchase)) return
    this.deps.settings.update(({ pendingPurchases }) => ({
      pendingPurchases: pendingPurchases.filter((other) => toKey(other) !== toKey(purchase)),
    }))
    this.deps.onSettled()
  }

  #isPending(purchase: AccountPlanId): boolean {
    return this.deps.settings.read().pendingPurchases.some((pending) => toKey(pending) === toKey(purchase))
  }
}

const toKey = ({ connectionId, planId }: AccountPlanId): string => JSON.stringify([connectionId, planId])
