import type { Page } from '@playwright/test'
import { defaultTiming } from '../../src/sandbox/timing'
import { companion } from './companion'
import { type AppHarness, askMain, expect, test } from './desk'
import { labels } from './labels'

/** A named sequence of user steps in the app. */
export type WalkPart = readonly [name: string, walk: (harness: AppHarness, page: Page) => Promise<void>]

/**
 * Runs test parts in sequence in one app, because starting it takes longer than most parts. `beginAnew` restores the
 * initial state between two parts.
 */
export async function walk(
  harness: AppHarness,
  page: Page,
  parts: readonly WalkPart[],
  beginAnew: WalkPart[1] = restoreTools,
): Promise<void> {
  for (const [index, [name, runPart]] of parts.entries()) {
    await test.step(name, async () => {
      if (index > 0) await beginAnew(harness, page)
      await runPart(harness, page)
    })
  }
}

/** Resets the sandbox on its page, reloads the window and opens the tool list. */
export async function restoreFirstDay({ control }: AppHarness, page: Page): Promise<void> {
  expect(await askMain(page, 'sandbox.reset')).toMatchObject({ state: 'running' })
  await control('/timing', defaultTiming)
  await reopenTools(page)
}

/** Undoes all tool configurations, deletes profiles, reloads the window and opens the tool list. */
async function restoreTools({ machine }: AppHarness, page: Page): Promise<void> {
  const succeed = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await companion(machine, args)
    expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
    return out
  }
  await succeed('restore', '--all', '--yes')
  const profiles: readonly { readonly name: string }[] = JSON.parse(await succeed('profile', 'list', '--json'))
  for (const { name } of profiles) await succeed('profile', 'remove', name, '--yes')
  await reopenTools(page)
}

async function reopenTools(page: Page): Promise<void> {
  await page.evaluate(() => {
    location.hash = '#/tools'
  })
  await page.reload()
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
}
