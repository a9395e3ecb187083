import { BudgetView, MetricsView } from '@shared/contract'
import type { PlanQuota } from '@shared/contract/quota'
import { describe, expect, it } from 'vitest'
import { addAlertCommands, addBudgetCommands } from '../../../../src/main/cli/monitoring'
// Loaded before the tests, because it takes seconds.
import '../../../../src/main/compose/tools'
import { Budgets } from '../../../../src/main/relay/budgets/budgets'
import { keyAnswer, planAnswer } from '../plans/account/answers'
import { budgetView, dayMs, planQuota } from '../usage/quota/figures'
import { createTestLedger } from '../usage/test-ledger'
import { type CliHarness, createAccountHarness, json, listResponse, runAddedCommand } from './desk'

describe('budget', () => {
  async function startHarness() {
    const { core } = await createAccountHarness()
    const ledger = createTestLedger()
    const { settings } = core
    const toolName = (id: string) => (id === 'pi' ? 'Pi' : undefined)
    const clock = () => new Date('2026-11-23T12:00:00.000Z')
    const context = {
      core,
      budgets: async () => new Budgets({ settings, ledger: async () => ledger, clock, zone: () => 'UTC', toolName }),
      close: async () => undefined,
    }
    const run = (...args: readonly string[]) => runAddedCommand(addBudgetCommands, context, args)
    return { run, ledger }
  }

  it('adds, changes, shows and removes budgets', async () => {
    const { run, ledger } = await startHarness()
    expect((await run('budget', 'list')).out).toContain('There are no budgets yet.')
    const addedBudget = await run(...'--json budget set Team --tool pi --limit 1.5k --unit requests'.split(' '))
    const defaults = { period: 'day', action: 'warn', used: 0 }
    expect(BudgetView.parse(JSON.parse(addedBudget.out))).toMatchObject({ ...defaults, limit: 1500 })
    await run('budget', 'set', 'team', '--action', 'refuse', '--limit', '2', '--rename', 'Night')
    const entry = { at: Date.parse('2026-11-23T10:00:00.000Z'), source: 'relay' as const, toolId: 'pi', modelCode: 'm' }
    ledger.add(['1', '2'].map((id) => ({ ...entry, id })))
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
})

describe('alerts and webhook', () => {
  const path = '/hook/path-that-is-secret'
  const hooked = { [`POST ${path}`]: json({}) }

  const ago = (days: number): string => new Date(Date.now() - days * dayMs).toISOString()
  const cycle = { from: ago(10), to: ago(-20) }

  const nightBudget = budgetView(85, { name: 'Night', limit: 100, ...cycle })

  /** Runs `companion alerts` with these quotas, and one check with `--watch`. */
  async function runAlerts(desk: CliHarness, args: readonly string[], quotas: readonly PlanQuota[]) {
    const context = {
      core: desk.core,
      readStdin: async () => '',
      close: async () => undefined,
      quota: async () => ({ list: async () => [...quotas] }),
      budgets: async () => ({ list: async () => [nightBudget] }),
      ledger: async () => ({ countSince: async () => [] }),
    }
    const stopped = new Error('stopped')
    const sleep = () => Promise.reject(stopped)
    const { failure, ...run } = await runAddedCommand((program) => addAlertCommands(program, sleep), context, args)
    expect([undefined, stopped]).toContain(failure)
    return run
  }

  /** Messages that the webhook received. */
  const received = (desk: CliHarness) =>
    desk.server.received.filter((request) => request.path === path).map(({ body }) => JSON.parse(body))

  function addRotationAndUnconfirmedKey({ core }: CliHarness): void {
    const connectionId = core.connections.list()[0]?.id ?? ''
    const origin = { connectionId, planId: 'p1' }
    const { keyId } = keyAnswer
    core.settings.update(() => ({
      rotations: [
        {
          id: 'r1',
          planId: 'l1',
          planName: 'team',
          origin,
          oldKey: { id: 'k1', keyId, name: 'ci', wasActive: true },
          newKey: { name: 'ci-2' },
          direction: 'forward',
          state: 'failed',
          undoSteps: [],
          tools: [],
          steps: [{ id: 'add', state: 'failed', at: ago(0) }],
          profiles: [],
          startedAt: ago(1),
          graceMs: 0,
          isStopWanted: false,
        },
      ],
      register: [
        {
          ...origin,
          keyId,
          planName: 'team',
          keyName: 'ci',
          holder: { kind: 'person', name: 'Lan' },
          handedOutAt: ago(8),
          alsoServes: [],
        },
      ],
    }))
  }

  it('sets, shows, tests and removes the webhook without printing its path', async () => {
    const desk = await createAccountHarness(hooked)
    expect((await desk.run('webhook status')).out).toBe('Webhook: off\n')
    const set = await desk.run('webhook set --token --yes', `${desk.server.url}${path}\nsecret-token\n`)
    expect(set.out).toContain(`Webhook: ${desk.server.url} (json, with a token)\nLast delivery: none`)
    const test = await desk.run('webhook test')
    expect(test.out).toMatch(/^Test message delivered \(\d+ ms\)\.\n$/)
    expect(received(desk)).toMatchObject([{ kind: 'test', title: 'Test alert' }])
    const status = await desk.run('--json webhook status')
    expect(JSON.parse(status.out)).toMatchObject({ webhook: { origin: desk.server.url, pendingCount: 0 } })
    expect((await desk.run('webhook remove')).out).toBe('Webhook: off\n')
    const refused = await desk.run('webhook test')
    expect(refused.failure).toMatchObject({ code: 'input.invalid' })
    expect(set.out + set.err + test.out + status.out).not.toMatch(/path-that-is-secret|secret-token/)
  })

  it('prints and sends each alert once, also after a restart of the watch', async () => {
    const endingPlan = { ...planAnswer, autoRenew: false, expiresAt: ago(-2) }
    const desk = await createAccountHarness({ ...hooked, 'GET /console/token-plans': listResponse(endingPlan) })
    addRotationAndUnconfirmedKey(desk)
    await desk.run('webhook set --yes', `${desk.server.url}${path}`)
    const watched = await runAlerts(desk, ['alerts', '--watch'], [planQuota('big', 96, { cycle })])
    expect(received(desk)).toMatchObject([
      { kind: 'quota', plan: 'big', percent: 95 },
      { kind: 'budget', budget: 'Night', percent: 80 },
      { kind: 'expiry', plan: 'team' },
      { kind: 'rotation', plan: 'team', key: 'ci' },
      { kind: 'key', plan: 'team', key: keyAnswer.name },
    ])
    expect(watched.out).toContain('big: 96% of the tokens of m used')
    expect(watched.out).toContain('Rotation of the key ci failed: team')
    expect(watched.err).toBe('')
    await runAlerts(desk, ['alerts', '--watch'], [planQuota('big', 97, { cycle })])
    expect(received(desk)).toHaveLength(5)
    await runAlerts(desk, ['alerts', '--watch'], [planQuota('big', 100, { cycle })])
    expect(received(desk).slice(5)).toMatchObject([{ kind: 'quota', percent: 100 }])
  })

  it('lists what applies now, and prints failed deliveries to standard error', async () => {
    const desk = await createAccountHarness()
    expect((await runAlerts(desk, ['alerts'], [planQuota('big', 96, { cycle })])).out).toContain('big: 96%')
    const listed = await runAlerts(desk, ['--json', 'alerts'], [planQuota('big', 96, { cycle })])
    expect(JSON.parse(listed.out)).toContainEqual(expect.objectContaining({ kind: 'quota', plan: 'big', percent: 95 }))
    await desk.run('webhook set --yes', `${desk.server.url}${path}`)
    const { err } = await runAlerts(desk, ['alerts', '--watch'], [planQuota('big', 96, { cycle })])
    expect(err).toContain(`${desk.server.url} did not accept the alert (404)`)
    expect(err).not.toContain('path-that-is-secret')
  })
})

describe('metrics', () => {
  it('switches the Prometheus page on and off and prints its token', async () => {
    const harness = await createAccountHarness()
    expect((await harness.run('metrics status')).out).toBe('Prometheus: off\nOTLP: off\n')
    const enabledMetrics = await harness.run('--json metrics on')
    expect(MetricsView.parse(JSON.parse(enabledMetrics.out)).prometheus.isOn).toBe(true)
    const token = (await harness.run('metrics token')).out.trim()
    expect(token).toMatch(/^relay-[\w-]{43}$/)
    expect((await harness.run('metrics token')).out.trim()).toBe(token)
    expect((await harness.run('metrics off')).out).toContain('Prometheus: off')
  })

  it('sends to a collector after a confirmation, with a secret from standard input only', async () => {
    const harness = await createAccountHarness()
    const endpoint = 'https://collector.example.com:4318'
    const sendOutcome = await harness.run(['metrics', 'send', endpoint, '--spans', '--yes'])
    expect(sendOutcome.out).toContain(`OTLP: sent to ${endpoint}, with spans`)
    expect((await harness.run('metrics stop')).out).toContain('OTLP: off')
    const refusedCommands: [string, string][] = [
      [`${endpoint} --auth bearer`, 'input.invalid'],
      [`${endpoint} --auth header`, 'input.invalid'],
      ['http://collector.example.com', 'address.insecure'],
    ]
    for (const [args, code] of refusedCommands)
      expect((await harness.run(`metrics send ${args} --yes`)).failure).toMatchObject({ code })
  })
})
