import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Color rules, the only ones that depend on the theme. */
const colorRules = ['color-contrast', 'link-in-text-block']

/**
 * Returns axe violations of the page or a part, one line per rule with its elements. Moves the mouse away first.
 * Checks all rules by default.
 */
export async function violations(page: Page, rootSelector = 'html', rules?: readonly string[]): Promise<string[]> {
  await page.mouse.move(0, 0)
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return page.evaluate(
    async ([selector, values]) => {
      const { run } = (globalThis as unknown as { axe: typeof import('axe-core') }).axe
      // Leaves out passed rules.
      const { violations: ruleViolations } = await run(selector, {
        resultTypes: ['violations'],
        ...(values && { runOnly: { type: 'rule', values: [...values] } }),
      })
      return ruleViolations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    },
    [rootSelector, rules] as const,
  )
}

/** Returns axe violations of both themes. */
export async function listThemeViolations(page: Page, rootSelector?: string): Promise<string[]> {
  const violationLines: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const rules = colorScheme === 'light' ? undefined : colorRules
    violationLines.push(
      ...(await violations(page, rootSelector, rules)).map((violation) => `${colorScheme}: ${violation}`),
    )
  }
  return violationLines
}
