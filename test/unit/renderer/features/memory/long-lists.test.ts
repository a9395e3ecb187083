import { describe, expect, it } from 'vitest'
import {
  drawnHeight,
  findScrollOffset,
  isStuck,
  mostDrawn,
  movedTo,
} from '../../../../../src/renderer/features/memory/long-table'
import { type LoadedRows, RowPages } from '../../../../../src/renderer/features/memory/row-pages'
import { CallError } from '../../../../../src/renderer/ipc'

const million = { full: 1_000_000 * 36, view: 600 }
const short = { full: 3600, view: 600 }

describe('scrolling a list that is higher than a browser can draw', () => {
  it('draws a short list at its own height, and a long one no higher than it may be', () => {
    expect(drawnHeight(short)).toBe(3600)
    expect(drawnHeight(million)).toBe(mostDrawn)
  })

  it('moves as many rows as a press of the wheel says, however long the list is', () => {
    const before = findScrollOffset(18_000_000, million)
    const after = movedTo(before.bar + 100, before, million)
    expect(after.row - before.row).toBe(100)
  })

  it('goes to the share of all rows that the bar was dragged to', () => {
    const half = (mostDrawn - 600) / 2
    expect(movedTo(half, { bar: 0, row: 0 }, million).row).toBeCloseTo((million.full - 600) / 2, 0)
  })

  it.each([
    ['the last row', mostDrawn - 600, million.full - 600],
    ['the first row', 0, 0],
  ])('reaches %s when the bar is at its end', (_, bar, row) => {
    const near = { bar: Math.abs(bar - 50), row: Math.abs(row - 150) }
    expect(movedTo(bar, near, million)).toEqual({ bar, row })
  })

  it('notices when the bar is at its end and the rows are not, so that one can go on', () => {
    const drifted = movedTo(0, { bar: 100, row: 50_000 }, million)
    expect(drifted.row).toBe(49_900)
    expect(isStuck(drifted, million)).toBe(true)
    expect(isStuck(findScrollOffset(drifted.row, million), million)).toBe(false)
  })

  it('takes bar and rows for the same in a short list', () => {
    expect(movedTo(1234, { bar: 0, row: 0 }, short)).toEqual({ bar: 1234, row: 1234 })
    expect(movedTo(9999, { bar: 0, row: 0 }, short)).toEqual({ bar: 3000, row: 3000 })
    expect(isStuck({ bar: 0, row: 0 }, short)).toBe(false)
  })
})

const size = 100
const rowsOf = (page: number, count = size) => Array.from({ length: count }, (_, at) => `row ${page * size + at}`)

/** A list of a million rows, and what was asked of it. */
function longList(answer: (page: number) => LoadedRows | Promise<LoadedRows> = (page) => ({ rows: rowsOf(page) })) {
  const asked: number[] = []
  let running = 0
  let most = 0
  const pages = new RowPages({
    size,
    count: 1_000_000,
    first: rowsOf(0),
    load: async (page) => {
      asked.push(page)
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
      return answer(page)
    },
  })
  const settled = async () => {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
  }
  return { pages, asked, settled, most: () => most }
}

describe('rows of a long list by their place', () => {
  it('asks for the pages on the screen only, and has their rows at their places', async () => {
    const { pages, asked, settled } = longList()
    pages.want(999_950, 1_000_000)
    expect(pages.rowAt(999_999)).toBeUndefined()
    await settled()
    expect(asked).toEqual([9999])
    expect(pages.rowAt(999_999)).toBe('row 999999')
  })

  it('holds twenty pages at most, whatever was seen, and asks for two at a time at most', async () => {
    const { pages, settled, most } = longList()
    for (let page = 0; page < 100; page += 1) {
      pages.want(page * size, page * size + 150)
      await settled()
    }
    expect(pages.held().length).toBe(20 * size)
    expect(pages.rowAt(9999)).toBe('row 9999')
    expect(pages.rowAt(0)).toBeUndefined()
    pages.wantPlaces([5, 10_005, 20_005, 30_005, 40_005])
    await settled()
    expect(pages.rowAt(40_005)).toBe('row 40005')
    expect(most()).toBe(2)
  })

  it('leaves out what was scrolled past before it was asked for', async () => {
    const { pages, asked, settled } = longList()
    for (let page = 1; page <= 50; page += 1) pages.want(page * size, page * size + 20)
    await settled()
    expect(asked).toEqual([1, 2, 50])
  })

  it('forgets what stands at other places now when the list grew', async () => {
    const { pages, settled } = longList((page) => ({ rows: rowsOf(page), total: 1_000_001 }))
    pages.want(500, 520)
    await settled()
    expect(pages.count).toBe(1_000_001)
    expect(pages.rowAt(0)).toBeUndefined()
    expect(pages.rowAt(500)).toBe('row 500')
  })

  it('says why a page did not come, and asks for it again when told to', async () => {
    let isDown = true
    const { pages, asked, settled } = longList((page) => {
      if (isDown) throw new CallError({ code: 'net.timeout', message: 'down' })
      return { rows: rowsOf(page) }
    })
    pages.want(300, 320)
    await settled()
    pages.want(301, 321)
    await settled()
    expect(asked).toEqual([3])
    expect(pages.failure?.failure.code).toBe('net.timeout')
    isDown = false
    pages.retry()
    await settled()
    expect(pages.failure).toBeUndefined()
    expect(pages.rowAt(300)).toBe('row 300')
  })

  it('goes on to the last page of a list whose length nobody tells', async () => {
    const pages = new RowPages({
      size,
      count: undefined,
      first: rowsOf(0),
      load: async (page) => ({ rows: page < 3 ? rowsOf(page) : rowsOf(page, 7) }),
    })
    expect([pages.count, pages.isCounted]).toEqual([101, false])
    for (let turn = 0; turn < 5; turn += 1) {
      pages.want(pages.count - 1, pages.count)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect([pages.count, pages.isCounted]).toEqual([307, true])
  })
})
