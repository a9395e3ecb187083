import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { app, Menu, session } from 'electron'
import { defaultDataDir } from './data-dir'
import { lockContents, lockSession } from './lockdown'
import { applicationMenu } from './menu'
import { builtPageUrl, registerPageScheme, servePage } from './page'
import { type Shell, startShell } from './shell'

const { values } = parseArgs({
  args: process.argv.slice(1),
  options: { 'data-dir': { type: 'string' } },
  strict: false,
})
const place = { platform: process.platform, home: homedir(), vars: process.env }
const dataDir = typeof values['data-dir'] === 'string' ? values['data-dir'] : defaultDataDir(place)
const pageUrl = (!app.isPackaged && process.env.ELECTRON_RENDERER_URL) || builtPageUrl

let shell: Shell | undefined

// Chromium's own files in a folder of their own, beside the app's few.
app.setPath('userData', join(dataDir, 'window'))
registerPageScheme()
lockContents(pageUrl)

if (app.requestSingleInstanceLock()) {
  app.on('second-instance', () => shell?.show())
  app.on('activate', () => shell?.show())
  app.on('window-all-closed', () => app.quit())
  app.on('will-quit', (event) => {
    if (!shell) return
    event.preventDefault()
    void shell.end().finally(() => app.exit())
  })
  void app.whenReady().then(open)
} else {
  app.quit()
}

function open(): void {
  lockSession(session.defaultSession, pageUrl)
  servePage(session.defaultSession, join(__dirname, '../renderer'))
  Menu.setApplicationMenu(applicationMenu())
  shell = startShell({ dataDir, pageUrl })
}
