import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Secret } from '../../../../../src/main/core/secret'
import type { BudgetRecord } from '../../../../../src/main/core/settings/records'
import { parseSettings } from '../../../../../src/main/core/settings/settings'
import { RelayCommand } from '../../../../../src/main/relay/routing/relay-protocol'
import { TableBuilder, type TableSettings, toSettingsFingerprint } from '../../../../../src/main/relay/routing/table'
import { AppError } from '../../../../../src/shared/failure'
import { plan } from '../../tools/setups/bench'

const token = new Secret('relay-token-of-a-tool')
const otherPlan = plan({ id: 'p2', name: 'spare', gatewayUrl: 'https://other.example.com', models: [] })
const relayRoutes = [{ toolId: 'pi', planId: 'p1', keyId: 'k2', failover: [{ planId: 'p2' }] }]
const defaultSettings = parseSettings({}).settings
const buildTableSettings = (
  overrides: Partial<TableSettings['relay']> = {},
  plans = [plan(), otherPlan],
): TableSettings => ({
  ...defaultSettings,
  plans,
  relay: { ...defaultSettings.relay, ways: relayRoutes, ...overrides },
})

const refusingBudget: BudgetRecord = {
  id: 'b',
  name: 'CI',
  subject: { kind: 'key', planId: 'p1', keyId: 'k1' },
  unit: 'tokens',
  limit: 5,
  period: 'cycle',
  action: 'refuse',
  alsoKeyIds: ['k2'],
  createdAt: '2026-11-21T10:00:00.000Z',
}

const weeklyBudget: BudgetRecord = {
  ...refusingBudget,
  id: 's',
  name: 'All',
  subject: { kind: 'tool', toolId: 'pi' },
  period: 'week',
  alsoKeyIds: [],
}

function createHarness(fails: (keyId: string) => boolean = () => false) {
  const readKeyIds: string[] = []
  const builder = new TableBuilder({
    plans: {
      readSecret: async ({ id }, keyId = '') => {
        readKeyIds.push(`${id}/${keyId}`)
        if (fails(keyId)) throw new AppError('vault.unavailable', 'The keychain is locked.')
        return new Secret(`sk-key-of-${id}-${keyId}`)
      },
    },
    routes: { readToken: async () => token },
    vault: { get: async () => new Secret('Bearer header-of-otlp') },
    network: {
      proxyFor: async (url) =>
        url.includes('other') ? { kind: 'proxy', url: 'http://proxy:3128/' } : { kind: 'direct' },
    },
  })
  return { builder, read: readKeyIds }
}

describe('the routing table', () => {
  it('gives a tool its key and fallbacks, each with its own gateway and proxy', async () => {
    const { table, failures } = await createHarness().builder.build(buildTableSettings({ isPaused: true }))
    expect(failures.size).toBe(0)
    expect(table).toMatchObject({
      isPaused: true,
      clients: [
        {
          toolId: 'pi',
          upstreams: [
            { planId: 'p1', keyId: 'k2', gatewayUrl: 'https://gw.example.com', models: ['large', 'small'] },
            { planId: 'p2', keyId: 'k1', network: { kind: 'proxy', url: 'http://proxy:3128/' } },
          ],
        },
      ],
    })
    expect(table.clients[0]?.upstreams[0]?.key.expose()).toBe('sk-key-of-p1-k2')
  })

  it('reads a key again only when the settings changed it', async () => {
    const { builder, read } = createHarness()
    await builder.build(buildTableSettings())
    await builder.build(buildTableSettings({ isPaused: true }))
    expect(read).toEqual(['p1/k2', 'p2/k1'])
    const planWithNewKeys = plan({ keys: plan().keys.map((key) => ({ ...key, addedAt: '2027-01-01T00:00:00.000Z' })) })
    await builder.build(buildTableSettings({}, [planWithNewKeys, otherPlan]))
    expect(read).toEqual(['p1/k2', 'p2/k1', 'p1/k2'])
  })

  it('explains why a tool has no upstream, and serves it with the readable ones', async () => {
    const lockedTable = await createHarness(() => true).builder.build(buildTableSettings())
    expect(lockedTable.table.clients).toMatchObject([{ upstreams: [], reason: { code: 'vault.unavailable' } }])
    const partialTable = await createHarness((keyId) => keyId === 'k2').builder.build(buildTableSettings())
    expect(partialTable.table.clients[0]?.upstreams.map(({ planId }) => planId)).toEqual(['p2'])
    expect(partialTable.failures.get('pi')?.code).toBe('vault.unavailable')
    const tableWithoutKeys = await createHarness().builder.build(buildTableSettings({}, [plan({ keys: [] })]))
    expect([...tableWithoutKeys.failures].map(([tool, { code }]) => [tool, code])).toEqual([['pi', 'key.notFound']])
    expect(tableWithoutKeys.table.clients).toMatchObject([{ upstreams: [], reason: { code: 'key.notFound' } }])
  })

  it('changes with a used plan, key, route or pause, and with nothing else', () => {
    const settingsTextBefore = toSettingsFingerprint(buildTableSettings())
    const plans = [plan({ name: 'renamed' }), otherPlan, plan({ id: 'p3', name: 'unused' })]
    const irrelevantChanges = [
      buildTableSettings({ wanted: true, port: 5000 }, plans),
      { ...buildTableSettings(), budgets: [{ ...refusingBudget, action: 'warn' as const }] },
    ]
    for (const item of irrelevantChanges) expect(toSettingsFingerprint(item)).toBe(settingsTextBefore)
    const relevantChanges = [
      buildTableSettings({ isPaused: true }),
      buildTableSettings({ ways: [] }),
      buildTableSettings({}, [plan({ gatewayUrl: 'https://new.example.com' }), otherPlan]),
      buildTableSettings({}, [plan({ keys: [] }), otherPlan]),
      { ...buildTableSettings(), budgets: [refusingBudget] },
    ]
    for (const item of relevantChanges) expect(toSettingsFingerprint(item)).not.toBe(settingsTextBefore)
  })

  it('is transferred completely to another process, with its keys protected again', async () => {
    const budgets = [refusingBudget, weeklyBudget]
    const { table } = await createHarness().builder.build({ ...buildTableSettings(), budgets })
    const message = structuredClone(z.encode(RelayCommand, { kind: 'table', table }))
    const order = RelayCommand.parse(message)
    if (order.kind !== 'table') throw new Error('another order')
    expect(order.table).toMatchObject({ clients: [{ upstreams: [{ planId: 'p1' }, { planId: 'p2' }] }] })
    expect(order.table.budgets).toEqual(table.budgets)
    expect(order.table.budgets).toMatchObject([
      { name: 'CI', of: { keyIds: ['k1', 'k2'] }, period: { kind: 'cycle' } },
      { name: 'All', of: { toolId: 'pi' }, period: { kind: 'week' } },
    ])
    expect(order.table.clients[0]?.token.isSame(token)).toBe(true)
    expect(() => JSON.stringify(order)).toThrow()
  })
})
