/** Cache that evicts its oldest entries when the total length of its keys exceeds the limit. */
export class BoundedCache<T> {
  readonly #kept = new Map<string, T>()
  #length = 0

  /** `maxLength` is the total length of all keys in characters. */
  constructor(private readonly maxLength: number) {}

  has(text: string): boolean {
    return this.#kept.has(text)
  }

  /** Returns the cached value of a text, or creates and caches it. */
  get(text: string, make: () => T): T {
    const cachedEntry = this.#kept.get(text)
    if (cachedEntry !== undefined) return cachedEntry
    const newEntry = make()
    this.#kept.set(text, newEntry)
    this.#length += text.length
    for (const oldestKey of this.#kept.keys()) {
      if (this.#length <= this.maxLength) break
      this.#kept.delete(oldestKey)
      this.#length -= oldestKey.length
    }
    return newEntry
  }
}
