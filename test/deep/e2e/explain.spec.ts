import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { en, failureCodes } from '../../../src/renderer/i18n/en'
import { expect, test } from '../../support/app'
import { runCompanion } from '../../support/companion'
import { startSandbox, type TestSandbox } from '../../support/sandbox'
import { installTools } from '../../support/tools'

/** The plan has only a key and no console, so its holder is referred to its issuer. */
const { handedOver } = en.failures

/** Each failure of a request with its trigger and the expected text. */
const failures: readonly {
  name: string
  trigger: (sandbox: TestSandbox, settings: string) => unknown
  texts: { readonly title: string; readonly remedy: string }
}[] = [
  {
    name: 'a disabled key',
    texts: { ...failureCodes.gateway.keyRejected, remedy: handedOver.keyRejected },
    trigger: ({ control, ready }) => control(`/keys/${ready.plans[0]?.keys[0]?.keyId}`, { status: 'DISABLED' }),
  },
  {
    name: 'an expired plan',
    texts: { ...failureCodes.gateway.planExpired, remedy: handedOver.planExpired },
    trigger: ({ control, ready }) => control(`/plans/${ready.plans[0]?.planId}`, { status: 'EXPIRED' }),
  },
  {
    name: 'a model outside the plan',
    texts: { ...failureCodes.gateway.modelNotInPlan, remedy: handedOver.modelNotInPlan },
    trigger: (_sandbox, settings) => edit(settings, (text) => text.replaceAll('aurora-large', 'not-in-plan')),
  },
  {
    name: 'a wrong suffix',
    texts: failureCodes.gateway.wrongSuffix,
    trigger: (_sandbox, settings) => edit(settings, (text) => text.replace(/(ANTHROPIC_BASE_URL": "[^"]+)"/, '$1/v1"')),
  },
  {
    name: 'a used-up allowance',
    texts: failureCodes.gateway.quotaExhausted,
    trigger: ({ control, ready: { plans } }) =>
      control('/models', { planId: plans[0]?.planId, modelCode: 'aurora-large', tokensUsed: 9_000_000_000 }),
  },
  {
    name: 'a dead host',
    texts: failureCodes.net.refused,
    trigger: (sandbox) => sandbox.stop(),
  },
]

function edit(path: string, change: (text: string) => string): void {
  const textBefore = readFileSync(path, 'utf8')
  const textAfter = change(textBefore)
  if (textAfter === textBefore) throw new Error(`nothing to change in ${path}`)
  writeFileSync(path, textAfter)
}

test('every failure has its own explanation and remedy', async ({ start, machine }) => {
  test.setTimeout(180_000)
  installTools(machine)
  const settings = join(machine.home, '.claude', 'settings.json')
  const shownCodes: string[] = []
  const sandbox = await startSandbox()
  const key = sandbox.ready.plans[0]?.keys[0]?.key ?? ''
  const addPlanArgs = ['plan', 'add', '--name', 'p', '--gateway', sandbox.ready.gatewayUrl, '--key-stdin']
  expect(await runCompanion(machine, [...addPlanArgs, '--model', 'aurora-large'], { input: key })).toMatchObject({
    code: 0,
  })
  const { page } = await start()
  for (const { name, texts, trigger } of failures) {
    await sandbox.control('/reset', {})
    expect(await runCompanion(machine, ['configure', 'claude-code', '--plan', 'p']), name).toMatchObject({ code: 0 })
    expect(await runCompanion(machine, ['verify', 'claude-code']), name).toMatchObject({ code: 0 })
    await trigger(sandbox, settings)
    await page.keyboard.press('Control+1')
    await page.keyboard.press('Control+2')
    await page.getByRole('main').getByRole('link', { name: 'Claude Code', exact: true }).click()
    // Wait for the tool's page, because the list has a button of the same name.
    await expect(page.getByRole('heading', { name: /^Claude Code/, level: 1 })).toBeVisible()
    await page.getByRole('button', { name: 'More actions for Claude Code' }).click()
    await page.getByRole('menuitem', { name: 'Test' }).click()
    const failureAlert = page.getByRole('alert').filter({ hasText: texts.title })
    await expect(failureAlert, name).toBeVisible()
    await expect(failureAlert, name).toContainText(texts.remedy)
    shownCodes.push(await failureAlert.innerText())
    expect(await runCompanion(machine, ['restore', 'claude-code']), name).toMatchObject({ code: 0 })
  }
  expect(new Set(shownCodes).size).toBe(failures.length)
  await sandbox.stop()
})
