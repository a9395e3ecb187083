import { describe, expect, test } from 'vitest'
import { createJournal } from '../../../src/sandbox/journal'

const requestStart = {
  area: 'gateway',
  at: '2026-01-01T00:00:00.000Z',
  method: 'POST',
  path: '/x',
  standard: null,
} as const

const buildFilledJournal = (count: number) => {
  const journal = createJournal()
  for (let requestIndex = 0; requestIndex < count; requestIndex += 1) journal.open(requestStart).finish(200)
  return journal
}
const listNumbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const numbers = (records: readonly { readonly n: number }[]) => records.map(({ n }) => n)

describe('the journal', () => {
  test.each([
    ['nothing yet', 0, 0, []],
    ['all', 3, 0, [1, 2, 3]],
    ['what came after a number', 3, 2, [3]],
    ['nothing after the last', 3, 3, []],
    ['nothing after a number still to come', 3, 9, []],
    ['as many as it keeps', 500, 0, listNumbers(1, 500)],
    ['the latest 500 when there were more', 501, 0, listNumbers(2, 501)],
    ['the latest 500 of thousands', 2_345, 1, listNumbers(1_846, 2_345)],
    ['the latest few of thousands', 2_345, 2_343, [2_344, 2_345]],
  ])('reports %s', (_, count, afterNumber, expectedNumbers) => {
    expect(numbers(buildFilledJournal(count).after(afterNumber))).toEqual(expectedNumbers)
  })

  test('is emptied when cleared, and continues its numbers', () => {
    const journal = buildFilledJournal(700)
    journal.clear()
    expect(journal.after(0)).toEqual([])
    journal.open(requestStart).finish(200)
    expect(numbers(journal.after(0))).toEqual([701])
  })

  test('keeps notes until the request is recorded, and ignores later ones', () => {
    const journal = createJournal()
    const trace = journal.open(requestStart)
    trace.note({ modelCode: 'm', stream: true })
    trace.note({ stream: false, inputTokens: 3 })
    trace.finish(200)
    trace.note({ error: 'too late' })
    trace.finish(500)
    expect(journal.after(0)).toEqual([
      {
        ...requestStart,
        n: 1,
        modelCode: 'm',
        inputTokens: 3,
        stream: false,
        status: 200,
        credentialHeaders: [],
        durationMs: expect.any(Number),
      },
    ])
  })

  test('numbers requests in order of their responses', () => {
    const journal = createJournal()
    const [firstRequest, secondRequest] = [
      journal.open({ ...requestStart, path: '/first' }),
      journal.open({ ...requestStart, path: '/second' }),
    ]
    secondRequest.finish(200)
    firstRequest.finish(200)
    expect(journal.after(0).map(({ path }) => path)).toEqual(['/second', '/first'])
  })

  test('keeps no secrets and no long text', () => {
    const journal = createJournal()
    const trace = journal.open({ ...requestStart, path: '/v1/sk-sandbox-0123456789' })
    trace.note({ modelCode: 'pk-sandbox-0123456789', userAgent: `tool ${'x'.repeat(500)}` })
    trace.finish(404)
    const [record] = journal.after(0)
    expect([record?.path, record?.modelCode, record?.userAgent?.length]).toEqual(['/v1/[key]', '[key]', 200])
  })
})
