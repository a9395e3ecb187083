import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { expect } from './app'
import { labels } from './labels'

/** Target of a chat: plan or server, API standard, model, and the address of a local server. */
export interface TargetChoice {
  readonly place?: string
  readonly standard?: 'Chat completions' | 'Messages'
  readonly model?: string
  readonly address?: string
  readonly signIn?: 'Connection’s IAM token' | 'Platform API key'
}

export async function openPlayground(
  page: Page,
  tabName: 'Chat' | 'Compare' | 'Prompts' | 'Completion' | 'Embeddings' = 'Chat',
): Promise<void> {
  await page.keyboard.press('Control+6')
  const parts = page.getByRole('navigation', { name: 'Playground views' })
  await parts.getByRole('link', { name: tabName, exact: true }).click()
  await expect(parts.getByRole('link', { name: tabName, exact: true })).toHaveAttribute('aria-current', 'page')
}

async function pickOption(form: Locator, label: string, option: string): Promise<void> {
  await form.getByRole('combobox', { name: label }).click()
  await form.page().getByRole('option', { name: option, exact: true }).click()
}

/** Selects the target of a chat in the menu of the given button. */
export async function chooseTarget(button: Locator, chosen: TargetChoice): Promise<void> {
  const { place, standard, model, address, signIn } = chosen
  const page = button.page()
  await button.click()
  const form = page.getByRole('dialog').filter({ has: page.getByRole('combobox', { name: 'Provider' }) })
  if (place !== undefined) await pickOption(form, 'Provider', place)
  if (address !== undefined) await form.getByRole('textbox', { name: 'Address' }).fill(address)
  if (standard !== undefined) await pickOption(form, 'API format', standard)
  if (signIn !== undefined) await pickOption(form, 'Authentication', signIn)
  if (model !== undefined) await form.getByRole('textbox', { name: 'Model' }).fill(model)
  await page.keyboard.press('Escape')
  await expect(form).toHaveCount(0)
}

/** The button that shows and changes the target of a chat's next message. */
export const chatTarget = (page: Page): Locator => page.getByRole('button', { name: /^Model:/ }).first()

/** Skips the first screen and opens a chat with the model of a local chat-completions server. */
export async function openLocalChat(page: Page, serverUrl: string): Promise<void> {
  await page.getByRole('button', { name: 'Skip for now' }).click()
  await expect(page.getByRole('heading', { name: labels.home, level: 1 })).toBeVisible()
  await openPlayground(page)
  await chooseTarget(chatTarget(page), {
    place: 'Local address',
    address: `${serverUrl}/v1`,
    model: 'gw-large',
    standard: 'Chat completions',
  })
}

/** The composer's text field. */
export const composer = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true })

export async function startNewChat(page: Page): Promise<void> {
  await page.keyboard.press('Control+n')
  await expect(page.getByRole('log')).toHaveCount(0)
}

/** Visible answers, oldest first. */
export const answers = (page: Page): Locator => page.getByRole('article', { name: /^Response of / })

/** Sends a message in the open chat. */
export async function sendMessage(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  await composer(page).press('Enter')
  await expect(page.getByRole('article', { name: 'You', exact: true }).last()).toContainText(text)
}

export async function waitForFullAnswer(page: Page): Promise<Locator> {
  const answer = answers(page).last()
  await expect(answer.getByText(/^Done · 200$/)).toBeVisible()
  return answer
}

export const conversationRow = (page: Page, title: string | RegExp): Locator =>
  page.getByRole('list', { name: 'Chats' }).getByRole('listitem').filter({ hasText: title })

/** Sets the results of the system's file dialogs. */
export const chooseFiles = (app: ElectronApplication, path: string): Promise<void> =>
  app.evaluate(({ dialog }, filePath) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [filePath] })
    dialog.showSaveDialog = async () => ({ canceled: false, filePath })
  }, path)
