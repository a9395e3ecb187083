import { StringDecoder } from 'node:string_decoder'

const lineEnd = /\r\n|\n|\r/

/** Cuts a stream of events into the data of each, wherever its bytes were cut. */
export class ChatEvents {
  readonly #decoder = new StringDecoder('utf8')
  #pieces: string[] = []
  #data: string[] = []
  #endedInReturn = false

  /** The data of the events that are complete now. */
  push(chunk: Buffer): readonly string[] {
    return this.#read(this.#decoder.write(chunk))
  }

  /** The data of an event that ended with the stream. */
  end(): readonly string[] {
    return this.#read(`${this.#decoder.end()}\n\n`)
  }

  #read(chunk: string): readonly string[] {
    if (chunk === '') return []
    // A line's end may be cut in two as well.
    const text = this.#endedInReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk
    this.#endedInReturn = chunk.endsWith('\r')
    const lines = text.split(lineEnd)
    const rest = lines.pop() ?? ''
    const events = lines.flatMap((line) => this.#line(line))
    if (rest !== '') this.#pieces.push(rest)
    return events
  }

  #line(end: string): readonly string[] {
    const line = this.#pieces.length === 0 ? end : this.#pieces.join('') + end
    this.#pieces = []
    if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
    if (line !== '' || this.#data.length === 0) return []
    const data = this.#data.join('\n')
    this.#data = []
    return [data]
  }
}
