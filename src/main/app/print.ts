import { BrowserWindow } from 'electron'
import type { Secret } from '../core/secret'

export type PrintOutcome = 'printed' | 'cancelled' | 'failed'

/** Failure reason of a cancelled print job. Electron exports no constant for this text. */
const cancelReason = 'Print job canceled'

/**
 * Prints a text with the system's dialog. The page that is printed runs no script, is never shown, and its session is in memory
 * only.
 */
export async function printText(title: string, text: Secret): Promise<PrintOutcome> {
  const webPreferences = { partition: 'print', javascript: false, sandbox: true, spellcheck: false }
  const window = new BrowserWindow({ show: false, webPreferences })
  try {
    await window.loadURL(`data:text/html;charset=utf-8,${encodeURIComponent(toPage(title, text))}`)
    return await new Promise((resolve) =>
      window.webContents.print({}, (isPrinted, reason) =>
        resolve(isPrinted ? 'printed' : reason === cancelReason ? 'cancelled' : 'failed'),
      ),
    )
  } finally {
    window.destroy()
  }
}

const toPage = (title: string, text: Secret): string =>
  `<title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1><pre style="white-space: pre-wrap">${escapeHtml(text.expose())}</pre>`

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
