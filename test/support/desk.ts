import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { z } from 'zod'
import { test as base, expect, type Machine, type RunningApp } from './app'
import { type BridgeRecorder, listFilesContaining, pageText, watchBridge } from './canary'
import { runCompanion } from './companion'
import { type ControlAddress, callControl, readState, type SandboxState, sendChatRequest } from './control'
import { labels } from './labels'

const Ports = z.object({ sandbox: z.object({ gatewayPort: z.number(), platformPort: z.number() }) })

/** Prefix of the sandbox's subscription keys. Masked keys do not have it. */
const keyPrefix = 'sk-sandbox-'

/**
 * The app with its built-in sandbox, for tests that act as a user and inspect the sandbox. Keys must never be visible.
 */
export interface AppHarness {
  readonly machine: Machine
  readonly address: ControlAddress
  /** Starts the app. The first start opens the tool list, later starts the page that was last open. */
  start(): Promise<Page>
  quit(): Promise<void>
  /** The running app. */
  app(): ElectronApplication
  control(path: string, body?: unknown): Promise<unknown>
  state(): Promise<SandboxState>
  /** Sandbox plans with this name that are not deleted. */
  plansCalled(name: string): Promise<SandboxState['plans']>
  /** Text of a key from `companion key print`. */
  readKey(plan: string, key?: string): Promise<string>
  /** Status of the gateway's response to a request with a key. */
  ask(key: string): Promise<number>
  /** All data that was sent between window and main, as text. */
  bridgeText(): Promise<string>
}

export const test = base.extend<{ harness: AppHarness }>({
  harness: async ({ machine, start }, use) => {
    const controlToken = randomBytes(12).toString('hex')
    const { sandbox } = Ports.parse(JSON.parse(readFileSync(join(machine.dataDir, 'settings.json'), 'utf8')))
    const gatewayUrl = `http://127.0.0.1:${sandbox.gatewayPort}`
    const address = { platformUrl: `http://127.0.0.1:${sandbox.platformPort}`, controlToken }
    leaveSandboxRunning(machine)
    let runningApp: (RunningApp & { readonly bridge: BridgeRecorder }) | undefined
    const bridgeMessages: string[] = []
    const createLocalBridge = () => {
      if (!runningApp) throw new Error('The app does not run.')
      return runningApp
    }
    const restartApp = async (): Promise<RunningApp> => {
      const { bridge, ...one } = createLocalBridge()
      bridgeMessages.push(await bridge.text(), await pageText(one.page))
      runningApp = undefined
      return one
    }
    const harness: AppHarness = {
      machine,
      address,
      async start() {
        const isFirst = bridgeMessages.length === 0
        const startedApp = await start({ env: { COMPANION_SANDBOX_CONTROL_TOKEN: controlToken } })
        runningApp = { ...startedApp, bridge: await watchBridge(startedApp.app) }
        // Reduce motion, because animations cost a fifth of the CPU time. Specs that do not use this fixture test
        // animations.
        await startedApp.page.emulateMedia({ reducedMotion: 'reduce' })
        if (isFirst) await openToolsPage(startedApp.page)
        return startedApp.page
      },
      async quit() {
        const { close } = await restartApp()
        await close()
      },
      app: () => createLocalBridge().app,
      control: (path, body) => callControl(address, path, body),
      state: () => readState(address),
      plansCalled: async (name) =>
        (await readState(address)).plans.filter((plan) => plan.name === name && !plan.deleted),
      async readKey(plan, key) {
        const args = ['key', 'print', '--plan', plan, ...(key === undefined ? [] : ['--key', key])]
        return (await runCompanion(machine, args)).out.trimEnd()
      },
      ask: (key) => sendChatRequest(gatewayUrl, key),
      bridgeText: () => createLocalBridge().bridge.text(),
    }
    await use(harness)
    if (runningApp) await (await restartApp()).kill()
    expect(bridgeMessages.filter((text) => text.includes(keyPrefix))).toEqual([])
    expect(listFilesContaining(join(machine.home, '..'), keyPrefix)).toEqual([])
  },
})

/**
 * Prepares a simulated computer as if the user had chosen "Explore with the sandbox". first-run.spec.ts tests that step
 * itself.
 */
function leaveSandboxRunning({ dataDir }: Machine): void {
  const path = join(dataDir, 'settings.json')
  const settings = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...settings, welcomed: true, sandbox: { ...settings.sandbox, wanted: true } }))
}

/** Calls a main method without input, like the window. */
export async function callMain(page: Page, name: string): Promise<unknown> {
  const result = await page.evaluate((methodName) => window.companion.call(methodName, {}), name)
  expect(result, name).toMatchObject({ ok: true })
  return JSON.parse(result.ok ? result.value : '')
}

/** Waits until the built-in sandbox has added its plan, and opens the tool list. */
async function openToolsPage(page: Page): Promise<void> {
  expect(await callMain(page, 'sandbox.open')).toMatchObject({ state: 'running' })
  await page.keyboard.press('Control+2')
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
}

/** Formats an amount in VND like the window does in English. */
export const money = (dong: number): string => `₫${new Intl.NumberFormat('en').format(dong)}`

/** Pattern of a duration below a minute in English: `850 ms`, `1.2 s` or `3 s`. */
export const shortDuration = String.raw`(?:\d{1,3} ms|[1-9]\d?(?:\.[1-9])? s)`

export async function toPlans(page: Page): Promise<void> {
  await page.keyboard.press('Control+4')
  await expect(page.getByRole('heading', { name: 'Plans', level: 1 })).toBeVisible()
}

/** Opens and refreshes the table of plans. Uses the keyboard, since a notice may cover the button. */
export async function refreshPlans(page: Page): Promise<void> {
  await toPlans(page)
  await page.getByRole('button', { name: 'Refresh plans' }).press('Enter')
}

export const planRow = (page: Page, name: string): Locator =>
  page
    .getByRole('table', { name: 'Plans' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) })

/** Opens a plan's page from the table, optionally at a tab. */
export async function openPlan(page: Page, name: string, tab?: 'Models' | 'Keys'): Promise<void> {
  await toPlans(page)
  await planRow(page, name).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  if (tab) await page.getByRole('tab', { name: tab }).click()
}

export async function pickFromMenu(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

export { expect } from '@playwright/test'
