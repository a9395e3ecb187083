import { describe, expect, test } from 'vitest'
import {
  extractPreferences,
  splitFactSentences,
  summariseSession,
} from '../../../../../src/sandbox/platform/memory/generate'

describe('the facts in a message', () => {
  test.each<[string, string[]]>([
    ['My name is Lan and I live in Da Nang', ['My name is Lan and I live in Da Nang.']],
    ['Hi, thanks! I work at St. Mary hospital.', ['I work at St. Mary hospital.']],
    ['We meet at 10 a.m. on Fridays.', ['We meet at 10 a.m. on Fridays.']],
    ['- we ship on Fridays\n2. the office is in Hue;', ['We ship on Fridays.', 'The office is in Hue.']],
    ['Xin chào! Tôi sống ở Hà Nội. Bạn khỏe không?', ['Tôi sống ở Hà Nội.']],
    ['Tôi sống ở Hà Nội.'.normalize('NFD'), ['Tôi sống ở Hà Nội.']],
    ['Can you help me?', []],
    ['Please write a poem about the sea.', []],
    ['Hãy viết một bài thơ.', []],
    ['That sounds really good.', []],
    ['Cho em một bản tóm tắt.', []],
    ['Thanks a lot!', []],
    ['```\nI am inside of code\n```', []],
    ['12345 67890 ...', []],
  ])('of %j', (message, expected) => expect(splitFactSentences(message)).toEqual(expected))
})

describe('the preferences in a message', () => {
  test.each<[string, string[]]>([
    ['I prefer window seats but I hate early flights.', ['Prefers window seats.', 'Dislikes early flights.']],
    ['I’d really prefer meetings after 10 a.m.', ['Prefers meetings after 10 a.m.']],
    ['I like my coffee black, I really don’t like milk.', ['Likes their coffee black.', 'Dislikes milk.']],
    ['I love jazz and I enjoy hiking', ['Loves jazz.', 'Enjoys hiking.']],
    ["I can't stand crowds", ['Dislikes crowds.']],
    ["I'd rather walk.", ['Would rather walk.']],
    ["I am not a big fan of meetings. I'm really into chess.", ['Dislikes meetings.', 'Likes chess.']],
    ['My favorite colour is teal.', ['Names teal as the favourite colour.']],
    ['Please always answer in Vietnamese.', ['Wants the assistant always to answer in Vietnamese.']],
    ["Please don't use emojis!", ['Wants the assistant not to use emojis.']],
    ['Tôi thích phở bò, nhưng mình không thích hành.', ['Thích phở bò.', 'Không thích hành.']],
    ['Mình rất mê nhạc jazz và mình ghét dậy sớm.', ['Thích nhạc jazz.', 'Không thích dậy sớm.']],
    ['Chúng tôi ưu tiên giao hàng nhanh.'.normalize('NFD'), ['Ưu tiên giao hàng nhanh.']],
    ['Món ăn yêu thích của tôi là phở.', ['Xem phở là món ăn yêu thích.']],
    ['Hãy luôn trả lời ngắn gọn nhé!', ['Muốn trợ lý luôn trả lời ngắn gọn.']],
    ['Do you know what I like? I like it. I would like to know more. Never mind.', []],
    ['She likes tea. Bạn thích gì?', []],
  ])('of %j', (message, expected) => expect(extractPreferences(message)).toEqual(expected))
})

describe('the summary of a session', () => {
  const event = (role: string, content: string) => ({ id: 'event-1', role, content, createdAt: '2026-01-01T00:00:00Z' })

  test('quotes a few messages from beginning to end, shortened', () => {
    const longMessage = `Message nine ${'is long '.repeat(40)}`
    const messageTexts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map(
      (word) => `Message number ${word}.`,
    )
    const summary = summariseSession([...messageTexts, longMessage].map((content) => event('user', content)))
    const quotes = [...summary.matchAll(/“([^”]*)”/g)].map(([, quote = '']) => quote)
    expect(summary).toMatch(/^A conversation of 9 messages\. The user said:/)
    expect(quotes.slice(0, 3)).toEqual(['Message number one.', 'Message number four.', 'Message number six.'])
    expect(quotes[3]).toMatch(/^Message nine .*…$/)
    expect(quotes[3]).toHaveLength(160)
    expect(quotes).toHaveLength(4)
  })

  test('is in Vietnamese for a Vietnamese speaker', () => {
    const summary = summariseSession([
      event('user', 'Xin chào! Đặt vé đi Huế giúp tôi.'),
      event('assistant', 'Tôi đã đặt vé rồi.'),
    ])
    expect(summary).toBe(
      'Cuộc trò chuyện gồm 2 tin nhắn. Người dùng nói: “Đặt vé đi Huế giúp tôi.” Trợ lý nói sau cùng: “Tôi đã đặt vé rồi.”',
    )
  })

  test('states the amount for a session without text', () => {
    expect(summariseSession([event('tool', '42')])).toBe('A conversation of 1 message.')
  })
})

test.each(['I like ', 'a', ' ', '```', '. ', 'hi, ', '- ', '.\n', 'màu tôi thích ', ' but', '“'])(
  'a message of 100,000 characters of %j is parsed fast',
  (piece) => {
    const message = piece.repeat(Math.ceil(100_000 / piece.length)).slice(0, 100_000)
    const startedMs = performance.now()
    splitFactSentences(message)
    extractPreferences(message)
    summariseSession([{ id: 'event-1', role: 'user', content: message, createdAt: '2026-01-01T00:00:00Z' }])
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  },
)
