import type { BudgetSubject, BudgetView } from '@shared/contract'
import { BudgetInput } from '@shared/contract/quota'
import { AppError } from '@shared/failure'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { formatExactTime } from '../core/local-time'
import type { Budgets } from '../relay/budgets/budgets'
import { findPlanKey } from './options'
import { addCommand, type CommandContext, formatInteger, listLines, type Result, table } from './output'

/** Context of the budget commands. Loads budgets and opens the ledger on first use. */
interface BudgetContext extends Pick<CommandContext, 'core' | 'output'> {
  readonly budgets: () => Promise<Budgets>
  readonly close: () => Promise<void>
}

interface SetOptions {
  readonly limit?: number
  readonly unit?: BudgetInput['unit']
  readonly per?: BudgetInput['period']
  readonly action?: BudgetInput['action']
  readonly plan?: string
  readonly key?: string
  readonly tool?: string
  readonly model?: string
  readonly person?: string
  readonly rename?: string
}

export function addBudgetCommands(program: Command, context: () => BudgetContext): void {
  const budget = addCommand(program, 'budget', context).description('limits for requests through the relay')
  for (const [name, description, headings, toRow] of [
    ['list', 'list the budgets', budgetHeadings, budgetRow],
    ['status', 'show how much of each budget is used', statusHeadings, toStatusRow],
  ] as const)
    budget
      .command(name)
      .description(description)
      .run(async ({ budgets }) => {
        const allBudgets = await (await budgets()).list()
        const emptyText = 'There are no budgets yet. "companion budget set NAME --limit TOKENS" adds one.'
        return [allBudgets, listLines(allBudgets, headings, toRow, emptyText)]
      })
  budget
    .command('set')
    .argument('<name>', 'new name, or name or id of an existing budget')
    .option('--limit <amount>', 'number of tokens or requests (20000, 20k, 1.5M)', readLimit)
    .addOption(new Option('--unit <unit>', 'unit (default: tokens)').choices(['tokens', 'requests']))
    .addOption(new Option('--per <period>', 'period (default: day)').choices(['day', 'week', 'cycle']))
    .addOption(
      new Option('--action <action>', 'what the relay does when it is used up (default: warn)').choices([
        'warn',
        'refuse',
      ]),
    )
    .option('--plan <plan>', 'limit this plan (name or id)')
    .option('--key <key>', 'limit this key of --plan (name or id)')
    .option('--tool <id>', 'limit this tool')
    .option('--model <code>', 'limit this model')
    .option('--person <name>', 'limit the keys of this holder')
    .option('--rename <name>', 'new name')
    .description('add or change a budget')
    .run(set)
  budget
    .command('remove')
    .argument('<budget>', 'name or id')
    .description('remove a budget')
    .run(async (parts, nameOrId: string) => {
      const budgets = await parts.budgets()
      const { id, name } = budgets.find(nameOrId)
      budgets.remove(id)
      return [{ removed: id }, [`Removed budget ${name}.`]]
    })
}

async function set(context: BudgetContext, name: string, options: SetOptions): Promise<Result> {
  const budgets = await context.budgets()
  const allBudgets = await budgets.list()
  const existingBudget =
    allBudgets.find(({ id }) => id === name) ??
    allBudgets.find((budget) => budget.name.toLowerCase() === name.toLowerCase())
  const subject = toSubject(context, options) ?? existingBudget?.subject
  const limit = options.limit ?? existingBudget?.limit
  if (subject === undefined)
    throw missingError('plan', 'Choose what to limit: --plan, --plan with --key, --tool, --model or --person.')
  if (limit === undefined) throw missingError('limit', 'Set the limit with --limit.')
  const parsedInput = BudgetInput.safeParse({
    ...(existingBudget ? { id: existingBudget.id } : {}),
    name: options.rename ?? existingBudget?.name ?? name,
    subject,
    limit,
    unit: options.unit ?? existingBudget?.unit ?? 'tokens',
    period: options.per ?? existingBudget?.period ?? 'day',
    action: options.action ?? existingBudget?.action ?? 'warn',
  })
  if (!parsedInput.success) throw missingError(String(parsedInput.error.issues[0]?.path[0] ?? 'name'), nameRuleMessage)
  const { id } = await budgets.save(parsedInput.data)
  const savedBudget = (await budgets.list()).find((budget) => budget.id === id)
  return [savedBudget, savedBudget ? table(budgetHeadings, [budgetRow(savedBudget)]) : []]
}

function toSubject({ core }: BudgetContext, { plan, key, tool, model, person }: SetOptions): BudgetSubject | undefined {
  const subjectOptions = [plan, tool, model, person].filter((option) => option !== undefined)
  if (subjectOptions.length > 1 || (key !== undefined && plan === undefined))
    throw missingError('plan', 'A budget has one subject: --plan, --plan with --key, --tool, --model or --person.')
  if (tool !== undefined) return { kind: 'tool', toolId: tool }
  if (model !== undefined) return { kind: 'model', modelCode: model }
  if (person !== undefined) return { kind: 'person', name: person }
  if (plan === undefined) return undefined
  const foundPlan = core.plans.find(plan)
  const { id: planId } = foundPlan
  return key === undefined ? { kind: 'plan', planId } : { kind: 'key', planId, keyId: findPlanKey(foundPlan, key).id }
}

const nameRuleMessage = 'Invalid name: 1 to 60 characters (holders 100). Model codes contain no spaces.'

const missingError = (field: string, message: string): AppError => new AppError('input.invalid', message, { field })

const budgetHeadings = ['BUDGET', 'FOR', 'LIMIT', 'PER', 'WHEN USED UP', 'ID']

const budgetRow = ({ name, subject, subjectName, limit, unit, period, action, id }: BudgetView): string[] => [
  name,
  `${subject.kind} ${subjectName ?? '(removed)'}`,
  `${formatInteger(limit)} ${unit}`,
  period,
  action,
  id,
]

const statusHeadings = ['BUDGET', 'USED', 'LIMIT', 'PERCENT', 'UNTIL', 'STATE']

const toStatusRow = ({ name, used, limit, unit, to, action }: BudgetView): string[] => [
  name,
  formatInteger(used),
  `${formatInteger(limit)} ${unit}`,
  `${Math.floor((used / limit) * 100)}%`,
  formatExactTime(to),
  used < limit ? 'ok' : action === 'refuse' ? 'refusing' : 'used up',
]

const multipliers: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 }

function readLimit(text: string): number {
  const [, digits, letter = ''] = /^(\d{1,13}(?:\.\d{1,3})?)([kmb]?)$/i.exec(text) ?? []
  const limit = Math.round(Number(digits) * (multipliers[letter.toLowerCase()] ?? 1) * 1000) / 1000
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= 1e12) return limit
  throw new InvalidArgumentError('Enter a whole number from 1 to 1,000,000,000,000, such as 20000, 20k or 1.5M.')
}
