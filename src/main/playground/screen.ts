import type { Secret } from '../secret'

/** Takes secrets out of a text that comes in pieces. What may be the beginning of one is held back until more has come. */
export class Screen {
  readonly #secrets: () => readonly Secret[]
  #held = ''

  constructor(secrets: () => readonly Secret[]) {
    this.#secrets = secrets
  }

  /** What may be shown now. */
  pass(piece: string): string {
    const secrets = this.#secrets()
    if (secrets.length === 0) return piece
    const text = secrets.reduce((left, secret) => secret.hideIn(left), this.#held + piece)
    const held = Math.max(...secrets.map((secret) => secret.beginsAtEndOf(text)))
    const end = text.length - held
    this.#held = text.slice(end)
    return text.slice(0, end)
  }

  /** What was held back, when no more comes. */
  rest(): string {
    const text = this.#held
    this.#held = ''
    return text
  }
}
