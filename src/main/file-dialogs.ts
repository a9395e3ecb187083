import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron'
import type { FileDialogs } from './features/connection-files'
import type { ProfileDialogs } from './features/profile-files'
import type { ProjectDialogs } from './handlers'

const jsonFiles = [{ name: 'JSON', extensions: ['json'] }]
const certificateFiles = [
  { name: 'PEM, CRT, CER, DER', extensions: ['pem', 'crt', 'cer', 'der'] },
  { name: '*', extensions: ['*'] },
]

/** The system's dialogs for files, over the given window while there is one. */
export function systemFileDialogs(
  window: () => BrowserWindow | undefined,
): FileDialogs & ProfileDialogs & ProjectDialogs {
  const choose = async (options: OpenDialogOptions): Promise<string | undefined> => {
    const over = window()
    const { filePaths } = await (over ? dialog.showOpenDialog(over, options) : dialog.showOpenDialog(options))
    return filePaths[0]
  }
  const save = async (defaultPath: string): Promise<string | undefined> => {
    const options = { defaultPath, filters: jsonFiles }
    const over = window()
    const { filePath } = await (over ? dialog.showSaveDialog(over, options) : dialog.showSaveDialog(options))
    return filePath || undefined
  }
  const open = (filters: NonNullable<OpenDialogOptions['filters']>) => choose({ filters, properties: ['openFile'] })
  return {
    openConnection: () => open(jsonFiles),
    openCertificates: () => open(certificateFiles),
    saveConnection: save,
    openProfile: () => open(jsonFiles),
    saveProfile: save,
    chooseFolder: () => choose({ properties: ['openDirectory', 'createDirectory'] }),
  }
}
