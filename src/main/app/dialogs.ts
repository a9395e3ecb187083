import { dirname, join } from 'node:path'
import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron'
import type { WindowDialogs } from './handlers'

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
const textFiles = [
  { name: 'TXT, LOG', extensions: ['txt', 'log'] },
  { name: '*', extensions: ['*'] },
]
const pictureFiles = { png: [{ name: 'PNG', extensions: ['png'] }], svg: [{ name: 'SVG', extensions: ['svg'] }] }

const playgroundFiles = { markdown: [{ name: 'Markdown', extensions: ['md'] }], json: jsonFiles, csv: tableFiles }

/** The system's dialogs for files, over the given window while there is one. */
export function systemFileDialogs(window: () => BrowserWindow | undefined): WindowDialogs {
  // Electron 43 and later begin each dialog in Downloads; the systems' own dialogs began where the last one ended.
  let lastFolder: string | undefined
  const remember = (path: string | undefined): void => {
    if (path) lastFolder = dirname(path)
  }
  const chooseMany = async (options: OpenDialogOptions): Promise<readonly string[]> => {
    const over = window()
    const given = lastFolder === undefined ? options : { ...options, defaultPath: lastFolder }
    const { filePaths } = await (over ? dialog.showOpenDialog(over, given) : dialog.showOpenDialog(given))
    remember(filePaths[0])
    return filePaths
  }
  const choose = async (options: OpenDialogOptions): Promise<string | undefined> => (await chooseMany(options))[0]
  type Filters = NonNullable<OpenDialogOptions['filters']>
  const save = async (name: string, filters: Filters = jsonFiles): Promise<string | undefined> => {
    const options = { defaultPath: join(lastFolder ?? '', fileName(name)), filters }
    const over = window()
    const { filePath } = await (over ? dialog.showSaveDialog(over, options) : dialog.showSaveDialog(options))
    remember(filePath)
    return filePath || undefined
  }
  const open = (filters: Filters) => choose({ filters, properties: ['openFile'] })
  return {
    openConnection: () => open(jsonFiles),
    openCertificates: () => open(certificateFiles),
    saveConnection: (name) => save(name),
    openInvitation: () => open(jsonFiles),
    saveInvitation: (name) => save(name),
    openProfile: () => open(jsonFiles),
    saveProfile: (name) => save(name),
    saveKit: (name) => save(name, kitFiles),
    openKit: () => open(kitFiles),
    saveRegister: (name) => save(name, tableFiles),
    saveUsage: (name, format) => save(name, format === 'csv' ? tableFiles : jsonFiles),
    saveRows: (name, format) => save(name, format === 'csv' ? tableFiles : jsonFiles),
    saveText: (name) => save(name, textFiles),
    savePlayground: (name, format) => save(name, playgroundFiles[format]),
    openPlayground: () => chooseMany({ filters: jsonFiles, properties: ['openFile', 'multiSelections'] }),
    savePicture: (name, format) => save(name, pictureFiles[format]),
    chooseFolder: () => choose({ properties: ['openDirectory', 'createDirectory'] }),
  }
}

/** A suggested name without a folder: some come from the page, and a dialog would begin wherever a path leads. */
const fileName = (name: string): string => name.replace(/[\\/:\p{Cc}\p{Cf}]+/gu, '-').replace(/^\.+/, '')
