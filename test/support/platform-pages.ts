import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { expect } from './desk'

const goTo = (page: Page, path: string): Promise<void> =>
  page.evaluate((hash) => {
    location.hash = hash
  }, path)

/** Opens the form for a new thing of a list, by its address. */
export async function openForm(page: Page, list: string): Promise<Locator> {
  await goTo(page, `${list}?new=1`)
  const form = page.getByRole('dialog')
  await expect(form).toBeVisible()
  return form
}

/** Opens a place of the window by its address, as a link from outside does. */
export async function openPlace(page: Page, path: string, heading: string): Promise<void> {
  await goTo(page, path)
  await expect(page.getByRole('heading', { name: heading, level: 1, exact: true })).toBeVisible()
}

/** Runs a command of the palette, which is found by `words`. */
export async function runCommand(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type(text)
  await expect(page.getByRole('option', { name: text, exact: true }).first()).toBeVisible()
  await page.keyboard.press('Enter')
}

/** The rows of a list without its header. */
export const rowsIn = (page: Page, table: string): Locator =>
  page
    .getByRole('table', { name: table })
    .getByRole('row')
    .filter({ hasNot: page.getByRole('columnheader') })

/** The row of a thing in a list. */
export const getRow = (page: Page, table: string, name: string): Locator =>
  rowsIn(page, table).filter({ hasText: name })

/** Picks from the menu of a thing, in its row or on its page. */
export async function pick(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).press('Enter')
  await page.getByRole('menuitem', { name: item, exact: true }).press('Enter')
}

/** Puts a text on the clipboard, as a person copies it elsewhere. */
export const copyElsewhere = (app: ElectronApplication, text: string): Promise<void> =>
  app.evaluate(({ clipboard }, value) => clipboard.writeText(value), text)

/** The clipboard's text. */
export const onClipboard = (app: ElectronApplication): Promise<string> =>
  app.evaluate(({ clipboard }) => clipboard.readText())

/** Confirms a question by typing the name of its subject, and waits for the end. */
export async function confirmNamed(page: Page, name: string, button: string): Promise<void> {
  const question = page.getByRole('alertdialog')
  await expect(question.getByRole('button', { name: button })).toBeDisabled()
  await question.getByLabel(`Type ${name} to confirm`).fill(name)
  await question.getByRole('button', { name: button }).click()
  await expect(question).toHaveCount(0)
}

/** A field of an answer on a thing's page, by the name the platform gives it. */
export const getField = (page: Page, name: string): Locator =>
  page.getByRole('listitem').filter({ has: page.locator(`[title="/${name}"]`) })

/** The validation message of a field. It replaces the hint. */
export const refusalIn = (form: Locator, text: string): Locator =>
  form.getByRole('alert').filter({ hasText: text }).first()
