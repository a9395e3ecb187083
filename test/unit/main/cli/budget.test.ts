import { BudgetView } from '@shared/contract'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { addBudgetCommands } from '../../../../src/main/cli/budget'
import { Budgets } from '../../../../src/main/relay/budgets/budgets'
import { createTestLedger } from '../usage/test-ledger'
import { createAccountHarness } from './account-desk'
import { memoryOutput, parseCommand } from './memory-output'

async function startHarness() {
  const { core } = await createAccountHarness()
  const ledger = createTestLedger()
  const { settings } = core
  const toolName = (id: string) => (id === 'pi' ? 'Pi' : undefined)
  const clock = () => new Date('2026-11-23T12:00:00.000Z')
  const run = async (...args: readonly string[]) => {
    const output = memoryOutput({ isJson: args.includes('--json') })
    const program = new Command('companion').option('--json')
    addBudgetCommands(program, () => ({
      core,
      output,
      budgets: async () => new Budgets({ settings, ledger: async () => ledger, clock, zone: () => 'UTC', toolName }),
      close: async () => undefined,
    }))
    const { failure } = await parseCommand(program, output, args)
    return { out: output.stdout(), failure }
  }
  return { run, ledger }
}

it('adds, changes, shows and removes budgets', async () => {
  const { run, ledger } = await startHarness()
  expect((await run('budget', 'list')).out).toContain('There are no budgets yet.')
  const addedBudget = await run(...'--json budget set Team --tool pi --limit 1.5k --unit requests'.split(' '))
  expect(BudgetView.parse(JSON.parse(addedBudget.out))).toMatchObject({
    limit: 1500,
    period: 'day',
    action: 'warn',
    used: 0,
  })
  await run('budget', 'set', 'team', '--action', 'refuse', '--limit', '2', '--rename', 'Night')
  const entry = { at: Date.parse('2026-11-23T10:00:00.000Z'), source: 'relay' as const, toolId: 'pi', modelCode: 'm' }
  ledger.add([
    { ...entry, id: '1' },
    { ...entry, id: '2' },
  ])
  expect((await run('budget', 'list')).out).toMatch(/^Night +tool Pi +2 requests +day +refuse/m)
  expect((await run('budget', 'status')).out).toMatch(/^Night +2 +2 requests +100% .+refusing$/m)
  expect((await run('--json', 'budget', 'status')).out).toContain('"used":2')
  await run('budget', 'remove', 'NIGHT')
  expect((await run('budget', 'list')).out).toContain('There are no budgets yet.')
})

it.each([
  ['nothing that it limits', ['set', 'a', '--limit', '1'], 'input.invalid'],
  ['no limit', ['set', 'a', '--tool', 'pi'], 'input.invalid'],
  ['two things', ['set', 'a', '--limit', '1', '--tool', 'pi', '--model', 'm'], 'input.invalid'],
  ['a key without its plan', ['set', 'a', '--limit', '1', '--key', 'k'], 'input.invalid'],
  ['a plan that is not there', ['set', 'a', '--limit', '1', '--plan', 'gone'], 'plan.notFound'],
  ['a name that is too long', ['set', 'a'.repeat(61), '--limit', '1', '--tool', 'pi'], 'input.invalid'],
  ['a limit that is none', ['set', 'a', '--limit', '1,5', '--tool', 'pi'], 'commander.invalidArgument'],
  ['a budget that is not there', ['remove', 'gone'], 'budget.notFound'],
])('is refused for %s', async (_, args, code) => {
  expect((await (await startHarness()).run('budget', ...args)).failure).toMatchObject({ code })
})
