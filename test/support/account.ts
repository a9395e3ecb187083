import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { mainClientSecret } from '../../src/sandbox/platform/iam'
import { World } from '../../src/sandbox/state/world'
import type { Machine } from './app'
import { runCompanion } from './companion'
import { type AppHarness, expect } from './desk'

/** The console of a sandbox, with the credentials for it. */
export interface Platform {
  readonly platformUrl: string
  readonly clientSecret: string
}

/** The console of the app's built-in sandbox. */
export function connectBuiltIn({ machine, address }: AppHarness): Platform {
  const world = World.parse(JSON.parse(readFileSync(join(machine.dataDir, 'sandbox.json'), 'utf8')))
  return { platformUrl: address.platformUrl, clientSecret: mainClientSecret(world) }
}

/** Adds a connection to the console of a sandbox. */
export async function addConnection(machine: Machine, { platformUrl, clientSecret }: Platform): Promise<void> {
  const tokenSource = {
    kind: 'client-credentials',
    tokenUrl: `${platformUrl}/iam/oauth2/token`,
    clientId: 'sandbox-client',
  }
  const file = join(machine.home, 'lab.json')
  writeFileSync(file, JSON.stringify({ name: 'Lab', consoleUrl: `${platformUrl}/console`, tokenSource }))
  const args = ['connection', 'add', '--file', file, '--secret-stdin']
  expect(await runCompanion(machine, args, { input: clientSecret })).toMatchObject({ code: 0 })
}

/** Switches the connection in the sidebar. */
export async function switchConnection(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('complementary').getByRole('button', { name: from }).click()
  await page.getByRole('menuitemcheckbox', { name: to }).click()
  await expect(page.getByRole('complementary').getByRole('button', { name: to })).toBeVisible()
}

/** The renewal switch of a plan in the table of plans. */
export const getRenewalSwitch = (page: Page, plan: string): Locator =>
  page.getByRole('table', { name: 'Plans' }).getByRole('switch', { name: `Auto-renew of ${plan}`, exact: true })
