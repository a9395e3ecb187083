const blankLine = /\r\n\r\n|\n\n|\r\r/g
const noChoices = /"choices"\s*:\s*\[\s*\]/

/** More than this of one event is not waited for. */
const longestEventBytes = 256 * 1024

const isUsageEvent = (event: string): boolean => noChoices.test(event) && /"usage"\s*:\s*\{/.test(event)

/**
 * Takes the event with nothing but usage out of a chat-completions stream, for a tool that did not ask for it. Whole
 * events pass in the chunks they came in; the beginning of one waits for its end, since no tool can use it before.
 */
export class UsageEventRemoval {
  #begun: Buffer = Buffer.alloc(0)
  #isOver = false

  /** What of all that came so far may go on now; maybe nothing. */
  push(chunk: Buffer): Buffer {
    if (this.#isOver) return chunk
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk])
    const text = bytes.toString('latin1')
    const end = endOfLastEvent(text)
    this.#begun = bytes.subarray(end)
    if (this.#begun.length > longestEventBytes) return this.#giveUp(bytes)
    const whole = text.slice(0, end)
    if (!noChoices.test(whole)) return bytes.subarray(0, end)
    return Buffer.from(
      eventsOf(whole)
        .filter((event) => !isUsageEvent(event))
        .join(''),
      'latin1',
    )
  }

  /** What is left when the stream has ended. */
  rest(): Buffer {
    return isUsageEvent(this.#begun.toString('latin1')) ? Buffer.alloc(0) : this.#begun
  }

  #giveUp(bytes: Buffer): Buffer {
    this.#isOver = true
    this.#begun = Buffer.alloc(0)
    return bytes
  }
}

function endOfLastEvent(text: string): number {
  let end = 0
  for (const { index, 0: mark } of text.matchAll(blankLine)) end = index + mark.length
  return end
}

function eventsOf(text: string): readonly string[] {
  const ends = [...text.matchAll(blankLine)].map(({ index, 0: mark }) => index + mark.length)
  return ends.map((end, place) => text.slice(ends[place - 1] ?? 0, end))
}
