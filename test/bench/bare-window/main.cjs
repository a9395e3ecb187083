const { join } = require('node:path')
const { app, BrowserWindow, Menu } = require('electron')

// Minimal app that shows a page with the app's window size and sandbox, shown after the first paint.
app.setPath('userData', String(process.env.BENCH_DATA_DIR))
app.on('window-all-closed', () => app.quit())
void app.whenReady().then(() => {
  Menu.setApplicationMenu(null)
  const window = new BrowserWindow({
    width: 1280,
    height: 800,
    useContentSize: true,
    show: false,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, spellcheck: false },
  })
  window.once('ready-to-show', () => window.show())
  return window.loadFile(join(__dirname, 'index.html'))
})
