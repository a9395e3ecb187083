import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'

/** Everything that crossed the bridge in both directions since the start, as text. */
export interface BridgeRecorder {
  text(): Promise<string>
}

/** Records every call, answer and event between the window and main. */
export async function watchBridge(app: ElectronApplication): Promise<BridgeRecorder> {
  await app.evaluate(({ ipcMain, BrowserWindow }) => {
    const leakLocations: string[] = []
    Object.assign(globalThis, { seenOnBridge: leakLocations })
    // Wraps the handlers in Electron's private map, so that the test sees every call.
    const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => Promise<unknown>> })
      ._invokeHandlers
    for (const [channel, handler] of handlers) {
      handlers.set(channel, async (event, ...args) => {
        const answer = await handler(event, ...args)
        // `value` is already serialized as JSON.
        const { value, ...rest } = answer as { value?: string }
        leakLocations.push(JSON.stringify([args, rest]), value ?? '')
        return answer
      })
    }
    for (const { webContents } of BrowserWindow.getAllWindows()) {
      const send = webContents.send.bind(webContents)
      webContents.send = (channel: string, ...args: unknown[]) => {
        leakLocations.push(JSON.stringify(args))
        send(channel, ...args)
      }
    }
  })
  return {
    text: () => app.evaluate(() => (globalThis as unknown as { seenOnBridge: string[] }).seenOnBridge.join('\n')),
  }
}

/** Returns markup, field values and storage of the page. */
export function pageText(page: Page): Promise<string> {
  return page.evaluate(() => {
    const fields = [...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value)
    return [document.documentElement.outerHTML, ...fields, JSON.stringify({ ...localStorage, ...sessionStorage })].join(
      '\n',
    )
  })
}

/** Paths of the files under a folder that contain a text. Does not follow links. Skips files that are deleted before they are read. */
export function listFilesContaining(folder: string, text: string): string[] {
  return ignoreMissingFiles(() => readdirSync(folder, { withFileTypes: true })).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return listFilesContaining(path, text)
    return entry.isFile() && ignoreMissingFiles(() => [readFileSync(path)]).some((content) => content.includes(text))
      ? [path]
      : []
  })
}

/** The app replaces its files by renaming temporary ones, which may be gone between listing and reading. */
function ignoreMissingFiles<T>(read: () => T[]): T[] {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** A file's permission bits. */
export const fileMode = (path: string): number => statSync(path).mode & 0o777
