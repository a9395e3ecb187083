import type { Page } from '@playwright/test'
import { defaultTiming } from '../../src/sandbox/timing'
import { runCompanion } from './companion'
import { type AppHarness, callMain, expect, test } from './desk'
import { labels } from './labels'

/** A named sequence of user steps in the app. */
export type WalkStep = readonly [name: string, walk: (harness: AppHarness, page: Page) => Promise<void>]

/**
 * Runs test parts in sequence in one app, because starting it takes longer than most parts. `beginAnew` restores the
 * initial state between two parts.
 */
export async function walk(
  harness: AppHarness,
  page: Page,
  parts: readonly WalkStep[],
  beginAnew: WalkStep[1] = restoreTools,
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
  expect(await callMain(page, 'sandbox.reset')).toMatchObject({ state: 'running' })
  await control('/timing', defaultTiming)
  await reopenToolsPage(page)
}

/** Undoes all tool configurations, deletes profiles, reloads the window and opens the tool list. */
async function restoreTools({ machine }: AppHarness, page: Page): Promise<void> {
  const runSuccessfully = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await runCompanion(machine, args)
    expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
    return out
  }
  await runSuccessfully('restore', '--all', '--yes')
  const profiles: readonly { readonly name: string }[] = JSON.parse(await runSuccessfully('profile', 'list', '--json'))
  for (const { name } of profiles) await runSuccessfully('profile', 'remove', name, '--yes')
  await reopenToolsPage(page)
}

async function reopenToolsPage(page: Page): Promise<void> {
  await page.evaluate(() => {
    location.hash = '#/tools'
  })
  await page.reload()
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
}

/** Counts mouse clicks in the page, not key presses. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  const counter = await page.evaluateHandle(() => {
    const clickCounter = { clicks: 0 }
    const countClick = (): void => {
      clickCounter.clicks += 1
    }
    document.addEventListener('pointerdown', countClick, { capture: true })
    return clickCounter
  })
  return () => counter.evaluate(({ clicks }) => clicks)
}

/** Measures clicks and time of each step of a user task. `report` prints them. */
export async function createStepTimer(page: Page) {
  const clicks = await countClicks(page)
  const stepReports: string[] = []
  const step = async <T>(name: string, body: () => Promise<T>): Promise<T> => {
    const [clicksBefore, startedAt] = [await clicks(), performance.now()]
    const result = await test.step(name, body)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    stepReports.push(`${(await clicks()) - clicksBefore} clicks, ${seconds} s: ${name}`)
    return result
  }
  return { step, clicks, report: () => console.log(stepReports.join('\n')) }
}
