import type { Page } from '@playwright/test'
import { companion } from './companion'
import { type Desk, expect, test } from './desk'

/** A part of what a person does with the app, and what it is called. */
export type Part = readonly [name: string, walk: (desk: Desk, page: Page) => Promise<void>]

/**
 * Walks parts one after the other in one app, since its start takes longer than most of them. Each begins with tools as they were before
 * the app wrote to them, without profiles, and with a window that was opened anew at the list of tools.
 */
export async function walk(desk: Desk, page: Page, parts: readonly Part[]): Promise<void> {
  for (const [at, [name, part]] of parts.entries()) {
    await test.step(name, async () => {
      if (at > 0) await beginAnew(desk, page)
      await part(desk, page)
    })
  }
}

async function beginAnew({ machine }: Desk, page: Page): Promise<void> {
  const succeed = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await companion(machine, args)
    expect(code, `companion ${args.join(' ')}\n${out}${err}`).toBe(0)
    return out
  }
  await succeed('restore', '--all', '--yes')
  const profiles: readonly { readonly name: string }[] = JSON.parse(await succeed('profile', 'list', '--json'))
  for (const { name } of profiles) await succeed('profile', 'remove', name, '--yes')
  await page.evaluate(() => {
    location.hash = '#/tools'
  })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Tools', level: 1, exact: true })).toBeVisible()
}
