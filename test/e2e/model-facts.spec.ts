import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { addPlan, expect, test } from '../support/cli-desk'
import { chatTarget, openPlayground } from '../support/playground'
import { installTools } from '../support/tools'

/** A gateway that only lists its models, in the fields of two kinds of servers. */
async function startModelList() {
  const models = [
    { id: 'tiny', context_length: 64_000 },
    { id: 'wide', max_model_len: 256_000 },
  ]
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/v1/models' ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data: models }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { gateway: `http://127.0.0.1:${port}`, stop: () => server.close() }
}

test('context sizes come from the server, in the model picker and in the settings of a tool', async ({
  harness: { machine, key, succeed },
  start,
}) => {
  installTools(machine)
  const { gateway, stop } = await startModelList()
  await addPlan(machine, { name: 'lent', gateway, key, models: ['tiny', 'wide'] })
  await succeed('configure', 'opencode', '--plan', 'lent', '--model', 'wide')
  const { provider } = JSON.parse(readFileSync(join(machine.home, '.config/opencode/opencode.json'), 'utf8'))
  const [{ models }] = Object.values(provider) as [{ models: Record<string, { limit: { context: number } }> }]
  expect([models.tiny?.limit.context, models.wide?.limit.context]).toEqual([64_000, 256_000])

  const { page } = await start()
  await openPlayground(page)
  await chatTarget(page).click()
  const form = page.getByRole('dialog').filter({ has: page.getByRole('combobox', { name: 'Provider' }) })
  await form.getByRole('combobox', { name: 'Provider' }).click()
  await page.getByRole('option', { name: 'Local address', exact: true }).click()
  await form.getByRole('textbox', { name: 'Address' }).fill(`${gateway}/v1`)
  await form.getByRole('textbox', { name: 'Model' }).focus()
  await expect(form.getByText('64K context')).toBeVisible()
  await expect(form.getByText('256K context')).toBeVisible()
  stop()
})
