import type { CheckView, PlanView, ToolView } from '@shared/contract'
import { waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import {
  useForgetOldVerifications,
  useVerifications,
  verifyTools,
} from '../../../../../src/renderer/features/tools/verifications'
import { callKey } from '../../../../../src/renderer/ipc'
import { installMain, renderInApp } from '../../support/fake-main'
import { createDeferred } from '../../support/later'
import { buildAppliedSetup, failedCheck, plan, tool } from '../../support/views'

const setVerification = (result: CheckView): void =>
  useVerifications.setState({ [tool().id]: { state: 'done', result } })
const getVerification = () => useVerifications.getState()[tool().id]
const setUp = (overrides: Parameters<typeof buildAppliedSetup>[0] = {}): ToolView =>
  tool({ status: 'configured', applied: buildAppliedSetup({ planId: 'p1', keyId: 'k1', ...overrides }) })

function OldVerificationCleaner() {
  useForgetOldVerifications()
  return null
}

const keys = plan().keys.flatMap((key) => [key, { ...key, id: 'k2' }])
const planWithDisabledKey = plan({ keys: keys.map((key) => ({ ...key, status: 'DISABLED' as const })) })

it.each<[string, ToolView, PlanView]>([
  ['has another key', setUp({ keyId: 'k2', at: '2099-01-01T00:00:00.000Z' }), plan()],
  ['was changed outside of the app', { ...setUp(), status: 'drifted', drift: ['model'] }, planWithDisabledKey],
  [
    'is kept from its plan by a new setting',
    { ...setUp(), conflicts: [{ code: 'toolStops', subject: 'profile' }] },
    planWithDisabledKey,
  ],
  ['gets another key from the relay', setUp({ keyId: 'k2' }), planWithDisabledKey],
  ['was written again', setUp({ at: '2099-01-01T00:00:00.000Z' }), plan()],
  [
    'has a key that was enabled again',
    setUp(),
    plan({ keys: plan().keys.map((key) => ({ ...key, status: 'ACTIVE' })) }),
  ],
])('a verification is dropped once the tool %s, and not before', async (_, nextTool, nextPlan) => {
  setVerification(failedCheck)
  const currentState = { tool: setUp(), plan: planWithDisabledKey }
  installMain({ 'tools.list': () => [currentState.tool], 'plans.list': () => [currentState.plan] })
  const { queries } = await renderInApp(<OldVerificationCleaner />)
  await waitFor(() => expect(queries.getQueryData(callKey('plans.list', {}))).toEqual([planWithDisabledKey]))
  await queries.refetchQueries()
  expect(getVerification()).toMatchObject({ result: failedCheck })
  currentState.tool = nextTool
  currentState.plan =
    nextTool.applied?.keyId === 'k1' && nextTool.applied.at === buildAppliedSetup().at ? nextPlan : planWithDisabledKey
  await queries.refetchQueries()
  await waitFor(() => expect(getVerification()).toBeUndefined())
})

it('a setup that was loaded after its verification keeps the result', async () => {
  setVerification({ ...failedCheck, at: '2099-01-01T00:00:00.000Z' })
  const currentState = { tool: setUp() }
  installMain({ 'tools.list': () => [currentState.tool], 'plans.list': () => [plan()] })
  const { queries } = await renderInApp(<OldVerificationCleaner />)
  await waitFor(() => expect(queries.getQueryData(callKey('plans.list', {}))).toEqual([plan()]))
  currentState.tool = setUp({ at: '2098-12-31T23:59:59.000Z' })
  await queries.refetchQueries()
  await waitFor(() => expect(queries.getQueryData(callKey('tools.list', {}))).toEqual([currentState.tool]))
  expect(getVerification()).toMatchObject({ result: { ok: false } })
})

it('a change from before a verification that becomes known with it keeps the result', async () => {
  const drifted: Pick<ToolView, 'status' | 'drift'> = { status: 'drifted', drift: ['model'] }
  const otherTool = { ...setUp(), id: 'other' }
  const currentState = { tools: [setUp(), otherTool] }
  const { promise, answer } = createDeferred<CheckView>()
  const main = installMain({
    'tools.list': () => currentState.tools,
    'plans.list': () => [plan()],
    'tools.verify': () => promise,
  })
  useVerifications.setState({ other: { state: 'done', result: failedCheck } })
  const { queries } = await renderInApp(<OldVerificationCleaner />)
  await waitFor(() => expect(queries.getQueryData(callKey('plans.list', {}))).toEqual([plan()]))
  currentState.tools = [{ ...setUp(), ...drifted }, otherTool]
  const verification = verifyTools(queries, [tool().id])
  await waitFor(() => expect(main.askedFor('tools.verify')).toHaveLength(1))
  answer(failedCheck)
  await verification
  currentState.tools = [
    { ...setUp(), ...drifted },
    { ...otherTool, ...drifted },
  ]
  await queries.refetchQueries()
  await waitFor(() => expect(useVerifications.getState().other).toBeUndefined())
  expect(getVerification()).toMatchObject({ result: failedCheck })
})
