/** What is done with each item of a stream. */
export interface InOrder<Item, Answer> {
  readonly items: AsyncIterable<Item>
  /** How many items are taken before the first of them is answered and written. */
  readonly most: number
  /** Begins the work on an item; must not reject. */
  readonly answer: (item: Item) => Promise<Answer>
  readonly write: (answer: Answer) => Promise<void>
}

/**
 * Answers items as they come, several at a time, and writes the answers in the order of the items, each as soon as it is
 * its turn. Takes no further item while `most` are unwritten. Rejects with what `items` or `write` failed with.
 */
export async function answerInOrder<Item, Answer>(work: InOrder<Item, Answer>): Promise<void> {
  const { items, most, answer, write } = work
  const unwritten: Promise<void>[] = []
  let last: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | undefined
  for await (const item of items) {
    const before = last
    const answered = answer(item)
    last = before.then(async () => write(await answered))
    last.catch((error: unknown) => {
      failure ??= { error }
    })
    unwritten.push(last)
    if (unwritten.length >= most) await unwritten.shift()
    if (failure) break
  }
  await last
}
