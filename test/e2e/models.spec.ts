import { pageText } from '../support/canary'
import { runCompanion } from '../support/companion'
import { expect, test } from '../support/coverage'
import { labels } from '../support/labels'
import {
  confirmWithName,
  getAlert,
  getField,
  getRow,
  getTableRows,
  openForm,
  openScreen,
  pickOption,
  readClipboardText,
} from '../support/platform-pages'
import type { WalkStep } from '../support/walk'

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'models are listed, shown with every field, copied and opened in the playground',
    async (harness, page) => {
      await openScreen(page, '/models/list', 'Models & API keys')
      await getRow(page, 'Models', 'aurora-small').getByRole('link').click()
      await expect(getField(page, 'uuid')).toBeVisible()
      await page.getByRole('button', { name: 'Copy model code' }).click()
      await expect(page.getByText('Copied', { exact: true })).toBeVisible()
      expect(await readClipboardText(harness.app())).toBe('aurora-small')
      await page.getByRole('button', { name: 'Open in Playground' }).click()
      await expect(page.getByRole('heading', { name: 'Playground', level: 1 })).toBeVisible()
      await expect(page.getByRole('main')).toContainText('aurora-small')
    },
  ],
  [
    'platform API keys are made and deleted to the end, kept, and used for inference',
    async (harness, page) => {
      await harness.control('/timing', { asyncMs: 1000 })
      const form = await openForm(page, '/models/keys')
      await form.getByLabel(labels.name).fill('CI_1')
      await form.getByRole('button', { name: 'Create', exact: true }).click()
      await expect(getAlert(form, '5 to 50 characters: lowercase letters, digits and -.')).toBeVisible()
      await form.getByLabel(labels.name).fill('ci-runner')
      await form.getByRole('button', { name: 'Create', exact: true }).click()
      await expect(form.getByText('ci-runner is ready')).toBeVisible()
      const secrets = form.getByRole('region', { name: 'Secrets in the response' })
      await secrets.getByRole('button', { name: 'Copy', exact: true }).click()
      await expect(page.getByText('The clipboard is cleared in').first()).toBeVisible()
      const key = await readClipboardText(harness.app())
      expect(key.length).toBeGreaterThan(15)
      await secrets.getByRole('button', { name: 'Save to keychain' }).click()
      await page
        .getByRole('dialog', { name: 'Save to keychain' })
        .getByRole('button', { name: 'Save to keychain' })
        .click()
      await expect(secrets).toContainText('Saved in the keychain as “ci-runner”.')
      await secrets.getByRole('button', { name: 'Use for inference' }).click()
      await expect(page.getByText('The playground now uses this key for inference')).toBeVisible()
      await form.getByRole('button', { name: 'Close' }).last().click()
      expect((await runCompanion(harness.machine, ['secret', 'print', 'ci-runner'])).out.trimEnd()).toBe(key)

      await getRow(page, 'API keys', 'ci-runner').getByRole('link').click()
      await expect(page.getByRole('heading', { name: 'ci-runner', level: 1 })).toBeVisible()
      await expect(getField(page, 'key')).toContainText(key.slice(-4))
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await form.getByLabel('Description').fill('Nightly embeddings')
      await form.getByRole('button', { name: 'Save' }).click()
      await expect(getField(page, 'description')).toContainText('Nightly embeddings')
      await pickOption(page, 'ci-runner', 'Delete')
      await confirmWithName(page, 'ci-runner', 'Delete')
      await expect(page.getByRole('list', { name: 'Background tasks' })).toContainText('API key ci-runner was deleted')
      await expect(getTableRows(page, 'API keys')).toHaveCount(3)
      expect([await pageText(page), await harness.bridgeText()].join('\n')).not.toContain(key)
    },
  ],
]

test('models are searched, and platform API keys are created, saved, used and deleted', async ({ harness }) => {
  test.setTimeout(120_000)
  const page = await harness.start()
  for (const [name, runPart] of parts) await test.step(name, () => runPart(harness, page))
})
