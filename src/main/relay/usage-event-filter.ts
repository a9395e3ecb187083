import { isObject, parseExternalJson } from '../gateway/server-message'

const blankLine = /\r\n\r\n|\n\n|\r\r/g
const commentLines = /^(?::[^\r\n]*(?:\r\n|\n|\r(?!$)))+/
/** Maximum bytes to buffer of an incomplete event. A longer event is forwarded before its end. */
const maxEventBytes = 256 * 1024

/** Whether an event contains only usage. */
function isUsageEvent(event: string): boolean {
  if (!event.includes('usage')) return false
  const data = event.split(/[\r\n]+/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
  const value = parseExternalJson(data.join('\n'))
  return isObject(value) && isObject(value.usage) && [value.choices ?? []].flat().length === 0
}

/**
 * Removes the usage event from a chat-completions stream for a tool that did not request it. Buffers incomplete
 * events, which tools cannot parse anyway. Decodes as latin1, so that no byte is lost.
 */
export class UsageEventFilter {
  #pending = ''
  #isGivenUp = false

  /** Adds a chunk and returns the bytes that can be forwarded now. */
  push(chunk: Buffer): Buffer {
    if (this.#isGivenUp) return chunk
    const text = this.#pending + chunk.toString('latin1')
    const blockEnds = [...text.matchAll(blankLine)].map(({ index, 0: mark }) => index + mark.length)
    const events = blockEnds.map((end, position) => text.slice(blockEnds[position - 1] ?? 0, end))
    const pendingText = text.slice(blockEnds.at(-1) ?? 0)
    // Forward comments immediately, because they keep the tool's connection alive.
    const comments = commentLines.exec(pendingText)?.[0] ?? ''
    this.#isGivenUp = pendingText.length > maxEventBytes
    const textToForward = this.#isGivenUp ? pendingText : comments
    this.#pending = pendingText.slice(textToForward.length)
    return Buffer.from(events.filter((event) => !isUsageEvent(event)).join('') + textToForward, 'latin1')
  }

  /** Returns the held-back bytes at the end of the stream. */
  end(): Buffer {
    return isUsageEvent(this.#pending) ? Buffer.alloc(0) : Buffer.from(this.#pending, 'latin1')
  }
}
