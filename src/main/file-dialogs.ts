import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron'
import type { FileDialogs } from './features/connection-files'
import type { HandoutDialogs } from './features/handout-files'
import type { ProfileDialogs } from './features/profile-files'
import type { UsageDialogs } from './features/usage-files'
import type { ProjectDialogs } from './handlers'

const jsonFiles = [{ name: 'JSON', extensions: ['json'] }]
const certificateFiles = [
  { name: 'PEM, CRT, CER, DER', extensions: ['pem', 'crt', 'cer', 'der'] },
  { name: '*', extensions: ['*'] },
]

const kitFiles = [
  { name: 'age', extensions: ['age'] },
  { name: '*', extensions: ['*'] },
]
const tableFiles = [{ name: 'CSV', extensions: ['csv'] }]
const pictureFiles = [{ name: 'PNG', extensions: ['png'] }]

/** The system's dialogs for files, over the given window while there is one. */
export function systemFileDialogs(
  window: () => BrowserWindow | undefined,
): FileDialogs & ProfileDialogs & ProjectDialogs & HandoutDialogs & UsageDialogs {
  const choose = async (options: OpenDialogOptions): Promise<string | undefined> => {
    const over = window()
    const { filePaths } = await (over ? dialog.showOpenDialog(over, options) : dialog.showOpenDialog(options))
    return filePaths[0]
  }
  type Filters = NonNullable<OpenDialogOptions['filters']>
  const save = async (defaultPath: string, filters: Filters = jsonFiles): Promise<string | undefined> => {
    const options = { defaultPath, filters }
    const over = window()
    const { filePath } = await (over ? dialog.showSaveDialog(over, options) : dialog.showSaveDialog(options))
    return filePath || undefined
  }
  const open = (filters: Filters) => choose({ filters, properties: ['openFile'] })
  return {
    openConnection: () => open(jsonFiles),
    openCertificates: () => open(certificateFiles),
    saveConnection: (name) => save(name),
    openProfile: () => open(jsonFiles),
    saveProfile: (name) => save(name),
    saveKit: (name) => save(name, kitFiles),
    openKit: () => open(kitFiles),
    saveRegister: (name) => save(name, tableFiles),
    saveUsage: (name, format) => save(name, format === 'csv' ? tableFiles : jsonFiles),
    savePicture: (name) => save(name, pictureFiles),
    chooseFolder: () => choose({ properties: ['openDirectory', 'createDirectory'] }),
  }
}
