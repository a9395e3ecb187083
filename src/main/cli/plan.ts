import { ModelCode } from '@shared/contract'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { readAddress } from '../gateway/address'
import { cleanPastedKey } from '../secret'
import type { CommandContext } from './context'
import type { ConnectionOption } from './known-plans'
import { addConnectionOption, readPlanName, yes } from './options'
import { checkLines, print } from './output'
import type { BuyOptions } from './plan-purchase'
import type { YesOption } from './terminal'

interface AddOptions {
  readonly name: string
  readonly gateway: string
  readonly model: readonly string[]
  readonly contextTokens?: number
  readonly expires?: string
}

/** `companion plan add | list | check | remove`, and those of the account. */
export function addPlanCommands(program: Command, context: () => CommandContext): void {
  const plan = program.command('plan').description('plans of the account and on this computer')
  plan
    .command('add')
    .description('add a plan by key')
    .requiredOption('--name <name>', 'plan name: a-z A-Z 0-9 _ - . and at most 50', readPlanName)
    .requiredOption('--gateway <url>', "the plan's gateway address")
    .requiredOption('--key-stdin', 'read the key from standard input')
    .option('--model <code>', 'a model code of the plan; may be given again', collectModel, [])
    .option('--context-tokens <n>', 'context window to tell the tools', readContextTokens)
    .option('--expires <date>', 'expiry date, ISO 8601', readDate)
    .action((options: AddOptions) => addPlan(context(), options))
  addConnectionOption(plan.command('list'))
    .description('list plans of the account and on this computer')
    .action(async (option: ConnectionOption) => {
      const { listPlans } = await import('./plan-actions')
      await listPlans(context(), option)
    })
  plan
    .command('check')
    .argument('<plan>', 'name or id')
    .option('--model <code>', 'model to ask')
    .description("test a plan's key")
    .action(async (name: string, { model }: { model?: string }) => {
      const { core, output } = context()
      const check = await core.plans.check(core.plans.find(name).id, model)
      print(output, check, () => checkLines(check))
      if (!check.ok) process.exitCode = 1
    })
  plan
    .command('remove')
    .argument('<plan>', 'name or id')
    .option('--even-if-used', 'also when tools use it; they stop working')
    .description('remove a plan and its keys from this computer (the account keeps it)')
    .action(async (name: string, options: { evenIfUsed?: boolean }) => {
      const { core, output } = context()
      const found = core.plans.find(name)
      await core.plans.remove(found.id, options)
      print(output, { removed: found.id }, () => [`Removed ${found.name}.`])
    })
  addAccountPlanCommands(plan, context)
}

async function addPlan({ core, output, readStdin }: CommandContext, options: AddOptions): Promise<void> {
  const { url, corrections } = readAddress(options.gateway)
  if (corrections.length > 0) output.err(`The address was put right: ${url} (${corrections.join(', ')})\n`)
  const secret = cleanPastedKey(await readStdin())
  const { name, model: models, contextTokens, expires: expiresAt } = options
  const plan = await core.plans.add({ name, gatewayUrl: url, models, contextTokens, expiresAt }, secret)
  print(output, plan, () => [`Added ${plan.name} at ${plan.gatewayUrl}; the key is in the OS keychain.`])
}

function collectModel(code: string, before: readonly string[]): string[] {
  if (!ModelCode.safeParse(code).success) throw new InvalidArgumentError('A model code has no spaces.')
  return [...before, code]
}

function readContextTokens(text: string): number {
  const tokens = Number(text)
  if (Number.isInteger(tokens) && tokens >= 1000 && tokens <= 10_000_000) return tokens
  throw new InvalidArgumentError('Give a whole number from 1000 to 10000000.')
}

function readDate(text: string): string {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new InvalidArgumentError('Give a date such as 2026-12-31.')
  return new Date(time).toISOString()
}

/** `companion plan show | packages | buy | renew | buy-again | delete`. What asks the account is loaded by these alone. */
function addAccountPlanCommands(plan: Command, context: () => CommandContext): void {
  addConnectionOption(plan.command('show').argument('<plan>', 'name or id'))
    .description('show a plan with its models, remaining quota and keys')
    .action(async (wanted: string, option: ConnectionOption) => {
      const { showPlan } = await import('./plan-actions')
      await showPlan(context(), wanted, option)
    })
  addConnectionOption(plan.command('packages'))
    .description('list packages for sale')
    .action(async (option: ConnectionOption) => {
      const { listPackages } = await import('./plan-purchase')
      await listPackages(context(), option)
    })
  addPurchases(plan, context)
  addConnectionOption(plan.command('renew'))
    .addArgument(new Argument('<on|off>', 'auto-renew').choices(['on', 'off']))
    .argument('<plan>', 'name or id')
    .description('turn auto-renew on or off')
    .action(async (onOrOff: string, wanted: string, option: ConnectionOption) => {
      const { renewPlan } = await import('./plan-purchase')
      await renewPlan(context(), wanted, { ...option, autoRenew: onOrOff === 'on' })
    })
  addConnectionOption(plan.command('delete').argument('<plan...>', 'names or ids'))
    .addOption(yes('delete'))
    .description('delete plans of the account (unused quota is refunded)')
    .action(async (wanted: string[], options: ConnectionOption & YesOption) => {
      const { deletePlans } = await import('./plan-actions')
      await deletePlans(context(), wanted, options)
    })
}

function addPurchases(plan: Command, context: () => CommandContext): void {
  addBuyOptions(plan.command('buy'))
    .requiredOption('--package <package>', 'type or id, as "companion plan packages" shows them')
    .description("buy a plan with the account's credits")
    .action(async ({ package: wanted, ...options }: BuyOptions & { package: string }) => {
      const { buyPlan } = await import('./plan-purchase')
      await buyPlan(context(), wanted, options)
    })
  addBuyOptions(plan.command('buy-again').argument('<plan>', 'name or id'))
    .description('buy another plan of the same type')
    .action(async (wanted: string, options: BuyOptions) => {
      const { buyPlanAgain } = await import('./plan-purchase')
      await buyPlanAgain(context(), wanted, options)
    })
}

const addBuyOptions = (command: Command): Command =>
  addConnectionOption(command)
    .requiredOption('--name <name>', 'plan name: a-z A-Z 0-9 _ - . and at most 50', readPlanName)
    .option('--no-auto-renew', 'let it end at its expiry')
    .option('--wait', 'wait until it is provisioned and its first key is in the keychain')
    .addOption(yes('pay'))
