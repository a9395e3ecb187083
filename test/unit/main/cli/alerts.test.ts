import type { BudgetView, PlanQuota } from '@shared/contract/quota'
import { AppError } from '@shared/failure'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { addAlertCommands } from '../../../../src/main/cli/alerts'
// Loaded before the tests, because it takes seconds.
import '../../../../src/main/compose/tools'
import { keyAnswer, planAnswer } from '../plans/account/answers'
import { dayMs, planQuota } from '../usage/quota/figures'
import { createAccountHarness, listResponse } from './account-desk'
import { type CliHarness, json } from './desk'
import { memoryOutput } from './memory-output'

const path = '/hook/path-that-is-secret'
const hooked = { [`POST ${path}`]: json({}) }

const ago = (days: number): string => new Date(Date.now() - days * dayMs).toISOString()
const cycle = { from: ago(10), to: ago(-20) }

const nightBudget: BudgetView = {
  id: 'b1',
  name: 'Night',
  subject: { kind: 'tool', toolId: 'pi' },
  unit: 'requests',
  limit: 100,
  period: 'day',
  action: 'warn',
  used: 85,
  from: cycle.from,
  to: cycle.to,
}

/** Runs `companion alerts` with these quotas, and one check with `--watch`. */
async function runAlerts(desk: CliHarness, args: readonly string[], quotas: readonly PlanQuota[]) {
  const output = memoryOutput({ isJson: args.includes('--json') })
  const program = new Command('companion').exitOverride().option('--json')
  const session = {
    core: desk.core,
    output,
    close: async () => undefined,
    quota: async () => ({ list: async () => [...quotas] }),
    budgets: async () => ({ list: async () => [nightBudget] }),
    ledger: async () => ({ errorsSince: async () => [] }),
  }
  const context = () => {
    throw new AppError('internal.unexpected', 'Not needed.')
  }
  const stopped = new Error('stopped')
  addAlertCommands(
    program,
    context,
    () => session,
    () => Promise.reject(stopped),
  )
  await program.parseAsync(['node', 'companion', ...args]).catch((error: unknown) => expect(error).toBe(stopped))
  return { out: output.stdout(), err: output.stderr() }
}

/** Messages that the webhook received. */
const received = (desk: CliHarness) =>
  desk.server.received.filter((request) => request.path === path).map(({ body }) => JSON.parse(body))

function addRotationAndUnconfirmedKey({ core }: CliHarness): void {
  const connectionId = core.connections.list()[0]?.id ?? ''
  const step = { state: 'failed', at: ago(0) } as const
  core.settings.update(({ rotations, register }) => ({
    rotations: [
      ...rotations,
      {
        id: 'r1',
        planId: 'l1',
        planName: 'team',
        origin: { connectionId, planId: 'p1' },
        oldKey: { id: 'k1', keyId: keyAnswer.keyId, name: 'ci', wasActive: true },
        newKey: { name: 'ci-2' },
        direction: 'forward',
        state: 'failed',
        undoSteps: [],
        tools: [],
        steps: [{ id: 'add', ...step }],
        profiles: [],
        startedAt: ago(1),
        graceMs: 0,
        isStopWanted: false,
      },
    ],
    register: [
      ...register,
      {
        connectionId,
        planId: 'p1',
        keyId: keyAnswer.keyId,
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
  expect(received(desk).map(({ kind, plan, budget, percent, key }) => [kind, plan ?? budget, percent ?? key])).toEqual([
    ['quota', 'big', 95],
    ['budget', 'Night', 80],
    ['expiry', 'team', undefined],
    ['rotation', 'team', 'ci'],
    ['key', 'team', keyAnswer.name],
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
