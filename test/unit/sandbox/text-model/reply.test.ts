import { describe, expect, test } from 'vitest'
import { reply, type Turn } from '../../../../src/sandbox/text-model/reply'

const answer = (prompt: string, history: readonly Turn[] = []) => reply({ modelCode: 'aurora-small', prompt, history })
const user = (text: string): Turn => ({ role: 'user', text })

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
    ['Say hello in Vietnamese', 'Xin chào'],
    ['nói "xin chào"', 'xin chào'],
    ['Trả lời đúng một từ: SẴN SÀNG', 'SẴN SÀNG'],
    ['Chỉ trả lời: OK', 'OK'],
    ['đếm từ 3 đến 6', '3, 4, 5, 6'],
    ['list planets', '1. Mercury\n2. Venus\n3. Earth\n4. Mars\n5. Jupiter'],
    ['a bullet list: list 2 colors', '- Red\n- Orange'],
    ['top three cities', '1. Hà Nội\n2. Huế\n3. Đà Nẵng'],
    ['Liệt kê hai loại trái cây', '1. Xoài\n2. Đu đủ'],
    ['danh sách 2 ngôn ngữ lập trình', '1. TypeScript\n2. Python'],
    ['bảng 1 hàng về hành tinh', '| # | Tên | Số chữ |\n| --- | --- | --- |\n| 1 | Sao Thủy | 8 |'],
    ['a table with columns name and price, 1 row', '| name | price |\n| --- | --- |\n| An Nguyễn | 45000 |'],
    ['hello world in Python', '```python\nprint("Hello, world!")\n```'],
    ['what is 17 * 23?', '17 × 23 = 391'],
    ['What is 17 times 23? Answer with just the number.', '391'],
    ['17 nhân 23 bằng bao nhiêu?', '17 × 23 = 391'],
    ['translate "good morning" to Vietnamese', 'Chào buổi sáng'],
    ['Dịch "cảm ơn" sang tiếng Anh', 'Thank you'],
    ['Translate to Vietnamese: I love coffee', 'Tôi yêu cà phê'],
    ['what model are you?', 'I am aurora-small, a model of the sandbox.'],
    ['Bạn là mô hình nào?', 'Tôi là aurora-small, một mô hình của sandbox.'],
    ['write a haiku about rain', 'Rain on the tin roof\nall the unanswered letters\nsoften in their pile'],
    [
      'Summarise: A plan has tokens. The sky is blue. The tokens of a plan run out. A plan without tokens pauses.',
      'A plan has tokens. A plan without tokens pauses.',
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
    ['a table of 5 planets', /^(\|.*\|\n){6}\|.*\|$/],
    ['tell me a joke', /[.?!]$/],
    ['what can you do?', /^I am aurora-small[\s\S]+\n- /],
    ['Explain recursion', /recursion[\s\S]*\n\n/],
    ['Tại sao biển mặn?', /^Bạn hỏi: “Tại sao biển mặn\?”/],
    ['what is 2026-11-21?', /^You asked/],
    ['Write a title about rivers of 5 words or fewer', /^You asked/],
    ['Refactor 3 sentences in README', /^You asked/],
    ['list the files in this directory', /^You asked/],
    ['what is 9^999999?', /^You asked/],
    ['Write a function that parses JSON', /^```ts/],
    ['Write a function that groups an array by a key', /^```ts\n[\s\S]*function groupBy<[\s\S]+\n```$/],
    ['Group an array of orders by customer', /^```ts\n[\s\S]*function groupBy</],
    ['Viết hàm nhóm một mảng theo khóa bằng Python', /^```python\ndef group_by/],
    ['Write SQL code that groups orders by customer', /^```sql\nSELECT [\s\S]+GROUP BY/],
    ['a JavaScript function that removes duplicates from an array', /^```js\n[\s\S]*new Set\(/],
    ['write a bash function for fibonacci', /^```ts\n[\s\S]*fibonacci/],
    ['translate "quantum flux" to Vietnamese', /no Vietnamese for “quantum flux”/],
  ])('%s', (prompt, shape) => {
    expect(answer(prompt)).toMatch(shape)
  })

  test.each([
    ['answer as JSON with name and age', { name: 'An Nguyễn', age: 24 }],
    ['Reply with JSON only: name, price', { name: 'An Nguyễn', price: 45_000 }],
    ['Return JSON with a single "title" field', { title: 'A short practice answer' }],
    ['a JSON object of name and city', { name: 'An Nguyễn', city: 'Hà Nội' }],
    ['Trả về JSON với tên và tuổi', { tên: 'An Nguyễn', tuổi: 24 }],
    ['a list of users as JSON with id', [{ id: 1 }, { id: 2 }, { id: 3 }]],
    [
      'Output a JSON array of 2 users with id and active',
      [
        { id: 1, active: true },
        { id: 2, active: true },
      ],
    ],
  ])('answers %j with JSON and nothing else', (prompt, value) => {
    expect(JSON.parse(answer(prompt))).toEqual(value)
  })

  test.each([
    ['write 500 words about rivers', 500, 'rivers'],
    ['a 120-word essay on tea', 120, 'tea'],
    ['Write 1,000 words about the moon in English', 1000, 'the moon'],
    ['write 5,000 words about the sea', 5000, 'the sea'],
    ['write 90000 words about the sea', 5000, 'the sea'],
    ['a long answer about bread, please', 600, 'bread'],
    ['a very long story about a fox', 2000, 'a fox'],
    ['an 80-word summary of rivers', 80, 'rivers'],
    ['viết 500 từ về sông', 500, 'sông'],
    ['Viết dài về biển', 600, 'biển'],
    ['viết 5000 từ về mưa', 5000, 'mưa'],
  ])('%s: about %i words, no sentence twice', (prompt, words, topic) => {
    const text = answer(prompt)
    const sentences = text.split(/(?<=[.!?])\s+/)
    expect(Math.abs(text.split(/\s+/).length - words)).toBeLessThanOrEqual(Math.max(words * 0.02, 20))
    expect(new Set(sentences).size).toBe(sentences.length)
    expect(text).toContain(` ${topic}`)
    expect(text).not.toMatch(/[{}]|undefined|\ba [aeio]/)
    expect(text.split('\n\n').length).toBeGreaterThanOrEqual(2)
  })

  test.each([
    ['write 5 words about rivers', /^Rivers: (?:\w+, ){3}\w+\.$/],
    ['write two sentences about tea', /^[^.]+\. [^.]+\.$/],
    ['write 3 paragraphs about cats', /^[^\n]+\n\n[^\n]+\n\n[^\n]+$/],
    ['viết một câu về Huế', /^[^.]*Huế[^.]*\.$/],
  ])('%s', (prompt, shape) => {
    expect(answer(prompt)).toMatch(shape)
  })

  test('writes 5,000 words in a few milliseconds', () => {
    answer('write 5,000 words about wind')
    const startedMs = performance.now()
    for (let round = 0; round < 10; round += 1) answer(`write 5,000 words about wind ${round}`)
    expect((performance.now() - startedMs) / 10).toBeLessThan(50)
  })

  test.each([
    ['\n'.repeat(200_000)],
    [' '.repeat(200_000)],
    [`say x${' '.repeat(200_000)}y`],
    [`"${'\\"'.repeat(100_000)}`],
    ['my a is '.repeat(20_000)],
    [`what is ${'('.repeat(1_500)}`],
    [`summarise: ${'a b. '.repeat(20_000)}`],
  ])('answers a huge prompt in reasonable time', (prompt) => {
    const startedMs = performance.now()
    expect(answer(prompt)).not.toBe('')
    expect(performance.now() - startedMs).toBeLessThan(1_000)
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

describe('the memory of the text model', () => {
  const told = [
    user('Hi, my name is An'),
    { role: 'assistant', text: 'My name is Bot. What is my cat?' },
    user('My favorite color is teal and my cat is Mun.'),
    user('Remember that the flight is on Friday.'),
    user('món ăn yêu thích của tôi là phở bò'),
    user('Tell me about rivers'),
  ]

  test.each([
    ['what is my name?', 'Your name is An.'],
    ['Tên tôi là gì?', 'Tên bạn là An.'],
    ["what's my favourite colour?", 'Your favourite colour is teal.'],
    ['What is my cat?', 'Your cat is Mun.'],
    ['Món ăn yêu thích của tôi là gì?', 'Món ăn yêu thích của bạn là phở bò.'],
    ['What did I ask you to remember?', 'You asked me to remember: the flight is on Friday.'],
    ['What did I just say?', 'You said: “Tell me about rivers”'],
    ['what was my first question?', 'You said: “Hi, my name is An”'],
  ])('%s', (prompt, text) => {
    expect(answer(prompt, told)).toBe(text)
  })

  test.each([
    ['My name is An', 'Nice to meet you, An!'],
    ['Tên tôi là Bình.', 'Rất vui được gặp bạn, Bình!'],
    ['My name is An. What is my name?', 'Your name is An.'],
    ['what is my name?', 'You have not told me your name yet.'],
    ['tôi tên là gì?', 'Bạn chưa cho tôi biết tên.'],
    ['My favourite colour is teal', 'Noted. Ask me about it later.'],
    ['Remember that tea is ready', 'I will remember: tea is ready.'],
  ])('%s, as the first turn', (prompt, text) => {
    expect(answer(prompt)).toBe(text)
  })

  test('takes the name that was told last', () => {
    expect(answer('what is my name?', [...told, user('Sorry, my name is Bình')])).toBe('Your name is Bình.')
  })

  test('goes on about the topic of the turns before, in other words', () => {
    const more = answer('continue', told)
    expect(more).toContain('rivers')
    expect(more).not.toBe(answer('Tell me about rivers', told))
  })

  test('sums up what was asked', () => {
    expect(answer('summarise our conversation', told)).toMatch(/^So far you asked:\n- /)
  })
})
