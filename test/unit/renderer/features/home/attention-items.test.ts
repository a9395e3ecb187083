import type { AppView, CheckView, PlanView, SandboxView } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { describe, expect, it } from 'vitest'
import { listAttentionItems } from '../../../../../src/renderer/features/home/attention-items'
import { accountPlan, buildBuyer, consoleConnection, model } from '../../support/account'
import { rotation } from '../../support/key-care'
import { buildAppliedSetup, failedCheck, passedCheck, plan, tool } from '../../support/views'

type AttentionInput = Parameters<typeof listAttentionItems>[0]

const currentTime = new Date('2026-11-21T09:00:00.000Z')
const daysFromNow = (days: number): string => new Date(currentTime.getTime() + days * dayMs).toISOString()
const app = (vault: AppView['vault']): AppView => ({ version: '1.0.0', platform: 'linux', dataDir: '/data', vault })
const buildStoredKeys = (keyStorage: PlanView['keys'][number]['kept']): PlanView['keys'] =>
  plan().keys.map((key) => ({ ...key, kept: keyStorage }))
const runningSandbox: SandboxView = { state: 'running', planId: 'p1' }
const sandboxPlan = plan({ source: 'sandbox', usedBy: ['opencode'] })

type AttentionCase = [name: string, situation: AttentionInput, kind?: string]

const withPlan = (fields?: Parameters<typeof plan>[0]): AttentionInput => ({ plans: [plan(fields)] })
const withTool = (fields: Parameters<typeof tool>[0], verification?: CheckView): AttentionInput => ({
  tools: [tool(fields)],
  verifications: { [tool().id]: verification },
})
const withRotation = (fields: Parameters<typeof rotation>[0]): AttentionInput => ({ rotations: [rotation(fields)] })

const attentionCases: AttentionCase[] = [
  ['nothing while nothing is known', {}],
  [
    'nothing when all is in order',
    {
      app: app({ kind: 'keychain' }),
      plans: [plan({ lastCheck: passedCheck, expiresAt: daysFromNow(23) })],
      tools: [tool(), tool({ status: 'absent' })],
      sandbox: { state: 'stopped' },
    },
  ],
  ['nothing for a plan that was never checked and has no known end', withPlan()],
  ['the keychain that is not there', { app: app({ kind: 'session', reason: 'none', install: 'x' }) }, 'noKeychain'],
  [
    'a tool that another setting keeps from its plan',
    withTool({ status: 'configured', conflicts: [{ code: 'toolStops', subject: 'profile' }] }),
    'toolOverridden',
  ],
  [
    'a tool whose key was disabled, alone',
    withTool({ applied: buildAppliedSetup({ keyProblem: 'keyDisabled' }) }, failedCheck),
    'keyStopped',
  ],
  ['a tool that drifted', withTool({ status: 'drifted', drift: ['model'] }), 'toolDrifted'],
  ['a tool whose file cannot be read', withTool({ status: 'unreadable' }), 'toolUnreadable'],
  ['a tool whose last verification failed', withTool({}, failedCheck), 'toolFailing'],
  ['nothing for a tool that was verified', withTool({}, passedCheck)],
  [
    'the drift alone, not the verification that failed for it',
    withTool({ status: 'drifted' }, failedCheck),
    'toolDrifted',
  ],
  ['a plan whose last check failed', withPlan({ lastCheck: failedCheck }), 'planFailing'],
  ['a plan that ends within seven days', withPlan({ expiresAt: daysFromNow(6.9) }), 'planExpiring'],
  ['nothing for a plan that ends later than that', withPlan({ expiresAt: daysFromNow(7.1) })],
  [
    'a plan that has ended by the clock of its place',
    withPlan({ expiresAt: daysFromNow(20), aheadMs: 21 * dayMs }),
    'planExpired',
  ],
  ['nothing for one that has not', withPlan({ expiresAt: daysFromNow(-1), aheadMs: -20 * dayMs })],
  ['a plan that has ended', withPlan({ expiresAt: daysFromNow(-0.01) }), 'planExpired'],
  ['a plan whose key is gone', withPlan({ keys: buildStoredKeys('missing') }), 'keyMissing'],
  ['a plan without any key', withPlan({ keys: [] }), 'keyMissing'],
  ['nothing for a key kept for the session', withPlan({ keys: buildStoredKeys('session') })],
  [
    'the missing key alone, not the check that failed for it',
    withPlan({ keys: buildStoredKeys('missing'), lastCheck: failedCheck, expiresAt: daysFromNow(1) }),
    'keyMissing',
  ],
  [
    'the end alone, not the check that failed for it',
    withPlan({ expiresAt: daysFromNow(-1), lastCheck: failedCheck }),
    'planExpired',
  ],
  ['a stopped sandbox with a plan', { plans: [sandboxPlan], sandbox: { state: 'stopped' } }, 'sandboxStopped'],
  [
    'a stopped sandbox, not the check that failed for it',
    { plans: [{ ...sandboxPlan, lastCheck: failedCheck }], sandbox: { state: 'stopped' } },
    'sandboxStopped',
  ],
  ['a sandbox that failed', { plans: [sandboxPlan], sandbox: { state: 'failed' } }, 'sandboxStopped'],
  ['nothing while the sandbox starts', { plans: [sandboxPlan], sandbox: { state: 'starting' } }],
  ['nothing about the sandbox plan while its state is unknown', { plans: [sandboxPlan] }],
  ['nothing for a stopped sandbox without a plan', { plans: [plan()], sandbox: { state: 'stopped' } }],
  ['a rotation that was stopped', withRotation({ state: 'stopped' }), 'rotationStuck'],
  [
    'a rotation that waits for somebody who has the old key',
    withRotation({ state: 'waiting', handover: [{ holder: { kind: 'person', name: 'Lan' }, state: 'handedOut' }] }),
    'rotationWaiting',
  ],
  ['a rotation that failed', withRotation({ state: 'failed' }), 'rotationStuck'],
  [
    'nothing for rotations that run, wait or are over',
    { rotations: (['running', 'waiting', 'done', 'undone'] as const).map((state) => rotation({ id: state, state })) },
  ],
  [
    'a failing sandbox plan while it runs',
    { plans: [{ ...sandboxPlan, lastCheck: failedCheck }], sandbox: runningSandbox },
    'planFailing',
  ],
]

type AccountPlanOverrides = Parameters<typeof accountPlan>[0]

const withAccount = (overrides: AccountPlanOverrides, credits = 5_000_000): AttentionInput => ({
  console: {
    connection: consoleConnection,
    plans: [accountPlan({ expiresAt: daysFromNow(20), ...overrides })],
    account: buildBuyer({ credits }),
    failure: undefined,
  },
})
const buildUsedModels = (tokensUsed: number) => ({ models: [model({ modelCode: 'other' }), model({ tokensUsed })] })

const failingConsole = {
  connection: consoleConnection,
  plans: [],
  account: undefined,
  failure: failedCheck.failure,
}
const withUsedUpModel = withAccount({ localPlanId: 'p1', ...buildUsedModels(1_000_000) })

const accountCases: AttentionCase[] = [
  ['nothing for a plan in order', withAccount({})],
  ['a plan that expired lately', withAccount({ status: 'EXPIRED', expiresAt: daysFromNow(-29) }), 'planExpired'],
  ['nothing for one that expired long ago', withAccount({ status: 'EXPIRED', expiresAt: daysFromNow(-31) })],
  [
    'one that expired long ago when a tool still uses it',
    withAccount({ status: 'EXPIRED', expiresAt: daysFromNow(-31), usedBy: ['opencode'] }),
    'planExpired',
  ],
  [
    'a renewal that fails, before anything else about the plan',
    withAccount({ renewal: { failedAttempts: 1 }, ...buildUsedModels(1_000_000) }),
    'renewalFailing',
  ],
  [
    'a model that is used up',
    withAccount({ ...buildUsedModels(1_000_000), autoRenew: false, expiresAt: daysFromNow(1) }),
    'exhausted',
  ],
  ['a model that is nearly used up', withAccount(buildUsedModels(900_000)), 'nearlyExhausted'],
  ['nothing at a little more than a tenth left', withAccount(buildUsedModels(899_000))],
  ['a plan that ends and is not renewed', withAccount({ autoRenew: false, expiresAt: daysFromNow(6.9) }), 'endsSoon'],
  ['nothing for one that is renewed from enough credits', withAccount({ expiresAt: daysFromNow(6.9) })],
  ['a renewal that the credits do not cover', withAccount({ expiresAt: daysFromNow(6.9) }, 489_999), 'creditsShort'],
  [
    'the used-up model, not the check that failed for it',
    { ...withUsedUpModel, plans: [plan({ lastCheck: failedCheck })] },
    'exhausted',
  ],
  [
    'the key that is missing here, before what is left',
    { ...withUsedUpModel, plans: [plan({ keys: buildStoredKeys('missing') })] },
    'keyMissing',
  ],
  [
    'the account, not what is noted here, about when a plan ends',
    { ...withAccount({ localPlanId: 'p1' }), plans: [plan({ expiresAt: daysFromNow(1) })] },
  ],
  ['a console that does not answer', { console: failingConsole }, 'consoleFailing'],
  [
    'nothing about the console of a sandbox that does not run',
    {
      sandbox: { state: 'stopped' },
      console: { ...failingConsole, connection: { ...consoleConnection, isBuiltIn: true } },
    },
  ],
]

describe('attention items', () => {
  it.each([...attentionCases, ...accountCases])('are %s', (_name, situation, expectedKind) => {
    const itemKinds = listAttentionItems(situation, currentTime).map(({ kind }) => kind)
    expect(itemKinds).toEqual(expectedKind === undefined ? [] : [expectedKind])
  })

  it('merge more than three plans with the same need into one line', () => {
    const plans = Array.from({ length: 5 }, (_, index) =>
      accountPlan({ planId: `e${index}`, name: `old-${index}`, status: 'EXPIRED', expiresAt: daysFromNow(-1) }),
    )
    const console = { connection: consoleConnection, plans, account: buildBuyer(), failure: undefined }
    const attentionItems = listAttentionItems({ console, tools: [tool({ status: 'drifted' })] }, currentTime)
    expect(attentionItems).toMatchObject([
      { kind: 'many', what: 'planExpired', count: 5, names: ['old-0', 'old-1'] },
      { kind: 'toolDrifted' },
    ])
    expect(listAttentionItems({ console: { ...console, plans: plans.slice(0, 3) } }, currentTime)).toHaveLength(3)
  })

  it('are sorted by what stops work first', () => {
    const attentionInput: AttentionInput = {
      app: app({ kind: 'session', reason: 'none', install: 'x' }),
      plans: [
        plan({ id: 'a', expiresAt: daysFromNow(2) }),
        { ...sandboxPlan, id: 'b' },
        plan({ id: 'c', lastCheck: failedCheck }),
        plan({ id: 'd', keys: [] }),
        plan({ id: 'e', expiresAt: daysFromNow(-2) }),
      ],
      tools: [tool({ status: 'drifted' }), tool({ id: 'opencode', status: 'unreadable' })],
      sandbox: { state: 'stopped' },
    }
    const kinds = listAttentionItems(attentionInput, currentTime).map(({ kind }) => kind)
    expect(kinds.join(', ')).toBe(
      'toolUnreadable, keyMissing, planExpired, planFailing, toolDrifted, sandboxStopped, planExpiring, noKeychain',
    )
  })
})
