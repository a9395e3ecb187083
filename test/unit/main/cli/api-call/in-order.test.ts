import { describe, expect, it } from 'vitest'
import { respondInOrder } from '../../../../../src/main/cli/api-call'

/** An async iterable that the test fills. Records how many items were read. */
function createAsyncFeed<Item>() {
  const pendingReads: ((result: IteratorResult<Item, void>) => void)[] = []
  const items: Item[] = []
  let hasEnded = false
  let readCount = 0
  const iterator: AsyncIterableIterator<Item, void, void> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => {
      const item = items.shift()
      if (item !== undefined) {
        readCount += 1
        return Promise.resolve({ done: false, value: item })
      }
      if (hasEnded) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve) => pendingReads.push(resolve))
    },
  }
  return {
    items: iterator,
    taken: () => readCount,
    push(item: Item) {
      const pendingRead = pendingReads.shift()
      if (pendingRead === undefined) items.push(item)
      else {
        readCount += 1
        pendingRead({ done: false, value: item })
      }
    },
    end() {
      hasEnded = true
      for (const pendingRead of pendingReads.splice(0)) pendingRead({ done: true, value: undefined })
    },
  }
}

const flushPromises = () => new Promise((resolve) => setImmediate(resolve))

describe('respondInOrder', () => {
  it('writes in the order of the items although later ones finish first', async () => {
    const { items, push: writeFileAt, end } = createAsyncFeed<number>()
    for (const index of [5, 4, 3, 2, 1]) writeFileAt(index)
    end()
    const completedItems: number[] = []
    const writtenNumbers: number[] = []
    await respondInOrder({
      items,
      max: 8,
      answer: async (n) => {
        for (let tick = 0; tick < n; tick += 1) await flushPromises()
        completedItems.push(n)
        return n
      },
      write: async (n) => void writtenNumbers.push(n),
    })
    expect(completedItems).toEqual([1, 2, 3, 4, 5])
    expect(writtenNumbers).toEqual([5, 4, 3, 2, 1])
  })

  it('writes an answer before the next item arrives, since a caller may wait for it', async () => {
    const { items, push: writeFileAt, end } = createAsyncFeed<string>()
    const writtenTexts: string[] = []
    const finishedRun = respondInOrder({
      items,
      max: 8,
      answer: async (text) => text,
      write: async (text) => void writtenTexts.push(text),
    })
    writeFileAt('first')
    await flushPromises()
    expect(writtenTexts).toEqual(['first'])
    writeFileAt('second')
    end()
    await finishedRun
    expect(writtenTexts).toEqual(['first', 'second'])
  })

  it('accepts no more items than allowed while nothing can be written', async () => {
    const { items, push: writeFileAt, end, taken } = createAsyncFeed<number>()
    for (let index = 1; index <= 20; index += 1) writeFileAt(index)
    end()
    const pendingWrites: (() => void)[] = []
    const finishedRun = respondInOrder({
      items,
      max: 4,
      answer: async (n) => n,
      write: () => new Promise<void>((resolve) => pendingWrites.push(resolve)),
    })
    await flushPromises()
    expect(taken()).toBe(4)
    while (pendingWrites.length > 0) {
      pendingWrites.shift()?.()
      await flushPromises()
    }
    await finishedRun
    expect(taken()).toBe(20)
  })

  it('ends with the error of a failed write and accepts nothing after it', async () => {
    const { items, push: writeFileAt, taken } = createAsyncFeed<number>()
    for (let index = 1; index <= 20; index += 1) writeFileAt(index)
    const writeNumber = async (n: number): Promise<void> => {
      if (n === 2) throw new Error('nobody reads')
    }
    await expect(respondInOrder({ items, max: 3, answer: async (n) => n, write: writeNumber })).rejects.toThrow(
      'nobody reads',
    )
    expect(taken()).toBeLessThan(7)
  })
})
