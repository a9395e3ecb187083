import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { delayed, pastedFiles } from '../../../../../src/renderer/features/playground/drafts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a debounced save', () => {
  it('saves the latest value once, separately for each key', () => {
    const kept: [string, string][] = []
    const { store } = delayed<string>((key, value) => kept.push([key, value]), 300)
    store('a', 'H')
    vi.advanceTimersByTime(200)
    store('a', 'Hi')
    store('b', 'Yo')
    vi.advanceTimersByTime(299)
    expect(kept).toEqual([])
    vi.advanceTimersByTime(1)
    expect(kept).toEqual([
      ['a', 'Hi'],
      ['b', 'Yo'],
    ])
  })

  it('saves immediately when the page closes, and not twice', () => {
    const kept: string[] = []
    const { store, flush, drop } = delayed<string>((key) => kept.push(key), 300)
    store('a', 'Hi')
    store('b', 'Yo')
    drop('b')
    flush()
    vi.advanceTimersByTime(1000)
    expect(kept).toEqual(['a'])
  })
})

it.each([
  ['the text of spreadsheet cells', ['text/plain', 'text/html', 'Files'], 'a\tb', 0],
  ['a picture of a web page', ['text/html', 'Files'], '', 1],
  ['a copied file, whose text is its path', ['text/plain', 'Files'], '/home/a.png', 1],
])('pastes %s', (_, types, text, count) => {
  const files = [new File(['x'], 'image.png')]
  expect(pastedFiles({ types, files, getData: () => text })).toHaveLength(count)
})
