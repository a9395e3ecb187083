import { z } from 'zod'
import { findModel, findPackage, type Model, type Package, packages } from '../catalogue'
import { HttpError } from '../http'
import { addKey, buyPlan, deletePlan, describeRenewal, isExhausted, listPlanKeys } from '../state/plans'
import { type Interval, reportUsage, type UsageQuery, type UsageTotals } from '../state/store'
import type { Key, Plan, World } from '../state/world'
import { dayMs } from '../timing'
import {
  type Call,
  conflict,
  createOperation,
  createRoleError,
  invalidInput,
  invalidName,
  noContent,
  notFound,
  type Operation,
  okReply,
  parseQuery,
  type Reply,
  requireRow,
  respondWithPage,
  type Service,
  toCreatedReply,
} from './operation'

/** All plans except deleted ones, newest purchase first. */
function listPlans(call: Call): Reply {
  const plans = call.store.world().plans.filter((plan) => !plan.deleted)
  const plansNewestFirst = plans.toReversed().toSorted((a, b) => Date.parse(b.purchasedAt) - Date.parse(a.purchasedAt))
  return respondWithPage(call.query, plansNewestFirst, (plan) => viewPlan(call, plan))
}

/** Returns the plan named in the path. Throws 404. */
const getPlan = (call: Call): Reply => okReply(viewPlan(call, requirePlan(call.store.world(), call.params.planId)))

async function updatePlan(call: Call): Promise<Reply> {
  const { autoRenew } = await call.body(z.object({ autoRenew: z.boolean('must be true or false') }))
  const { store, params } = call
  const plan = requirePlan(store.world(), params.planId)
  if (plan.status === 'EXPIRED') {
    const message = `The token plan "${plan.name}" has expired; auto-renew can be switched before the expiry only. Buy it again.`
    throw conflict('PLAN_EXPIRED', message)
  }
  plan.autoRenew = autoRenew
  store.changed()
  return getPlan(call)
}

/** Maximum page size (not in the spec). */
const maxPerRequest = 100
const Batch = z.object({
  planIds: z
    .array(z.string('must be a text: the id of a plan'), 'must be a list of plan ids')
    .min(1, 'must name at least one plan')
    .max(maxPerRequest, `must name at most ${maxPerRequest} plans; delete the rest in a second call`),
})

function deleteById({ store }: Call, planId = '') {
  const refund = deletePlan(store.world(), requirePlan(store.world(), planId))
  store.changed()
  return { planId, refund }
}

/** Deletes plans independently. Ignores duplicate ids (not in the spec). */
async function batchDelete(call: Call): Promise<Reply> {
  const { planIds } = await call.body(Batch)
  const deletedPlans: object[] = []
  const failedPlans: object[] = []
  for (const planId of new Set(planIds)) {
    try {
      deletedPlans.push(deleteById(call, planId))
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      failedPlans.push({ planId, code: error.code, message: error.message })
    }
  }
  return okReply({ deleted: deletedPlans, failed: failedPlans })
}

const buyers: readonly string[] = ['ROOT', 'ADMIN']
const planName = /^[a-zA-Z0-9_.-]{1,50}$/

const BuyAgainBody = z.object({
  name: z.string('must be a text: the name of the plan'),
  autoRenew: z.boolean('must be true or false').default(true),
})

/** Spec, "Roles": only Root and Admin may buy. Throws 403. */
function refuseRole({ store }: Call): void {
  const { role } = store.world().account
  if (buyers.includes(role)) return
  throw createRoleError(
    `Only ROOT and ADMIN may buy a plan, and this account is ${role}. Ask a Root or an Admin for a key.`,
  )
}

/** Checks a plan name (spec, "Limits"). Throws 400. Names need not be unique. */
function requireValidName(name: string): void {
  if (planName.test(name)) return
  throw invalidName('name: a plan name has 1 to 50 of the characters a-z A-Z 0-9 _ - . and no others.')
}

function respondToPurchase(call: Call, offer: Package, wish: z.infer<typeof BuyAgainBody>): Reply {
  const { store, timing } = call
  const { provisioningMs } = timing()
  const plan = buyPlan(store.world(), offer, { ...wish, nowMs: store.nowMs(), provisioningMs })
  if (plan === undefined) {
    const { credits } = store.world().account
    const message = `The plan costs ${offer.price} credits and the account has ${credits} (1 credit = 1 VND). Add credits first.`
    throw conflict('INSUFFICIENT_CREDITS', message)
  }
  store.changed()
  return toCreatedReply(viewPlan(call, plan))
}

const PurchaseBody = BuyAgainBody.extend({ packageId: z.string('must be a text: the id of a package') })

/** Buys a plan with credits. Throws 403, 400, 404 (package) or 409, in this order, and then changes nothing. */
async function handlePurchase(call: Call): Promise<Reply> {
  refuseRole(call)
  const { packageId, ...wish } = await call.body(PurchaseBody)
  requireValidName(wish.name)
  return respondToPurchase(call, requirePackage(packageId), wish)
}

/** Buys a new plan of the same type, also for an expired one. Throws 403, 400, 404 (plan) or 409, in this order. */
async function handleRepeatPurchase(call: Call): Promise<Reply> {
  refuseRole(call)
  const purchaseBody = await call.body(BuyAgainBody)
  requireValidName(purchaseBody.name)
  const { packageId } = requirePlan(call.store.world(), call.params.planId)
  return respondToPurchase(call, requirePackage(packageId), purchaseBody)
}

/** A package with its endpoints. Has no notes, so that the app shows its own localized ones. */
const viewPackage = ({ models, ...tokenPackage }: Package, gatewayUrl: string) => ({
  ...tokenPackage,
  subscriptionEndpoint: gatewayUrl,
  models: models.map(({ modelCode, ...quotas }) => {
    const displayName = findModel(modelCode)?.displayName ?? modelCode
    return { modelCode, displayName, ...quotas, ...modelFacts(modelCode) }
  }),
})

/** Finds a package of the catalog. Throws 404. */
function requirePackage(packageId: string): Package {
  const message = `There is no package "${packageId.slice(0, 100)}". List the packages for their ids.`
  return requireRow(findPackage(packageId), message)
}

/** One card per Plan Type, cheapest first. */
function listPackages({ query, gatewayUrl }: Call): Reply {
  const packagesByPrice = packages.toSorted((a, b) => a.price - b.price)
  return respondWithPage(query, packagesByPrice, (tokenPackage) => viewPackage(tokenPackage, gatewayUrl))
}

const NewKey = z.object({ name: z.string('must be a text: the name of the key') })
const KeyUpdate = NewKey.partial().extend({
  status: z.enum(['ACTIVE', 'DISABLED'], 'must be ACTIVE or DISABLED').optional(),
})

/** Validates a key name. The spec does not show its format, so it has 1 to 50 characters after trimming. Throws 400. */
function keyName(text: string): string {
  const name = text.trim()
  const characters = [...name].length
  if (characters >= 1 && characters <= 50) return name
  throw invalidName(`name: a key name has 1 to 50 characters; this one has ${characters}.`)
}

/** Lists the keys of a plan in creation order. Throws 404. */
function listKeys({ store, params, query }: Call): Reply {
  const plan = requirePlan(store.world(), params.planId)
  return respondWithPage(query, listPlanKeys(store.world(), plan.planId), (key) => viewKey({ store }, plan, key))
}

/** Adds a key. Throws 400, 404, or 409 at the plan's key limit. */
async function createKey(call: Call): Promise<Reply> {
  const name = keyName((await call.body(NewKey)).name)
  const { store, params } = call
  const world = store.world()
  const plan = requirePlan(world, params.planId)
  if (listPlanKeys(world, plan.planId).length >= plan.maxKeys) {
    const message = `The token plan "${plan.name}" has all of its ${plan.maxKeys} keys; disabled ones count. Delete one first.`
    throw conflict('KEY_LIMIT_REACHED', message)
  }
  const key = addKey(world, plan.planId, { name, nowMs: store.nowMs() })
  store.changed()
  return toCreatedReply(viewKey(call, plan, key))
}

/** Renames, disables or enables a key, effective with the next request. Throws 400 and 404. */
async function updateKey(call: Call): Promise<Reply> {
  const { name, status } = await call.body(KeyUpdate)
  if (name === undefined && status === undefined) throw invalidInput('Send a new name, a new status, or both.')
  const newName = name === undefined ? undefined : keyName(name)
  const { plan, key } = requireKey(call)
  key.name = newName ?? key.name
  key.status = status ?? key.status
  call.store.changed()
  return okReply(viewKey(call, plan, key))
}

/** Deletes a key, effective with the next request. Throws 404. */
function deleteKey(call: Call): Reply {
  requireKey(call).key.deleted = true
  call.store.changed()
  return noContent
}

const defaultDays = 30
/** Maximum span of a series in days (not in the spec). */
const maxDays: Readonly<Record<Interval, number>> = { hour: 45, day: 400 }

const TimeText = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be a time such as 2026-01-31T00:00:00Z')
  .transform((text) => Date.parse(text))

/** Reads the time range and the filters. Accepts deleted keys, because their usage is retained. Throws 400. */
function readUsageQuery({ store, query }: Call, { planId, models }: Plan): UsageQuery {
  const codes = models.map(({ modelCode }) => modelCode)
  const isPlanKey = (id: string) => store.world().keys.some((key) => key.keyId === id && key.planId === planId)
  const { interval, from, to, model, keyId } = parseQuery(query, {
    interval: z.enum(['hour', 'day'], 'must be "hour" or "day"').default('day'),
    from: TimeText.optional(),
    to: TimeText.optional(),
    model: z.enum(codes, `must be a model of the plan: ${codes.join(', ')}`).optional(),
    keyId: z.string().refine(isPlanKey, 'must be a key of the plan').optional(),
  })
  const toMs = to ?? store.nowMs()
  const fromMs = from ?? toMs - defaultDays * dayMs
  if (fromMs >= toMs) throw invalidInput('The query parameter "from" must be before "to".')
  const maxSpanDays = maxDays[interval]
  if (toMs - fromMs <= maxSpanDays * dayMs) return { planId, fromMs, toMs, interval, modelCode: model, keyId }
  throw invalidInput(`By ${interval}, "from" and "to" may be at most ${maxSpanDays} days apart.`)
}

const sumTokens = ({ inputTokens, outputTokens, cacheTokens }: UsageTotals): number =>
  inputTokens + outputTokens + cacheTokens

/**
 * Usage of a plan of this account, including expired and deleted plans. Tokens are input + output + cache. Throws 400
 * and 404.
 */
function getUsage(call: Call): Reply {
  const world = call.store.world()
  const plan = getRecordedPlan(world, call.params.planId)
  const usageQuery = readUsageQuery(call, plan)
  const { modelCode } = usageQuery
  const { totals, series, byModel } = reportUsage(world.usage, usageQuery)
  const models = plan.models.filter((model) => modelCode === undefined || model.modelCode === modelCode)
  return okReply({
    totals: { ...totals, tokens: sumTokens(totals) },
    series,
    models: models.map(({ modelCode: code, tokenQuota, requestQuota }) => {
      const sums = byModel.get(code)
      const tokens = sums ? sumTokens(sums) : 0
      return { modelCode: code, tokens, requests: sums?.requests ?? 0, tokenQuota, requestQuota }
    }),
  })
}

const plan = '/token-plans/{planId}'
const key = `${plan}/keys/{keyId}`

/** The console contract, defined by this project because the spec shows no endpoints behind the console. */
const operations: readonly Operation[] = [
  // 1 credit = 1 VND.
  createOperation('console.account.get', 'GET', '/account', ({ store }) => okReply(store.world().account)),
  createOperation('console.packages.list', 'GET', '/packages', listPackages),
  createOperation('console.packages.get', 'GET', '/packages/{packageId}', ({ params, gatewayUrl }) =>
    okReply(viewPackage(requirePackage(params.packageId ?? ''), gatewayUrl)),
  ),
  createOperation('console.tokenPlans.list', 'GET', '/token-plans', listPlans),
  createOperation('console.tokenPlans.create', 'POST', '/token-plans', handlePurchase),
  createOperation('console.tokenPlans.batchDelete', 'POST', '/token-plans:batch-delete', batchDelete),
  createOperation('console.tokenPlans.get', 'GET', plan, getPlan),
  createOperation('console.tokenPlans.update', 'PATCH', plan, updatePlan),
  createOperation('console.tokenPlans.delete', 'DELETE', plan, (call) => okReply(deleteById(call, call.params.planId))),
  createOperation('console.tokenPlans.buyAgain', 'POST', `${plan}:buy-again`, handleRepeatPurchase),
  createOperation('console.keys.list', 'GET', `${plan}/keys`, listKeys),
  createOperation('console.keys.create', 'POST', `${plan}/keys`, createKey),
  createOperation('console.keys.update', 'PATCH', key, updateKey),
  createOperation('console.keys.delete', 'DELETE', key, deleteKey),
  createOperation('console.usage.get', 'GET', `${plan}/usage`, getUsage),
]

export const consoleService: Service = { base: '/console', access: 'iam', operations }

/** Gateway address and key returned until provisioning finishes, recognizable as placeholders (not in the spec). */
const maskedFields = { gatewayUrl: '***', key: 'sk-****' } as const

const isProvisioned = ({ store }: Pick<Call, 'store'>, { provisionedAt }: Plan): boolean =>
  Date.parse(provisionedAt) <= store.nowMs()

/**
 * A plan of the console API. A model is `ACTIVE` or `EXHAUSTED` (not in the spec). `renewal` is present during renewal
 * retries.
 */
function viewPlan(context: Pick<Call, 'store' | 'gatewayUrl'>, plan: Plan) {
  const { deleted: _, provisionedAt: _provisionedAt, cycleEndsAt: _end, failedRenewals: _failed, ...shownPlan } = plan
  const isPlanProvisioned = isProvisioned(context, plan)
  const gatewayUrl = isPlanProvisioned ? context.gatewayUrl : maskedFields.gatewayUrl
  const renewalFields = describeRenewal(plan)
  return {
    ...shownPlan,
    provisioned: isPlanProvisioned,
    keysUsed: listPlanKeys(context.store.world(), plan.planId).length,
    gatewayUrl,
    models: plan.models.map((model) => {
      const { contextTokens: _tokens, ...facts } = model
      const status = isExhausted(model) ? 'EXHAUSTED' : 'ACTIVE'
      return { ...facts, status, ...modelFacts(model.modelCode), endpoint: gatewayUrl }
    }),
    ...(renewalFields ? { renewal: renewalFields } : {}),
  }
}

/** A key with its secret. The secret is masked until the plan is provisioned, although the key already works. */
function viewKey(context: Pick<Call, 'store'>, plan: Plan, { keyId, name, status, createdAt }: Key) {
  const key = isProvisioned(context, plan) ? context.store.toSecret(keyId) : maskedFields.key
  return { keyId, name, status, key, createdAt }
}

/** Model fields without allowances. A model that left the catalogue is a shared chat model. */
function modelFacts(modelCode: string): Pick<Model, 'hostingMode' | 'enabledTypes'> {
  const { hostingMode = 'Shared', enabledTypes = ['chat'] } = findModel(modelCode) ?? {}
  return { hostingMode, enabledTypes }
}

/** Finds a plan, including deleted ones because their usage is retained. Throws 404. */
function getRecordedPlan(world: World, planId = ''): Plan {
  const matchedPlan = world.plans.find((plan) => plan.planId === planId)
  return requireRow(matchedPlan, `There is no token plan "${planId.slice(0, 100)}". List your plans for their ids.`)
}

/** Finds a plan that is not deleted. Throws 404. */
function requirePlan(world: World, planId = ''): Plan {
  const matchedPlan = getRecordedPlan(world, planId)
  if (matchedPlan.deleted)
    throw notFound(`The token plan "${matchedPlan.name}" (${planId}) was deleted. Its usage can still be read.`)
  return matchedPlan
}

/** Finds the plan and the key named in the path. Throws 404 if the key is deleted or belongs to another plan. */
function requireKey({ store, params: { planId, keyId = '' } }: Call) {
  const plan = requirePlan(store.world(), planId)
  const matchedKey = store.world().keys.find((key) => key.keyId === keyId && key.planId === plan.planId && !key.deleted)
  const message = `The token plan "${plan.name}" has no key "${keyId.slice(0, 100)}". List its keys for their ids.`
  return { plan, key: requireRow(matchedKey, message) }
}
