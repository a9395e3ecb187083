/** Who goes when: what only reads goes at the same time as others, what changes something goes alone and in its turn. */
export class Turns {
  #change: Promise<unknown> = Promise.resolve()
  readonly #reads = new Set<Promise<unknown>>()

  /** Runs `work` after every change before it; one that changes something itself waits for the reads before it too. */
  run<T>(work: () => Promise<T>, { changes }: { readonly changes: boolean }): Promise<T> {
    const before = changes ? Promise.all([this.#change, ...this.#reads]) : this.#change
    const done = before.then(work)
    const ended = done.then(
      () => undefined,
      () => undefined,
    )
    if (changes) this.#change = ended
    else {
      this.#reads.add(ended)
      void ended.then(() => this.#reads.delete(ended))
    }
    return done
  }
}
