import { pause } from '../faults/misbehave'
import type { Exchange } from '../http/listener'
import type { Outlet } from '../http/outlet'
import type { Frame } from './standard'

const longestStreamMs = 3_000

/** The way out of a stream. */
export interface StreamWay {
  readonly outlet: Outlet
  readonly exchange: Exchange
  /** Time between the pieces; shorter for long answers, so that none takes more than about 3 s. */
  readonly paceMs: number
}

/** Sends all frames but the last; gives the text that was sent when the rest need not be, else `undefined`. */
export async function sendFramesUntilCut(
  { outlet, exchange, paceMs: usualMs }: StreamWay,
  frames: readonly Frame[],
): Promise<string | undefined> {
  const paceMs = Math.min(usualMs, longestStreamMs / frames.length)
  let sent = ''
  for (const { wire, text } of frames.slice(0, -1)) {
    if (!(await outlet.write(wire))) return sent
    sent += text
    if (text !== '') await pause(paceMs, exchange.signal)
  }
  return undefined
}
