import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CheckView, KeyView, PlanView } from '@shared/contract'
import type { ModelFacts, SubscriptionKeyView } from '@shared/contract/plans'
import { AppError, type Failure } from '@shared/failure'
import { findFreeName } from '@shared/hidden-characters'
import { limits } from '@shared/limits'
import { defaultContextTokens, modelMembers } from '@shared/model-facts'
import { type Confirm, newGateway, requireConsent } from '../core/consent/consent'
import { readAddress } from '../core/net/address'
import { requireCertificates } from '../core/net/trust'
import type { Clock } from '../core/ports'
import type { Secret } from '../core/secret'
import type { AccountPlanId, KeyRecord, PlanRecord, SettingsStore } from '../core/settings/settings'
import { type KeyStorage, saveWithRecord, type Vault } from '../core/vault/vault'
import { type GatewayCheck, type ListModels, readModelFacts } from '../gateway/probe'
import type { PlatformClient } from '../platform/platform-client'
import {
  type ChooseOptions,
  defaultKey,
  findSuccessor,
  isDisabled,
  PlanDirectory,
  type UsablePlan,
} from './plan-directory'

interface PlanInput {
  readonly name: string
  readonly gatewayUrl: string
  readonly caFile?: string | undefined
  readonly models: readonly string[]
  readonly contextTokens?: number | undefined
  readonly modelFacts?: readonly ModelFacts[] | undefined
  readonly expiresAt?: string | undefined
}

/** Local tools that use a plan. Without a key id, the tool uses the default key. */
type FindKeyUses = (planId: string) => readonly { readonly toolId: string; readonly keyId?: string | undefined }[]

interface PlansDeps {
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly check: GatewayCheck
  readonly clock: Clock
  /** Server clock offset of a connection in ms. Default 0. */
  readonly getClockOffsetMs?: (connectionId: string) => number
  /** Asks before a key is sent to another gateway. Default: no. */
  readonly confirm?: Confirm
  readonly findUses: () => FindKeyUses
  /** Reads model lists for facts about the models of a plan. Never rejects. */
  readonly readModels?: (plan: PlanRecord, readKey: () => Promise<Secret>) => Promise<readonly ModelFacts[]>
}

/** The plans of this computer: handed-over ones, copies of account plans, and the sandbox's. */
export class Plans {
  /** Plans whose model lists this process has read. */
  readonly #learned = new Set<string>()
  /** Finds plans by name or id, and links local plans to plans of accounts. */
  readonly directory: PlanDirectory

  constructor(private readonly deps: PlansDeps) {
    this.directory = new PlanDirectory(deps.settings)
  }

  list(): PlanView[] {
    const plans = this.#all()
    if (plans.length === 0) return []
    // Read settings and tool records only once, not for each plan.
    const settings = this.deps.settings.read()
    const keyUses = this.deps.findUses()
    return plans.map((plan) => this.#toView(plan, settings, keyUses))
  }

  /** Finds a plan by id, name or `connection/name`. Fails with `plan.notFound`, or `input.invalid` if ambiguous. */
  find(nameOrId: string, options?: ChooseOptions): UsablePlan {
    const plan = this.#find(nameOrId, options)
    return { ...plan, defaultKeyId: defaultKey(plan, this.deps.settings.read())?.id }
  }

  /** Finds a plan by name or id. Fails with `plan.notFound`. */
  view(idOrName: string): PlanView {
    return this.#toView(this.#find(idOrName))
  }

  freeName(baseName: string): string {
    const usedNames = new Set(this.#all().map(({ name }) => name))
    return findFreeName(
      (name) => usedNames.has(name),
      (mark) => baseName.slice(0, limits.nameCharacters - mark.length) + mark,
    )
  }

  /** Finds a key by id or name, or the default key. Fails with `vault.unavailable` or `vault.keyMissing`. */
  async readSecret(plan: PlanRecord, key?: string): Promise<Secret> {
    const { id } = this.#requireKey(plan, key)
    try {
      const secret = await this.deps.vault.get(id)
      this.noteKeyProblem(id, undefined, 'missing')
      return secret
    } catch (error) {
      if (error instanceof AppError && error.failure.code === 'vault.keyMissing') this.noteKeyProblem(id, 'missing')
      throw error
    }
  }

  /** Records why a key fails. With `cleared`, records that the key no longer fails for this reason. */
  noteKeyProblem(keyId: string, problem: KeyRecord['problem'], cleared?: KeyRecord['problem']): void {
    const isProblemNew = ({ id, problem: savedProblem }: KeyRecord): boolean =>
      id === keyId &&
      (problem === undefined ? savedProblem !== undefined && savedProblem === cleared : savedProblem !== problem)
    this.#changeKeys((key) => (isProblemNew(key) ? { ...key, problem } : key))
  }

  /** Saves nothing on failure. Fails with `plan.nameTaken`, `address.*` or `vault.unavailable`. */
  async add(
    input: PlanInput,
    secret: Secret,
    origin: PlanOrigin = handedOverOrigin,
    lastCheck?: CheckView,
  ): Promise<PlanView> {
    const { source, keyName: name, account } = origin
    const accountPlan = account && { name: input.name, origin: account }
    const fields = { ...this.#accept(input, accountPlan), modelFacts: input.modelFacts && [...input.modelFacts] }
    const createdAt = this.deps.clock().toISOString()
    const [planId, id] = [randomUUID(), randomUUID()]
    return saveWithRecord(this.deps, id, secret, (kept) => {
      const key: KeyRecord = { id, name, masked: secret.masked, addedAt: createdAt, kept, ...keyOrigin(account) }
      return this.#save(() => {
        if (!accountPlan) this.#requireFreeName(fields.name)
        return { id: planId, source, createdAt, lastCheck, ...planOrigin(account), ...fields, keys: [key] }
      })
    })
  }

  /** Like `update`, but asks before a saved key goes to another host. Also fails with `input.declined`. */
  async change(planId: string, input: PlanInput): Promise<PlanView> {
    const plan = this.#find(planId)
    const { gatewayUrl } = this.#accept(input, plan)
    const keys = this.#toView(plan).keys.filter(({ kept }) => kept !== 'missing')
    const destinations = newGateway({ ...plan, keys }, gatewayUrl)
    const question = { kind: 'sendElsewhere', holder: 'plan', name: plan.name, destinations } as const
    if (destinations.length > 0) await requireConsent(this.deps.confirm ?? (async () => false), question)
    return this.update(plan.id, input)
  }

  update(planId: string, input: PlanInput): PlanView {
    return this.#change(planId, (plan) => {
      const fields = this.#accept(input, plan)
      const isSameGateway = fields.gatewayUrl === plan.gatewayUrl
      const modelFacts = input.modelFacts ?? (isSameGateway ? plan.modelFacts : undefined)
      const lastCheck = isSameGateway ? plan.lastCheck : undefined
      return { ...plan, ...fields, modelFacts: modelFacts && [...modelFacts], lastCheck }
    })
  }

  /** Updates plans from an account in one write. Addresses are validated already. Ignores unknown plans. */
  updateAll(reported: ReadonlyMap<string, Pick<PlanRecord, 'name' | 'gatewayUrl' | 'models' | 'expiresAt'>>): void {
    this.#changeAll((plan) => {
      const fields = reported.get(plan.id)
      if (!fields) return plan
      const lastCheck = fields.gatewayUrl === plan.gatewayUrl ? plan.lastCheck : undefined
      const formerName = fields.name === plan.name ? plan.formerName : plan.name
      return { ...plan, ...fields, formerName, lastCheck }
    })
  }

  link(planId: string, account: AccountKeyId): PlanView {
    return this.#change(planId, (plan) => {
      const keys = plan.keys.map((key, index) => (index === 0 ? { ...key, ...keyOrigin(account) } : key))
      return { ...plan, keys, ...planOrigin(account) }
    })
  }

  /** Adds a key to a plan. An existing account key keeps its keychain item. Fails with `vault.unavailable`. */
  async keepKey(
    planId: string,
    { keyId, name, status }: Pick<KeyRecord, 'name' | 'status'> & { readonly keyId?: string },
    secret: Secret,
  ): Promise<PlanView> {
    const isSameKey = (key: KeyRecord): boolean => keyId !== undefined && key.origin?.keyId === keyId
    const savedKey = this.#find(planId).keys.find(isSameKey)
    const id = savedKey?.id ?? randomUUID()
    const record = (kept: KeyStorage): PlanView => {
      const addedAt = this.deps.clock().toISOString()
      const origin = keyId === undefined ? undefined : { keyId }
      const key: KeyRecord = { id, name, masked: secret.masked, addedAt, kept, origin, status }
      return this.#change(planId, (plan) => {
        const keys = plan.keys.map((existingKey) => (isSameKey(existingKey) ? key : existingKey))
        return { ...plan, keys: keys.includes(key) ? keys : [...keys, key] }
      })
    }
    return saveWithRecord(this.deps, id, secret, record)
  }

  /** Updates names and statuses of keys in one write, by local plan ids. */
  noteKeys(reported: ReadonlyMap<string, ReportedKeys>): void {
    this.#changeKeys((key, { id }) => {
      const { keys = [], isComplete = false } = reported.get(id) ?? {}
      const found = keys.find(({ keyId }) => keyId === key.origin?.keyId)
      const isDeleted = found === undefined && isComplete && key.origin !== undefined
      const problem = isDeleted ? 'deleted' : found && key.problem === 'deleted' ? undefined : key.problem
      const { name, status } = found ?? key
      const isSame = name === key.name && status === key.status && problem === key.problem
      return isSame ? key : { ...key, name, status, problem }
    })
  }

  /** Removes a key. The plan stays, even without keys. Fails with `vault.unavailable` without changes. */
  async removeKey(planId: string, keyId: string): Promise<PlanView> {
    await this.deps.vault.remove(this.#requireKey(this.#find(planId), keyId).id)
    return this.#change(planId, (plan) => ({ ...plan, keys: plan.keys.filter(({ id }) => id !== keyId) }))
  }

  /** Keeps the keychain item. Clears the account link, because the new key may not be from the account. */
  async replaceKey(planId: string, keyId: string, secret: Secret): Promise<PlanView> {
    const { id, name } = this.#requireKey(this.#find(planId), keyId)
    const kept = await this.deps.vault.save(id, secret)
    const key: KeyRecord = { id, name, masked: secret.masked, addedAt: this.deps.clock().toISOString(), kept }
    return this.#change(planId, ({ lastCheck, ...plan }) => ({
      ...plan,
      keys: plan.keys.map((existingKey) => (existingKey.id === key.id ? key : existingKey)),
    }))
  }

  /** Sends one small real request with the plan's default key and saves the result. */
  async check(planId: string, modelCode?: string): Promise<CheckView> {
    const plan = this.#find(planId)
    const key = await this.readSecret(plan)
    const request = { url: plan.gatewayUrl, key, modelCode: modelCode ?? plan.models[0] }
    const check = await this.deps.check({ ...request, standard: 'chat-completions' })
    const keyId = this.#requireKey(plan).id
    if (check.ok) this.noteKeyProblem(keyId, undefined, 'rejected')
    else if (check.failure.code === 'gateway.keyRejected') this.noteKeyProblem(keyId, 'rejected')
    const lastCheck = check.ok ? check : { ...check, failure: this.explainRefusal(check.failure, plan) }
    // Update the current record, because the plan may have been changed or removed during the request.
    this.#changeAll((candidate) => (candidate.id === plan.id ? { ...candidate, lastCheck } : candidate))
    if (check.ok && this.#all().some(({ id }) => id === plan.id)) await this.learnModels(plan.id, { isForced: true })
    return lastCheck
  }

  /** Saves model facts, unless all sizes are known or the lists were read. Rejects only with `plan.notFound`. */
  async learnModels(planId: string, { isForced = false } = {}): Promise<void> {
    const plan = this.#find(planId)
    const { id, gatewayUrl, models, modelFacts } = plan
    const question = `${id} ${gatewayUrl}`
    if (!isForced && (hasAllSizes(models, modelFacts) || this.#learned.has(question))) return
    this.#learned.add(question)
    const facts = (await this.deps.readModels?.(plan, () => this.readSecret(plan))) ?? []
    if (facts.length === 0 || isDeepStrictEqual(facts, modelFacts)) return
    this.#changeAll((saved) =>
      saved.id === id && saved.gatewayUrl === gatewayUrl ? { ...saved, modelFacts: [...facts] } : saved,
    )
  }

  /** Adds to the failure of a rejected key the known reason: the key is disabled, or a rotation has replaced it. */
  explainRefusal<F extends Failure>(failure: F, plan: PlanRecord, keyId?: string): F {
    if (failure.code !== 'gateway.keyRejected') return failure
    const settings = this.deps.settings.read()
    const key = keyId === undefined ? defaultKey(plan, settings) : plan.keys.find(({ id }) => id === keyId)
    if (!key || !isDisabled(key, settings)) return failure
    const successor = findSuccessor(key, plan, settings)
    const advice = successor
      ? `A rotation put ${successor.name} in its place. Use that key.`
      : 'Enable it at its account, or use another key.'
    return { ...failure, message: `The key ${key.name} of ${plan.name} is disabled. ${advice}` }
  }

  /** Removes a plan with its keys. Fails with `plan.inUse` while tools use it, unless `evenIfUsed`. */
  async remove(planId: string, { evenIfUsed = false }: { evenIfUsed?: boolean | undefined } = {}): Promise<void> {
    const plan = this.#find(planId)
    const tools = this.#toView(plan).usedBy
    if (tools.length > 0 && !evenIfUsed) {
      const verb = tools.length === 1 ? 'uses' : 'use'
      const message = `${tools.join(', ')} ${verb} the plan ${plan.name}. Undo that configuration first.`
      throw new AppError('plan.inUse', message)
    }
    for (const key of plan.keys) await this.deps.vault.remove(key.id)
    this.deps.settings.update(({ plans }) => ({ plans: plans.filter(({ id }) => id !== plan.id) }))
  }

  #all(): PlanRecord[] {
    return this.deps.settings.read().plans
  }

  #find(nameOrId: string, options?: ChooseOptions): PlanRecord {
    const plan = this.directory.chooseRecord(this.#all(), nameOrId, options)
    if (plan) return plan
    throw new AppError('plan.notFound', `Plan ${nameOrId} not found. "companion plan list" lists all plans.`)
  }

  #requireKey(plan: PlanRecord, key?: string): KeyRecord {
    const namedKey = plan.keys.find(({ id, name }) => id === key || name === key)
    const keyRecord = key === undefined ? defaultKey(plan, this.deps.settings.read()) : namedKey
    if (keyRecord) return keyRecord
    throw new AppError('key.notFound', `The plan ${plan.name} has no such key.`)
  }

  #changeAll(change: (plan: PlanRecord) => PlanRecord): void {
    this.deps.settings.update(({ plans }) => ({ plans: plans.map(change) }))
  }

  /** Changes the keys of all plans in one write. Writes nothing if `change` returns every key itself. */
  #changeKeys(change: (key: KeyRecord, plan: PlanRecord) => KeyRecord): void {
    if (!this.#all().some((plan) => plan.keys.some((key) => change(key, plan) !== key))) return
    this.#changeAll((plan) => ({ ...plan, keys: plan.keys.map((key) => change(key, plan)) }))
  }

  #change(planId: string, change: (plan: PlanRecord) => PlanRecord): PlanView {
    return this.#save(() => change(this.#find(planId)))
  }

  /** Saves a plan atomically across processes. */
  #save(make: () => PlanRecord): PlanView {
    const { settings } = this.deps
    const savedPlan = settings.transaction(() => {
      const plan = make()
      settings.update(({ plans }) => ({
        plans: [...plans.filter(({ id }) => id !== plan.id), plan].sort((a, b) =>
          a.createdAt.localeCompare(b.createdAt),
        ),
      }))
      return plan
    })
    return this.#toView(savedPlan)
  }

  #toView(record: PlanRecord, settings = this.deps.settings.read(), uses = this.deps.findUses()): PlanView {
    const { vault, getClockOffsetMs } = this.deps
    const { formerName: _, ...plan } = record
    const label = this.directory.label(plan.origin?.connectionId, plan.name, settings)
    const defaultKeyId = defaultKey(plan, settings)?.id
    const planUsers = uses(plan.id)
    const findTools = (isIt: (keyId: string | undefined) => boolean): string[] => [
      ...new Set(planUsers.flatMap(({ toolId, keyId = defaultKeyId }) => (isIt(keyId) ? [toolId] : []))),
    ]
    const keyView = (key: KeyRecord): KeyView => {
      const successor = findSuccessor(key, plan, settings)
      const toolsUsingKey = findTools((keyId) => keyId === key.id)
      return {
        ...key,
        kept: vault.holds(key.id, key.kept) && key.problem !== 'missing' ? key.kept : 'missing',
        ...(isDisabled(key, settings) ? { status: 'DISABLED' as const } : {}),
        ...(successor ? { replacedBy: { keyId: successor.id, name: successor.name } } : {}),
        ...(toolsUsingKey.length > 0 ? { usedBy: toolsUsingKey } : {}),
      }
    }
    const aheadMs = plan.origin && getClockOffsetMs?.(plan.origin.connectionId)
    return {
      ...plan,
      ...(aheadMs ? { aheadMs } : {}),
      keys: plan.keys.map(keyView),
      defaultKeyId,
      usedBy: findTools(() => true),
      ...(label === undefined ? {} : { label }),
    }
  }

  #requireFreeName(newName: string, ownId?: string): void {
    if (!this.#all().some(({ id, name }) => name === newName && id !== ownId)) return
    const message = `There is a plan named ${newName} already. Choose another name.`
    throw new AppError('plan.nameTaken', message, { field: 'name' })
  }

  /** Does not check the name of an account's plan: the account sets it, and plans of two accounts may share a name. */
  #accept(input: PlanInput, existingPlan?: Partial<Pick<PlanRecord, 'id'>> & Pick<PlanRecord, 'name' | 'origin'>) {
    const { models, contextTokens = defaultContextTokens, expiresAt } = input
    const name = existingPlan?.origin ? existingPlan.name : input.name
    if (!existingPlan?.origin) this.#requireFreeName(name, existingPlan?.id)
    const { url: gatewayUrl } = readAddress(input.gatewayUrl)
    const caFile = input.caFile?.trim() ? resolve(input.caFile.trim()) : undefined
    if (caFile !== undefined) requireCertificates(caFile)
    return { name, gatewayUrl, caFile, models: [...new Set(models)], contextTokens, expiresAt }
  }
}

/** Keys of a plan as its account reports them. Local keys that a complete list lacks are deleted. */
export interface ReportedKeys {
  readonly keys: readonly Pick<SubscriptionKeyView, 'keyId' | 'name' | 'status'>[]
  readonly isComplete: boolean
}

interface AccountKeyId extends AccountPlanId {
  readonly keyId: string
}

interface PlanOrigin {
  readonly source: PlanRecord['source']
  readonly keyName: string
  readonly account?: AccountKeyId
}

const planOrigin = (account: AccountKeyId | undefined) =>
  account && { origin: { connectionId: account.connectionId, planId: account.planId } }

const keyOrigin = (account: AccountKeyId | undefined) => account && { origin: { keyId: account.keyId } }

const handedOverOrigin: PlanOrigin = { source: 'handed-over', keyName: 'default-key' }

/** Short, because a preview of a tool's settings waits for the lists. */
const listTimeoutMs = 4000
const maxModels = 1000

interface ModelListsDeps {
  /** Client of a connection. Fails with `connection.notFound`. */
  readonly connections: { client(connectionId: string): Promise<Pick<PlatformClient, 'pages'>> }
  readonly listModels: ListModels
}

/** Models of a connection's platform (spec, "Model / API-key management"). Fails as `PlatformClient.pages` does. */
export async function listPlatformModels(
  connectionId: string,
  connections: ModelListsDeps['connections'],
): Promise<ModelFacts[]> {
  const client = await connections.client(connectionId)
  const models: ModelFacts[] = []
  for await (const { items } of client.pages('aip.models.list', {}, { signal: AbortSignal.timeout(listTimeoutMs) })) {
    models.push(...items.flatMap((item) => readModelFacts(item, modelMembers.code) ?? []))
    if (models.length >= maxModels) break
  }
  return models
}

/** Model facts from the account's platform, and else from `GET /v1/models` of the gateway. Never rejects. */
export async function readPlanModels(
  { origin, gatewayUrl, models }: Pick<PlanRecord, 'origin' | 'gatewayUrl' | 'models'>,
  readKey: () => Promise<Secret>,
  deps: ModelListsDeps,
): Promise<ModelFacts[]> {
  const ofPlan = (list: readonly ModelFacts[]) =>
    list.filter(({ modelCode }) => models.length === 0 || models.includes(modelCode)).slice(0, maxModels)
  const platformModels = origin
    ? ofPlan(await listPlatformModels(origin.connectionId, deps.connections).catch(() => []))
    : []
  if (hasAllSizes(models, platformModels)) return platformModels
  const key = await readKey().catch(() => undefined)
  const list = key && (await deps.listModels({ url: gatewayUrl, key, timeoutMs: listTimeoutMs }))
  const gatewayModels = list?.kind === 'refused' ? [] : ofPlan(list?.facts ?? [])
  const codes = new Set([...platformModels, ...gatewayModels].map(({ modelCode }) => modelCode))
  const find = (list: readonly ModelFacts[], code: string) => list.find(({ modelCode }) => modelCode === code)
  return [...codes].map((code) => ({ modelCode: code, ...find(gatewayModels, code), ...find(platformModels, code) }))
}

/** Whether the context sizes of all models are known. */
const hasAllSizes = (models: readonly string[], facts: readonly ModelFacts[] = []): boolean =>
  models.length > 0 &&
  models.every((code) => facts.some(({ modelCode, contextTokens }) => modelCode === code && contextTokens))
