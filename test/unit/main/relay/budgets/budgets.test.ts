import { type BudgetInput, quota as contract } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { Budgets, followRotation, readBudget, relayBudgets } from '../../../../../src/main/relay/budgets/budgets'
import type { LedgerEntry } from '../../../../../src/main/usage/ports'
import { memorySettings } from '../../../../support/memory-settings'
import { expectFailure } from '../../../support/failures'
import { plan } from '../../tools/setups/bench'
import { createTestLedger } from '../../usage/test-ledger'

const currentTime = new Date('2026-11-23T15:00:00.000Z')
const input: BudgetInput = {
  name: 'Team',
  subject: { kind: 'tool', toolId: 'pi' },
  unit: 'requests',
  limit: 10,
  period: 'day',
  action: 'refuse',
}

/** Budgets with a ledger in a real file. */
function createBudgets(initial: Record<string, unknown> = {}) {
  const ledger = createTestLedger()
  const settings = memorySettings({ plans: [plan()], ...initial })
  const toolName = (id: string) => (id === 'pi' ? 'Pi' : undefined)
  const parts = { settings, clock: () => currentTime, zone: () => 'UTC', toolName }
  const budgets = new Budgets({ ...parts, ledger: async () => ledger })
  let count = 0
  const add = (...entries: Partial<LedgerEntry>[]) =>
    ledger.add(
      entries.map((entry) => ({
        id: `relay:${count++}`,
        at: currentTime.getTime(),
        source: 'relay' as const,
        toolId: 'pi',
        modelCode: 'large',
        planId: 'p1',
        keyId: 'k1',
        inputTokens: 100,
        outputTokens: 10,
        cacheReadTokens: 5,
        cacheWriteTokens: 1,
        ...entry,
      })),
    )
  return { budgets, settings, ledger, add }
}

describe('budgets', () => {
  it('show requests of the relay and of ask_model in their period, without failures and other sources', async () => {
    const { budgets, add } = createBudgets()
    const { id } = await budgets.save(input)
    await budgets.save({ ...input, name: 'Tokens', unit: 'tokens', period: 'week' })
    const day = 86_400_000
    add({}, {}, { error: 'aborted' }, { error: 'server' }, { error: 'budget', planId: undefined, keyId: undefined })
    add({ source: 'app' }, { source: 'app', error: 'server', inputTokens: 0, outputTokens: 0 })
    add({ source: 'toolLog', outputTokens: 99 }, { toolId: 'opencode' })
    await budgets.save({ ...input, name: 'Model', subject: { kind: 'model', modelCode: 'small' } })
    for (const toolId of ['playground', 'companion']) add({ source: 'app', toolId, modelCode: 'small' })
    add({ at: currentTime.getTime() - day }, { at: Date.parse('2026-11-22T23:59:59.999Z') })
    const budgetViews = await budgets.list()
    expect(contract['budgets.list'].output.parse(budgetViews)).toEqual(budgetViews)
    expect(budgetViews).toMatchObject([
      { name: 'Model', used: 0 },
      {
        id,
        name: 'Team',
        subjectName: 'Pi',
        used: 4,
        from: '2026-11-23T00:00:00.000Z',
        to: '2026-11-24T00:00:00.000Z',
      },
      { name: 'Tokens', used: 6 * 116 + 6, from: '2026-11-23T00:00:00.000Z', to: '2026-11-30T00:00:00.000Z' },
    ])
  })

  it.each(['2026-12-10', '2026-11-10', '2026-10-11'])('count a plan’s cycle from its end on %s', async (day) => {
    const { budgets, add } = createBudgets({ plans: [plan({ expiresAt: `${day}T09:00:00.000Z` })] })
    add({}, { at: Date.parse('2026-11-10T09:00:00.000Z') }, { at: Date.parse('2026-11-10T08:59:59.000Z') })
    const savedBudget = await budgets.save({ ...input, subject: { kind: 'plan', planId: 'p1' }, period: 'cycle' })
    expect(savedBudget).toMatchObject({ used: 2, from: '2026-11-10T09:00:00.000Z', to: '2026-12-10T09:00:00.000Z' })
  })

  it('keep their id on changes, and are refused when invalid', async () => {
    const { budgets } = createBudgets()
    const { id } = await budgets.save(input)
    expect(await budgets.save({ ...input, id, name: 'team', limit: 20 })).toMatchObject({ id, name: 'team', limit: 20 })
    const invalidInputs: [Partial<BudgetInput>, string][] = [
      [{ name: 'TEAM' }, 'budget.nameTaken'],
      [{ name: 'b', id: 'gone' }, 'budget.notFound'],
      [{ name: 'b', period: 'cycle' }, 'input.invalid'],
      [{ name: 'b', subject: { kind: 'plan', planId: 'gone' } }, 'plan.notFound'],
      [{ name: 'b', subject: { kind: 'key', planId: 'p1', keyId: 'gone' } }, 'key.notFound'],
      [{ name: 'b', subject: { kind: 'tool', toolId: 'gone' } }, 'tool.notFound'],
    ]
    for (const [change, expected] of invalidInputs) await expectFailure(budgets.save({ ...input, ...change }), expected)
    expect(await budgets.list()).toHaveLength(1)
    budgets.remove(id)
    expect(await budgets.list()).toEqual([])
    expect(() => budgets.find(id)).toThrow('budget list')
  })

  it('are limited to a hundred', async () => {
    const { budgets } = createBudgets()
    for (let index = 0; index < 100; index += 1) await budgets.save({ ...input, name: `b${index}` })
    await expectFailure(budgets.save({ ...input, name: 'more' }), 'budget.tooMany')
  })

  it('accept only single-line, clean names', () => {
    const parse = contract['budgets.save'].input.safeParse
    expect(parse({ ...input, name: 'a\u202e b\nc' }).data?.name).toBe('a b c')
    for (const change of [{ name: ' ' }, { limit: 0 }, { limit: 1.5 }, { limit: 1e13 }, { extra: 1 }])
      expect(parse({ ...input, ...change }).success).toBe(false)
  })
})

describe('the relay', () => {
  it('gets the enforced budgets, with the keys of each holder', async () => {
    const origin = { connectionId: 'c', planId: 'ap' }
    const keys = plan().keys.map((key) => (key.id === 'k2' ? { ...key, origin: { keyId: 'ak2' } } : key))
    const holdKey = (name: string, connectionId: string, planId: string, keyId: string) => {
      const holder = { kind: 'person', name }
      return { connectionId, planId, keyId, planName: 'p', keyName: 'k', alsoServes: [], holder }
    }
    const register = [holdKey('Lan', 'c', 'ap', 'ak2'), holdKey('An', '', 'p1', 'k1')]
    const { budgets, settings } = createBudgets({ plans: [plan({ origin, keys })], register })
    for (const name of ['Lan', 'An', 'Nobody'])
      await budgets.save({ ...input, name, subject: { kind: 'person', name } })
    await budgets.save({ ...input, name: 'Quiet', action: 'warn' })
    expect(relayBudgets(settings.read())).toMatchObject([
      { name: 'Lan', of: { keyIds: ['k2'] } },
      { name: 'An', of: { keyIds: ['k1'] } },
      { name: 'Nobody', of: { keyIds: [] } },
    ])
  })

  it('counts a key’s replacement for the key as well', async () => {
    const { budgets, settings, ledger, add } = createBudgets()
    const savedBudget = await budgets.save({ ...input, subject: { kind: 'key', planId: 'p1', keyId: 'k1' } })
    followRotation(settings, { oldKeyId: 'other', newKeyId: 'k2' })
    add({}, { keyId: 'k2' })
    expect((await budgets.list())[0]?.used).toBe(1)
    for (let round = 0; round < 2; round += 1) followRotation(settings, { oldKeyId: 'k1', newKeyId: 'k2' })
    const [relayBudget] = relayBudgets(settings.read())
    if (!relayBudget) throw new Error('no budget')
    expect(relayBudget.of.keyIds).toEqual(['k1', 'k2'])
    const span = { from: Date.parse(savedBudget.from), to: Date.parse(savedBudget.to) }
    expect(await readBudget(ledger, relayBudget, span)).toBe(2)
  })
})
