import { type EventName, type EventPayload, events, type Handlers } from '@shared/contract'
import { type IpcMainInvokeEvent, ipcMain, type WebContents } from 'electron'
import { answerCall } from './bridge'
import type { Log } from './ports'

const callChannel = 'companion:call'
const eventChannel = 'companion:event'

export interface IpcOptions {
  readonly handlers: Handlers
  readonly log: Log
  /** The page the app shows; calls from any other are refused. */
  readonly pageUrl: string
  readonly window: () => WebContents | undefined
}

/** Serves the contract to the app's own page, on one channel. */
export function serveContract({ handlers, log, pageUrl, window }: IpcOptions): void {
  ipcMain.handle(callChannel, async (event, name: unknown, input: unknown) => {
    if (!isOwnPage(event, window(), pageUrl)) {
      log.info('bridge.denied', { from: event.senderFrame?.origin })
      return { ok: false, error: { code: 'bridge.denied', message: 'This page may not call the app.' } }
    }
    return answerCall({ handlers, log }, name, input)
  })
}

function isOwnPage(event: IpcMainInvokeEvent, own: WebContents | undefined, pageUrl: string): boolean {
  const frame = event.senderFrame
  if (!frame || !own || event.sender !== own || frame !== own.mainFrame) return false
  return new URL(frame.url).origin === new URL(pageUrl).origin
}

/** Tells the window something unasked; the payload is parsed strictly first. */
export function tellWindow<N extends EventName>(
  window: WebContents | undefined,
  name: N,
  payload: EventPayload<N>,
): void {
  if (!window || window.isDestroyed()) return
  window.send(eventChannel, name, events[name].parse(payload))
}
