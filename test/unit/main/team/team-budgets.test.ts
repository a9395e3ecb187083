import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Budgets } from '../../../../src/main/budgets/budgets'
import { relayBudgets } from '../../../../src/main/budgets/relay-budgets'
import { BudgetMeter } from '../../../../src/main/relay/budget-meter'
import type { HourSum } from '../../../../src/main/usage/ports'
import { passwordOf, startPostgres, type TestPostgres, withoutPostgres } from '../../../support/postgres'
import { memoryLedger } from '../usage/memory-ledger'
import { addressFor, createSpace, joinSpace, makeTeamDesk, type TeamDesk } from './team-desk'

const hour = 3_600_000
const day = 24 * hour
const request = { planId: 'p', keyId: 'k', toolId: 'pi', modelCode: 'aurora' }

describe.skipIf(withoutPostgres !== undefined)(
  `budgets of a team${withoutPostgres ? ` (skipped: ${withoutPostgres})` : ''}`,
  () => {
    let postgres: TestPostgres
    let database: string
    const [anna, bao, chi, duc] = [makeTeamDesk(), makeTeamDesk(), makeTeamDesk(), makeTeamDesk()]
    const budgetsOf = ({ settings }: TeamDesk) =>
      new Budgets({
        ...{ settings, ledger: async () => memoryLedger(), clock: () => new Date(), zone: () => 'Asia/Ho_Chi_Minh' },
        toolName: (id) => (id === 'pi' ? 'Pi' : undefined),
      })
    const named = async (desk: TeamDesk, name: string) =>
      (await budgetsOf(desk).list()).find((budget) => budget.name === name)
    const use = (over: Partial<HourSum> = {}): HourSum => ({
      ...{ start: Math.floor(Date.now() / hour) * hour, ...request, requests: 5, errors: 1 },
      ...{ inputTokens: 100, outputTokens: 10, cacheTokens: 1, ...over },
    })
    const sync = (desk: TeamDesk) => desk.team.sync(async () => desk.hours)

    async function as(user: string, text: string): Promise<Record<string, unknown>[]> {
      const { host, port } = addressFor(postgres, database, user)
      const client = new pg.Client({ host, port, database, user, password: passwordOf(user) })
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    }

    beforeAll(async () => {
      postgres = await startPostgres()
      database = await postgres.database(['anna', 'bao', 'chi', 'duc'])
      await createSpace(anna, postgres, database, 'anna')
      await joinSpace(anna, bao, { personName: 'Bao', user: 'bao', role: 'lead' })
      await joinSpace(anna, chi, { personName: 'Chi', user: 'chi', role: 'member' })
      await joinSpace(anna, duc, { personName: 'Duc', user: 'duc', role: 'member' })
      for (const desk of [anna, chi]) await desk.team.setSharesUsage(true)
    }, 60_000)

    afterAll(async () => {
      for (const desk of [anna, bao, chi, duc]) await desk.end()
      await postgres?.end()
    })

    const tool = { subject: { kind: 'tool', toolId: 'pi' }, unit: 'requests', action: 'refuse' } as const

    it('come with an update of a space that had none, from its owner', async () => {
      for (const desk of [anna, bao]) await desk.team.end()
      await postgres.query(
        database,
        `SET search_path = companion_team; DROP TABLE budgets; DROP FUNCTION budget_used; DROP TABLE handouts; DELETE FROM kysely_migration WHERE name > '0002'`,
      )
      const isThere = async () =>
        (await as('anna', `SELECT to_regclass('companion_team.budgets') IS NOT NULL AS there`))[0]?.there
      await sync(bao)
      expect(await isThere()).toBe(false)
      await sync(anna)
      expect(await isThere()).toBe(true)
    })

    it('are news to everybody, as usage that is sent is not', async () => {
      const { host, port } = addressFor(postgres, database, 'anna')
      const client = new pg.Client({ host, port, database, user: 'anna', password: passwordOf('anna') })
      const news: string[] = []
      client.on('notification', ({ payload }) => news.push(payload ?? ''))
      await client.connect()
      await client.query('LISTEN companion_team')
      chi.hours.push(use({ requests: 1, errors: 1, inputTokens: 0, outputTokens: 0, cacheTokens: 0 }))
      expect(await sync(chi)).toMatchObject({ hoursSent: 1 })
      chi.hours.length = 0
      await sync(chi)
      await postgres.query(database, 'DELETE FROM companion_team.budgets')
      await expect.poll(() => news).toContain('budgets')
      await client.end()
      expect(news).toEqual(['budgets'])
    })

    it('count what others used, and stop each computer at the sum', async () => {
      chi.hours.push(use(), use({ start: Math.floor(Date.now() / hour) * hour - 40 * 24 * hour }))
      anna.hours.push(use({ requests: 2, errors: 0 }))
      for (const desk of [anna, chi]) await sync(desk)
      await budgetsOf(anna).save({ ...tool, name: 'Pi', limit: 6, period: 'week', isTeam: true })
      await budgetsOf(anna).save({ ...tool, name: 'Own', limit: 6, period: 'day' })
      expect(await named(anna, 'Pi')).toMatchObject({ isTeam: true, isWaiting: true, used: 0 })
      for (const desk of [anna, bao, chi, duc]) await sync(desk)
      const used = await Promise.all([anna, bao, chi, duc].map((desk) => named(desk, 'Pi')))
      // What a computer used itself is counted by its relay, whose ledger is empty here.
      expect(used).toMatchObject([
        { used: 4, isWaiting: false },
        { used: 6, subjectName: 'Pi' },
        { used: 2 },
        { used: 6 },
      ])
      expect(await named(bao, 'Own')).toBeUndefined()

      const meter = new BudgetMeter()
      meter.setBudgets(relayBudgets(chi.settings.read()))
      const tried = await Promise.all(Array.from({ length: 50 }, () => meter.admit(request)))
      expect(tried.filter((one) => 'gauges' in one)).toHaveLength(4)
      expect(tried.at(-1)).toMatchObject({
        detail: expect.stringContaining('The team budget "Pi" (6 requests per week)'),
      })
      expect(tried.at(-1)).toMatchObject({ detail: expect.stringContaining('Ask a lead of your team') })
      // What others used since takes from what is left at once, and of another period nothing is known.
      const budgets = relayBudgets(chi.settings.read())
      const later = { from: Date.now() + 30 * 24 * hour, to: Date.now() + 37 * 24 * hour, used: 6 }
      meter.setBudgets(budgets.map((budget) => ({ ...budget, limit: 5, elsewhere: later })))
      expect(await meter.admit(request)).toHaveProperty('gauges')
    })

    it('count a person on their own computers, and plans and keys as their account names them', async () => {
      const now = Math.floor(Date.now() / hour) * hour
      const iso = (at: number) => new Date(at).toISOString()
      const plan = {
        ...{ id: 'here', name: 'Pro', source: 'console', gatewayUrl: 'https://g.example.com', models: [] },
        ...{ contextTokens: 1, createdAt: '2026-11-01T00:00:00.000Z', expiresAt: iso(now + 20 * day + hour / 2) },
        ...{ origin: { connectionId: 'c', planId: 'plan-1' } },
        keys: [
          { id: 'own', name: 'ci', masked: 'x', addedAt: '', kept: 'keychain', origin: { keyId: 'key-1' } } as const,
        ],
      } as const
      const elsewhere = { ...plan, id: 'there', keys: plan.keys.map((key) => ({ ...key, id: 'theirs' })) }
      anna.settings.update(() => ({ plans: [plan] }) as never)
      chi.settings.update(() => ({ plans: [elsewhere] }) as never)
      chi.hours.push(use({ planId: 'there', keyId: 'theirs', requests: 8, errors: 0 }))
      // The first hour of the cycle counts, one on its first day, one on a later day, and none before it.
      for (const start of [now - 10 * day - hour, now - 10 * day, now - 10 * day + hour, now - 5 * day])
        chi.hours.push(use({ planId: 'there', keyId: 'theirs', toolId: 'codex', start }))
      const [budgets, refuse] = [budgetsOf(anna), { unit: 'tokens', action: 'refuse', isTeam: true } as const]
      const key = { kind: 'key', planId: 'here', keyId: 'own' } as const
      await budgets.save({ ...refuse, name: 'Chi', subject: { kind: 'person', name: 'Chi' }, limit: 9, period: 'day' })
      await budgets.save({ ...refuse, name: 'Key', subject: key, limit: 50, period: 'cycle' })
      for (const desk of [chi, anna, bao, chi, duc]) await sync(desk)
      const cycle = { from: iso(now - 10 * day + hour / 2), to: iso(now + 20 * day + hour / 2) }
      expect(await named(anna, 'Key')).toMatchObject({ subject: key, used: 444, subjectName: 'ci (Pro)', ...cycle })
      expect(await named(anna, 'Chi')).toMatchObject({ used: 222 })
      const of = new Map(relayBudgets(chi.settings.read()).map((budget) => [budget.name, budget.of]))
      expect([of.get('Key'), of.get('Chi')]).toEqual([{ keyIds: ['theirs'] }, {}])
      expect(relayBudgets(anna.settings.read()).find(({ name }) => name === 'Chi')?.of).toEqual({ keyIds: [] })
      // What does not concern somebody they are not told of.
      expect((await budgetsOf(duc).list()).map(({ name }) => name)).toEqual(['Pi'])
      expect(await as('duc', 'SELECT name FROM companion_team.budgets')).toEqual([{ name: 'Pi' }])
    })

    it('are written by leads alone, in the database too', async () => {
      const wanted = { ...tool, name: 'Mine', limit: 1, period: 'day', isTeam: true } as const
      await expect(budgetsOf(chi).save(wanted)).rejects.toMatchObject({ failure: { code: 'team.notAllowed' } })
      expect(() => budgetsOf(chi).remove('Pi')).toThrowError('Only a lead')
      for (const write of [
        'UPDATE companion_team.budgets SET amount = 1000000',
        'DELETE FROM companion_team.budgets',
        `INSERT INTO companion_team.budgets DEFAULT VALUES`,
      ])
        await expect(as('chi', write), write).rejects.toMatchObject({ code: '42501' })
    })

    it('stand as they were known without the database, and keep both versions where two leads changed one', async () => {
      for (const desk of [anna, bao]) await sync(desk)
      await postgres.stop('immediate')
      const before = await named(bao, 'Pi')
      await expect(sync(bao)).rejects.toMatchObject({ failure: { code: 'team.unreachable' } })
      expect(await named(bao, 'Pi')).toMatchObject({ used: 14, limit: 6 })
      await budgetsOf(bao).save({ ...tool, id: before?.id, name: 'Pi', limit: 70, period: 'week' })
      await budgetsOf(anna).save({ ...tool, id: before?.id, name: 'Pi', limit: 80, period: 'week' })
      await postgres.start()
      for (const desk of [anna, bao, chi]) await sync(desk)
      expect(await named(bao, 'Pi')).toMatchObject({ limit: 80, isWaiting: false, replaced: { limit: 70 } })
      const { replaced } = (await named(bao, 'Pi')) ?? {}
      if (replaced) await budgetsOf(bao).save(replaced)
      for (const desk of [bao, chi]) await sync(desk)
      for (const desk of [bao, chi]) {
        const now = await named(desk, 'Pi')
        expect([now?.limit, now?.replaced]).toEqual([70, undefined])
      }
      budgetsOf(bao).remove('Pi')
      expect(await named(bao, 'Pi')).toBeUndefined()
      expect(relayBudgets(bao.settings.read()).map(({ name }) => name)).not.toContain('Pi')
      for (const desk of [bao, chi]) await sync(desk)
      expect(await named(chi, 'Pi')).toBeUndefined()
      await anna.team.leave()
      expect((await budgetsOf(anna).list()).map(({ name }) => name)).toEqual(['Own'])
    })
  },
)
