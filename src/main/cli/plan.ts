import type { AccountPlanView, AccountView, PackageView } from '@shared/contract'
import { ModelCode, PlanName } from '@shared/contract/common'
import { AppError } from '@shared/failure'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { formatExactTime } from '../core/local-time'
import { readAddress } from '../core/net/address'
import { cleanPastedKey } from '../core/secret'
import { requireBuyerRole, requireCredits } from '../plans/account/console-client'
import { type ConnectionOption, chooseConnection, findAccountPlan } from './known-plans'
import { addConnectionOption, createYesOption, findByIdOrName, readWholeNumber } from './options'
import {
  addCommand,
  type CommandContext,
  correctionTexts,
  formatCheck,
  formatCount,
  formatExpiryAction,
  formatInteger,
  money,
  type Result,
  table,
  toServerTime,
} from './output'
import { deletePlans, listPlans, showPlan } from './plan-actions'
import { confirm, withProgress, type YesOption } from './terminal'

interface AddOptions {
  readonly name: string
  readonly gateway: string
  readonly model: readonly string[]
  readonly contextTokens?: number
  readonly expires?: string
  readonly caFile?: string
}

export function addPlanCommands(program: Command, context: () => CommandContext): void {
  const plan = addCommand(program, 'plan', context).description('plans of the account and on this computer')
  plan
    .command('add')
    .description('add a plan by key')
    .requiredOption('--name <name>', 'plan name: a-z A-Z 0-9 _ - . and at most 50', readPlanName)
    .requiredOption('--gateway <url>', "the plan's gateway address")
    .requiredOption('--key-stdin', 'read the key from standard input')
    .option(
      '--model <code>',
      'model code of the plan, repeatable',
      (code, previousCodes: readonly string[]) => {
        if (!ModelCode.safeParse(code).success) throw new InvalidArgumentError('A model code has no spaces.')
        return [...previousCodes, code]
      },
      [],
    )
    .option('--context-tokens <n>', 'context window for the tools', readWholeNumber(1000, 10_000_000))
    .option('--expires <date>', 'expiry date, ISO 8601', (text) => {
      const time = Date.parse(text)
      if (Number.isNaN(time)) throw new InvalidArgumentError('Enter a date such as 2026-12-31.')
      return new Date(time).toISOString()
    })
    .option('--ca-file <file>', 'CA certificates (PEM or DER) to trust for this gateway')
    .run(addPlan)
  addConnectionOption(plan.command('list')).description('list plans of the account and on this computer').run(listPlans)
  plan
    .command('check')
    .alias('test')
    .argument('<plan>', 'name or id')
    .option('--model <code>', 'model code')
    .description("test a plan's key")
    .run(async ({ core }, name: string, { model }: { model?: string }) =>
      formatCheck(await core.plans.check(core.plans.find(name).id, model)),
    )
  plan
    .command('remove')
    .argument('<plan>', 'name or id')
    .option('--even-if-used', 'remove even if in use (its tools stop working)')
    .description('remove a plan and its keys from this computer (the account keeps it)')
    .run(async ({ core }, nameOrId: string, options: { evenIfUsed?: boolean }) => {
      const { id, name } = core.plans.find(nameOrId, { isFinal: true })
      await core.plans.remove(id, options)
      return [{ removed: id }, [`Removed ${name}.`]]
    })
  addConnectionOption(plan.command('show').argument('<plan>', 'name or id'))
    .description('show a plan with its models, remaining quota and keys')
    .run(showPlan)
  addConnectionOption(plan.command('packages'))
    .description('list packages for sale')
    .run(async ({ core }, { connection }: ConnectionOption) => {
      const packages = await core.account.packages({ connectionId: chooseConnection(core, connection).id })
      const lines = packages.length > 0 ? table(headings, packages.flatMap(toRows)) : ['No packages available.']
      return [packages, lines]
    })
  addBuyOptions(plan.command('buy'))
    .requiredOption('--package <package>', 'type or id from "companion plan packages"')
    .description("buy a plan with the account's credits")
    .run(buyPlan)
  addBuyOptions(plan.command('buy-again').argument('<plan>', 'name or id'))
    .description('buy another plan of the same type')
    .run(buyPlanAgain)
  addConnectionOption(plan.command('renew'))
    .addArgument(new Argument('<on|off>', 'auto-renew').choices(['on', 'off']))
    .argument('<plan>', 'name or id')
    .addOption(createYesOption('pay if turning it on renews the plan immediately'))
    .description('turn auto-renew on or off')
    .run(renewPlan)
  addConnectionOption(plan.command('delete').argument('<plan...>', 'names or ids'))
    .addOption(createYesOption('delete'))
    .description('delete plans of the account (unused quota is refunded)')
    .action((namesOrIds: string[], options: ConnectionOption & YesOption) =>
      deletePlans(context(), namesOrIds, options),
    )
}

async function addPlan({ core, output, readStdin }: CommandContext, options: AddOptions): Promise<Result> {
  const { url, corrections } = readAddress(options.gateway)
  const correctionText = corrections.map((correction) => correctionTexts[correction]).join(', ')
  if (corrections.length > 0) output.err(`Corrected address: ${url} (${correctionText})\n`)
  const secret = cleanPastedKey(await readStdin())
  const { name, model: models, contextTokens, expires: expiresAt, caFile } = options
  const plan = await core.plans.add({ name, gatewayUrl: url, caFile, models, contextTokens, expiresAt }, secret)
  await core.audit.note({ what: 'keySaved', planName: plan.name, keyName: plan.keys[0]?.name })
  const lines = [
    `Added ${plan.name} at ${plan.gatewayUrl}. The key is in the OS keychain.`,
    ...(plan.models.length === 0 ? ['It has no model yet. Name one with --model CODE when you configure a tool.'] : []),
  ]
  return [plan, lines]
}

const addBuyOptions = <C extends Command>(command: C): C =>
  addConnectionOption(command)
    .requiredOption('--name <name>', 'plan name: a-z A-Z 0-9 _ - . and at most 50', readPlanName)
    .option('--no-auto-renew', 'do not renew it')
    .option('--wait', 'wait until it is provisioned and its first key is saved')
    .addOption(createYesOption('pay'))

interface BuyOptions extends ConnectionOption, YesOption {
  readonly name: string
  readonly autoRenew: boolean
  readonly wait?: boolean
}

/** Buys a plan. Fails with `account.*`, or with `input.invalid` before any payment if `--yes` is missing. */
async function buyPlan(context: CommandContext, options: BuyOptions & { readonly package: string }): Promise<Result> {
  const { account: accounts, connections } = context.core
  const { id: connectionId } = chooseConnection({ connections }, options.connection)
  const account = await accounts.get({ connectionId })
  requireBuyerRole(account)
  const chosenPackage = choosePackage(await accounts.packages({ connectionId }), options.package)
  requireCredits(account, chosenPackage)
  const { name, autoRenew } = options
  return purchase(context, options, {
    connectionId,
    account,
    offer: chosenPackage,
    pay: () => accounts.buy({ connectionId, packageId: chosenPackage.packageId, name, autoRenew }),
  })
}

/** Buys a new plan of the same type, as `buyPlan` does. */
async function buyPlanAgain(context: CommandContext, nameOrId: string, options: BuyOptions): Promise<Result> {
  const { core, output } = context
  const { of, plan } = await findAccountPlan(core, nameOrId, options)
  const { planId, planType, total: price, cycleDays: durationDays, packageId } = plan
  const account = await core.account.get(of)
  requireBuyerRole(account)
  const offeredPackage = (await core.account.packages(of)).find((packageView) => packageView.packageId === packageId)
  if (offeredPackage) requireCredits(account, offeredPackage)
  else output.err('Its package is no longer sold. The total shown is the last price and may change.\n')
  const { name, autoRenew } = options
  return purchase(context, options, {
    connectionId: of.connectionId,
    account,
    offer: offeredPackage ?? { planType, price, durationDays },
    pay: () => core.account.buyAgain({ connectionId: of.connectionId, planId, name, autoRenew }),
  })
}

interface Purchase {
  readonly connectionId: string
  readonly account: AccountView
  readonly offer: Pick<PackageView, 'planType' | 'price' | 'durationDays'>
  readonly pay: () => Promise<AccountPlanView>
}

async function purchase(
  context: CommandContext,
  options: BuyOptions,
  { connectionId, account, offer: { planType, price, durationDays }, pay }: Purchase,
): Promise<Result> {
  const { core, output } = context
  const days = formatCount(durationDays, 'day')
  const offerLines = [
    `${options.name}: ${planType} for ${days}.`,
    `Total ${money(price)}. Balance: ${money(account.credits)} now, ${money(account.credits - price)} afterwards.`,
    options.autoRenew
      ? `Auto-renew is on: renews every ${days} for ${money(price)} from the credits.`
      : `Auto-renew is off: it expires after ${days}, then its keys stop working.`,
  ]
  confirm(output, offerLines, options)
  const purchaseResult = await pay()
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
    const waitForProvisioning = () => core.account.settled(plan, pipes.closed)
    const seconds = await withProgress(output, `${name} is being provisioned`, waitForProvisioning)
    output.err(`${name} is ready after ${seconds} s.\n`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, ...details } = error.failure
    throw new AppError(code, `${name} was bought, but its first key did not arrive: ${message}`, details)
  }
}

const headings = ['TYPE', 'ID', 'PRICE', 'FOR', 'KEYS', 'MODEL', 'TOKENS', 'REQUESTS']

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
  const match = findByIdOrName(packages, typeOrId, {
    what: 'package',
    listIds: ({ packageId }) => [packageId],
    listNames: ({ planType }) => [planType],
  })
  if (match) return match
  const knownNames = packages.map(({ planType }) => planType).join(', ') || 'none'
  const message = `Unknown package ${JSON.stringify(typeOrId.slice(0, 100))}. Available: ${knownNames}.`
  throw new AppError('input.invalid', message, { field: 'package' })
}

/** Fails with `account.planExpired` after the expiry, and `input.invalid` without `--yes` if it pays immediately. */
async function renewPlan(
  { core, output }: CommandContext,
  onOrOff: string,
  nameOrId: string,
  options: ConnectionOption & YesOption,
): Promise<Result> {
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
}

/** Validates a plan name by the spec's rule ("Limits"). */
function readPlanName(text: string): string {
  if (PlanName.safeParse(text).success) return text
  throw new InvalidArgumentError('Use a-z A-Z 0-9 _ - . only, at most 50 characters.')
}
