import type { Bridge } from '@shared/contract'
import type { Failure, Result } from '@shared/failure'
import { type IpcMainInvokeEvent, ipcMain, type WebContents } from 'electron'
import { isOwnPage } from './window'

const callChannel = 'companion:call'

interface CallService {
  /** The page the app shows; calls from any other are refused. */
  readonly pageUrl: string
  readonly window: () => WebContents | undefined
  /** Answers a call from the page with a `Result`; never rejects. */
  readonly answer: (name: unknown, input: unknown) => Promise<Result<unknown, Failure>>
}

/** Serves the app's own page, and no other, on one channel. */
export function serveCalls({ pageUrl, window, answer }: CallService): void {
  ipcMain.handle(callChannel, async (event, name: unknown, input: unknown): ReturnType<Bridge['call']> => {
    if (!isFromPage(event, window(), pageUrl)) {
      return { ok: false, error: { code: 'bridge.denied', message: 'This page may not call the app.' } }
    }
    const answered = await answer(name, input)
    return answered.ok ? { ok: true, value: JSON.stringify(answered.value) } : answered
  })
}

function isFromPage(event: IpcMainInvokeEvent, own: WebContents | undefined, pageUrl: string): boolean {
  const frame = event.senderFrame
  if (!frame || !own || event.sender !== own || frame !== own.mainFrame) return false
  return isOwnPage(frame.url, pageUrl)
}
