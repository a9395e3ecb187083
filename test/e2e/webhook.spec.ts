import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { addConnection } from '../support/account'
import { type Machine, stubMessageBoxes } from '../support/app'
import { listFilesContaining, pageText } from '../support/canary'
import { expect, test } from '../support/cli-desk'
import { cliPath } from '../support/companion'
import { writeClipboard } from '../support/platform-pages'
import { startAnsweringServer } from '../unit/main/gateway/answering-server'

const secretPath = 'path-that-is-secret'

/** Runs `companion alerts --watch` until it prints a line with this text, then sends SIGINT. Returns the exit code. */
async function watchAlertsUntil({ dataDir, env }: Machine, text: string): Promise<unknown> {
  const command = [cliPath, '--data-dir', dataDir, 'alerts', '--watch']
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exitPromise = once(child, 'exit')
  try {
    for await (const line of createInterface(child.stdout)) if (line.includes(text)) break
    child.kill('SIGINT')
    return (await exitPromise)[0]
  } finally {
    child.kill('SIGKILL')
  }
}

test('alerts reach a webhook that is set in the window, later without the window, and each of them once', async ({
  harness: { machine, sandbox },
  start,
}) => {
  const receiver = await startAnsweringServer((_, response) => void response.writeHead(204).end())
  const messages = () => receiver.received.map(({ body }) => JSON.parse(body))
  const usedUpModels = () =>
    messages().flatMap(({ kind, model, percent }) => (kind === 'quota' && percent === 100 ? [model] : []))
  const { ready, control } = sandbox
  const useUp = (modelCode: string) =>
    control('/models', { planId: ready.plans[0]?.planId, modelCode, tokensUsed: 9_000_000_000 })
  const { platformUrl, iam } = ready
  await addConnection(machine, { platformUrl, clientSecret: iam.clientSecret.expose() })
  await useUp('aurora-large')

  const { app, page, close } = await start()
  const agreedDialogs = await stubMessageBoxes(app, 0)
  await writeClipboard(app, `${receiver.url}/hooks/${secretPath}`)
  await page.evaluate(() => {
    location.hash = '/settings'
  })
  await page.getByRole('button', { name: 'Set webhook…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Webhook' })
  await dialog.getByRole('combobox', { name: 'Format' }).click()
  await page.getByRole('option', { name: 'JSON (other services)' }).click()
  await dialog.getByRole('button', { name: 'Paste' }).click()
  await expect(dialog.getByText(receiver.url, { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Send test' }).click()
  await expect(page.getByText(/^Test message delivered in /)).toBeVisible()
  expect(messages()).toContainEqual(expect.objectContaining({ kind: 'test', title: 'Test alert' }))
  // The sandbox starts with a used-up nova-vision.
  await expect.poll(usedUpModels).toEqual(['aurora-large', 'nova-vision'])
  expect([await agreedDialogs(), await pageText(page)]).toEqual([1, expect.not.stringContaining(secretPath)])
  await close()

  await useUp('aurora-small')
  expect(await watchAlertsUntil(machine, 'aurora-small')).toBe(0)
  expect(usedUpModels()).toEqual(['aurora-large', 'nova-vision', 'aurora-small'])
  expect(listFilesContaining(join(machine.home, '..'), secretPath)).toEqual([])
  await receiver.close()
})
