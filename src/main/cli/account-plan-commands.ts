import { Argument, type Command } from 'commander'
import type { YesOption } from './confirm'
import type { CommandContext } from './context'
import type { ConnectionOption } from './known-plans'
import { addConnectionOption, readPlanName, yes } from './options'
import type { BuyOptions } from './plan-buy'

/** `companion plan show | packages | buy | renew | buy-again | delete`. What asks the account is loaded by these alone. */
export function addAccountPlanCommands(plan: Command, context: () => CommandContext): void {
  addConnectionOption(plan.command('show').argument('<plan>', 'name or id'))
    .description('show a plan with its models, what is left of them, and its keys')
    .action(async (wanted: string, option: ConnectionOption) => {
      const { showPlan } = await import('./plan-show')
      await showPlan(context(), wanted, option)
    })
  addConnectionOption(plan.command('packages'))
    .description('list what the account can buy')
    .action(async (option: ConnectionOption) => {
      const { listPackages } = await import('./plan-packages')
      await listPackages(context(), option)
    })
  addPurchases(plan, context)
  addConnectionOption(plan.command('renew'))
    .addArgument(new Argument('<on|off>', 'auto-renew').choices(['on', 'off']))
    .argument('<plan>', 'name or id')
    .description('switch auto-renew and say what happens at the exact expiry')
    .action(async (onOrOff: string, wanted: string, option: ConnectionOption) => {
      const { renewPlan } = await import('./plan-renew')
      await renewPlan(context(), wanted, { ...option, autoRenew: onOrOff === 'on' })
    })
  addConnectionOption(plan.command('delete').argument('<plan...>', 'names or ids'))
    .addOption(yes('delete'))
    .description('delete plans of the account; what is unused is refunded')
    .action(async (wanted: string[], options: ConnectionOption & YesOption) => {
      const { deletePlans } = await import('./plan-delete')
      await deletePlans(context(), wanted, options)
    })
}

function addPurchases(plan: Command, context: () => CommandContext): void {
  addBuyOptions(plan.command('buy'))
    .requiredOption('--package <package>', 'type or id, as "companion plan packages" shows them')
    .description('buy a plan with the credits of the account')
    .action(async ({ package: wanted, ...options }: BuyOptions & { package: string }) => {
      const { buyPlan } = await import('./plan-buy')
      await buyPlan(context(), wanted, options)
    })
  addBuyOptions(plan.command('buy-again').argument('<plan>', 'name or id'))
    .description('buy a separate new plan of the same type')
    .action(async (wanted: string, options: BuyOptions) => {
      const { buyPlanAgain } = await import('./plan-buy')
      await buyPlanAgain(context(), wanted, options)
    })
}

const addBuyOptions = (command: Command): Command =>
  addConnectionOption(command)
    .requiredOption('--name <name>', 'plan name: a-z A-Z 0-9 _ - . and at most 50', readPlanName)
    .option('--no-auto-renew', 'let it end at its expiry')
    .option('--wait', 'wait until it is provisioned and its first key is in the keychain')
    .addOption(yes('pay'))
