import { fold, type Language } from './question'

const pairs = `hello = xin chào; hi = chào; good morning = chào buổi sáng; good evening = chào buổi tối; good night = chúc ngủ ngon;
goodbye = tạm biệt; thank you = cảm ơn; thank you very much = cảm ơn rất nhiều; thanks = cảm ơn; sorry = xin lỗi; please = làm ơn; yes = vâng;
no = không; how are you = bạn khỏe không; i am fine = tôi khỏe; my name is = tên tôi là; what is your name = bạn tên là gì;
nice to meet you = rất vui được gặp bạn; i love you = tôi yêu bạn; i love vietnam = tôi yêu Việt Nam; happy birthday = chúc mừng sinh nhật;
happy new year = chúc mừng năm mới; see you tomorrow = hẹn gặp lại ngày mai; see you = hẹn gặp lại; congratulations = chúc mừng;
where is the station = nhà ga ở đâu; where is = ở đâu; how much is it = bao nhiêu tiền; i am hungry = tôi đói; i like = tôi thích; i want = tôi muốn;
i do not understand = tôi không hiểu; the weather is nice today = hôm nay trời đẹp; good luck = chúc may mắn; welcome = chào mừng;
i = tôi; you = bạn; we = chúng tôi; love = yêu; like = thích; eat = ăn; drink = uống; go = đi; want = muốn; have = có; is = là; and = và;
not = không; with = với; water = nước; coffee = cà phê; tea = trà; rice = cơm; noodles = mì; food = thức ăn; house = nhà; cat = mèo; dog = chó;
book = sách; friend = bạn bè; family = gia đình; mother = mẹ; father = bố; school = trường học; work = công việc; today = hôm nay;
tomorrow = ngày mai; world = thế giới; sea = biển; river = sông; mountain = núi; sun = mặt trời; moon = mặt trăng; big = lớn; small = nhỏ;
beautiful = đẹp; delicious = ngon; red = màu đỏ; green = màu xanh lá; blue = màu xanh dương; one = một; two = hai; three = ba; vietnam = Việt Nam`

type Books = Readonly<Record<Language, ReadonlyMap<string, string>>>

const longestPhrase = 6
const mostWords = 60

let books: Books | undefined

/** For each language its phrases, by the folded phrase of the other one; the first of several wins. */
function readBooks(): Books {
  const [vi, en] = [new Map<string, string>(), new Map<string, string>()]
  for (const pair of pairs.split(/;\s+/)) {
    const [english = '', vietnamese = ''] = pair.split(' = ')
    vi.set(fold(english), vietnamese)
    if (!en.has(fold(vietnamese))) en.set(fold(vietnamese), english)
  }
  return { vi, en }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The longest phrases of the book first; `undefined` when a word is not in it. */
function look(words: readonly string[], book: ReadonlyMap<string, string>): readonly string[] | undefined {
  const found: string[] = []
  for (let at = 0; at < words.length; ) {
    const lengths = Array.from(
      { length: Math.min(longestPhrase, words.length - at) },
      (_, index) => index + 1,
    ).reverse()
    const length = lengths.find((size) => book.has(words.slice(at, at + size).join(' ')))
    if (length === undefined) return undefined
    found.push(book.get(words.slice(at, at + length).join(' ')) ?? '')
    at += length
  }
  return found
}

/** The text in the other language as far as a small phrase book goes; `undefined` where it does not. */
export function translate(text: string, to: Language): string | undefined {
  books ??= readBooks()
  const words =
    fold(text.slice(0, 1000))
      .replaceAll(/[’']m\b/g, ' am')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0 || words.length > mostWords) return undefined
  const found = look(words, books[to])
  return found && capital(found.join(' '))
}
