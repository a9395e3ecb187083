import { describe, expect, test } from 'vitest'
import { reply } from '../../../../src/sandbox/text-model/reply'

const answer = (prompt: string) => reply({ modelCode: 'aurora-small', prompt })

describe('the text model', () => {
  test.each([
    ['Say hello', 'hello'],
    ['say: hello there.', 'hello there'],
    ['Please say "Good day!" to me', 'Good day!'],
    ['Reply with exactly: PONG', 'PONG'],
    ['Reply with the word OK and nothing else.', 'OK'],
    ['You are being tested. Respond with just the text `ready`, please', 'ready'],
    ['Answer only with 42', '42'],
    ['Echo Xin chào', 'Xin chào'],
    ['First line\nReply with second line', 'second line'],
    ['"Reply with exactly: PONG"', 'PONG'],
    ['"Say \\"Good day!\\""\n', 'Good day!'],
    ['Count to 5', '1, 2, 3, 4, 5'],
    ['please count from 3 to 6', '3, 4, 5, 6'],
    ['count from 3 down to 1', '3, 2, 1'],
    ['count to five', '1, 2, 3, 4, 5'],
    ['List 3 fruits', '1. Mango\n2. Papaya\n3. Dragon fruit'],
    ['Give me two planets', '1. Mercury\n2. Venus'],
    ['Name 2 reasons to test', '1. Reasons to test, example 1\n2. Reasons to test, example 2'],
    [
      'Show a table of planets with 2 rows',
      '| # | Name | Letters |\n| --- | --- | --- |\n| 1 | Mercury | 7 |\n| 2 | Venus | 5 |',
    ],
    ['Write a Python function', '```python\ndef add(a: int, b: int) -> int:\n    return a + b\n```'],
  ])('%s', (prompt, text) => {
    expect(answer(prompt)).toBe(text)
  })

  test.each([
    ['Hello!', /^Hello! I am aurora-small/],
    ['good morning to you', /^Hello!/],
    ['Xin chào bạn', /^Xin chào! Tôi là aurora-small/],
    ['Show me a code block', /^```ts\n[\s\S]+\n```$/],
    ['a 4-row table', /^(\|.*\|\n){5}\|.*\|$/],
    ['', /^I found no text/],
    ['Reply with a table of fruits', /^\| # \|/],
  ])('%s', (prompt, shape) => {
    expect(answer(prompt)).toMatch(shape)
  })

  test('quotes the gist of anything else on one line and says which model it is', () => {
    const text = answer(`Why is\n\nthe sea salty? ${'Explain it. '.repeat(20)}`)
    expect(text).toMatch(
      /^You asked: “Why is the sea salty\? Explain it\..{0,60}…”\. I am the sandbox model aurora-small,/,
    )
    expect(text).not.toContain('\n')
  })

  test('never splits a character of the gist', () => {
    expect(answer('👩'.repeat(100))).toContain(`“${'👩'.repeat(79)}…”`)
  })

  test.each(['list 999999999 fruits', 'count to 999999999', 'a table with 999999 rows', 'count from 999999999 to 1'])(
    'keeps %j within bounds',
    (prompt) => {
      expect(answer(prompt).length).toBeLessThan(60_000)
    },
  )

  test('gives the same answer to the same question', () => {
    expect(answer('What is a tide?')).toBe(answer('What is a tide?'))
  })
})
