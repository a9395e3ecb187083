import { type BrowserWindow, dialog } from 'electron'
import type { Secret } from './secret'

type Locale = 'en' | 'vi'

const words: Readonly<Record<Locale, { readonly message: string; readonly detail: string; readonly close: string }>> = {
  en: {
    message: 'The passphrase of the kit',
    detail: 'Send it another way than the file. It is not kept anywhere.',
    close: 'Close',
  },
  vi: {
    message: 'Cụm mật khẩu của tệp',
    detail: 'Hãy gửi bằng cách khác với tệp. Ứng dụng không lưu cụm này ở đâu cả.',
    close: 'Đóng',
  },
}

/** Shows a passphrase in a dialog of the system, outside of the window's page. */
export async function showPassphrase(
  passphrase: Secret,
  locale: Locale,
  over: BrowserWindow | undefined,
): Promise<void> {
  const { message, detail, close } = words[locale]
  const options = { message, detail: `${passphrase.expose()}\n\n${detail}`, buttons: [close], noLink: true }
  await (over ? dialog.showMessageBox(over, options) : dialog.showMessageBox(options))
}
