import { app, Menu } from 'electron'

/** The system menu of macOS, which carries the editing shortcuts there; other systems need none. */
export function applicationMenu(): Menu | null {
  if (process.platform !== 'darwin') return null
  return Menu.buildFromTemplate([
    { label: app.name, role: 'appMenu' },
    { role: 'editMenu' },
    { role: 'viewMenu' },
    { role: 'windowMenu' },
  ])
}
