/** Characters of beginning and end that are kept of a long text: two megabytes of plain text together. */
const half = 1_000_000

/** A text that comes in pieces, of which beginning and end are kept. */
export class BoundedText {
  #head = ''
  #tail: string[] = []
  #tailLength = 0
  #leftOut = 0

  add(piece: string): void {
    const room = half - this.#head.length
    this.#head += piece.slice(0, room)
    if (piece.length > room) this.#addToTail(piece.slice(room))
  }

  get isShortened(): boolean {
    return this.#leftOut > 0
  }

  /** Beginning and end, with a line between them that says how much was left out. */
  get text(): string {
    const tail = this.#tail.join('')
    return this.isShortened ? `${this.#head}\n… (${this.#leftOut} characters left out) …\n${tail}` : this.#head + tail
  }

  #addToTail(piece: string): void {
    this.#tail.push(piece)
    this.#tailLength += piece.length
    // Whole pieces go, so that a long answer costs no more than its length.
    while (this.#tailLength - (this.#tail[0]?.length ?? 0) >= half) this.#leaveOut(this.#tail.shift() ?? '')
    const over = this.#tailLength - 2 * half
    if (over > 0) this.#cutFirst(over)
  }

  #cutFirst(length: number): void {
    const first = this.#tail[0] ?? ''
    this.#tail[0] = first.slice(length)
    this.#leaveOut(first.slice(0, length))
  }

  #leaveOut(text: string): void {
    this.#leftOut += text.length
    this.#tailLength -= text.length
  }
}

/** A text of which beginning and end are kept. */
export function bounded(text: string): { readonly text: string; readonly isShortened: boolean } {
  const kept = new BoundedText()
  kept.add(text)
  return { text: kept.text, isShortened: kept.isShortened }
}
