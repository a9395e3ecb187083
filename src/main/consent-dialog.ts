import { type BrowserWindow, dialog } from 'electron'
import { askInTurn, type Confirm } from './consent/consent'
import { questionText } from './consent/question-text'

interface DialogPorts {
  readonly locale: () => 'en' | 'vi'
  readonly window: () => BrowserWindow | undefined
}

/** Asks in a dialog of the system, outside of the window's page; whoever only presses Enter or Escape says no. */
export function consentDialog({ locale, window }: DialogPorts): Confirm {
  const ask: Confirm = async (question) => {
    const { message, detail, agree, cancel } = questionText(question, locale())
    const options = {
      type: 'warning' as const,
      ...{ message, detail },
      buttons: [agree, cancel],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    }
    const parent = window()
    const isThere = parent !== undefined && !parent.isDestroyed() && parent.isVisible()
    const { response } = await (isThere ? dialog.showMessageBox(parent, options) : dialog.showMessageBox(options))
    return response === 0
  }
  return askInTurn(ask, () => new Date())
}
