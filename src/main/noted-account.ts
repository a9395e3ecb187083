import { Account, type AccountDeps } from './account/account'
import type { AuditNote, AuditPort } from './audit/port'
import type { AccountPlanId } from './settings/settings'

type Key = AccountPlanId & { readonly keyId: string }

/** The account, with every change of it in the audit trail. */
export class NotedAccount extends Account {
  readonly #plans: AccountDeps['plans']
  readonly #audit: AuditPort

  constructor({ audit, ...deps }: AccountDeps & { readonly audit: AuditPort }) {
    super(deps)
    this.#plans = deps.plans
    this.#audit = audit
  }

  override async buy(wish: Parameters<Account['buy']>[0]) {
    const plan = await super.buy(wish)
    await this.#audit.note({ what: 'planBought', planName: plan.name })
    return plan
  }

  override async buyAgain(wish: Parameters<Account['buyAgain']>[0]) {
    const plan = await super.buyAgain(wish)
    await this.#audit.note({ what: 'planBought', planName: plan.name })
    return plan
  }

  override async deletePlans(wish: Parameters<Account['deletePlans']>[0]) {
    const names = new Map(wish.planIds.map((planId) => [planId, this.#planName({ ...wish, planId })]))
    const outcome = await super.deletePlans(wish)
    for (const { planId } of outcome.deleted) {
      await this.#audit.note({ what: 'planDeleted', planName: names.get(planId) ?? planId })
    }
    return outcome
  }

  override async addKey(wish: Parameters<Account['addKey']>[0]) {
    const key = await super.addKey(wish)
    await this.#note(wish, { what: 'keyAdded', keyName: key.name })
    return key
  }

  override async renameKey(wish: Parameters<Account['renameKey']>[0]) {
    const subject = this.#keyName(wish)
    const key = await super.renameKey(wish)
    await this.#note(wish, { what: 'keyRenamed', keyName: key.name, subject })
    return key
  }

  override async setKeyStatus(wish: Parameters<Account['setKeyStatus']>[0]) {
    const key = await super.setKeyStatus(wish)
    const what = wish.status === 'ACTIVE' ? 'keyEnabled' : 'keyDisabled'
    await this.#note(wish, { what, keyName: key.name })
    return key
  }

  override async deleteKey(wish: Parameters<Account['deleteKey']>[0]) {
    const [planName, keyName] = [this.#planName(wish), this.#keyName(wish)]
    await super.deleteKey(wish)
    await this.#audit.note({ what: 'keyDeleted', planName, keyName })
  }

  #note(of: AccountPlanId, entry: AuditNote): Promise<void> {
    return this.#audit.note({ ...entry, planName: this.#planName(of) })
  }

  /** As it is called here; the account's id when it is not here. */
  #planName({ connectionId, planId }: AccountPlanId): string {
    return this.#local(connectionId, planId)?.name ?? planId
  }

  #keyName({ connectionId, planId, keyId }: Key): string {
    const keys = this.#local(connectionId, planId)?.keys ?? []
    return keys.find(({ origin }) => origin?.keyId === keyId)?.name ?? keyId
  }

  #local(connectionId: string, planId: string) {
    return this.#plans.linkedTo(connectionId).find(({ origin }) => origin?.planId === planId)
  }
}
