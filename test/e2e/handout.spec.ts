import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { electronPath, type Machine, type RunningApp, root, startApp, stubMessageBoxes } from '../support/app'
import { fileMode, listFilesContaining, pageText, watchBridge } from '../support/canary'
import { runCompanion } from '../support/companion'
import { type AppHarness, expect, test } from '../support/desk'
import { labels } from '../support/labels'
import { installTools } from '../support/tools'
import { type WalkStep, walk } from '../support/walk'

const plan = 'sandbox-pro'

async function run(machine: Machine, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCompanion(machine, args)
  expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
  return out
}

/** Mocks the file dialogs: they return `path`, or are canceled if it is undefined. */
const stubFileDialogs = (app: ElectronApplication, path?: string): Promise<void> =>
  app.evaluate(({ dialog }, chosen) => {
    const isCanceled = chosen === undefined
    Object.assign(dialog, {
      showOpenDialog: async () => ({ canceled: isCanceled, filePaths: isCanceled ? [] : [chosen] }),
      showSaveDialog: async () => ({ canceled: isCanceled, filePath: chosen }),
    })
  }, path)

const readClipboard = (app: ElectronApplication): Promise<string> =>
  app.evaluate(({ clipboard }) => clipboard.readText())

const getMainHeading = (page: Page, name: string): Locator => page.getByRole('heading', { name, level: 1, exact: true })

/** Navigates from home to the hand-out page. */
async function toHandout(page: Page): Promise<void> {
  await page.keyboard.press('Control+1')
  await expect(getMainHeading(page, labels.home)).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Issue a key' }).click()
  await expect(getMainHeading(page, 'Issue a key')).toBeVisible()
}

async function toRegister(page: Page, tab?: 'Audit log'): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys', exact: true }).click()
  await expect(getMainHeading(page, 'Keys')).toBeVisible()
  if (tab) await page.getByRole('tab', { name: tab }).click()
}

/** The row of a key in the table of keys and holders. */
const entry = (page: Page, key: string): Locator =>
  page
    .getByRole('table', { name: 'Keys and holders' })
    .getByRole('row')
    .filter({ hasText: plan })
    .filter({ has: page.getByRole('button', { name: `Actions for ${key} of ${plan}`, exact: true }) })

/** Picks Revoke from a key's row and returns the confirmation dialog. */
async function openRevokeDialog(page: Page, key: string): Promise<Locator> {
  await entry(page, key)
    .getByRole('button', { name: `Actions for ${key}` })
    .click()
  await page.getByRole('menuitem', { name: 'Disable…' }).click()
  return page.getByRole('alertdialog')
}

/** Creates a key file with the command line and returns its path and passphrase. */
async function createKeyFile(machine: Machine, holder: string): Promise<{ file: string; passphrase: string }> {
  const file = join(machine.home, `${holder}.age`)
  const handoutRun = await runCompanion(machine, [
    'handout',
    'create',
    '--plan',
    plan,
    '--holder',
    holder,
    '--out',
    file,
  ])
  expect(handoutRun.code, handoutRun.err).toBe(0)
  return { file, passphrase: /: (\S+)\n$/.exec(handoutRun.err)?.[1] ?? '' }
}

/** A second app with its own data folder. */
async function startMateApp({ machine }: AppHarness): Promise<RunningApp & { readonly mate: Machine }> {
  const colleagueMachine: Machine = { ...machine, dataDir: join(machine.home, '../mate') }
  mkdirSync(colleagueMachine.dataDir)
  const colleagueApp = await startApp(colleagueMachine)
  await colleagueApp.page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(getMainHeading(colleagueApp.page, labels.home)).toBeVisible()
  return { ...colleagueApp, mate: colleagueMachine }
}

/** Opens the page for importing a key file through the palette. */
async function gotoOpenKeyFilePage(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('Import a key')
  await page.getByRole('option', { name: 'Import a key' }).click()
  await expect(getMainHeading(page, 'Import a key')).toBeVisible()
}

test('a key is handed out as an encrypted file, received on another computer, and acknowledged by its code', async ({
  harness,
}) => {
  const { machine } = harness
  const page = await harness.start()
  const file = join(machine.home, 'for-lan.age')
  await toHandout(page)
  const createButton = page.getByRole('button', { name: 'Create key file' })
  await expect(createButton).toBeDisabled()
  await expect(page.getByText('Missing: name.')).toBeVisible()
  await page.getByLabel(labels.name, { exact: true }).fill('Lan Pham')
  await page.getByLabel('Purpose').fill('the web shop')
  await expect(page.getByText('2 more keys available.')).toBeVisible()

  await stubFileDialogs(harness.app())
  await createButton.click()
  await expect(page.getByText('Canceled. No key file created.')).toBeVisible()
  const listKeys = async (): Promise<string[]> => {
    const [planState] = await harness.plansCalled(plan)
    return planState?.keys.map(({ name }) => name) ?? []
  }
  const keysBefore = await listKeys()
  expect(keysBefore).toHaveLength(3)

  await stubFileDialogs(harness.app(), file)
  await createButton.click()
  await expect(page.getByText('Key file for Lan Pham created')).toBeVisible()
  const [keyName = '', ...otherKeyNames] = (await listKeys()).slice(keysBefore.length)
  expect(otherKeyNames).toEqual([])
  const key = await harness.readKey(plan, keyName)
  expect(await harness.ask(key)).toBe(200)
  expect(fileMode(file)).toBe(0o600)
  await page.getByRole('button', { name: 'Copy passphrase' }).click()
  await expect(page.getByText('Passphrase copied')).toBeVisible()
  const passphrase = await readClipboard(harness.app())
  expect(passphrase).toMatch(/^[a-z]+(-[a-z]+){5}$/)
  const secrets = [key, passphrase]
  const folder = join(machine.home, '..')
  expect(secrets.flatMap((secret) => listFilesContaining(folder, secret))).toEqual([])

  await page.getByRole('link', { name: 'View keys' }).click()
  await expect(entry(page, keyName)).toContainText('Lan Pham')
  await expect(entry(page, keyName)).toContainText('the web shop')
  await expect(entry(page, keyName)).toContainText('not confirmed')

  const { app, page: remote, kill, mate } = await startMateApp(harness)
  let code = ''
  try {
    const bridge = await watchBridge(app)
    await stubFileDialogs(app, file)
    await gotoOpenKeyFilePage(remote)
    await remote.getByRole('button', { name: 'Choose file' }).click()
    await app.evaluate(({ clipboard }, value) => clipboard.writeText(value), passphrase)
    await remote.getByRole('button', { name: 'Paste from clipboard' }).click()
    await expect(remote.getByText('Not imported yet.')).toBeVisible()
    const mainRegion = remote.getByRole('main')
    for (const expectedText of ['Lan Pham', 'the web shop', plan, keyName])
      await expect(mainRegion).toContainText(expectedText)
    expect(JSON.parse(await run(mate, 'plan', 'list', '--json'))).toEqual([])
    await remote.getByRole('button', { name: 'Import', exact: true }).click()
    await expect(remote.getByText(/key saved in the keychain$/)).toBeVisible()
    expect((await run(mate, 'key', 'print', '--plan', plan)).trimEnd()).toBe(key)
    await remote.getByRole('button', { name: 'Copy confirmation code' }).click()
    await expect.poll(() => readClipboard(app)).not.toBe(passphrase)
    code = await readClipboard(app)
    await expect(mainRegion).toContainText(code)
    const visibleText = `${await pageText(remote)}\n${await bridge.text()}`
    expect(secrets.filter((secret) => visibleText.includes(secret))).toEqual([])
  } finally {
    await kill()
  }

  await page.getByRole('button', { name: 'Enter confirmation code…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Confirmation code').fill('AAAA-AAAA-AAAA')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog).toContainText('Unknown confirmation code')
  await dialog.getByLabel('Confirmation code').fill(code.toLowerCase())
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText(`Lan Pham confirmed key “${keyName}”`)).toBeVisible()
  await expect(entry(page, keyName)).toContainText('confirmed')
  await expect(entry(page, keyName)).not.toContainText('not confirmed')
  expect(secrets.flatMap((secret) => listFilesContaining(folder, secret))).toEqual([])
  const visibleText = `${await pageText(page)}\n${await harness.bridgeText()}`
  expect(secrets.filter((secret) => visibleText.includes(secret))).toEqual([])
})

test('a wrong passphrase, a truncated file and a file that is not a kit are explained, and nothing is saved', {
  tag: '@deep',
}, async ({ harness }) => {
  const { machine } = harness
  await harness.start()
  const { file, passphrase } = await createKeyFile(machine, 'minh')
  const text = readFileSync(file, 'utf8')
  const truncatedFile = join(machine.home, 'cut-off.age')
  writeFileSync(truncatedFile, text.slice(0, text.length / 2))
  const notePath = join(machine.home, 'note.txt')
  writeFileSync(notePath, 'no kit at all\n')

  const { app, page, kill, mate } = await startMateApp(harness)
  try {
    await gotoOpenKeyFilePage(page)
    await stubFileDialogs(app, notePath)
    await page.getByRole('button', { name: 'Choose file' }).click()
    await expect(page.getByText('Not a valid key file')).toBeVisible()
    await expect(page.getByText('This is another type of file, or the file is incomplete.')).toBeVisible()
    await stubFileDialogs(app, truncatedFile)
    await page.getByRole('main').getByRole('button', { name: 'Choose file' }).first().click()
    await expect(page.getByText('The key file was modified or damaged')).toBeVisible()

    await stubFileDialogs(app, file)
    await page.getByRole('main').getByRole('button', { name: 'Choose file' }).first().click()
    const field = page.getByLabel('Passphrase', { exact: true })
    await field.fill('one two three four five six')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await expect(page.getByText('Wrong passphrase', { exact: true })).toBeVisible()
    await expect(page.getByText('Not imported yet.')).toHaveCount(0)
    await field.fill(passphrase.replaceAll('-', ' ').toUpperCase())
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await expect(page.getByText('Not imported yet.')).toBeVisible()
    expect((await pageText(page)).toLowerCase().replaceAll(' ', '-')).not.toContain(passphrase)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByText('Not imported yet.')).toHaveCount(0)
  } finally {
    await kill()
  }
  expect(JSON.parse(await run(mate, 'plan', 'list', '--json'))).toEqual([])
  const refusedRun = await runCompanion(mate, ['handout', 'open', file, '--passphrase-stdin', '--accept'], {
    input: 'no\n',
  })
  expect(refusedRun).toMatchObject({ code: 1, out: '' })
  expect(refusedRun.err).toContain('Wrong passphrase for this key file.')
})

/** User steps, run in order in one app. */
const parts: readonly WalkStep[] = [
  [
    'revoking names what breaks and refuses the key at once; undo lets it work again; the export holds no secret',
    async (harness, page) => {
      const { machine } = harness
      await run(machine, 'configure', 'claude-code', '--plan', plan)
      await run(machine, 'register', 'set', plan, 'default-key', '--holder', 'Lan Pham', '--purpose', '=1+1')
      const key = await harness.readKey(plan)
      expect(await harness.ask(key)).toBe(200)
      await toRegister(page)
      await expect(entry(page, 'default-key')).toContainText('Lan Pham')
      const confirmDialog = await openRevokeDialog(page, 'default-key')
      await expect(confirmDialog.getByRole('listitem')).toHaveText(['Claude Code', 'Lan Pham'])
      expect(await harness.ask(key)).toBe(200)
      await confirmDialog.getByRole('button', { name: 'Disable now' }).click()
      await expect(page.getByText('Disabled: default-key')).toBeVisible()
      expect(await harness.ask(key)).toBe(401)
      await expect(entry(page, 'default-key')).toContainText('Disabled')
      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await expect(page.getByText('Enabled: default-key')).toBeVisible()
      await expect(entry(page, 'default-key')).toContainText('Active')
      expect(await harness.ask(key)).toBe(200)

      const csv = join(machine.home, 'keys.csv')
      await stubFileDialogs(harness.app(), csv)
      await page.getByRole('button', { name: 'Export CSV' }).click()
      await expect(page.getByText('Key list exported')).toBeVisible()
      const text = readFileSync(csv, 'utf8')
      expect(text).toMatch(/default-key.*Lan Pham,person,'=1\+1/)
      expect(text).not.toContain(key)
      expect(await pageText(page)).not.toContain(key)
    },
  ],
  [
    'the audit trail lists what was done and is whole; a line that was changed by hand is found',
    async (harness, page) => {
      const { machine } = harness
      const { passphrase } = await createKeyFile(machine, 'minh')
      await toRegister(page)
      const confirmDialog = await openRevokeDialog(page, 'minh')
      await confirmDialog.getByRole('button', { name: 'Disable now' }).click()
      await expect(page.getByText('Disabled: minh')).toBeVisible()
      await page.getByRole('tab', { name: 'Audit log' }).click()
      const lines = page.getByRole('list', { name: 'Audit log, newest first' }).getByRole('listitem')
      await expect(lines.first()).toContainText(/Key disabled.*minh.*in the window/)
      await expect(lines.filter({ hasText: /Key created.*minh.*on the command line/ })).toHaveCount(1)
      await expect(lines.filter({ hasText: /Key issued.*minh.*on the command line/ })).toHaveCount(1)
      await expect(page.getByText(/^Log verified: \d+ entries$/)).toBeVisible()
      expect(await run(machine, 'audit', 'verify')).toContain('The audit log is intact')
      await page.getByRole('combobox', { name: 'Action', exact: true }).click()
      await page.getByRole('option', { name: 'Issued keys' }).click()
      await page.getByRole('searchbox', { name: 'Key, plan, holder or tool' }).fill('MINH')
      await expect(lines).toHaveText([/Key issued.*minh/])
      const log = join(machine.home, 'log.csv')
      await harness.app().evaluate(({ dialog }, filePath) => {
        dialog.showSaveDialog = async () => ({ canceled: false, filePath })
      }, log)
      await page.getByRole('button', { name: 'Export CSV' }).click()
      await expect(page.getByText('Audit log exported')).toBeVisible()
      expect(readFileSync(log, 'utf8')).toMatch(/^\uFEFFNumber,At,.*\r\n\d+,[^,]*,handedOut,.*minh.*\r\n$/)

      const trail = join(machine.dataDir, 'audit.jsonl')
      const text = readFileSync(trail, 'utf8')
      expect(fileMode(trail)).toBe(0o600)
      expect(text).not.toContain(passphrase)
      const auditLines = text.trimEnd().split('\n')
      const number = auditLines.findIndex((line) => line.includes('"handedOut"')) + 1
      const changedLines = auditLines.map((line, index) =>
        index === number - 1 ? line.replaceAll('minh', 'somebody') : line,
      )
      writeFileSync(trail, `${changedLines.join('\n')}\n`)
      await page.getByRole('button', { name: 'Verify again' }).click()
      await expect(page.getByText(`Log has been tampered with or damaged at entry ${number}`)).toBeVisible()
      await expect(page.getByText('This entry, or the one after it, was changed, moved or removed.')).toBeVisible()
      await expect(lines.first().getByRole('img', { name: /^Modified, or after/ })).toBeVisible()
      const auditVerdict = await runCompanion(machine, ['audit', 'verify'])
      expect(auditVerdict).toMatchObject({ code: 1 })
      expect(auditVerdict.out).toContain(`The audit log was modified: line ${number} was changed.`)
    },
  ],
]

test('a key is revoked and restored, and the audit trail shows every action', {
  tag: '@deep',
}, async ({ harness }) => {
  test.setTimeout(180_000)
  installTools(harness.machine, ['claude'])
  const page = await harness.start()
  await walk(harness, page, parts)
})

/** Opens a link like the system, through a second instance that exits. */
async function followLink({ env, dataDir }: Machine, link: string): Promise<void> {
  const args = [root, '--data-dir', dataDir, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), link]
  const secondApp = spawn(electronPath(), args, { env, stdio: 'ignore' })
  await once(secondApp, 'exit')
}

test('a link opens the import page, and a key file opened with the app is shown after a question', {
  tag: '@deep',
}, async ({ harness }) => {
  const { machine } = harness
  const page = await harness.start()
  const file = join(machine.home, 'for-minh.age')
  const { app, page: remote, kill, mate } = await startMateApp(harness)
  try {
    await followLink(mate, 'platform-companion://import?key=sk-x')
    await followLink(mate, 'platform-companion://elsewhere')
    await expect(getMainHeading(remote, labels.home)).toBeVisible()
    await followLink(mate, 'platform-companion://import')
    await expect(getMainHeading(remote, 'Import a key')).toBeVisible()
    await remote.getByRole('button', { name: 'Show public key' }).click()
    await remote.getByRole('button', { name: 'Copy public key' }).click()
    await expect.poll(() => readClipboard(app)).toMatch(/^age1[a-z0-9]{58}$/)
    const recipient = await readClipboard(app)

    await toHandout(page)
    await page.getByLabel(labels.name, { exact: true }).fill('Minh')
    await page.getByRole('radio', { name: /^age public key/ }).click()
    const field = page.getByLabel('Public key of the holder')
    await field.fill('ssh-ed25519 AAAA')
    await expect(page.getByRole('button', { name: 'Create key file' })).toBeDisabled()
    await field.fill(recipient)
    await stubFileDialogs(harness.app(), file)
    await page.getByRole('button', { name: 'Create key file' }).click()
    await expect(page.getByText('Key file for Minh created')).toBeVisible()
    await expect(page.getByText('Only they can open it')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Copy passphrase' })).toHaveCount(0)

    await stubMessageBoxes(app, 1)
    await followLink(mate, file)
    await expect(remote.getByRole('button', { name: 'Choose file' })).toBeEnabled()
    await expect(remote.getByRole('button', { name: 'Open', exact: true })).toHaveCount(0)
    const dialogs = await stubMessageBoxes(app, 0)
    const copy = join(machine.home, 'copy.age')
    copyFileSync(file, copy)
    await followLink(mate, copy)
    await expect.poll(dialogs).toBe(1)
    await remote.getByRole('button', { name: 'Open', exact: true }).click()
    await expect(remote.getByRole('main')).toContainText('Minh')
    await remote.getByRole('button', { name: 'Import', exact: true }).click()
    await expect(remote.getByText(/key saved in the keychain$/)).toBeVisible()
    const key = (await run(mate, 'key', 'print', '--plan', plan)).trimEnd()
    expect(await harness.ask(key)).toBe(200)
    expect(key).toBe(await harness.readKey(plan, 'Minh'))
  } finally {
    await kill()
  }
})

test('issuing several keys shows progress, stops when canceled, and creates the rest later', async ({ harness }) => {
  const { machine } = harness
  const page = await harness.start()
  const folder = join(machine.home, 'kits')
  mkdirSync(folder)
  await toHandout(page)
  await page.getByRole('link', { name: 'Issue several keys' }).click()
  await page.getByRole('textbox', { name: 'Holders' }).fill('Lan\nMinh')
  await expect(page.getByRole('list', { name: 'Holders' }).getByRole('listitem')).toHaveCount(2)
  await stubFileDialogs(harness.app(), folder)
  await harness.control('/faults', { faults: [{ operations: 'console.keys.create', delayMs: 3000 }] })
  await page.getByRole('button', { name: 'Create 2 key files' }).click()
  await expect(page.getByRole('progressbar', { name: '0 of 2 created' })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('1 of 2 created')).toBeVisible()
  await expect(
    page.getByRole('list', { name: 'Results' }).getByRole('listitem').filter({ hasText: 'Minh' }),
  ).toContainText('Not created')
  expect(readdirSync(folder)).toHaveLength(1)
  await harness.control('/faults', { faults: [] })
  await page.getByRole('button', { name: 'Create the rest' }).click()
  await expect(page.getByText('All 2 key files created')).toBeVisible()
  expect(readdirSync(folder)).toHaveLength(2)
})

test('pasted names get a key and a kit each up to the limit, and the rest once a slot is free', {
  tag: '@deep',
}, async ({ harness }) => {
  const { machine } = harness
  const page = await harness.start()
  const folder = join(machine.home, 'kits')
  mkdirSync(folder)
  await toHandout(page)
  await page.getByRole('link', { name: 'Issue several keys' }).click()
  await page
    .getByRole('textbox', { name: 'Holders' })
    .fill('name,kind\nLan,person\nMinh,person\nshop-pipeline,tool\nLan,person\n')
  await expect(page.getByRole('list', { name: 'Holders' }).getByRole('listitem')).toHaveText([
    'Lan',
    'Minh',
    /^shop-pipeline/,
  ])
  await expect(page.getByText('Key limit: only 2 of 3 holders get a key')).toBeVisible()
  await stubFileDialogs(harness.app(), folder)
  await page.getByRole('button', { name: 'Create 3 key files' }).click()
  await expect(page.getByText('2 of 3 created')).toBeVisible()
  const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
  await expect(results.filter({ hasText: 'shop-pipeline' })).toContainText('Key limit reached')
  expect(readdirSync(folder)).toHaveLength(2)
  await page.getByRole('button', { name: 'Copy passphrase for Lan' }).click()
  const firstPassphrase = await readClipboard(harness.app())
  await page.getByRole('button', { name: 'Copy passphrase for Minh' }).click()
  await expect.poll(() => readClipboard(harness.app())).not.toBe(firstPassphrase)

  await run(machine, 'key', 'delete', plan, 'old-laptop', '--yes')
  await page.getByRole('button', { name: 'Create the rest' }).click()
  await expect(page.getByText('All 3 key files created')).toBeVisible()
  expect(readdirSync(folder)).toHaveLength(3)
  const [planState] = await harness.plansCalled(plan)
  const names = planState?.keys.filter(({ deleted }) => !deleted).map(({ name }) => name) ?? []
  expect(names).toHaveLength(5)
  await toRegister(page)
  for (const name of names.slice(2)) await expect(entry(page, name)).toContainText('not confirmed')
  const openedKeyFile = await runCompanion(
    machine,
    ['handout', 'open', join(folder, readdirSync(folder)[0] ?? ''), '--passphrase-stdin'],
    { input: firstPassphrase },
  )
  expect(openedKeyFile.code, openedKeyFile.err).toBe(0)
})
