import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong in the page or a part of it, with the mouse out of the way: a rule and the elements that break it, a line each. */
export async function violations(page: Page, part = 'html'): Promise<string[]> {
  await page.mouse.move(0, 0)
  await page.evaluate(axe)
  return page.evaluate(async (selector) => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(selector)
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  }, part)
}

/** What axe finds wrong in either theme. */
export async function violationsInThemes(page: Page, part?: string): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    found.push(...(await violations(page, part)).map((violation) => `${colorScheme}: ${violation}`))
  }
  return found
}
