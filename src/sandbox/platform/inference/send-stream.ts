import { sendFramesUntilCut } from '../../gateway/send-frames'
import type { Frame } from '../../gateway/standard'
import { loadTokenizer } from '../../text-model/tokenizer'
import type { Call } from '../operation'

/** Streams an answer at the sandbox's pace; it is on record, with what was sent of it, before its last frame leaves. */
export async function sendStream(call: Call, frames: readonly Frame[], outputTokens: number): Promise<void> {
  const { outlet, exchange, timing } = call
  outlet.begin('text/event-stream; charset=utf-8')
  const sent = await sendFramesUntilCut({ outlet, exchange, paceMs: timing().paceMs }, frames)
  call.note({ outputTokens: sent === undefined ? outputTokens : (await loadTokenizer()).count(sent) })
  if (sent === undefined) outlet.end(frames.at(-1)?.wire ?? '')
}
