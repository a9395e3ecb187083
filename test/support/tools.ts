import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { z } from 'zod'
import { expect, type Machine } from './app'
import { labels } from './labels'

/** Output of `--version` of the real tools, by program name. */
const versions = {
  claude: '2.1.330 (Claude Code)',
  opencode: '1.18.33',
  qwen: '0.24.4',
  pi: '0.87.1',
  droid: '0.225.2',
  crush: 'crush version v0.37.0',
  cline: '3.0.65',
  codex: 'codex-cli 0.169.0',
  aider: 'aider 0.86.1',
} as const

export type Program = keyof typeof versions

/** Installs programs that answer `--version` like the real tools. */
export function installTools({ bin }: Machine, programs: readonly Program[] = ['claude', 'opencode']): void {
  for (const name of programs) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${versions[name]}"\n`)
    chmodSync(join(bin, name), 0o755)
  }
}

/** Writes a user's file before the app starts, or like another program. */
export function writeUserFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const Ports = z.object({ sandbox: z.object({ gatewayPort: z.number() }) })

/** Gateway address of the built-in sandbox. */
export function readGatewayUrl({ dataDir }: Machine): string {
  const { sandbox } = Ports.parse(JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')))
  return `http://127.0.0.1:${sandbox.gatewayPort}`
}

/** Path of Claude Code's settings in the home, or of the local settings of a project. */
export const claudeFile = ({ home }: Pick<Machine, 'home'>): string => join(home, '.claude', 'settings.json')

export async function openToolsPage(page: Page): Promise<void> {
  await page.keyboard.press('Control+2')
  await expect(page.getByRole('heading', { name: labels.tools, level: 1, exact: true })).toBeVisible()
}

export async function openTool(page: Page, tool: string): Promise<void> {
  await openToolsPage(page)
  await page.getByRole('main').getByRole('link', { name: tool, exact: true }).click()
  await expect(page.getByRole('heading', { name: tool, level: 1 })).toBeVisible()
}

/** Sets the result of the system's folder dialog. */
export const chooseFolder = (app: ElectronApplication, folder: string): Promise<void> =>
  app.evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [path] })
  }, folder)

/** Writes a file as another program would, just before main handles the given call of the window. */
export const writeFileBeforeCall = (
  app: ElectronApplication,
  call: string,
  file: { readonly path: string; readonly text: string },
): Promise<void> =>
  app.evaluate(
    ({ ipcMain }, [name, path, text]) => {
      // Wraps the handlers in Electron's private map, so that the test sees every call.
      const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => unknown> })
        ._invokeHandlers
      let isFileWritten = false
      for (const [channel, handler] of handlers) {
        handlers.set(channel, (event, ...args) => {
          if (!isFileWritten && args[0] === name) {
            isFileWritten = true
            process.getBuiltinModule('node:fs').writeFileSync(path, text)
          }
          return handler(event, ...args)
        })
      }
    },
    [call, file.path, file.text] as const,
  )
