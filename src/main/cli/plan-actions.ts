import type { AccountPlanView, DeletionPreview, PlanModelView, PlanView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { formatDay, formatExactTime, relativeWords } from '../core/local-time'
import { type ConnectionOption, findPlan, openAccount, type PlanCandidates, readKnownPlans } from './known-plans'
import {
  type CommandContext,
  formatCount,
  formatExpiryAction,
  formatInteger,
  keyHeadings,
  keyRow,
  localKeyRow,
  money,
  printOutput,
  type Result,
  shellWord,
  table,
  toServerTime,
  toSingleLine,
} from './output'
import { confirm, type YesOption } from './terminal'

/** Lists plans. If the account fails, the exit code is 1, unless there is no console. */
export async function listPlans({ core, output }: CommandContext, option: ConnectionOption): Promise<Result> {
  const knownPlans = await readKnownPlans(core, option)
  printAccountFailure(output, knownPlans)
  if (knownPlans.failure && knownPlans.failure.failure.code !== 'api.notConfigured') process.exitCode = 1
  const localPlans = core.plans.list()
  const { account, entries } = knownPlans
  if (account === undefined) return [localPlans, localLines(localPlans)]
  const names = new Map(core.connections.list().map(({ id, name }) => [id, name]))
  const localTime = new Date()
  const rows = entries.map((entry) => {
    const currentTime = toServerTime(localTime, entry.plan)
    return entry.kind === 'account'
      ? accountRow(entry.plan, currentTime)
      : localRow(entry.plan, currentTime, describeOrigin(entry.plan, knownPlans, names))
  })
  return [[...account, ...localPlans], rows.length === 0 ? emptyPlanLines : table(headings, rows)]
}

/** Prints to standard error why the account's plans are missing. */
export function printAccountFailure(output: CommandContext['output'], { connection, failure }: PlanCandidates): void {
  if (!failure) return
  output.err(`Couldn't list the plans of the account of ${connection?.name}: ${failure.message}\n`)
}

const emptyPlanLines = [
  'No plans yet. "companion plan packages" lists packages to buy, "companion plan add --name NAME --gateway URL --key-stdin < key.txt" adds a plan by key.',
]

/** Formats plans without an account, of which only local data is known. */
function localLines(plans: readonly PlanView[]): readonly string[] {
  const row = (plan: PlanView): string[] => [
    plan.name,
    plan.gatewayUrl,
    plan.keys.find(({ id }) => id === plan.defaultKeyId)?.masked ?? '',
    plan.models.join(', ') || '-',
    plan.usedBy.join(', ') || '-',
  ]
  if (plans.length === 0)
    return ['No plans yet. Add one with "companion plan add --name NAME --gateway URL --key-stdin < key.txt".']
  return table(['NAME', 'GATEWAY', 'KEY', 'MODELS', 'USED BY'], plans.map(row))
}

const headings = ['NAME', 'FROM', 'TYPE', 'STATUS', 'EXPIRES', 'RENEWS', 'KEYS', 'LOWEST QUOTA', 'USED BY', 'ID']

function accountRow(plan: AccountPlanView, currentTime: Date): string[] {
  const { name, planType, status, autoRenew, expiresAt, keysUsed, maxKeys, models, usedBy, planId } = plan
  // The plan may have expired by the server's clock but not by the clock of this computer.
  const hasClockSkew = status === 'EXPIRED' && Date.parse(expiresAt) > currentTime.getTime()
  const day = formatDay(expiresAt)
  const expiry = hasClockSkew ? day : `${relativeWords(expiresAt, currentTime)} (${day})`
  const [renews, keys] = [autoRenew ? 'yes' : 'no', `${keysUsed}/${maxKeys}`]
  const columns = [formatStatus(plan), expiry, renews, keys, formatTightestAllowance(models)]
  return [name, 'account', planType, ...columns, usedBy.join(', ') || '-', planId]
}

function localRow(plan: PlanView, currentTime: Date, origin: string): string[] {
  const { name, expiresAt, usedBy, id } = plan
  const expiry = expiresAt === undefined ? '-' : `${relativeWords(expiresAt, currentTime)} (${formatDay(expiresAt)})`
  const status = formatHandedOverStatus(plan, currentTime)
  return [name, origin, '-', status, expiry, '-', '-', '-', usedBy.join(', ') || '-', id]
}

/** Origin of a plan that is not in the account. */
function describeOrigin(
  { source, origin }: PlanView,
  { connection }: PlanCandidates,
  names: ReadonlyMap<string, string>,
): string {
  if (!origin) return source === 'sandbox' ? 'sandbox' : 'by key'
  if (origin.connectionId === connection?.id) return 'gone at the account'
  const name = names.get(origin.connectionId)
  return name === undefined ? 'an account' : `account of ${name}`
}

/** Prints one plan with its models and keys, as `{plan, keys}` with JSON. Fails as `findPlan` does. */
export async function showPlan(
  { core, output }: CommandContext,
  nameOrId: string,
  option: ConnectionOption,
): Promise<Result> {
  const knownPlans = await readKnownPlans(core, option)
  const entry = findPlan(knownPlans, nameOrId)
  printAccountFailure(output, knownPlans)
  const currentTime = new Date()
  if (entry.kind === 'local') {
    const { plan } = entry
    const keyLines = table(keyHeadings, plan.keys.map(localKeyRow))
    return [{ plan, keys: plan.keys }, [...listLocalFacts(plan, toServerTime(currentTime, plan)), '', ...keyLines]]
  }
  const { plan, local, connectionId } = entry
  const keys = await core.account.keys({ connectionId, planId: plan.planId })
  const lines = [
    ...describeAccountPlan(plan, toServerTime(currentTime, plan), local),
    '',
    ...(plan.models.length > 0 ? table(modelHeadings, plan.models.map(modelRow)) : ['It names no models.']),
    '',
    ...(keys.length > 0
      ? table(keyHeadings, keys.map(keyRow))
      : [`It has no keys. "companion key add ${shellWord(plan.name)} --name KEY" adds one.`]),
  ]
  return [{ plan, keys }, lines]
}

function alignPairs(rows: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${toSingleLine(value)}`)
}

function describeAccountPlan(plan: AccountPlanView, currentTime: Date, local: PlanView | undefined): string[] {
  const { name, planId, planType, purchasedAt, cycleDays, total, keysUsed, maxKeys, usedBy, renewal } = plan
  const nextAttempt = renewal?.nextAttemptAt ? `, next attempt ${formatExactTime(renewal.nextAttemptAt)}` : ''
  return alignPairs([
    ['plan', name],
    ['id', planId],
    ['from', 'account'],
    ['type', planType],
    ['status', formatStatus(plan) + nextAttempt],
    ['bought', formatExactTime(purchasedAt)],
    ['auto-renew', plan.autoRenew ? 'on' : 'off'],
    ['at expiry', formatExpiryAction(plan, currentTime)],
    ['price', `${money(total)} for ${formatCount(cycleDays, 'day')}`],
    ['gateway', plan.provisioned ? plan.gatewayUrl : 'appears when provisioning is done'],
    ['keys', `${keysUsed} of ${maxKeys}`],
    ['here', local ? `as ${local.name}, with ${formatCount(local.keys.length, 'key')}` : 'no key saved'],
    ['used by', usedBy.join(', ') || '-'],
  ])
}

function listLocalFacts(plan: PlanView, currentTime: Date): string[] {
  return alignPairs([
    ['plan', plan.name],
    ['id', plan.id],
    ['from', plan.origin ? 'another account' : 'added by key'],
    ['status', formatHandedOverStatus(plan, currentTime)],
    ['expires', plan.expiresAt ? formatExactTime(plan.expiresAt) : 'unknown'],
    ['gateway', plan.gatewayUrl],
    ['models', plan.models.join(', ') || '-'],
    ['used by', plan.usedBy.join(', ') || '-'],
  ])
}

const modelHeadings = ['MODEL', 'STATUS', 'TOKENS LEFT', 'REQUESTS LEFT', 'TYPES', 'HOSTING', 'ENDPOINT']

function modelRow(model: PlanModelView): string[] {
  const { modelCode, status, tokenQuota, tokensUsed, requestQuota, requestsUsed } = model
  const types = model.enabledTypes.join(', ') || '-'
  const allowances = [formatRemaining(tokenQuota, tokensUsed), formatRemaining(requestQuota, requestsUsed)]
  return [modelCode, status.toLowerCase() || '-', ...allowances, types, model.hostingMode || '-', model.endpoint || '-']
}

const maxPlansPerCall = 100

/** Deletes plans. Fails with `input.invalid` before any deletion, without `--yes` or for an unknown plan. */
export async function deletePlans(
  { core, output }: CommandContext,
  namesOrIds: readonly string[],
  { yes = false, ...option }: ConnectionOption & YesOption,
): Promise<void> {
  const { connectionId, find } = await openAccount(core, option)
  const plans = [...new Set(namesOrIds.map((nameOrId) => find(nameOrId, { isFinal: true })))]
  if (plans.length > maxPlansPerCall) {
    throw new AppError('input.invalid', `Delete at most ${maxPlansPerCall} plans at once.`, { field: 'plan' })
  }
  const planIds = plans.map(({ planId }) => planId)
  confirm(output, previewLines(await core.account.previewDelete({ connectionId, planIds })), { yes })
  const outcome = await core.account.deletePlans({ connectionId, planIds })
  const findName = (planId: string): string => {
    const name = plans.find((plan) => plan.planId === planId)?.name
    return name === undefined ? planId : `${name} (${planId})`
  }
  printOutput(output, outcome, () =>
    outcome.deleted.map(({ planId, refund }) =>
      refund === undefined
        ? `Deleted ${findName(planId)}. The response was lost, so the refund is unknown.`
        : `Deleted ${findName(planId)}. Refunded to credits: ${money(refund)}.`,
    ),
  )
  for (const { planId, code, message } of outcome.failed) {
    output.err(`Not deleted: ${findName(planId)}. ${message} (${code})\n`)
  }
  for (const name of outcome.notForgotten) {
    output.err(`Couldn't delete the old keys of ${name} from the keychain. Try "companion plan remove ${name}".\n`)
  }
  if (outcome.failed.length + outcome.notForgotten.length > 0) process.exitCode = 1
}

function previewLines(previews: readonly DeletionPreview[]): string[] {
  const totalRefund = previews.reduce((sum, { estimatedRefund }) => sum + estimatedRefund, 0)
  const refundTotals =
    previews.length > 1 ? [`Estimated refund for all ${previews.length}: ${money(totalRefund)}.`] : []
  return [
    ...previews.flatMap(({ planId, name, keys, tools, estimatedRefund }) => [
      `Deleting ${name} (${planId}) stops ${
        keys.length > 0 ? `${formatCount(keys.length, 'key')} immediately: ${keys.join(', ')}` : 'no key: it has none'
      }.`,
      tools.length > 0
        ? `  Tools on this computer that stop working: ${tools.join(', ')}.`
        : '  No tool on this computer uses it.',
      `  Estimated refund: ${money(estimatedRefund)}.`,
    ]),
    ...refundTotals,
    "The refund is an estimate from the unused quota. This can't be undone.",
  ]
}

function formatStatus({ status, provisioned, renewal }: AccountPlanView): string {
  if (status === 'EXPIRED') return 'expired'
  if (renewal) return `renewal failing (${renewal.failedAttempts})`
  return provisioned ? 'active' : 'provisioning'
}

/** Status of a plan that was handed over: only its last check and possibly its expiry are known. */
function formatHandedOverStatus({ expiresAt, lastCheck }: PlanView, currentTime: Date): string {
  if (expiresAt !== undefined && Date.parse(expiresAt) <= currentTime.getTime()) return 'expired'
  if (lastCheck === undefined) return 'not tested'
  return lastCheck.ok ? 'test passed' : 'test failed'
}

/** Remaining share of a quota from 0 to 1. 1 without a quota, because nothing can run out. */
const getRemainingShare = (quota: number, used: number): number => (quota === 0 ? 1 : Math.max(0, quota - used) / quota)

const percent = (share: number): string => `${Math.floor(share * 100)}%`

/** Remaining quota: `62,000 of 100,000 (62%)`. */
const formatRemaining = (quota: number, used: number): string =>
  `${formatInteger(Math.max(0, quota - used))} of ${formatInteger(quota)} (${percent(getRemainingShare(quota, used))})`

/** The model with the lowest remaining quota, such as `aurora-large: 62% of tokens`. `-` without models. */
function formatTightestAllowance(models: readonly PlanModelView[]): string {
  const allowances = models.flatMap(({ modelCode, tokenQuota, tokensUsed, requestQuota, requestsUsed }) => [
    { modelCode, of: 'tokens', share: getRemainingShare(tokenQuota, tokensUsed) },
    { modelCode, of: 'requests', share: getRemainingShare(requestQuota, requestsUsed) },
  ])
  const [tightestAllowance] = allowances.toSorted((a, b) => a.share - b.share)
  return tightestAllowance
    ? `${tightestAllowance.modelCode}: ${percent(tightestAllowance.share)} of ${tightestAllowance.of}`
    : '-'
}
