import type { Locator, Page } from '@playwright/test'
import { listThemeViolations, violations } from '../../support/axe'
import { runCompanion } from '../../support/companion'
import { type AppHarness, expect, test } from '../../support/desk'
import { installTools } from '../../support/tools'

/** Every route of the window (`src/renderer/main.tsx`) and the tabs of the platform's parts. */
const routes = [
  '/',
  '/tools',
  '/tools/set-up',
  '/tools/mcp',
  '/tools/remove-all',
  '/tools/claude-code',
  '/tools/codex',
  '/tools/claude-code/doctor',
  '/doctor',
  '/profiles',
  '/profiles/import',
  '/history',
  '/plans',
  '/plans/new',
  '/plans/packages',
  '/plans/packages/compare',
  '/usage',
  '/usage/left',
  '/usage/burn-down',
  '/usage/requests',
  '/usage/alerts',
  '/usage/budgets',
  '/usage/sources',
  '/relay',
  '/relay/point',
  '/team',
  '/sandbox',
  '/connections',
  '/connections?new',
  '/register',
  '/register/holders',
  '/register/rotations',
  '/register/audit',
  '/rotate',
  '/rotate/many',
  '/handout',
  '/handout/many',
  '/handout/open',
  '/playground',
  '/playground/compare',
  '/playground/prompts',
  '/playground/prompts/new',
  '/playground/completion',
  '/playground/embeddings',
  '/memory',
  '/memory?new=1',
  '/runtimes',
  '/runtimes?new=1',
  '/runtimes/check',
  '/registry',
  '/registry/docker',
  '/registry/robots',
  '/identities',
  '/identities/static-providers',
  '/identities/delegated-providers',
  '/identities/oauth2-providers',
  '/models',
  '/models/list',
  '/models/keys',
  '/settings',
  '/help',
  '/help/guides/developer',
  '/help/errors',
  '/help/shortcuts',
  '/help/news',
]

/** List pages whose first entry is opened and checked as well. */
const lists = ['/profiles', '/history', '/plans', '/plans/packages', '/memory', '/runtimes', '/models/list'] as const

async function show(page: Page, path: string): Promise<void> {
  const goToPath = (targetPath: string): Promise<void> =>
    page.evaluate((hash) => {
      location.hash = hash
    }, targetPath)
  // Visit the welcome page in between. It has no page title, so the awaited title belongs to the new page.
  const title = page.locator('[data-page-title]')
  await goToPath('/welcome')
  await expect(title).toHaveCount(0)
  await goToPath(path)
  await title.waitFor()
  // Wait until content has replaced all loading placeholders.
  await expect(page.locator('.animate-pulse')).toHaveCount(0)
}

/** Paths of all routes, and of the first entry of each list. */
async function listPagePaths(page: Page): Promise<readonly string[]> {
  const entries: string[] = []
  for (const list of lists) {
    await show(page, list)
    const excludedSubpaths = routes
      .filter((path) => path.startsWith(`${list}/`))
      .map((path) => `:not([href^="#${path}"])`)
    const link = page.locator(`main a[href^="#${list}/"]${excludedSubpaths.join('')}`).first()
    entries.push((await link.getAttribute('href'))?.slice(1) ?? list)
  }
  return [...routes, ...entries]
}

interface Settings {
  readonly language?: 'en' | 'vi'
  readonly zoomPercent?: number
}

/** Changes settings through the window's bridge and reloads the page. */
async function applyDisplaySettings(page: Page, settings: Settings): Promise<void> {
  await page.evaluate(async (change) => {
    const { companion: bridge } = globalThis as unknown as {
      readonly companion: { call(name: string, input: unknown): Promise<unknown> }
    }
    await bridge.call('settings.update', change)
  }, settings)
  await page.reload()
}

/** Runs axe on all given paths, in both languages and themes. */
async function checkAllScreens(page: Page, places: readonly string[]): Promise<void> {
  let checkedCount = 0
  for (const language of ['en', 'vi'] as const) {
    await applyDisplaySettings(page, { language })
    for (const screenPath of places) {
      await show(page, screenPath)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect.soft(await violations(page), `${screenPath}, ${language}, ${colorScheme}`).toEqual([])
        checkedCount += 1
      }
    }
  }
  test.info().annotations.push({ type: 'looked at', description: `${checkedCount} screens` })
}

const minutes = 60_000

async function addSampleData({ machine }: AppHarness): Promise<void> {
  const run = async (...args: readonly string[]): Promise<void> =>
    expect(await runCompanion(machine, args)).toMatchObject({ code: 0 })
  await run('configure', 'claude-code', '--plan', 'sandbox-pro')
  await run('profile', 'save', 'work')
}

test('every page is accessible with full data', async ({ harness }) => {
  test.setTimeout(20 * minutes)
  installTools(harness.machine)
  const page = await harness.start()
  await addSampleData(harness)
  const places = await listPagePaths(page)
  await checkAllScreens(page, places)
})

test('every page is accessible while the platform fails', async ({ harness }) => {
  test.setTimeout(20 * minutes)
  const page = await harness.start()
  await harness.control('/faults', { faults: [{ operations: '*', status: 500 }] })
  await checkAllScreens(page, routes)
})

test('every page is accessible without data', async ({ start }) => {
  test.setTimeout(20 * minutes)
  const { page } = await start()
  await page.getByRole('button', { name: 'Skip' }).press('Enter')
  await page.getByRole('region', { name: 'Tour' }).getByRole('button', { name: 'Skip' }).press('Enter')
  await checkAllScreens(page, routes)
})

test('the relay with tools and a rotation are accessible', async ({ harness }) => {
  test.setTimeout(5 * minutes)
  installTools(harness.machine)
  const page = await harness.start()
  const run = async (...args: readonly string[]): Promise<void> => {
    const commandResult = await runCompanion(harness.machine, args)
    expect(commandResult.code, `${args.join(' ')}: ${commandResult.out}${commandResult.err}`).toBe(0)
  }
  await run('configure', 'claude-code', '--plan', 'sandbox-pro')
  await run('configure', 'opencode', '--plan', 'sandbox-pro', '--route', 'relay')
  // The app starts the relay once it sees that a tool uses it.
  await show(page, '/relay')
  await expect(page.getByText(/Listening on/)).toBeVisible()
  await run('rotate', 'start', '--plan', 'sandbox-pro', '--key', 'default-key', '--grace', '1h', '--yes')
  await show(page, '/register/rotations')
  const rotation = await page.locator('main a[href^="#/rotate/"]').first().getAttribute('href')
  for (const language of ['en', 'vi'] as const) {
    await applyDisplaySettings(page, { language })
    for (const screenPath of ['/relay', rotation?.slice(1) ?? '']) {
      await show(page, screenPath)
      await expect(page.getByRole('img', { name: /default-key/ })).toBeVisible()
      expect.soft(await listThemeViolations(page), `${screenPath}, ${language}`).toEqual([])
    }
  }
})

const openListSelector = '[role="menu"], [role="listbox"]'
const dialogs = '[role="dialog"], [role="alertdialog"]'

/** Opens a menu, list or dialog and returns whether one appeared. Native dialogs are cancelled immediately. */
const opensOnClick = async (page: Page, button: Locator, selector: string): Promise<boolean> => {
  await button.click({ timeout: 5_000 })
  const openedElement = page.locator(selector).first()
  return openedElement.waitFor({ timeout: 1_000 }).then(
    () => true,
    () => false,
  )
}

/** Positions of the menu items that open a dialog, in an open menu. */
const listMenuIndexes = (page: Page): Promise<readonly number[]> =>
  page
    .locator('[role="menuitem"]')
    .evaluateAll((lines) =>
      lines.flatMap((line, index) => (line.textContent?.includes('…') && !line.ariaDisabled ? [index] : [])),
    )

test('every menu, list and dialog of a page is accessible in Vietnamese', async ({ harness }) => {
  test.setTimeout(30 * minutes)
  installTools(harness.machine)
  const page = await harness.start()
  await addSampleData(harness)
  // Skip paths with a query, because they open a dialog.
  const places = (await listPagePaths(page)).filter((screenPath) => !screenPath.includes('?'))
  await applyDisplaySettings(page, { language: 'vi' })
  await harness.app().evaluate(({ dialog }) => {
    dialog.showOpenDialog = async () => ({ canceled: true, filePaths: [] })
    dialog.showSaveDialog = async () => ({ canceled: true, filePath: '' })
  })
  const seenPaths = new Set<string>()
  const checkPage = async (name: string): Promise<void> => {
    // Content below a dialog is hidden from assistive technology.
    expect.soft(await listThemeViolations(page, `${openListSelector}, ${dialogs}`), name).toEqual([])
    seenPaths.add(name)
  }
  for (const screenPath of places) {
    await show(page, screenPath)
    const openers = page.locator('main').locator('[aria-haspopup]:enabled, button:enabled:has-text("…")')
    // Rows of a list have the same menu, so the first ones suffice.
    for (let index = 0; index < Math.min(await openers.count(), 6); index += 1) {
      await show(page, screenPath)
      if (!(await opensOnClick(page, openers.nth(index), `${openListSelector}, ${dialogs}`))) continue
      await checkPage(`${screenPath}: ${index}`)
      for (const line of await listMenuIndexes(page)) {
        await show(page, screenPath)
        await opensOnClick(page, openers.nth(index), `${openListSelector}, ${dialogs}`)
        if (await opensOnClick(page, page.locator('[role="menuitem"]').nth(line), dialogs))
          await checkPage(`${screenPath}: ${index}, ${line}`)
      }
    }
  }
  test.info().annotations.push({ type: 'looked at', description: `${seenPaths.size} menus, lists and dialogs` })
  expect(seenPaths.size).toBeGreaterThan(60)
})

test('every page fits at 200 % zoom, and respects reduced motion', async ({ harness }) => {
  test.setTimeout(10 * minutes)
  installTools(harness.machine)
  const page = await harness.start()
  await addSampleData(harness)
  const places = await listPagePaths(page)
  await applyDisplaySettings(page, { zoomPercent: 200 })
  for (const screenPath of places) {
    await show(page, screenPath)
    const pageFacts = await page.evaluate(() => ({
      // A table may be wider inside its own scroll area.
      isWide: document.documentElement.scrollWidth > innerWidth,
      moving: document
        .getAnimations()
        .filter(({ playState, effect }) => playState === 'running' && Number(effect?.getTiming().duration) > 0)
        .map((animation) => (animation as CSSAnimation).animationName ?? 'transition')
        // Ignore the spinner, which turns slowly because it is the only sign of activity.
        .filter((name) => name !== 'spin'),
    }))
    expect.soft(pageFacts, screenPath).toEqual({ isWide: false, moving: [] })
  }
})

test('with the system’s colors, selection and meter level are still visible', async ({ harness }) => {
  const page = await harness.start()
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  const getBackgroundColor = (locator: Locator): Promise<string> =>
    locator.evaluate((element) => getComputedStyle(element).backgroundColor)
  await show(page, '/usage/left')
  const meter = page.locator('meter + div').first()
  expect(await getBackgroundColor(meter.locator('div').last())).not.toBe(await getBackgroundColor(meter))
  const rail = page.getByRole('navigation', { name: 'Main' })
  const localState = await getBackgroundColor(rail.getByRole('link', { name: 'Usage' }))
  expect(await getBackgroundColor(rail.getByRole('link', { name: 'Plans' }))).not.toBe(localState)
  await show(page, '/settings')
  const language = page.getByRole('radiogroup', { name: 'Language' })
  expect(await getBackgroundColor(language.getByRole('radio', { checked: true }))).toBe(localState)
  expect(await getBackgroundColor(language.getByRole('radio', { checked: false }).first())).not.toBe(localState)
  expect(await getBackgroundColor(page.getByRole('switch', { checked: true }).first())).toBe(localState)
  await page.getByRole('switch').first().focus()
  await page.keyboard.press('Tab')
  const outline = await page.evaluate(
    () => document.activeElement && getComputedStyle(document.activeElement).outlineWidth,
  )
  expect(outline).toBe('2px')
})
