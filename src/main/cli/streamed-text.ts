import type { PlaygroundProgress } from '@shared/contract'

/** The text of one answer, written as it comes and in order; ends with a line feed. */
export class StreamedText {
  readonly #write: (piece: string) => Promise<void>
  #last: Promise<void> = Promise.resolve()
  #lastPiece = '\n'

  constructor(write: (piece: string) => Promise<void>) {
    this.#write = write
  }

  take(news: readonly PlaygroundProgress[]): void {
    for (const { text } of news) if (text) this.#add(forTerminal(text.piece))
  }

  /** Resolves when all is written. A reader who has left is no failure. */
  async end(): Promise<void> {
    if (!this.#lastPiece.endsWith('\n')) this.#add('\n')
    await this.#last.catch(() => undefined)
  }

  #add(piece: string): void {
    if (piece === '') return
    this.#lastPiece = piece
    this.#last = this.#last.then(() => this.#write(piece))
    this.#last.catch(() => undefined)
  }
}

/** What a model says may not steer the terminal, nor turn a line around. */
const forTerminal = (text: string): string => text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '')
