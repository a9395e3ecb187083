import type { Page } from '@playwright/test'
import { failureCodes } from '../../src/renderer/i18n/en'
import { companion } from '../support/companion'
import { type Desk, expect, test } from '../support/desk'
import {
  answers,
  ask,
  type Chosen,
  chatTarget,
  chooseTarget,
  newChat,
  toPlayground,
  wholeAnswer,
} from '../support/playground'
import { readGatewayUrl } from '../support/tools'

const plan = { place: 'sandbox-pro', standard: 'Chat completions', model: 'aurora-small' } as const
const createFault = (fault: object) => (desk: Desk) =>
  desk.control('/faults', { faults: [{ operations: 'gateway.*', ...fault }] })

interface Failing {
  readonly name: string
  readonly texts: { readonly title: string; readonly remedy: string }
  readonly trigger?: (desk: Desk) => Promise<unknown>
  readonly undo?: (desk: Desk) => Promise<unknown>
  /** Target of the request. Default: the sandbox's plan. */
  readonly target?: (desk: Desk) => Chosen
}

/** Every row of the specification's error table, and other failures. */
const failures: readonly Failing[] = [
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
      ...{ place: 'Local address', standard: 'Messages', model: 'aurora-small' },
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

async function explained(page: Page, { name, texts }: Failing): Promise<string> {
  const told = answers(page).last().getByRole('alert')
  await expect(told, name).toContainText(texts.title)
  await expect(told, name).toContainText(texts.remedy)
  return told.innerText()
}

test('every failure of an answer has its own message with a remedy, and a used-up model offers the plan’s others', {
  tag: '@deep',
}, async ({ desk }) => {
  test.setTimeout(120_000)
  const page = await desk.start()
  const add = ['plan', 'add', '--name', 'far-away', '--gateway', 'https://gateway.nowhere.invalid', '--key-stdin']
  const added = await companion(desk.machine, [...add, '--model', 'aurora-small'], { input: 'sk-far-away-0123456789' })
  expect(added).toMatchObject({ code: 0 })
  await toPlayground(page)
  const seen: string[] = []
  for (const failing of failures) {
    await chooseTarget(chatTarget(page), failing.target?.(desk) ?? plan)
    await failing.trigger?.(desk)
    await ask(page, `Say hello: ${failing.name}`)
    seen.push(await explained(page, failing))
    await failing.undo?.(desk)
    await desk.control('/faults', { faults: [] })
  }
  expect(new Set(seen).size).toBe(failures.length)
  await newChat(page)
  await chooseTarget(chatTarget(page), { ...plan, model: 'nova-vision' })
  await ask(page, 'Count to 4')
  const exhausted = answers(page).last()
  await expect(exhausted).toContainText('Try another model of this plan:')
  await expect(exhausted.getByRole('button', { name: 'nova-vision' })).toHaveCount(0)
  await exhausted.getByRole('button', { name: 'aurora-large', exact: true }).click()
  await expect(page.getByRole('article', { name: 'Response of aurora-large' })).toContainText('1, 2, 3, 4')
  await expect(chatTarget(page)).toHaveAccessibleName(/aurora-large/)
  await wholeAnswer(page)
})
