import { expect, test } from '../support/app'
import { violations } from '../support/axe'
import { installTools } from '../support/tools'

for (const theme of ['light', 'dark'] as const) {
  test(`every page can be used by everybody, ${theme}`, async ({ start, machine }) => {
    test.setTimeout(120_000)
    installTools(machine)
    const { page } = await start()
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const found: Record<string, string[]> = { welcome: await violations(page) }
    await page.getByRole('button', { name: /Explore with the sandbox/ }).click()
    await expect(page.getByRole('heading', { name: 'Tools', level: 1, exact: true })).toBeVisible()
    const pages = {
      home: ['Control+1', 'Home'],
      tools: ['Control+2', 'Tools'],
      plans: ['Control+3', 'Plans'],
      sandbox: ['Control+4', 'Sandbox'],
      connections: ['Control+5', 'Connections'],
      settings: ['Control+,', 'Settings'],
    } as const
    for (const [name, [keys, heading]] of Object.entries(pages)) {
      await page.keyboard.press(keys)
      await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
      found[name] = await violations(page)
    }
    await page.keyboard.press('Control+2')
    await page.getByRole('link', { name: 'Configure Claude Code' }).click()
    await expect(page.getByText('Claude Code will call')).toBeVisible()
    found.configure = await violations(page)
    expect(Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0))).toEqual({})
  })
}

test('a tool is configured with the keyboard alone', async ({ start, machine }) => {
  installTools(machine)
  const { page } = await start()
  await page.keyboard.press('Tab')
  for (let presses = 0; presses < 10; presses += 1) {
    if (
      await page
        .getByRole('button', { name: /Explore with the sandbox/ })
        .evaluate((node) => node === document.activeElement)
    )
      break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Tools', level: 1, exact: true })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('configure claude')
  await expect(page.getByRole('option', { name: /Claude Code/ }).first()).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Claude Code will call')).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Claude Code is set up with sandbox-pro').first()).toBeVisible()
})
