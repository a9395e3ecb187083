import type { Page } from '@playwright/test'
import { failureCodes } from '../../src/renderer/i18n/en'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/desk'
import {
  answers,
  chatTarget,
  chooseTarget,
  openPlayground,
  sendMessage,
  startNewChat,
  type TargetChoice,
  waitForFullAnswer,
} from '../support/playground'
import { readGatewayUrl } from '../support/tools'

const plan = { place: 'sandbox-pro', standard: 'Chat completions', model: 'aurora-small' } as const
const createFault = (fault: object) => (harness: AppHarness) =>
  harness.control('/faults', { faults: [{ operations: 'gateway.*', ...fault }] })

interface FailureCase {
  readonly name: string
  readonly texts: { readonly title: string; readonly remedy: string }
  readonly trigger?: (harness: AppHarness) => Promise<unknown>
  readonly undo?: (harness: AppHarness) => Promise<unknown>
  /** Target of the request. Default: the sandbox's plan. */
  readonly target?: (harness: AppHarness) => TargetChoice
}

/** Every row of the specification's error table, and other failures. */
const failures: readonly FailureCase[] = [
  {
    name: '401, a disabled key',
    texts: failureCodes.gateway.keyRejected,
    trigger: ({ control }) => control('/keys/key-pro-default', { status: 'DISABLED' }),
    undo: ({ control }) => control('/keys/key-pro-default', { status: 'ACTIVE' }),
  },
  {
    name: '402, an expired plan',
    texts: failureCodes.gateway.planExpired,
    trigger: ({ control }) => control('/plans/plan-sandbox-pro', { status: 'EXPIRED' }),
    undo: ({ control }) => control('/plans/plan-sandbox-pro', { status: 'ACTIVE' }),
  },
  {
    name: '403, a model outside the plan',
    texts: failureCodes.gateway.modelNotInPlan,
    target: () => ({ ...plan, model: 'not-in-plan' }),
  },
  {
    name: '404, an address with a wrong ending',
    texts: failureCodes.api.notFound,
    target: ({ machine }) => ({
      place: 'Local address',
      standard: 'Messages',
      model: 'aurora-small',
      address: `${readGatewayUrl(machine)}/somewhere`,
    }),
  },
  {
    name: '429, a used-up allowance',
    texts: failureCodes.gateway.quotaExhausted,
    target: () => ({ ...plan, model: 'nova-vision' }),
  },
  {
    name: '429, too many at once',
    texts: { ...failureCodes.gateway.rateLimited, remedy: 'Try again in 7 s' },
    trigger: createFault({ status: 429, retryAfterS: 7 }),
  },
  { name: '500', texts: failureCodes.gateway.serverError, trigger: createFault({ status: 500 }) },
  { name: 'a dropped connection', texts: failureCodes.net.cut, trigger: createFault({ isDropped: true }) },
  {
    name: 'no network',
    texts: failureCodes.net.hostNotFound,
    target: () => ({ ...plan, place: 'far-away' }),
  },
]

async function expectFailureExplained(page: Page, { name, texts }: FailureCase): Promise<string> {
  const failureAlert = answers(page).last().getByRole('alert')
  await expect(failureAlert, name).toContainText(texts.title)
  await expect(failureAlert, name).toContainText(texts.remedy)
  return failureAlert.innerText()
}

test('every failure of an answer has its own message with a remedy, and a used-up model offers the plan’s others', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(120_000)
  const page = await harness.start()
  const addPlanArgs = [
    'plan',
    'add',
    '--name',
    'far-away',
    '--gateway',
    'https://gateway.nowhere.invalid',
    '--key-stdin',
  ]
  const addedPlan = await runCompanion(harness.machine, [...addPlanArgs, '--model', 'aurora-small'], {
    input: 'sk-far-away-0123456789',
  })
  expect(addedPlan).toMatchObject({ code: 0 })
  await openPlayground(page)
  const seenTexts: string[] = []
  for (const failureCase of failures) {
    await chooseTarget(chatTarget(page), failureCase.target?.(harness) ?? plan)
    await failureCase.trigger?.(harness)
    await sendMessage(page, `Say hello: ${failureCase.name}`)
    seenTexts.push(await expectFailureExplained(page, failureCase))
    await failureCase.undo?.(harness)
    await harness.control('/faults', { faults: [] })
  }
  expect(new Set(seenTexts).size).toBe(failures.length)
  await startNewChat(page)
  await chooseTarget(chatTarget(page), { ...plan, model: 'nova-vision' })
  await sendMessage(page, 'Count to 4')
  const quotaFailureAnswer = answers(page).last()
  await expect(quotaFailureAnswer).toContainText('Try another model of this plan:')
  await expect(quotaFailureAnswer.getByRole('button', { name: 'nova-vision' })).toHaveCount(0)
  await quotaFailureAnswer.getByRole('button', { name: 'aurora-large', exact: true }).click()
  await expect(page.getByRole('article', { name: 'Response of aurora-large' })).toContainText('1, 2, 3, 4')
  await expect(chatTarget(page)).toHaveAccessibleName(/aurora-large/)
  await waitForFullAnswer(page)
})
