import type { AccountPlanView, AccountView, PackageView } from '@shared/contract'
import { AppError } from '@shared/failure'
import { requireBuyer, requireCredits } from '../account/account-errors'
import type { CommandContext } from './context'
import { atExpiry, counted, exactMoment, figure, money, nowThere } from './format'
import { type ConnectionOption, chooseConnection, findAccountPlan } from './known-plans'
import { oneOf } from './options'
import { print, table } from './output'
import { confirm, tellingWhile, type YesOption } from './terminal'

/** The options of both ways to buy. */
export interface BuyOptions extends ConnectionOption, YesOption {
  readonly name: string
  readonly autoRenew: boolean
  readonly wait?: boolean
}

/** Buys a package. Fails with `account.*`, or with `input.invalid` without `--yes`; then nothing is paid. */
export async function buyPlan(context: CommandContext, wanted: string, options: BuyOptions): Promise<void> {
  const { account: accounts, connections } = context.core
  const { id: connectionId } = chooseConnection({ connections }, options.connection)
  const account = await accounts.get({ connectionId })
  requireBuyer(account)
  const chosen = choosePackage(await accounts.packages({ connectionId }), wanted)
  requireCredits(account, chosen)
  const { name, autoRenew } = options
  await purchase(context, options, {
    ...{ connectionId, account, offer: chosen },
    pay: () => accounts.buy({ connectionId, packageId: chosen.packageId, name, autoRenew }),
  })
}

/** Buys a separate new plan of the same type, as `buyPlan` does. */
export async function buyPlanAgain(context: CommandContext, wanted: string, options: BuyOptions): Promise<void> {
  const { core, output } = context
  const { of, plan } = await findAccountPlan(core, wanted, options)
  const { planId, planType, total: price, cycleDays: durationDays, packageId } = plan
  const account = await core.account.get(of)
  requireBuyer(account)
  const offer = (await core.account.packages(of)).find((one) => one.packageId === packageId)
  if (offer) requireCredits(account, offer)
  else
    output.err(
      'Its package is no longer in the catalogue: the total is the one paid last time, and the platform decides.\n',
    )
  const { name, autoRenew } = options
  await purchase(context, options, {
    ...{ connectionId: of.connectionId, account, offer: offer ?? { planType, price, durationDays } },
    pay: () => core.account.buyAgain({ connectionId: of.connectionId, planId, name, autoRenew }),
  })
}

interface Purchase {
  readonly connectionId: string
  readonly account: AccountView
  readonly offer: Pick<PackageView, 'planType' | 'price' | 'durationDays'>
  readonly pay: () => Promise<AccountPlanView>
}

async function purchase(context: CommandContext, options: BuyOptions, { pay, ...rest }: Purchase): Promise<void> {
  const { core, output } = context
  const { connectionId } = rest
  confirm(output, quote(options, rest), options)
  const bought = await pay()
  const { planId, name } = bought
  output.err(`Paid ${money(bought.total)}. ${name} is ${planId}.\n`)
  if (options.wait) await waitUntilKept(context, { connectionId, planId, name })
  const plan = options.wait ? await core.account.plan({ connectionId, planId }) : bought
  const local = plan.localPlanId === undefined ? undefined : core.plans.view(plan.localPlanId).name
  print(output, plan, () => boughtLines(plan, local))
}

function quote({ name, autoRenew }: BuyOptions, { account, offer }: Omit<Purchase, 'pay'>): string[] {
  const { planType, price, durationDays } = offer
  const days = counted(durationDays, 'day')
  return [
    `${name}: ${planType} for ${days}.`,
    `Total ${money(price)}; balance ${money(account.credits)} now, ${money(account.credits - price)} afterwards.`,
    autoRenew
      ? `Auto-renew is on: renewed after ${days} for ${money(price)} from the credits, until it is switched off.`
      : `Auto-renew is off: it ends after ${days}; then its keys stop.`,
  ]
}

interface Bought {
  readonly connectionId: string
  readonly planId: string
  readonly name: string
}

async function waitUntilKept({ core, output, pipes }: CommandContext, { name, ...plan }: Bought): Promise<void> {
  try {
    const wait = () => core.account.settled(plan, pipes.closed)
    const seconds = await tellingWhile(output, `${name} is being provisioned`, wait)
    output.err(`${name} is provisioned after ${seconds} s.\n`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, ...details } = error.failure
    throw new AppError(code, `${name} is bought, but waiting for its key failed: ${message}`, details)
  }
}

function boughtLines({ name, planId, planType, expiresAt }: AccountPlanView, local: string | undefined): string[] {
  const bought = `Bought ${name} (${planId}), ${planType}, active until ${exactMoment(expiresAt)}.`
  const configure = `companion configure TOOL --plan ${local}`
  if (local) return [bought, `Its first key is kept on this machine: "${configure}" points a tool at it.`]
  const keep = `companion key keep ${planId} default-key`
  return [
    bought,
    `It is being provisioned. The app keeps its first key when it runs; "${keep}" does it without the app.`,
  ]
}

/** Prints what the account can buy: a package, and under it each model with its allowances per cycle. */
export async function listPackages({ core, output }: CommandContext, { connection }: ConnectionOption): Promise<void> {
  const { id: connectionId } = chooseConnection(core, connection)
  const packages = await core.account.packages({ connectionId })
  print(output, packages, () =>
    packages.length > 0 ? table(headings, packages.flatMap(rowsOf)) : ['The catalogue of this console is empty.'],
  )
}

const headings = ['TYPE', 'ID', 'PRICE', 'FOR', 'KEYS', 'MODEL', 'TOKENS', 'REQUESTS']

function rowsOf({ planType, packageId, price, durationDays, maxKeys, models }: PackageView): string[][] {
  const head = [planType, packageId, money(price), counted(durationDays, 'day'), figure(maxKeys)]
  const cells = models.map((one) => [one.modelCode, figure(one.tokenQuota), figure(one.requestQuota)])
  const [first = ['-', '-', '-'], ...more] = cells
  return [[...head, ...first], ...more.map((row) => [...head.map(() => ''), ...row])]
}

/** The package of a type or an id. Fails with `input.invalid`, naming those there are. */
export function choosePackage(packages: readonly PackageView[], wanted: string): PackageView {
  const found = oneOf(packages, wanted, {
    what: 'package',
    idsOf: ({ packageId }) => [packageId],
    namesOf: ({ planType }) => [planType],
  })
  if (found) return found
  const there = packages.map(({ planType }) => planType).join(', ') || 'none'
  const message = `There is no package ${JSON.stringify(wanted.slice(0, 100))}. The console offers: ${there}.`
  throw new AppError('input.invalid', message, { field: 'package' })
}

/** Switches auto-renew and says what happens at the exact expiry. Fails with `account.planExpired` after it. */
export async function renewPlan(
  { core, output }: CommandContext,
  wanted: string,
  { autoRenew, ...option }: ConnectionOption & { readonly autoRenew: boolean },
): Promise<void> {
  const { of } = await findAccountPlan(core, wanted, option)
  const plan = await core.account.setAutoRenew({ ...of, autoRenew })
  print(output, plan, () => [
    `Auto-renew of ${plan.name} is ${plan.autoRenew ? 'on' : 'off'}. ${atExpiry(plan, nowThere(new Date(), plan))}`,
  ])
}
