import { homedir } from 'node:os'
import { app } from 'electron'
import { autostartFolder, isAutostarted, setAutostart } from './autostart-file'

/** The argument with which the app starts without a window. */
const hiddenFlag = '--hidden'

/** Starting with the person's session, in the way of the system. */
export interface StartAtLogin {
  /** Undefined where the system offers no way, or for a run from sources: it would start a runtime without an app. */
  get(): boolean | undefined
  set(on: boolean): void
}

/** Starts the app without a window when the person signs in; `args` are given along. */
export function startAtLogin(args: readonly string[]): StartAtLogin {
  if (!app.isPackaged) return { get: () => undefined, set: () => undefined }
  if (process.platform !== 'linux') {
    const item = { args: [hiddenFlag, ...args] }
    return {
      get: () => app.getLoginItemSettings(item).openAtLogin,
      set: (openAtLogin) => app.setLoginItemSettings({ ...item, openAtLogin }),
    }
  }
  const folder = autostartFolder(homedir(), process.env.XDG_CONFIG_HOME)
  // An AppImage is unpacked somewhere else at every start.
  const command = [process.env.APPIMAGE ?? process.execPath, hiddenFlag, ...args]
  return { get: () => isAutostarted(folder), set: (on) => setAutostart({ folder, command }, on) }
}
