/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** `message` when the stream names none. */
  readonly name: string
  /** Its lines of data, joined by line feeds. */
  readonly data: string
  /** The last id that the stream gave, in this event or before. */
  readonly id?: string | undefined
  /** Whether the blank line that ends an event came; without it a cut may have taken some of the data. */
  readonly isTerminated: boolean
}

const LINE_END = /\r\n|\n|\r/g

/**
 * Reads server-sent events (WHATWG HTML, "9.2.6 Interpreting an event stream") from bytes that are cut anywhere. Other than a
 * browser it also gives an event that the stream's end has left without its blank line.
 */
export class SseParser {
  readonly #decoder = new TextDecoder()
  /** The pieces of a line that has no end yet; joined once, so that a long line costs no more than its length. */
  #line: string[] = []
  #endedWithCr = false
  #name = ''
  #data: string[] = []
  #id: string | undefined

  /** The events that these bytes complete. */
  feed(bytes: Uint8Array): readonly ServerSentEvent[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }))
  }

  /** No more will come: the event that was under way, if there is one. */
  end(): readonly ServerSentEvent[] {
    const events = this.#read(this.#decoder.decode())
    if (this.#line.length > 0) this.#field(this.#takeLine(''))
    return [...events, ...this.#dispatch(false)]
  }

  #read(text: string): readonly ServerSentEvent[] {
    if (text === '') return []
    const events: ServerSentEvent[] = []
    // A line feed right behind the carriage return that ended the last piece belongs to it.
    let start = this.#endedWithCr && text.startsWith('\n') ? 1 : 0
    this.#endedWithCr = text.endsWith('\r')
    LINE_END.lastIndex = start
    for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
      const line = this.#takeLine(text.slice(start, end.index))
      start = LINE_END.lastIndex
      if (line === '') events.push(...this.#dispatch(true))
      else this.#field(line)
    }
    if (start < text.length) this.#line.push(text.slice(start))
    return events
  }

  #takeLine(last: string): string {
    if (this.#line.length === 0) return last
    const line = this.#line.join('') + last
    this.#line = []
    return line
  }

  #field(line: string): void {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#name = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
  }

  #dispatch(isTerminated: boolean): readonly ServerSentEvent[] {
    const [name, data] = [this.#name, this.#data]
    this.#name = ''
    this.#data = []
    if (data.length === 0) return []
    return [{ name: name === '' ? 'message' : name, data: data.join('\n'), id: this.#id, isTerminated }]
  }
}
