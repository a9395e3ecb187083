import type { RequestLine } from './request-parser'

/** Takes a body as it comes. */
export interface BodyReader {
  add(chunk: Buffer): void
  end(): void
  /** The client left before the end. */
  leave(): void
}

/** What a request needs of its connection. */
export interface RequestSource {
  pause(): void
  resume(): void
  /** Tells a client that waits for it that its body is wanted. */
  askForBody(): void
}

/** A request of a client. Its body goes to whoever reads it at once; what nobody reads is dropped. */
export class HttpRequest {
  readonly line: RequestLine
  /** Until it is over: then the connection is another request's. */
  #source: RequestSource | undefined
  #reader: BodyReader | undefined

  constructor(line: RequestLine, source: RequestSource) {
    this.line = line
    this.#source = source
  }

  /** From here on the body is this reader's. */
  read(reader: BodyReader): void {
    this.#reader = reader
    this.#source?.askForBody()
  }

  /** Nobody wants the rest of the body. */
  drop(): void {
    this.#reader = undefined
    this.#source?.resume()
  }

  /** What has already come may still be added. */
  pause(): void {
    this.#source?.pause()
  }

  resume(): void {
    this.#source?.resume()
  }

  /** For the connection alone. */
  add(chunk: Buffer): void {
    this.#reader?.add(chunk)
  }

  /** For the connection alone. */
  end(how: 'complete' | 'left'): void {
    const reader = this.#reader
    this.#reader = undefined
    this.#source = undefined
    if (how === 'complete') reader?.end()
    else reader?.leave()
  }
}
