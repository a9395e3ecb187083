import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { callMain, expect, test } from '../../support/desk'
import { labels } from '../../support/labels'
import { claudeFile, installTools } from '../../support/tools'

/** The main paths of the four audiences, by keyboard only. */

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement).catch(() => false)

/** Whether the focus is visible as an outline or ring of the element or its frame. */
const isFocusVisible = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const focusedElement = document.activeElement
    if (!focusedElement || focusedElement === document.body) return false
    const hasFocusRing = (element: Element, pseudoElement?: string): boolean => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element, pseudoElement)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0
    }
    // A title or dialog that got the focus for a screen reader is not a control.
    if (
      focusedElement.getAttribute('tabindex') === '-1' &&
      !focusedElement.matches('tr, [role^="menuitem"], [role="option"]')
    )
      return true
    return (
      hasFocusRing(focusedElement) ||
      hasFocusRing(focusedElement, '::after') ||
      (focusedElement.parentElement !== null && hasFocusRing(focusedElement.parentElement))
    )
  })

/** Presses Tab until a control has the focus, which must be visible at each stop. */
async function focusWithTab(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 120; presses += 1) {
    if (await isFocused(target)) return
    await page.keyboard.press(key)
    const focusedHtml = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))
    expect(await isFocusVisible(page), `focus is seen at ${focusedHtml}`).toBe(true)
  }
  throw new Error(`Tab does not reach ${String(target)}.`)
}

async function pressKeyOn(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await focusWithTab(page, target)
  await page.keyboard.press(key)
}

/** Picks from an open menu or list with the arrow keys. */
async function focusWithArrowKeys(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 40; presses += 1) {
    if (await isFocused(target)) return page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
  }
  throw new Error(`The arrow keys do not reach ${String(target)}.`)
}

const getMainHeading = (page: Page, name: string): Locator => page.getByRole('heading', { name, level: 1 })

test('a developer configures, tests and undoes a tool', async ({ harness }) => {
  installTools(harness.machine)
  const page = await harness.start()
  await pressKeyOn(page, page.getByRole('link', { name: 'Configure Claude Code', exact: true }))
  await expect(page.getByText('Claude Code will call')).toBeVisible()
  await expect(getMainHeading(page, 'Claude Code')).toBeFocused()
  await pressKeyOn(page, page.getByRole('button', { name: 'Change settings' }))
  await pressKeyOn(page, page.getByRole('combobox', { name: 'Plan', exact: true }))
  await focusWithArrowKeys(page, page.getByRole('option', { name: /sandbox-pro/ }))
  await expect(page.getByRole('combobox', { name: 'Plan', exact: true })).toBeFocused()
  await expect(page.getByRole('combobox', { name: 'Plan', exact: true })).toContainText('sandbox-pro')
  await pressKeyOn(page, page.getByRole('button', { name: 'Apply', exact: true }))
  await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
  // The focused button is gone, so the next button has the focus.
  await expect(page.getByRole('button', { name: 'Test', exact: true }).last()).toBeFocused()
  await pressKeyOn(page, page.getByRole('button', { name: 'Test', exact: true }).first())
  await expect(page.getByText('Test passed')).toBeVisible()
  const moreButton = page.getByRole('button', { name: 'More actions for Claude Code' })
  await focusWithTab(page, moreButton, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(moreButton).toBeFocused()
  await page.keyboard.press('Enter')
  await focusWithArrowKeys(page, page.getByRole('menuitem', { name: 'Undo…' }))
  await pressKeyOn(page, page.getByRole('button', { name: 'Undo configuration' }))
  await expect(page.getByText('Not configured').first()).toBeVisible()
  await expect(getMainHeading(page, 'Claude Code')).toBeFocused()
  expect(existsSync(claudeFile(harness.machine))).toBe(false)
})

test('a lead rotates a key, and issues one to a person', async ({ harness }) => {
  test.setTimeout(120_000)
  installTools(harness.machine)
  const page = await harness.start()
  await page.keyboard.press('Control+1')
  await pressKeyOn(page, page.getByRole('main').getByRole('link', { name: 'Rotate key' }))
  await pressKeyOn(page, page.getByRole('link', { name: 'Rotate key default-key of sandbox-pro', exact: true }))
  await expect(getMainHeading(page, 'Rotate default-key')).toBeFocused()
  const name = page.getByLabel('New key name')
  await focusWithTab(page, name)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('lead-key')
  await focusWithTab(page, page.getByRole('radiogroup', { name: 'Grace period' }).getByRole('radio', { checked: true }))
  await page.keyboard.press('ArrowRight')
  await pressKeyOn(page, page.getByRole('button', { name: 'Start rotation' }))
  await expect(page.getByText('Waiting').first()).toBeVisible()

  const path = join(harness.machine.home, 'for-lan.age')
  await harness.app().evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, path)
  await page.keyboard.press('Control+1')
  await pressKeyOn(page, page.getByRole('main').getByRole('link', { name: 'Issue a key' }))
  await expect(getMainHeading(page, 'Issue a key')).toBeFocused()
  await pressKeyOn(page, page.getByRole('combobox', { name: 'Plan', exact: true }))
  await focusWithArrowKeys(page, page.getByRole('option', { name: /sandbox-pro/ }))
  await focusWithTab(page, page.getByLabel(labels.name, { exact: true }))
  await page.keyboard.type('Lan Pham')
  await pressKeyOn(page, page.getByRole('button', { name: 'Create key file' }))
  await expect(page.getByText('Key file for Lan Pham created')).toBeVisible()
})

test('an engineer runs a comparison and inspects a column', async ({ harness }) => {
  const page = await harness.start()
  await page.keyboard.press('Control+6')
  await expect(getMainHeading(page, 'Playground')).toBeVisible()
  await pressKeyOn(page, page.getByRole('main').getByRole('link', { name: 'Compare', exact: true }))
  await pressKeyOn(page, page.getByRole('button', { name: 'Several models, one prompt' }))
  const prompt = page.getByRole('textbox', { name: 'Prompt', exact: true })
  await focusWithTab(page, prompt)
  await page.keyboard.type('Count to 3')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('table').getByText('Done', { exact: true })).toHaveCount(3)
  const column = page.getByRole('columnheader', { name: 'aurora-large' }).getByRole('button').first()
  await pressKeyOn(page, column)
  await expect(page.getByRole('dialog', { name: 'aurora-large' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(column).toBeFocused()
  await pressKeyOn(page, page.getByRole('button', { name: /^Compare aurora-large/ }).first())
  await pressKeyOn(page, page.getByRole('button', { name: /^Compare aurora-small/ }).first())
  await expect(page.getByRole('dialog', { name: 'Compare responses' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await isFocusVisible(page)).toBe(true)
})

test('a quota watcher finds the day a plan runs out, and is alerted', async ({ harness }) => {
  const page = await harness.start()
  // Forecasts depend on the hour of the day. With this usage, the quota runs out at any hour.
  await harness.control('/models', { planId: 'plan-sandbox-pro', modelCode: 'vega-coder', tokensUsed: 27_000_000 })
  await callMain(page, 'quota.refresh')
  await page.keyboard.press('Control+5')
  await expect(getMainHeading(page, 'Usage')).toBeVisible()
  await focusWithTab(page, page.getByRole('tab', { name: 'Overview' }))
  await page.keyboard.press('ArrowRight')
  const models = page.getByRole('listitem').filter({ hasNot: page.getByRole('listitem') })
  const model = models.filter({ hasText: /Likely runs out / }).first()
  await expect(model).toBeVisible()
  const name = await model.getByRole('heading', { level: 3 }).innerText()
  await pressKeyOn(page, model.getByRole('link', { name: 'Burn-down' }))
  await expect(getMainHeading(page, name)).toBeFocused()
  await expect(page.getByText(/Likely runs out /).first()).toBeVisible()
  const table = page.getByRole('button', { name: /^Show .* as table$/ }).first()
  await pressKeyOn(page, table)
  await expect(page.getByRole('table').first()).toBeVisible()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Help' })
  await expect(help).toContainText('the day it may run out')
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Show .* as chart$/ }).first()).toBeFocused()
  await page.keyboard.press('Control+,')
  const alerts = page.getByRole('switch', { name: 'Notify me about quota and failing requests' })
  await expect(alerts).toBeChecked()
  await pressKeyOn(page, alerts, 'Space')
  await expect(alerts).not.toBeChecked()
})
