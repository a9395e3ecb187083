import type { Page } from '@playwright/test'
import { usualTiming } from '../../src/sandbox/timing'
import { companion } from './companion'
import { askMain, type Desk, expect, test } from './desk'

/** A part of what a person does with the app, and what it is called. */
export type Part = readonly [name: string, walk: (desk: Desk, page: Page) => Promise<void>]

/**
 * Walks parts one after the other in one app, since its start takes longer than most of them. Between two of them `beginAnew` brings back
 * what the next one begins with.
 */
export async function walk(
  desk: Desk,
  page: Page,
  parts: readonly Part[],
  beginAnew: Part[1] = takeBackTools,
): Promise<void> {
  for (const [at, [name, part]] of parts.entries()) {
    await test.step(name, async () => {
      if (at > 0) await beginAnew(desk, page)
      await part(desk, page)
    })
  }
}

/** Brings back the first day of the sandbox, as a person does on its page, and the list of tools in a window that was opened anew. */
export async function bringBackFirstDay({ control }: Desk, page: Page): Promise<void> {
  expect(await askMain(page, 'sandbox.reset')).toMatchObject({ state: 'running' })
  await control('/timing', usualTiming)
  await openAnew(page)
}

/** Brings back tools as they were before the app wrote to them, no profiles, and the list of tools in a window that was opened anew. */
async function takeBackTools({ machine }: Desk, page: Page): Promise<void> {
  const succeed = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await companion(machine, args)
    expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
    return out
  }
  await succeed('restore', '--all', '--yes')
  const profiles: readonly { readonly name: string }[] = JSON.parse(await succeed('profile', 'list', '--json'))
  for (const { name } of profiles) await succeed('profile', 'remove', name, '--yes')
  await openAnew(page)
}

async function openAnew(page: Page): Promise<void> {
  await page.evaluate(() => {
    location.hash = '#/tools'
  })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Tools', level: 1, exact: true })).toBeVisible()
}
