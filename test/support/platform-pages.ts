import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { expect } from './desk'

const navigateTo = (page: Page, path: string): Promise<void> =>
  page.evaluate((hash) => {
    location.hash = hash
  }, path)

/** Opens the form that adds an item to a list, by its URL. */
export async function openForm(page: Page, list: string): Promise<Locator> {
  await navigateTo(page, `${list}?new=1`)
  const form = page.getByRole('dialog')
  await expect(form).toBeVisible()
  return form
}

/** Opens a page of the window by its URL, like a link from another program. */
export async function openScreen(page: Page, path: string, heading: string): Promise<void> {
  await navigateTo(page, path)
  await expect(page.getByRole('heading', { name: heading, level: 1, exact: true })).toBeVisible()
}

export async function runCommand(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type(text)
  await expect(page.getByRole('option', { name: text, exact: true }).first()).toBeVisible()
  await page.keyboard.press('Enter')
}

export const getTableRows = (page: Page, table: string): Locator =>
  page
    .getByRole('table', { name: table })
    .getByRole('row')
    .filter({ hasNot: page.getByRole('columnheader') })

export const getRow = (page: Page, table: string, name: string): Locator =>
  getTableRows(page, table).filter({ hasText: name })

/** Clicks an item in the menu of a resource, in its row or on its page. */
export async function pickOption(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).press('Enter')
  await page.getByRole('menuitem', { name: item, exact: true }).press('Enter')
}

/** Sets the clipboard, like a copy in another app. */
export const writeClipboard = (app: ElectronApplication, text: string): Promise<void> =>
  app.evaluate(({ clipboard }, value) => clipboard.writeText(value), text)

export const readClipboardText = (app: ElectronApplication): Promise<string> =>
  app.evaluate(({ clipboard }) => clipboard.readText())

/** Confirms a dialog by typing the name of the affected resource, and waits until it closes. */
export async function confirmWithName(page: Page, name: string, button: string): Promise<void> {
  const confirmDialog = page.getByRole('alertdialog')
  await expect(confirmDialog.getByRole('button', { name: button })).toBeDisabled()
  await confirmDialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await confirmDialog.getByRole('button', { name: button }).click()
  await expect(confirmDialog).toHaveCount(0)
}

/** A field on an object's page, by its name on the platform. */
export const getField = (page: Page, name: string): Locator =>
  page.getByRole('listitem').filter({ has: page.locator(`[title="/${name}"]`) })

/** The validation message of a field. It replaces the hint. */
export const getAlert = (form: Locator, text: string): Locator =>
  form.getByRole('alert').filter({ hasText: text }).first()
