import { describe, expect, it } from 'vitest'
import { answerInOrder } from '../../../../../src/main/cli/api-call'

/** An async iterable that the test fills. Records how many items were read. */
function feed<Item>() {
  const waitingReads: ((result: IteratorResult<Item, void>) => void)[] = []
  const items: Item[] = []
  let isOver = false
  let takenCount = 0
  const iterator: AsyncIterableIterator<Item, void, void> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => {
      const item = items.shift()
      if (item !== undefined) {
        takenCount += 1
        return Promise.resolve({ done: false, value: item })
      }
      if (isOver) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve) => waitingReads.push(resolve))
    },
  }
  return {
    items: iterator,
    taken: () => takenCount,
    push(item: Item) {
      const taker = waitingReads.shift()
      if (taker === undefined) items.push(item)
      else {
        takenCount += 1
        taker({ done: false, value: item })
      }
    },
    end() {
      isOver = true
      for (const taker of waitingReads.splice(0)) taker({ done: true, value: undefined })
    },
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('answerInOrder', () => {
  it('writes in the order of the items although later ones finish first', async () => {
    const { items, push: writeFileAt, end } = feed<number>()
    for (const n of [5, 4, 3, 2, 1]) writeFileAt(n)
    end()
    const doneItems: number[] = []
    const writtenNumbers: number[] = []
    await answerInOrder({
      items,
      max: 8,
      answer: async (n) => {
        for (let tick = 0; tick < n; tick += 1) await settle()
        doneItems.push(n)
        return n
      },
      write: async (n) => void writtenNumbers.push(n),
    })
    expect(doneItems).toEqual([1, 2, 3, 4, 5])
    expect(writtenNumbers).toEqual([5, 4, 3, 2, 1])
  })

  it('writes an answer before the next item arrives, since a caller may wait for it', async () => {
    const { items, push: writeFileAt, end } = feed<string>()
    const writtenTexts: string[] = []
    const finishedRun = answerInOrder({
      items,
      max: 8,
      answer: async (text) => text,
      write: async (text) => void writtenTexts.push(text),
    })
    writeFileAt('first')
    await settle()
    expect(writtenTexts).toEqual(['first'])
    writeFileAt('second')
    end()
    await finishedRun
    expect(writtenTexts).toEqual(['first', 'second'])
  })

  it('accepts no more items than allowed while nothing can be written', async () => {
    const { items, push: writeFileAt, end, taken } = feed<number>()
    for (let n = 1; n <= 20; n += 1) writeFileAt(n)
    end()
    const pendingWrites: (() => void)[] = []
    const finishedRun = answerInOrder({
      items,
      max: 4,
      answer: async (n) => n,
      write: () => new Promise<void>((resolve) => pendingWrites.push(resolve)),
    })
    await settle()
    expect(taken()).toBe(4)
    while (pendingWrites.length > 0) {
      pendingWrites.shift()?.()
      await settle()
    }
    await finishedRun
    expect(taken()).toBe(20)
  })

  it('ends with the error of a failed write and accepts nothing after it', async () => {
    const { items, push: writeFileAt, taken } = feed<number>()
    for (let n = 1; n <= 20; n += 1) writeFileAt(n)
    const write = async (n: number): Promise<void> => {
      if (n === 2) throw new Error('nobody reads')
    }
    await expect(answerInOrder({ items, max: 3, answer: async (n) => n, write })).rejects.toThrow('nobody reads')
    expect(taken()).toBeLessThan(7)
  })
})
