import { pageText } from '../support/canary'
import { runCompanion } from '../support/companion'
import { expect, test } from '../support/coverage'
import { labels } from '../support/labels'
import {
  confirmWithName,
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
    'repositories and images are created, filtered, paged from 1 and deleted, images first',
    async (harness, page) => {
      const form = await openForm(page, '/registry/repositories')
      await form.getByLabel(labels.name).fill('Team/Search Agent')
      await form.getByRole('button', { name: 'Create', exact: true }).click()
      await expect(form).toContainText('The platform rejected the request')
      await form.getByLabel(labels.name).fill('team/search-agent')
      await form.getByRole('button', { name: 'Create', exact: true }).click()
      await getRow(page, 'Repositories', 'team/search-agent').getByRole('link').click()
      await expect(page.getByRole('heading', { name: 'team/search-agent', level: 1 })).toBeVisible()
      await expect(getField(page, 'name')).toContainText('team/search-agent')
      await expect(page.getByText('No images yet')).toBeVisible()
      await pickOption(page, 'team/search-agent', 'Delete')
      await expect(page.getByRole('alertdialog')).toContainText('It has no images.')
      await confirmWithName(page, 'team/search-agent', 'Delete')
      await expect(getTableRows(page, 'Repositories')).toHaveCount(7)

      await openScreen(page, '/registry/repositories/repository-agents-code-reviewer?size=10', 'agents/code-reviewer')
      await expect(page.getByText('1–10 of 23 · page 1 of 3')).toBeVisible()
      await page.getByRole('button', { name: 'Last page' }).click()
      await expect(page.getByText('21–23 of 23 · page 3 of 3')).toBeVisible()
      expect(page.url()).toContain('page=3')
      await expect(getTableRows(page, 'Images')).toHaveCount(3)
      await page.getByLabel('Filter by name').fill('1.0.')
      await expect(getTableRows(page, 'Images')).toHaveCount(5)
      expect(page.url()).not.toContain('page=')
      await expect(getTableRows(page, 'Images').first()).toContainText('1.0.4')
      await pickOption(page, '1.0.3', 'Copy pull command')
      expect(await readClipboardText(harness.app())).toMatch(/^docker pull \S+\/agents\/code-reviewer:1\.0\.3$/)
      await pickOption(page, '1.0.3', 'Delete')
      await expect(page.getByRole('alertdialog')).toContainText('No runtime uses it.')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
      await expect(getTableRows(page, 'Images')).toHaveCount(4)
      await page.getByLabel('Filter by name').fill('1.2.1')
      await expect(getTableRows(page, 'Images')).toHaveCount(1)
      await pickOption(page, '1.2.1', 'Delete')
      await expect(page.getByRole('alertdialog')).toContainText('The runtime code-reviewer uses it')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()

      await pickOption(page, 'agents/code-reviewer', 'Delete')
      const confirmDialog = page.getByRole('alertdialog')
      await expect(confirmDialog).toContainText('agents/code-reviewer has 22 images, which must be deleted first.')
      await harness.control('/faults', { faults: [{ operations: 'registry.images.delete', delayMs: 200 }] })
      await confirmDialog.getByLabel('Type agents/code-reviewer to confirm').fill('agents/code-reviewer')
      await confirmDialog.getByRole('button', { name: 'Delete 22 images and repository' }).click()
      const progress = page.getByRole('dialog', { name: 'Deleting images…' })
      await expect(progress).toContainText(/[1-9]\d* of 22 deleted/)
      await progress.getByRole('button', { name: 'Stop' }).click()
      await expect(page.getByRole('alertdialog')).toContainText(/images? deleted\. The repository was kept/)
      await harness.control('/faults', { faults: [] })
      await confirmDialog.getByLabel('Type agents/code-reviewer to confirm').fill('agents/code-reviewer')
      await confirmDialog.getByRole('button', { name: /^Delete \d+ images and repository$/ }).click()
      await progress.waitFor({ state: 'hidden' })
      await expect(page.getByRole('heading', { name: 'Registry', level: 1 })).toBeVisible()
      await expect(getTableRows(page, 'Repositories')).toHaveCount(6)
      await expect(getRow(page, 'Repositories', 'agents/code-reviewer')).toHaveCount(0)
    },
  ],
  [
    'a robot account’s secret is told once, kept, and signs docker in by standard input',
    async (harness, page) => {
      const form = await openForm(page, '/registry/robots')
      await form.getByLabel(labels.name).fill('ci-nightly')
      await form.getByRole('group', { name: 'Permissions' }).getByRole('button', { name: 'push' }).click()
      await form.getByRole('group', { name: 'Permissions' }).getByRole('button', { name: 'pull' }).click()
      await form.getByRole('button', { name: 'Create', exact: true }).click()
      const secrets = form.getByRole('region', { name: 'Secrets in the response' })
      await secrets.getByRole('button', { name: 'Copy', exact: true }).click()
      await expect(page.getByText('The clipboard is cleared in').first()).toBeVisible()
      const secret = await readClipboardText(harness.app())
      expect(secret.length).toBeGreaterThan(15)
      await secrets.getByRole('button', { name: 'Save to keychain' }).click()
      await page
        .getByRole('dialog', { name: 'Save to keychain' })
        .getByRole('button', { name: 'Save to keychain' })
        .click()
      const login = /^companion secret print (\S+) \| docker login \S+ --username ci-nightly --password-stdin$/
      const line = form.getByRole('list', { name: 'Sign in' }).getByRole('code')
      await expect(line).toHaveText(login)
      const robotPassword = login.exec(await line.innerText())?.[1] ?? ''
      expect((await runCompanion(harness.machine, ['secret', 'print', robotPassword])).out.trimEnd()).toBe(secret)
      const authorization = `Basic ${Buffer.from(`ci-nightly:${secret}`).toString('base64')}`
      expect((await fetch(`${harness.address.platformUrl}/v2/`, { headers: { authorization } })).status).toBe(200)
      await form.getByRole('button', { name: 'Close' }).last().click()

      await expect(getRow(page, 'Robot accounts', 'ci-nightly')).toContainText('push')
      await openScreen(page, '/registry/docker', 'Registry')
      await page.getByLabel('Repository').fill('team/agent')
      await page.getByLabel('Image on this computer').fill('agent:dev')
      await page.getByLabel('Version').fill('1.2.3')
      const lines = page.getByRole('list', { name: 'Images' })
      await expect(lines).toContainText(/docker tag agent:dev \S+\/team\/agent:1\.2\.3/)
      await expect(lines).toContainText(/docker push \S+\/team\/agent:1\.2\.3/)
      await expect(lines).toContainText(/docker pull \S+\/team\/agent:1\.2\.3/)
      await expect(page.getByRole('list', { name: 'Sign in' })).toContainText('companion secret print ci-nightly')
      await openScreen(page, '/registry/robots', 'Registry')
      await pickOption(page, 'ci-nightly', 'Delete')
      await confirmWithName(page, 'ci-nightly', 'Delete')
      await expect(getTableRows(page, 'Robot accounts')).toHaveCount(2)
      await page.getByRole('button', { name: 'Delete ci-nightly from keychain' }).press('Enter')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete from keychain' }).click()
      await expect(page.getByText('“ci-nightly” deleted from the keychain')).toBeVisible()
      expect((await runCompanion(harness.machine, ['secret', 'print', 'ci-nightly'])).code).not.toBe(0)
      expect([await pageText(page), await harness.bridgeText()].join('\n')).not.toContain(secret)
    },
  ],
]

test('repositories, images and robot accounts are created, used and deleted', async ({ harness }) => {
  test.setTimeout(120_000)
  const page = await harness.start()
  for (const [name, runPart] of parts) await test.step(name, () => runPart(harness, page))
})
