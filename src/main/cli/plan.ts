import type {
  AccountPlanView,
  AccountView,
  DeletionPreview,
  PackageView,
  PlanModelView,
  PlanView,
} from '@shared/contract'
import { ModelCode, PlanName } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { InvalidArgumentError } from 'commander'
import { formatDay, formatExactTime, relativeWords } from '../core/local-time'
import { readAddress } from '../core/net/address'
import { cleanPastedKey } from '../core/secret'
import { requireBuyerRole, requireCredits } from '../plans/account/console-client'
import type { CommandContext, CommandOptions, ContextCommand, Program } from './context'
import {
  type ConnectionOption,
  chooseConnection,
  findAccountPlan,
  findByIdOrName,
  findPlan,
  openAccount,
  type PlanCandidates,
  readKnownPlans,
  readWholeNumber,
} from './options'
import {
  alignPairs,
  confirm,
  correctionTexts,
  formatCheck,
  formatCount,
  formatExpiryAction,
  formatInteger,
  inputError,
  listKeyLines,
  listLines,
  money,
  printOutput,
  type Result,
  shellWord,
  table,
  toServerTime,
  withProgress,
  type YesOption,
} from './output'

export function addPlanCommands(program: Program): void {
  const plan = program.add('plan', 'plans of the account and on this computer')
  plan
    .add('add', 'add a plan by key')
    .required('--name <name>', 'plan name: a-z A-Z 0-9 _ - . and at most 50', readPlanName)
    .required('--gateway <url>', "the plan's gateway address")
    .requiredOption('--key-stdin', 'read the key from standard input')
    .valueOr(
      '--model <code>',
      'model code of the plan, repeatable',
      (code, previousCodes: readonly string[]): readonly string[] => {
        if (!ModelCode.safeParse(code).success) throw new InvalidArgumentError('A model code has no spaces.')
        return [...previousCodes, code]
      },
      [],
    )
    .value('--context-tokens <n>', 'context window for the tools', readWholeNumber(1000, 10_000_000))
    .value('--expires <date>', 'expiry date, ISO 8601', (text) => {
      const time = Date.parse(text)
      if (Number.isNaN(time)) throw new InvalidArgumentError('Enter a date such as 2026-12-31.')
      return new Date(time).toISOString()
    })
    .value('--ca-file <file>', 'CA certificates (PEM or DER) to trust for this gateway')
    .run(async ({ core, output, readStdin }, options) => {
      const { name, gateway, model: models, contextTokens, expires: expiresAt, caFile } = options
      const { url, corrections } = readAddress(gateway)
      const correctionText = corrections.map((correction) => correctionTexts[correction]).join(', ')
      if (corrections.length > 0) output.err(`Corrected address: ${url} (${correctionText})\n`)
      const secret = cleanPastedKey(await readStdin())
      const plan = await core.plans.add({ name, gatewayUrl: url, caFile, models, contextTokens, expiresAt }, secret)
      await core.audit.note({ what: 'keySaved', planName: plan.name, keyName: plan.keys[0]?.name })
      const lines = [
        `Added ${plan.name} at ${plan.gatewayUrl}. The key is in the OS keychain.`,
        ...(plan.models.length === 0
          ? ['It has no model yet. Name one with --model CODE when you configure a tool.']
          : []),
      ]
      return [plan, lines]
    })
  plan.add('list', 'list plans of the account and on this computer').connection().run(listPlans)
  plan
    .add('check <plan>', "test a plan's key", 'name or id')
    .alias('test')
    .value('--model <code>', 'model code')
    .run(async ({ core }, name, { model }) => formatCheck(await core.plans.check(core.plans.find(name).id, model)))
  plan
    .add('remove <plan>', 'remove a plan and its keys from this computer (the account keeps it)', 'name or id')
    .flag('--even-if-used', 'remove even if in use (its tools stop working)')
    .run(async ({ core }, nameOrId, options) => {
      const { id, name } = core.plans.find(nameOrId, { isFinal: true })
      await core.plans.remove(id, options)
      return [{ removed: id }, [`Removed ${name}.`]]
    })
  plan
    .add('show <plan>', 'show a plan with its models, remaining quota and keys', 'name or id')
    .connection()
    .run(showPlan)
  plan
    .add('packages', 'list packages for sale')
    .connection()
    .run(async ({ core }, { connection }) => {
      const packages = await core.account.packages({ connectionId: chooseConnection(core, connection).id })
      const lines = packages.length > 0 ? table(packageHeadings, packages.flatMap(toRows)) : ['No packages available.']
      return [packages, lines]
    })
  addBuyOptions(plan.add('buy', "buy a plan with the account's credits"))
    .required('--package <package>', 'type or id from "companion plan packages"')
    .run(buyPlan)
  addBuyOptions(plan.add('buy-again <plan>', 'buy another plan of the same type', 'name or id')).run(buyPlanAgain)
  const renew = plan.add('renew <on|off> <plan>', 'turn auto-renew on or off', 'auto-renew', 'name or id')
  renew.registeredArguments[0]?.choices(['on', 'off'])
  renew
    .connection()
    .yes('pay if turning it on renews the plan immediately')
    // Fails with `account.planExpired` after the expiry, and `input.invalid` without `--yes` if it pays immediately.
    .run(async ({ core, output }, onOrOff, nameOrId, options) => {
      const { of } = await findAccountPlan(core, nameOrId, options)
      const request = { ...of, autoRenew: onOrOff === 'on' }
      const plan = await core.account.setAutoRenew(request, async ({ planName, amount, credits }) => {
        const lines = [
          `${planName} expires soon, so turning on auto-renew renews it now.`,
          `Total ${money(amount)}. Balance: ${money(credits)} now, ${money(credits - amount)} afterwards.`,
        ]
        confirm(output, lines, options)
      })
      const state = `Auto-renew of ${plan.name} is ${plan.autoRenew ? 'on' : 'off'}.`
      return [plan, [`${state} ${formatExpiryAction(plan, toServerTime(new Date(), plan))}`]]
    })
  plan
    .add('delete <plan...>', 'delete plans of the account (unused quota is refunded)', 'names or ids')
    .connection()
    .yes('delete')
    .perform(deletePlans)
}

const addBuyOptions = <Args extends unknown[]>(command: ContextCommand<CommandContext, Args>) =>
  command
    .connection()
    .required('--name <name>', 'plan name: a-z A-Z 0-9 _ - . and at most 50', readPlanName)
    .flag('--no-auto-renew', 'do not renew it')
    .flag('--wait', 'wait until it is provisioned and its first key is saved')
    .yes('pay')

type BuyOptions = CommandOptions<ReturnType<typeof addBuyOptions>>

/** Buys a plan. Fails with `account.*`, or with `input.invalid` before any payment if `--yes` is missing. */
async function buyPlan(context: CommandContext, options: BuyOptions & { readonly package: string }): Promise<Result> {
  const { account: accounts, connections } = context.core
  const { id: connectionId } = chooseConnection({ connections }, options.connection)
  const account = await accounts.get({ connectionId })
  requireBuyerRole(account)
  const chosenPackage = choosePackage(await accounts.packages({ connectionId }), options.package)
  requireCredits(account, chosenPackage)
  return purchase(context, options, {
    account,
    offer: chosenPackage,
    request: { connectionId, packageId: chosenPackage.packageId },
  })
}

/** Buys a new plan of the same type, as `buyPlan` does. */
async function buyPlanAgain(context: CommandContext, nameOrId: string, options: BuyOptions): Promise<Result> {
  const { core, output } = context
  const { of, plan } = await findAccountPlan(core, nameOrId, options)
  const { planType, total: price, cycleDays: durationDays, packageId } = plan
  const account = await core.account.get(of)
  requireBuyerRole(account)
  const offeredPackage = (await core.account.packages(of)).find((packageView) => packageView.packageId === packageId)
  if (offeredPackage) requireCredits(account, offeredPackage)
  else output.err('Its package is no longer sold. The total shown is the last price and may change.\n')
  return purchase(context, options, {
    account,
    offer: offeredPackage ?? { planType, price, durationDays },
    request: of,
  })
}

async function purchase(
  context: CommandContext,
  options: BuyOptions,
  purchased: {
    readonly account: AccountView
    readonly offer: Pick<PackageView, 'planType' | 'price' | 'durationDays'>
    readonly request: { readonly connectionId: string } & ({ readonly packageId: string } | { readonly planId: string })
  },
): Promise<Result> {
  const { core, output } = context
  const { autoRenew = true } = options
  const { account, offer, request } = purchased
  const { planType, price, durationDays } = offer
  const { connectionId } = request
  const days = formatCount(durationDays, 'day')
  const offerLines = [
    `${options.name}: ${planType} for ${days}.`,
    `Total ${money(price)}. Balance: ${money(account.credits)} now, ${money(account.credits - price)} afterwards.`,
    autoRenew
      ? `Auto-renew is on: renews every ${days} for ${money(price)} from the credits.`
      : `Auto-renew is off: it expires after ${days}, then its keys stop working.`,
  ]
  confirm(output, offerLines, options)
  const purchaseResult = await core.account.buy({ ...request, name: options.name, autoRenew })
  const { planId, name } = purchaseResult
  output.err(`Paid ${money(purchaseResult.total)}. ID of ${name}: ${planId}.\n`)
  if (options.wait) await waitForFirstKey(context, { connectionId, planId, name })
  const plan = options.wait ? await core.account.plan({ connectionId, planId }) : purchaseResult
  const localName = plan.localPlanId === undefined ? undefined : core.plans.view(plan.localPlanId).name
  const expiry = formatExactTime(plan.expiresAt)
  const keyText = localName
    ? `Its first key is saved on this computer. Configure a tool with "companion configure TOOL --plan ${localName}".`
    : `It is being provisioned. The app saves its first key when it is running. Without the app: "companion key keep ${planId} default-key".`
  return [plan, [`Bought ${plan.name} (${planId}), ${plan.planType}, active until ${expiry}.`, keyText]]
}

async function waitForFirstKey(
  { core, output, pipes }: CommandContext,
  { name, ...plan }: { readonly connectionId: string; readonly planId: string; readonly name: string },
): Promise<void> {
  try {
    const waitForProvisioning = () => core.account.purchases.wait(plan, pipes.closed)
    const seconds = await withProgress(output, `${name} is being provisioned`, waitForProvisioning)
    output.err(`${name} is ready after ${seconds} s.\n`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, ...details } = error.failure
    throw new AppError(code, `${name} was bought, but its first key did not arrive: ${message}`, details)
  }
}

const packageHeadings = ['TYPE', 'ID', 'PRICE', 'FOR', 'KEYS', 'MODEL', 'TOKENS', 'REQUESTS']

/** Rows of a package: one per model, with its allowances per cycle. */
function toRows({ planType, packageId, price, durationDays, maxKeys, models }: PackageView): string[][] {
  const head = [planType, packageId, money(price), formatCount(durationDays, 'day'), formatInteger(maxKeys)]
  const cells = models.map(({ modelCode, tokenQuota, requestQuota }) => [
    modelCode,
    formatInteger(tokenQuota),
    formatInteger(requestQuota),
  ])
  const [firstRow = ['-', '-', '-'], ...moreRows] = cells
  return [[...head, ...firstRow], ...moreRows.map((row) => [...head.map(() => ''), ...row])]
}

/** A package by type or id. Fails with `input.invalid` and the ids of the offered packages. */
function choosePackage(packages: readonly PackageView[], typeOrId: string): PackageView {
  const match = findByIdOrName(packages, typeOrId, { what: 'package', id: 'packageId', name: 'planType' })
  if (match) return match
  const knownNames = packages.map(({ planType }) => planType).join(', ') || 'none'
  throw inputError(`Unknown package ${JSON.stringify(typeOrId.slice(0, 100))}. Available: ${knownNames}.`, 'package')
}

/** Validates a plan name by the spec's rule ("Limits"). */
function readPlanName(text: string): string {
  if (PlanName.safeParse(text).success) return text
  throw new InvalidArgumentError('Use a-z A-Z 0-9 _ - . only, at most 50 characters.')
}

/** Lists plans. If the account fails, the exit code is 1, unless there is no console. */
async function listPlans({ core, output }: CommandContext, option: ConnectionOption): Promise<Result> {
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
const localLines = (plans: readonly PlanView[]): readonly string[] =>
  listLines(
    plans,
    {
      NAME: ({ name }) => name,
      GATEWAY: ({ gatewayUrl }) => gatewayUrl,
      KEY: ({ keys, defaultKeyId }) => keys.find(({ id }) => id === defaultKeyId)?.masked ?? '',
      MODELS: ({ models }) => models.join(', ') || '-',
      'USED BY': ({ usedBy }) => usedBy.join(', ') || '-',
    },
    'No plans yet. Add one with "companion plan add --name NAME --gateway URL --key-stdin < key.txt".',
  )

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
async function showPlan({ core, output }: CommandContext, nameOrId: string, option: ConnectionOption): Promise<Result> {
  const knownPlans = await readKnownPlans(core, option)
  const entry = findPlan(knownPlans, nameOrId)
  printAccountFailure(output, knownPlans)
  const currentTime = new Date()
  if (entry.kind === 'local') {
    const { plan } = entry
    const facts = listLocalFacts(plan, toServerTime(currentTime, plan))
    return [{ plan, keys: plan.keys }, [...facts, '', ...listKeyLines(plan.keys)]]
  }
  const { plan, local, connectionId } = entry
  const keys = await core.account.keys({ connectionId, planId: plan.planId })
  const lines = [
    ...describeAccountPlan(plan, toServerTime(currentTime, plan), local),
    '',
    ...listLines(plan.models, modelColumns, 'It names no models.'),
    '',
    ...listKeyLines(keys, `It has no keys. "companion key add ${shellWord(plan.name)} --name KEY" adds one.`),
  ]
  return [{ plan, keys }, lines]
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

const modelColumns: Readonly<Record<string, (model: PlanModelView) => string>> = {
  MODEL: ({ modelCode }) => modelCode,
  STATUS: ({ status }) => status.toLowerCase() || '-',
  'TOKENS LEFT': ({ tokenQuota, tokensUsed }) => formatRemaining(tokenQuota, tokensUsed),
  'REQUESTS LEFT': ({ requestQuota, requestsUsed }) => formatRemaining(requestQuota, requestsUsed),
  TYPES: ({ enabledTypes }) => enabledTypes.join(', ') || '-',
  HOSTING: ({ hostingMode }) => hostingMode || '-',
  ENDPOINT: ({ endpoint }) => endpoint || '-',
}

const maxPlansPerCall = 100

/** Deletes plans. Fails with `input.invalid` before any deletion, without `--yes` or for an unknown plan. */
async function deletePlans(
  { core, output }: CommandContext,
  namesOrIds: readonly string[],
  options: ConnectionOption & YesOption,
): Promise<void> {
  const { connectionId, find } = await openAccount(core, options)
  const plans = [...new Set(namesOrIds.map((nameOrId) => find(nameOrId, { isFinal: true })))]
  if (plans.length > maxPlansPerCall) throw inputError(`Delete at most ${maxPlansPerCall} plans at once.`, 'plan')
  const planIds = plans.map(({ planId }) => planId)
  confirm(output, previewLines(await core.account.previewDelete({ connectionId, planIds })), options)
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
