import { runCompanion } from '../support/companion'
import { expect, openPlan, pickFromMenu, test } from '../support/desk'
import { installTools } from '../support/tools'
import { type WalkStep, walk } from '../support/walk'

const plan = 'sandbox-pro'

/** User steps with a plan's key. */
const parts: readonly WalkStep[] = [
  [
    'a key is disabled, enabled, renamed and deleted; the next request shows it, and tools that use it are named',
    async (harness, page) => {
      expect(await runCompanion(harness.machine, ['configure', 'claude-code', '--plan', plan])).toMatchObject({
        code: 0,
      })
      const key = await harness.readKey(plan)
      await openPlan(page, plan, 'Keys')
      await expect(page.getByRole('row', { name: /default-key .*Active .*In keychain .*Claude Code/ })).toBeVisible()
      expect(await harness.ask(key)).toBe(200)

      await pickFromMenu(page, 'Actions for default-key', 'Disable…')
      const confirmDialog = page.getByRole('alertdialog')
      await expect(confirmDialog.getByRole('listitem')).toHaveText(['Claude Code'])
      await confirmDialog.getByRole('button', { name: 'Disable key' }).click()
      await expect(page.getByRole('row', { name: /default-key .*Disabled/ })).toBeVisible()
      expect(await harness.ask(key)).toBe(401)
      await pickFromMenu(page, 'Actions for default-key', 'Enable')
      await expect(page.getByRole('row', { name: /default-key .*Active/ })).toBeVisible()
      expect(await harness.ask(key)).toBe(200)

      await pickFromMenu(page, 'Actions for default-key', 'Rename…')
      await page.getByRole('dialog').getByLabel('Key name').fill('lan-laptop')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
      await expect(page.getByRole('row', { name: /lan-laptop .*Active .*In keychain .*Claude Code/ })).toBeVisible()
      expect(await harness.readKey(plan, 'lan-laptop')).toBe(key)
      expect(await harness.ask(key)).toBe(200)

      await pickFromMenu(page, 'Actions for lan-laptop', 'Delete…')
      await expect(confirmDialog.getByRole('listitem')).toHaveText(['Claude Code'])
      const confirm = confirmDialog.getByRole('button', { name: 'Delete key' })
      await expect(confirm).toBeDisabled()
      await confirmDialog.getByLabel(/Type .*lan-laptop.* to confirm/).fill('lan-laptop')
      await confirm.click()
      await expect(page.getByText('lan-laptop deleted')).toBeVisible()
      await expect(page.getByRole('row', { name: /lan-laptop/ })).toHaveCount(0)
      expect(await harness.ask(key)).toBe(401)
      expect(
        await runCompanion(harness.machine, ['key', 'print', '--plan', plan, '--key', 'lan-laptop']),
      ).toMatchObject({
        code: 1,
      })
      const [planState] = await harness.plansCalled(plan)
      expect(planState?.keys.filter(({ deleted }) => !deleted).map(({ name }) => name)).toEqual([
        'old-laptop',
        'ci-runner',
      ])
    },
  ],
]

/** User steps up to the key limit. */
const keyLimitParts: readonly WalkStep[] = [
  [
    'keys are added up to the cap and kept at once; one more is refused in words',
    async (harness, page) => {
      await openPlan(page, plan, 'Keys')
      await expect(page.getByText('3 of 5 keys in use.')).toBeVisible()
      await page.getByRole('button', { name: 'Save ci-runner' }).click()
      await expect(page.getByRole('row', { name: /ci-runner .*In keychain/ })).toBeVisible()
      const storedKey = await harness.readKey(plan, 'ci-runner')
      expect(await harness.ask(storedKey)).toBe(200)
      await page.getByRole('button', { name: 'Copy key ci-runner' }).click()
      await expect(page.getByText('Key copied')).toBeVisible()
      expect(await harness.app().evaluate(({ clipboard }) => clipboard.readText())).toBe(storedKey)

      const dialog = page.getByRole('dialog')
      const name = dialog.getByLabel('Key name')
      const confirm = dialog.getByRole('button', { name: 'Add key' })
      await page.getByRole('button', { name: 'Add key' }).click()
      await expect(dialog).toContainText('Key 4 of 5.')
      await name.fill('x'.repeat(51))
      await expect(dialog).toContainText('51 characters. The limit is 50.')
      await expect(confirm).toBeDisabled()
      await name.fill('lan-laptop')
      await confirm.dblclick()
      await expect(page.getByRole('row', { name: /lan-laptop .*Active .*In keychain/ })).toBeVisible()
      await expect(page.getByText('4 of 5 keys in use.')).toBeVisible()
      expect(await harness.ask(await harness.readKey(plan, 'lan-laptop'))).toBe(200)

      await page.getByRole('button', { name: 'Add key' }).click()
      await name.fill('one-too-many')
      expect(await runCompanion(harness.machine, ['key', 'add', plan, '--name', 'somebody-else'])).toMatchObject({
        code: 0,
      })
      await confirm.click()
      await expect(dialog).toContainText('Key limit reached')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await expect(page.getByText('Key limit reached: all 5 keys are in use.')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Add key' })).toHaveCount(0)
      const [planState] = await harness.plansCalled(plan)
      expect(planState?.keys.map((key) => key.name)).toEqual([
        'default-key',
        'old-laptop',
        'ci-runner',
        'lan-laptop',
        'somebody-else',
      ])
    },
  ],
]

test('a key is disabled, enabled, renamed and deleted, each effective at the next request', async ({ harness }) => {
  test.setTimeout(120_000)
  installTools(harness.machine)
  await walk(harness, await harness.start(), parts)
})

test('keys are added, saved and copied up to the limit', { tag: '@deep' }, async ({ harness }) => {
  test.setTimeout(120_000)
  installTools(harness.machine)
  await walk(harness, await harness.start(), keyLimitParts)
})
