import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron'
import type { FileDialogs } from './features/connection-files'

const jsonFiles = [{ name: 'JSON', extensions: ['json'] }]
const certificateFiles = [
  { name: 'PEM, CRT, CER, DER', extensions: ['pem', 'crt', 'cer', 'der'] },
  { name: '*', extensions: ['*'] },
]

/** The system's dialogs for files, over the given window while there is one. */
export function systemFileDialogs(window: () => BrowserWindow | undefined): FileDialogs {
  const open = async (filters: NonNullable<OpenDialogOptions['filters']>): Promise<string | undefined> => {
    const options: OpenDialogOptions = { filters, properties: ['openFile'] }
    const over = window()
    const { filePaths } = await (over ? dialog.showOpenDialog(over, options) : dialog.showOpenDialog(options))
    return filePaths[0]
  }
  return {
    openConnection: () => open(jsonFiles),
    openCertificates: () => open(certificateFiles),
    async saveConnection(defaultPath) {
      const options = { defaultPath, filters: jsonFiles }
      const over = window()
      const { filePath } = await (over ? dialog.showSaveDialog(over, options) : dialog.showSaveDialog(options))
      return filePath || undefined
    },
  }
}
