import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../../src/main/core/secret'
import { type BudgetRecord, relayDefaults } from '../../../../../src/main/core/settings/records'
import { RelayCommand, tableMessage } from '../../../../../src/main/relay/routing/relay-protocol'
import { groundText, TableBuilder, type TableSettings } from '../../../../../src/main/relay/routing/table'
import { AppError } from '../../../../../src/shared/failure'
import { plan } from '../../tools/setups/bench'

const token = new Secret('relay-token-of-a-tool')
const otherPlan = plan({ id: 'p2', name: 'spare', gatewayUrl: 'https://other.example.com', models: [] })
const ways = [{ toolId: 'pi', planId: 'p1', keyId: 'k2', failover: [{ planId: 'p2' }] }]
const ground = (over: Partial<TableSettings['relay']> = {}, plans = [plan(), otherPlan]): TableSettings => ({
  plans,
  connections: [],
  register: [],
  rotations: [],
  budgets: [],
  allowances: [],
  metrics: { isScraped: false },
  mcp: { allowed: [], overHttp: [], recordsArguments: false },
  relay: { ...relayDefaults, ways, ...over },
})

const refusing: BudgetRecord = {
  ...{ id: 'b', name: 'CI', subject: { kind: 'key', planId: 'p1', keyId: 'k1' }, unit: 'tokens', limit: 5 },
  ...{ period: 'cycle', action: 'refuse', alsoKeyIds: ['k2'], createdAt: '2026-11-21T10:00:00.000Z' },
}

const weekly: BudgetRecord = {
  ...{ id: 's', name: 'All', subject: { kind: 'tool', toolId: 'pi' }, unit: 'tokens', limit: 5, period: 'week' },
  ...{ action: 'refuse', alsoKeyIds: [], createdAt: '2026-11-21T10:00:00.000Z' },
}

function make(fails: (keyId: string) => boolean = () => false) {
  const read: string[] = []
  const builder = new TableBuilder({
    readSecret: async ({ id }, keyId) => {
      read.push(`${id}/${keyId}`)
      if (fails(keyId)) throw new AppError('vault.unavailable', 'The keychain is locked.')
      return new Secret(`sk-key-of-${id}-${keyId}`)
    },
    readToken: async () => token,
    metricsHeader: async () => new Secret('Bearer header-of-otlp'),
    proxyFor: async (url) =>
      url.includes('other') ? { kind: 'proxy', url: 'http://proxy:3128/' } : { kind: 'direct' },
  })
  return { builder, read }
}

describe('the routing table', () => {
  it('gives a tool its key and fallbacks, each with its own gateway and proxy', async () => {
    const { table, failures } = await make().builder.build(ground({ isPaused: true }))
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
    const { builder, read } = make()
    await builder.build(ground())
    await builder.build(ground({ isPaused: true }))
    expect(read).toEqual(['p1/k2', 'p2/k1'])
    const replaced = plan({ keys: plan().keys.map((key) => ({ ...key, addedAt: '2027-01-01T00:00:00.000Z' })) })
    await builder.build(ground({}, [replaced, otherPlan]))
    expect(read).toEqual(['p1/k2', 'p2/k1', 'p1/k2'])
  })

  it('explains why a tool has no upstream, and serves it with the readable ones', async () => {
    const locked = await make(() => true).builder.build(ground())
    expect(locked.table.clients).toMatchObject([{ upstreams: [], reason: { code: 'vault.unavailable' } }])
    const half = await make((keyId) => keyId === 'k2').builder.build(ground())
    expect(half.table.clients[0]?.upstreams.map(({ planId }) => planId)).toEqual(['p2'])
    expect(half.failures.get('pi')?.code).toBe('vault.unavailable')
    const gone = await make().builder.build(ground({}, [plan({ keys: [] })]))
    expect([...gone.failures].map(([tool, { code }]) => [tool, code])).toEqual([['pi', 'key.notFound']])
    expect(gone.table.clients).toMatchObject([{ upstreams: [], reason: { code: 'key.notFound' } }])
  })

  it('changes with a used plan, key, route or pause, and with nothing else', () => {
    const known = groundText(ground())
    const unused = plan({ id: 'p3', name: 'unused' })
    expect(groundText(ground({ wanted: true, port: 5000 }, [plan({ name: 'renamed' }), otherPlan, unused]))).toBe(known)
    const cases = [
      ground({ isPaused: true }),
      ground({ ways: [] }),
      ground({}, [plan({ gatewayUrl: 'https://new.example.com' }), otherPlan]),
      ground({}, [plan({ keys: [] }), otherPlan]),
      { ...ground(), budgets: [refusing] },
    ]
    expect(groundText({ ...ground(), budgets: [{ ...refusing, action: 'warn' }] })).toBe(known)
    for (const item of cases) expect(groundText(item)).not.toBe(known)
  })

  it('is transferred completely to another process, with its keys protected again', async () => {
    const { table } = await make().builder.build({ ...ground(), budgets: [refusing, weekly] })
    const message = structuredClone({ kind: 'table', table: tableMessage(table) })
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
