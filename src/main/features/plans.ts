import { randomUUID } from 'node:crypto'
import type { CheckView, KeyView, PlanView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { parseGatewayAddress } from '../gateway/address'
import type { GatewayCheck } from '../gateway/check'
import type { Clock } from '../ports'
import type { Secret } from '../secret'
import type { KeyRecord, PlanRecord, SettingsStore } from '../settings/settings'
import type { Vault } from '../vault/vault'

/** What a person may say of a plan; the key comes apart. */
export interface PlanInput {
  readonly name: string
  readonly gatewayUrl: string
  readonly models: readonly string[]
  readonly contextTokens?: number | undefined
  readonly expiresAt?: string | undefined
}

export interface PlansDeps {
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly check: GatewayCheck
  readonly clock: Clock
  /** Ids of the tools that use a plan. */
  readonly usedBy: (planId: string) => readonly string[]
}

/** Context window told to tools when nobody said another, in tokens. */
const defaultContextTokens = 128_000

/** The plans of this machine: handed-over ones and the sandbox's. */
export class Plans {
  readonly #deps: PlansDeps

  constructor(deps: PlansDeps) {
    this.#deps = deps
  }

  list(): PlanView[] {
    return this.#all().map((plan) => viewOf(plan, this.#deps))
  }

  /** Finds by id or by name. Fails with `plan.notFound`. */
  find(idOrName: string): PlanRecord {
    const found = this.#all().find(({ id }) => id === idOrName) ?? this.#all().find(({ name }) => name === idOrName)
    if (found) return found
    throw new AppError('plan.notFound', `There is no plan ${idOrName}. "companion plan list" shows those there are.`)
  }

  /** The key of a plan: the named one (by id or name), else the first. Fails with `vault.unavailable` or `vault.keyMissing`. */
  secretOf(plan: PlanRecord, key?: string): Promise<Secret> {
    return this.#deps.vault.get(keyOf(plan, key).id)
  }

  /** Adds a plan and keeps its key. Fails with `plan.nameTaken`, `address.*` or `vault.unavailable`; then nothing is kept. */
  async add(input: PlanInput, secret: Secret, origin: PlanOrigin = handedOver): Promise<PlanView> {
    const fields = this.#accept(input)
    const at = this.#deps.clock().toISOString()
    const id = randomUUID()
    const kept = await this.#deps.vault.put(id, secret)
    const key: KeyRecord = { id, name: origin.keyName, masked: secret.masked, addedAt: at, kept }
    return this.#save({ id: randomUUID(), source: origin.source, createdAt: at, keys: [key], ...fields })
  }

  /** Changes what is known of a plan; the last check is forgotten when the gateway changes. */
  update(planId: string, input: PlanInput): PlanView {
    const plan = this.find(planId)
    const fields = this.#accept(input, plan.id)
    const { id, source, createdAt, keys, lastCheck } = plan
    const isSameGateway = fields.gatewayUrl === plan.gatewayUrl
    return this.#save({ id, source, createdAt, keys, ...fields, lastCheck: isSameGateway ? lastCheck : undefined })
  }

  /** Puts another key in the place of one, in the same keychain item. */
  async replaceKey(planId: string, keyId: string, secret: Secret): Promise<PlanView> {
    const { lastCheck, ...plan } = this.find(planId)
    const old = keyOf(plan, keyId)
    const kept = await this.#deps.vault.put(old.id, secret)
    const key: KeyRecord = { ...old, masked: secret.masked, addedAt: this.#deps.clock().toISOString(), kept }
    return this.#save({ ...plan, keys: plan.keys.map((one) => (one.id === key.id ? key : one)) })
  }

  /** Makes one real small request with the plan's first key and remembers the outcome. */
  async check(planId: string, modelCode?: string): Promise<CheckView> {
    const plan = this.find(planId)
    const lastCheck = await this.#deps.check({
      url: plan.gatewayUrl,
      standard: 'chat-completions',
      key: await this.secretOf(plan),
      modelCode: modelCode ?? plan.models[0],
    })
    // The plan may have been changed or removed while the request was under way.
    const now = this.#all().find(({ id }) => id === plan.id)
    if (now) this.#save({ ...now, lastCheck })
    return lastCheck
  }

  /** Forgets a plan and its keys. Fails with `plan.inUse` while tools use it, unless `evenIfUsed`. */
  async remove(planId: string, { evenIfUsed = false }: { evenIfUsed?: boolean | undefined } = {}): Promise<void> {
    const plan = this.find(planId)
    const tools = this.#deps.usedBy(plan.id)
    if (tools.length > 0 && !evenIfUsed) {
      throw new AppError(
        'plan.inUse',
        `${tools.join(', ')} ${tools.length === 1 ? 'uses' : 'use'} the plan ${plan.name}. Undo that configuration first.`,
      )
    }
    for (const key of plan.keys) await this.#deps.vault.remove(key.id)
    this.#deps.settings.update({ plans: this.#all().filter(({ id }) => id !== plan.id) })
  }

  /** Notes that keys held for the session are in the keychain now. */
  noteKept(keyIds: readonly string[]): void {
    if (keyIds.length === 0) return
    const keys = (plan: PlanRecord): KeyRecord[] =>
      plan.keys.map((key) => (keyIds.includes(key.id) ? { ...key, kept: 'keychain' } : key))
    this.#deps.settings.update({ plans: this.#all().map((plan) => ({ ...plan, keys: keys(plan) })) })
  }

  #all(): PlanRecord[] {
    return this.#deps.settings.read().plans
  }

  #save(plan: PlanRecord): PlanView {
    const others = this.#all().filter(({ id }) => id !== plan.id)
    this.#deps.settings.update({ plans: [...others, plan].sort((a, b) => a.createdAt.localeCompare(b.createdAt)) })
    return viewOf(plan, this.#deps)
  }

  #accept(input: PlanInput, own?: string) {
    if (this.#all().some(({ id, name }) => name === input.name && id !== own)) {
      throw new AppError('plan.nameTaken', `There is a plan named ${input.name} already. Choose another name.`, {
        field: 'name',
      })
    }
    const parsed = parseGatewayAddress(input.gatewayUrl)
    if (!parsed.ok) throw new AppError(parsed.error.code, parsed.error.message, { field: 'gatewayUrl' })
    return {
      name: input.name,
      gatewayUrl: parsed.value.url,
      models: [...new Set(input.models)],
      contextTokens: input.contextTokens ?? defaultContextTokens,
      expiresAt: input.expiresAt,
    }
  }
}

/** Where a plan came from and what to call its key. */
export interface PlanOrigin {
  readonly source: PlanRecord['source']
  readonly keyName: string
}

const handedOver: PlanOrigin = { source: 'handed-over', keyName: 'handed-over' }

function keyOf(plan: PlanRecord, key?: string): KeyRecord {
  const found = key === undefined ? plan.keys[0] : plan.keys.find(({ id, name }) => id === key || name === key)
  if (!found) throw new AppError('key.notFound', `The plan ${plan.name} has no such key.`)
  return found
}

function viewOf(plan: PlanRecord, { vault, usedBy }: PlansDeps): PlanView {
  const keyView = (key: KeyRecord): KeyView => ({
    ...key,
    kept: key.kept === 'session' && !vault.holdsForSession(key.id) ? 'missing' : key.kept,
  })
  return { ...plan, keys: plan.keys.map(keyView), usedBy: [...usedBy(plan.id)] }
}
