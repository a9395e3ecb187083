/** The beginning and the end of an answer: all of it when it is short. */
export interface AnswerSample {
  readonly head: Buffer
  /** What came last; begins somewhere in the middle, unless `isWhole`. */
  readonly tail: Buffer
  /** Whether head and tail together are the answer. */
  readonly isWhole: boolean
  /** Of the answer, in bytes. */
  readonly length: number
}

const headBytes = 4 * 1024
const ringBytes = 8 * 1024
const mostPooled = 256
const nothing: Buffer = Buffer.alloc(0)

const pool: Buffer[] = []

/**
 * Keeps the beginning and the end of what passes, in memory that is used again: a few hundred nanoseconds for each chunk,
 * and always the same space for a stream of any length.
 */
export class AnswerSampler {
  /** The only chunk so far is not copied: most answers have no other. */
  #first: Buffer | undefined
  #slab: Buffer | undefined
  #total = 0

  add(chunk: Buffer): void {
    if (this.#total === 0) {
      this.#first = chunk
      this.#total = chunk.length
      return
    }
    if (this.#first !== undefined) {
      this.#slab = pool.pop() ?? Buffer.allocUnsafeSlow(headBytes + ringBytes)
      this.#total = 0
      const first = this.#first
      this.#first = undefined
      this.#copy(first, this.#slab)
    }
    if (this.#slab !== undefined) this.#copy(chunk, this.#slab)
  }

  /** Valid until `release`. */
  sample(): AnswerSample {
    if (this.#first !== undefined) return { head: this.#first, tail: nothing, isWhole: true, length: this.#total }
    if (this.#slab === undefined) return { head: nothing, tail: nothing, isWhole: true, length: 0 }
    const head = this.#slab.subarray(0, Math.min(this.#total, headBytes))
    const inRing = Math.max(0, this.#total - headBytes)
    const end = headBytes + (inRing % ringBytes)
    if (inRing <= ringBytes) {
      return { head, tail: this.#slab.subarray(headBytes, headBytes + inRing), isWhole: true, length: this.#total }
    }
    const tail = Buffer.concat([this.#slab.subarray(end), this.#slab.subarray(headBytes, end)])
    return { head, tail, isWhole: false, length: this.#total }
  }

  release(): void {
    if (this.#slab !== undefined && pool.length < mostPooled) pool.push(this.#slab)
    this.#slab = undefined
    this.#first = undefined
  }

  #copy(chunk: Buffer, slab: Buffer): void {
    const toHead = Math.min(chunk.length, Math.max(0, headBytes - this.#total))
    if (toHead > 0) chunk.copy(slab, this.#total, 0, toHead)
    // Of more than fits only the end matters, but each byte keeps its place in the ring.
    const from = Math.max(toHead, chunk.length - ringBytes)
    const place = (this.#total + from - headBytes) % ringBytes
    if (from < chunk.length) {
      const room = ringBytes - place
      chunk.copy(slab, headBytes + place, from, Math.min(chunk.length, from + room))
      if (chunk.length - from > room) chunk.copy(slab, headBytes, from + room, chunk.length)
    }
    this.#total += chunk.length
  }
}
