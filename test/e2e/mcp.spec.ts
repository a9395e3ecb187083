import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stubMessageBoxes } from '../support/app'
import { listThemeViolations } from '../support/axe'
import { runCompanion } from '../support/companion'
import { expect, test } from '../support/desk'
import { labels } from '../support/labels'
import { startClient } from '../support/mcp-client'
import { installTools } from '../support/tools'

test('the MCP server is added to a tool and removed, paid calls are allowed after a confirmation, and a call is tested', async ({
  harness,
}) => {
  const { machine } = harness
  installTools(machine, ['claude'])
  const path = join(machine.home, '.claude.json')
  const settingsBefore = '{ "mcpServers": { "other": { "command": "npx" } } }\n'
  writeFileSync(path, settingsBefore)
  const page = await harness.start()
  await page.keyboard.press('Control+2')
  await page.getByRole('button', { name: 'More tool actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'MCP servers' }).click()
  const table = page.getByRole('table', { name: 'Coding tools and their MCP servers' })
  const row = table.getByRole('row', { name: /^Claude Code / })
  await expect(row).toContainText('Not added')
  await expect(row).toContainText('other')
  // The page scrolls, the window never does.
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0)

  await row.getByRole('button', { name: 'Add to Claude Code' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('"companion"')
  expect(readFileSync(path, 'utf8')).toBe(settingsBefore)
  expect(await listThemeViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(row).toContainText('Added')
  expect(JSON.parse(readFileSync(path, 'utf8')).mcpServers.companion.args).toEqual(['mcp', '--tool', 'claude-code'])

  const modelSwitch = row.getByRole('switch', { name: 'Let Claude Code ask models, which uses quota' })
  const acceptedDialogs = await stubMessageBoxes(harness.app(), 0)
  await modelSwitch.click()
  await expect(modelSwitch).toBeChecked()
  expect(await acceptedDialogs()).toBe(1)
  const list = await runCompanion(machine, ['mcp', 'list'])
  expect(list.out).toMatch(/^claude-code +added +other +ask_model /m)

  await page.getByRole('tab', { name: 'Try out' }).click()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await expect(page.getByLabel('Response')).toContainText('"name": "sandbox-pro"')
  expect(await listThemeViolations(page)).toEqual([])
  await page.getByRole('tab', { name: 'Latest calls' }).click()
  await expect(page.getByRole('row', { name: /This app plans .*Done/ })).toBeVisible()

  const callLog = join(machine.dataDir, 'logs/mcp-calls.jsonl')
  const client = await startClient(machine, '--tool', 'claude-code')
  const callQuota = () => client.callTool({ name: 'quota', arguments: { plan: 'told-by-claude' } })
  await callQuota()
  expect(readFileSync(callLog, 'utf8')).not.toContain('told-by-claude')
  const recording = page.getByRole('switch', { name: 'Record arguments' })
  await recording.click()
  await expect(recording).toBeChecked()
  expect(await acceptedDialogs()).toBe(2)
  await callQuota()
  await page.getByRole('button', { name: 'Arguments of quota' }).click()
  await expect(page.getByText('{"plan":"told-by-claude"}')).toBeVisible()
  expect(await listThemeViolations(page)).toEqual([])
  await recording.click()
  await expect(recording).not.toBeChecked()
  await expect(page.getByText('told-by-claude')).toHaveCount(0)
  await callQuota()
  const limit = ['--tool', 'claude-code', '--limit', '1', '--unit', 'requests', '--per', 'day', '--action', 'refuse']
  expect((await runCompanion(machine, ['budget', 'set', 'Ask once', ...limit])).code).toBe(0)
  const askModel = () => client.callTool({ name: 'ask_model', arguments: { model: 'aurora-small', prompt: 'Hi' } })
  expect((await askModel()).isError).toBeFalsy()
  expect(JSON.stringify(await askModel())).toContain('The budget \\"Ask once\\" (1 request per day) is used up')
  const listUsage = () => runCompanion(machine, ['usage', '--by', 'tool', '--source', 'app', '--json'])
  await expect.poll(async () => (await listUsage()).out).toContain('"claude-code"')
  await client.close()
  expect(readFileSync(callLog, 'utf8')).not.toContain('told-by-claude')

  expect(await listThemeViolations(page)).toEqual([])

  await page.getByRole('tab', { name: 'All servers' }).click()
  await page.getByRole('button', { name: 'More for other in Claude Code' }).click()
  await page.getByRole('menuitem', { name: 'Copy to other tools…' }).click()
  await dialog.getByRole('checkbox', { name: 'Cursor' }).click()
  const cursorFile = join(machine.home, '.cursor/mcp.json')
  await expect(dialog).toContainText('"other"')
  expect(existsSync(cursorFile)).toBe(false)
  expect(await listThemeViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(page.getByRole('row', { name: /^other Cursor npx / })).toBeVisible()
  expect(await acceptedDialogs()).toBe(3)
  expect(JSON.parse(readFileSync(cursorFile, 'utf8'))).toEqual({ mcpServers: { other: { command: 'npx', args: [] } } })
  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByRole('button', { name: 'Undo the change of other' }).click()
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  expect(existsSync(cursorFile)).toBe(false)
  expect(await listThemeViolations(page)).toEqual([])

  await page.getByRole('tab', { name: labels.tools, exact: true }).click()
  const settings = join(machine.home, '.claude/settings.json')
  await page.getByRole('button', { name: 'Add the status line to Claude Code' }).click()
  await dialog.getByLabel('Template').fill('left: {tokens} · of Claude')
  await expect(dialog.getByText(/^left: \d+% left · of Claude$/)).toBeVisible()
  expect(await listThemeViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  expect(JSON.parse(readFileSync(settings, 'utf8')).statusLine.command).toContain(
    "--template 'left: {tokens} · of Claude'",
  )
  await page.getByRole('button', { name: 'Change the status line of Claude Code' }).click()
  await expect(page.getByRole('dialog', { name: 'Change the status line of Claude Code' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Remove the status line from Claude Code' }).click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  expect(existsSync(settings)).toBe(false)
  await row.getByRole('button', { name: 'Remove from Claude Code' }).click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(row).toContainText('Not added')
  await expect(row.getByRole('switch')).toHaveCount(0)
  expect(readFileSync(path, 'utf8')).toBe(settingsBefore)
})
