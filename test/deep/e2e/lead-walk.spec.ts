import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { dayMs } from '../../../src/shared/durations'
import { createMachine, expect, type Machine } from '../../support/app'
import { runCompanion } from '../../support/companion'
import { type ControlAddress, readState, sendChatRequest } from '../../support/control'
import { labels } from '../../support/labels'
import { startPostgres, type TestPostgres, toPassword, withoutPostgres } from '../../support/postgres'
import { type TestSandbox, test } from '../../support/sandbox'
import { installTools } from '../../support/tools'
import { createStepTimer } from '../../support/walk'

const plan = 'team-q4'
const sharedKey = 'default-key'
const sharers = ['Lan', 'Minh', 'Hoa']
const people = [
  'Anh Nguyen',
  'Bao Tran',
  'Chau Le',
  'Dung Pham',
  'Giang Vo',
  'Hieu Dang',
  'Khanh Bui',
  'Linh Do',
  'My Ho',
  'Nam Ngo',
  'Oanh Duong',
  'Phuc Ly',
  'Quynh Mai',
  'Son Truong',
  'Thao Dinh',
  'Uyen Lam',
  'Viet Phan',
  'Xuan Ta',
  'Yen Cao',
  'Zung Luu',
]

async function run(machine: Machine, args: readonly string[], input = ''): Promise<string> {
  const { code, out, err } = await runCompanion(machine, args, { input })
  expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
  return out
}

/** Connects a computer with the sandbox's console. */
async function connect(machine: Machine, { ready: { addresses, iam } }: TestSandbox): Promise<void> {
  const file = join(machine.home, 'connection.json')
  const tokenSource = { kind: 'client-credentials', tokenUrl: iam.tokenUrl, clientId: iam.clientId }
  writeFileSync(file, JSON.stringify({ name: 'local', ...addresses, tokenSource }))
  await run(machine, ['connection', 'add', '--file', file, '--secret-stdin'], iam.clientSecret.expose())
}

/** Creates a lead space in which the computer of a second lead uses the key that three people share. */
async function createLeadSpace(lead: Machine, colleague: Machine, postgres: TestPostgres): Promise<void> {
  const database = await postgres.database(['an', 'binh'])
  // Both simulated computers share one keychain, which stores one password per space.
  await postgres.query('postgres', `ALTER ROLE binh PASSWORD '${toPassword('an')}'`)
  const address = `postgres://an@127.0.0.1:${postgres.port}/${database}`
  const createArgs = ['team', 'create', address, '--name', 'Leads', '--person', 'An', '--password-stdin']
  await run(lead, createArgs, toPassword('an'))
  const invitation = join(colleague.home, 'invitation.json')
  await run(lead, ['team', 'invite', 'Binh', '--user', 'binh', '--out', invitation])
  await run(colleague, ['team', 'join', invitation, '--password-stdin'], toPassword('an'))
  installTools(colleague, ['claude'])
  await run(colleague, ['key', 'save', plan, sharedKey])
  await run(colleague, ['configure', 'claude-code', '--plan', plan])
  await run(colleague, ['team', 'push'])
}

const findPlan = async (sandbox: ControlAddress, name: string) =>
  (await readState(sandbox)).plans.find((candidate) => candidate.name === name && !candidate.deleted)

const listActiveKeys = async (sandbox: ControlAddress, name: string) =>
  (await findPlan(sandbox, name))?.keys.filter(({ status, deleted }) => status === 'ACTIVE' && !deleted) ?? []

/** Mocks the dialog that chooses the folder of the key files. */
const stubFolder = (app: ElectronApplication, folder: string): Promise<void> => {
  mkdirSync(folder)
  return app.evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [path] })
  }, folder)
}

/** Copies all passphrases with one click and returns them by holder. */
async function copyPassphrases(app: ElectronApplication, page: Page, count: number): Promise<Map<string, string>> {
  await page.getByRole('button', { name: 'Copy all passphrases' }).click()
  await expect(page.getByText(`${count} passphrases copied`)).toBeVisible()
  const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
  await expect(results.filter({ hasText: 'Copied' })).toHaveCount(count)
  const lines = (await app.evaluate(({ clipboard }) => clipboard.readText())).trimEnd().split('\n')
  return new Map(lines.map((line) => [line.replace(/: .*/, ''), line.replace(/.*: /, '')]))
}

const openKeys = (page: Page): Promise<void> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys', exact: true }).click()

const openHome = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+1')
  await expect(page.getByRole('heading', { name: labels.home, level: 1, exact: true })).toBeVisible()
}

test('a lead issues, rotates, revokes and re-issues keys of a team of 20 with few clicks', async ({
  machine: lead,
  sandbox,
  start,
}) => {
  test.skip(withoutPostgres !== undefined, withoutPostgres)
  test.setTimeout(600_000)
  const { gatewayUrl } = sandbox.ready
  const [colleague, postgres] = [await createMachine(), await startPostgres()]
  try {
    await sandbox.control('/timing', { provisioningMs: 0 })
    await sandbox.control('/account', { role: 'ADMIN', credits: 50_000_000 })
    await connect(lead, sandbox)
    await connect(colleague, sandbox)
    const order = JSON.stringify({ name: plan, packageId: 'package-scale', autoRenew: false })
    await run(lead, ['api', 'call', 'console.tokenPlans.create', '--body', order])
    await run(lead, ['key', 'save', plan, sharedKey])
    for (const holder of sharers) {
      const file = join(lead.home, `first-${holder}.age`)
      await run(lead, ['handout', 'create', '--plan', plan, '--key', sharedKey, '--holder', holder, '--out', file])
    }
    installTools(lead, ['claude'])
    await run(lead, ['configure', 'claude-code', '--plan', plan, '--key', sharedKey])
    await createLeadSpace(lead, colleague, postgres)

    const { page, app } = await start()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const { step, clicks, report } = await createStepTimer(page)
    const startClicks = async () => {
      const before = await clicks()
      return async () => (await clicks()) - before
    }
    await openHome(page)

    const passphrases = await step('issue keys to 20 people', async () => {
      const countClicks = await startClicks()
      await stubFolder(app, join(lead.home, 'issued'))
      await page.getByRole('main').getByRole('link', { name: 'Issue a key' }).click()
      await page.getByRole('link', { name: 'Issue several keys' }).click()
      await page.getByRole('textbox', { name: 'Holders' }).fill(people.join('\n'))
      const planField = page.getByRole('combobox', { name: 'Plan', exact: true })
      await planField.click()
      await page.getByRole('option', { name: plan }).click()
      await page.getByRole('button', { name: 'Create 20 key files' }).click()
      await expect(page.getByText('All 20 key files created')).toBeVisible({ timeout: 120_000 })
      const copied = await copyPassphrases(app, page, 20)
      expect(await countClicks()).toBeLessThanOrEqual(8)
      return copied
    })
    expect([...passphrases.keys()]).toEqual(people)
    expect(readdirSync(join(lead.home, 'issued'))).toHaveLength(20)
    expect(await listActiveKeys(sandbox.ready, plan)).toHaveLength(21)

    const oldKey = (await run(lead, ['key', 'print', '--plan', plan, '--key', sharedKey])).trimEnd()
    expect(await sendChatRequest(gatewayUrl, oldKey)).toBe(200)
    await openHome(page)
    await step('rotate a key of three people and two computers', async () => {
      const countClicks = await startClicks()
      await page.getByRole('main').getByRole('link', { name: 'Rotate key' }).click()
      await page.getByRole('link', { name: `Rotate key ${sharedKey} of ${plan}`, exact: true }).click()
      await page.getByRole('button', { name: 'Start rotation' }).click()
      await expect(page.getByText(`“${sharedKey}” still works for its holders`)).toBeVisible({ timeout: 60_000 })
      expect(await countClicks()).toBe(3)
    })

    const newPassphrases = await step('issue the new key to its three people', async () => {
      const countClicks = await startClicks()
      await stubFolder(app, join(lead.home, 'rotated'))
      await page.getByRole('button', { name: 'Create 3 key files…' }).click()
      await expect(page.getByText('All 3 key files created')).toBeVisible({ timeout: 60_000 })
      const copied = await copyPassphrases(app, page, 3)
      expect(await countClicks()).toBe(2)
      return copied
    })
    expect([...newPassphrases.keys()].sort()).toEqual([...sharers].sort())

    const codes: string[] = []
    for (const [holder, passphrase] of newPassphrases) {
      const holderMachine = { ...lead, dataDir: join(lead.home, `../data-${holder}`) }
      mkdirSync(holderMachine.dataDir)
      const file = readdirSync(join(lead.home, 'rotated')).find((name) => name.includes(holder)) ?? ''
      const openArgs = ['handout', 'open', join(lead.home, 'rotated', file), '--passphrase-stdin', '--accept']
      const [, code = ''] =
        /Confirmation code, send it back: (\S+)/.exec(await run(holderMachine, openArgs, passphrase)) ?? []
      codes.push(code)
    }
    await run(colleague, ['team', 'push'])

    await step('enter three confirmation codes, after which the old key is disabled', async () => {
      const countClicks = await startClicks()
      await page.getByRole('link', { name: 'Enter confirmation code of Lan' }).click()
      await page.getByRole('dialog').getByLabel('Confirmation code').fill(codes.join(' '))
      await page.keyboard.press('Enter')
      await expect(page.getByText('3 keys confirmed')).toBeVisible()
      await expect.poll(() => sendChatRequest(gatewayUrl, oldKey), { timeout: 120_000 }).toBe(401)
      expect(await countClicks()).toBe(1)
    })
    expect((await listActiveKeys(sandbox.ready, plan)).map(({ name }) => name)).not.toContain(sharedKey)

    const [leaver = ''] = people
    await openHome(page)
    await step('revoke the key of a person who leaves', async () => {
      const countClicks = await startClicks()
      await openKeys(page)
      await page.getByRole('tab', { name: 'Holders' }).click()
      await page.getByRole('button', { name: `${leaver} leaves…` }).click()
      const confirmDialog = page.getByRole('alertdialog', { name: `Remove ${leaver}?` })
      await confirmDialog.getByRole('button', { name: 'Disable now' }).click()
      await expect(confirmDialog).toHaveCount(0)
      expect(await countClicks()).toBe(4)
    })
    const remainingKeys = await listActiveKeys(sandbox.ready, plan)
    expect(remainingKeys).toHaveLength(20)
    expect(remainingKeys.map(({ name }) => name)).not.toContain(leaver)

    const { planId } = (await findPlan(sandbox.ready, plan)) ?? {}
    const expiresAt = new Date(Date.now() - dayMs).toISOString()
    await sandbox.control(`/plans/${planId}`, { status: 'EXPIRED', expiresAt })
    await openHome(page)
    await step('buy the expired plan again and issue new keys to its 22 people', async () => {
      const countClicks = await startClicks()
      await stubFolder(app, join(lead.home, 'renewed'))
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Plans', exact: true }).click()
      await page.getByRole('button', { name: 'Refresh plans' }).press('Enter')
      await page.getByRole('table', { name: 'Plans' }).getByRole('link', { name: plan, exact: true }).click()
      await page.getByRole('button', { name: 'Buy again' }).click()
      await page.getByRole('dialog').getByRole('button', { name: /^Pay / }).click()
      await page.getByRole('button', { name: 'Issue new keys' }).click()
      await page.getByRole('button', { name: 'Create 22 key files' }).click()
      await expect(page.getByText('All 22 key files created')).toBeVisible({ timeout: 120_000 })
      await copyPassphrases(app, page, 22)
      expect(await countClicks()).toBe(7)
    })
    expect(await listActiveKeys(sandbox.ready, `${plan}-2`)).toHaveLength(23)
    report()
  } finally {
    await postgres.end()
    rmSync(join(colleague.home, '..'), { recursive: true, force: true, maxRetries: 5 })
  }
})
