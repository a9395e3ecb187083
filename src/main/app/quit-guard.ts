import { app, type BrowserWindow, powerMonitor } from 'electron'
import { scheduleForcedExit } from './force-exit'
import { type QuitAnswer, quitAnswers } from './quit-words'
import { showMessageBox } from './window'

interface QuitPorts {
  /** Names of the tools that fail without the app. Empty until known. */
  readonly dependents: () => readonly string[]
  /** Whether the app stays in the tray without a window. */
  readonly staysInBackground: () => boolean
  readonly locale: () => 'en' | 'vi'
  readonly window: () => BrowserWindow | undefined
  /** Shows the window, optionally at the page with this path. */
  readonly open: (path?: string) => void
}

/** Maximum shutdown time in ms before the process is killed. */
export const maxEndMs = 4000

/** Window path that offers to switch tools back to their gateways. */
const reroutePromptPath = '/relay?pointBack=1'

/** Asks before quitting while tools depend on the app. Keeps the app in the tray if enabled. */
export function confirmBeforeQuit(ports: QuitPorts): void {
  let canQuit = false
  let isQuitDialogOpen = false
  let movesToBackground = false
  const quitApp = (): void => {
    canQuit = true
    app.quit()
  }
  const confirmQuit = async (): Promise<void> => {
    const answer = await showQuitDialog(ports)
    if (answer === 'quit') return quitApp()
    if (answer === 'pointBack') return ports.open(reroutePromptPath)
    movesToBackground = answer === 'background'
    if (movesToBackground) ports.window()?.close()
    else ports.open()
  }
  app.on('browser-window-created', () => {
    movesToBackground = false
  })
  app.on('window-all-closed', () => {
    if (!movesToBackground && !ports.staysInBackground()) app.quit()
  })
  app.on('before-quit', (event) => {
    if (canQuit || ports.dependents().length === 0) return
    event.preventDefault()
    if (isQuitDialogOpen) return
    isQuitDialogOpen = true
    void confirmQuit().finally(() => {
      isQuitDialogOpen = false
    })
  })
  // Quit without asking when the session ends or a signal arrives. Add these handlers after Electron is ready, because
  // it installs its own handlers before.
  void app.whenReady().then(() => {
    process.on('SIGTERM', () => {
      // At the end of a session all processes get the signal. Chromium sometimes waits forever for a child process that
      // has already ended.
      scheduleForcedExit(maxEndMs)
      quitApp()
    })
    powerMonitor.on('shutdown', () => {
      canQuit = true
    })
  })
}

async function showQuitDialog({ dependents, locale, window }: QuitPorts): Promise<QuitAnswer> {
  const { translator } = await import('../core/i18n')
  const t = translator(locale())
  const response = await showMessageBox(window(), {
    type: 'question',
    message: t('quit.message'),
    detail: t('quit.detail', { tools: dependents().join(', ') }),
    buttons: quitAnswers.map((answer) => t(`quit.buttons.${answer}`)),
    defaultId: quitAnswers.indexOf('background'),
    cancelId: quitAnswers.indexOf('cancel'),
    noLink: true,
  })
  return quitAnswers[response] ?? 'cancel'
}
