import { fold, type Language } from './question'

/** Things to name when a list or a table is asked for, by a word of the request; `vi` where the words differ. */
interface Topic {
  readonly pattern: RegExp
  readonly en: string
  readonly vi?: string
}

const topics: readonly Topic[] = [
  {
    pattern: /fruit|trái cây|hoa quả|quả/i,
    en: 'Mango, Papaya, Dragon fruit, Lychee, Guava, Banana, Pomelo, Durian, Jackfruit, Lime, Apple, Pear, Cherry, Grape, Kiwi, Peach, Plum, Fig, Melon, Coconut',
    vi: 'Xoài, Đu đủ, Thanh long, Vải, Ổi, Chuối, Bưởi, Sầu riêng, Mít, Chanh, Táo, Lê, Nho, Cam, Dừa, Chôm chôm, Măng cụt, Dưa hấu, Mận, Khế',
  },
  {
    pattern: /vegetable|(?<!\p{L})rau/iu,
    en: 'Carrot, Spinach, Cabbage, Cucumber, Pumpkin, Broccoli, Onion, Eggplant, Radish, Lotus root',
    vi: 'Rau muống, Cải thảo, Cà rốt, Bí đỏ, Dưa leo, Súp lơ, Cà tím, Rau ngót, Su hào, Mồng tơi',
  },
  {
    pattern: /colou?r|màu/i,
    en: 'Red, Orange, Yellow, Green, Teal, Blue, Indigo, Violet, Pink, Brown, Black, White, Grey, Gold, Coral',
    vi: 'Đỏ, Cam, Vàng, Xanh lá, Xanh ngọc, Xanh dương, Chàm, Tím, Hồng, Nâu, Đen, Trắng, Xám',
  },
  {
    pattern: /animal|mammal|con vật|động vật|con thú/i,
    en: 'Otter, Elephant, Gibbon, Tiger, Pangolin, Dolphin, Hare, Deer, Fox, Bear, Wolf, Turtle, Owl, Panda, Seal',
    vi: 'Rái cá, Voi, Vượn, Hổ, Tê tê, Cá heo, Thỏ, Hươu, Cáo, Gấu, Sói, Rùa, Cú mèo, Trâu, Khỉ',
  },
  {
    pattern: /planet|hành tinh/i,
    en: 'Mercury, Venus, Earth, Mars, Jupiter, Saturn, Uranus, Neptune',
    vi: 'Sao Thủy, Sao Kim, Trái Đất, Sao Hỏa, Sao Mộc, Sao Thổ, Sao Thiên Vương, Sao Hải Vương',
  },
  {
    pattern: /language|ngôn ngữ/i,
    en: 'TypeScript, Python, Go, Rust, Java, Kotlin, C, Swift, Ruby, Elixir, C++, C#, Haskell, Scala, Lua',
  },
  {
    pattern: /cit(?:y|ies)|thành phố/i,
    en: 'Hà Nội, Huế, Đà Nẵng, Hội An, Đà Lạt, Nha Trang, Cần Thơ, Vũng Tàu, Sa Pa, Hạ Long, Hải Phòng, Quy Nhơn, Vinh, Biên Hòa, Phan Thiết',
  },
  {
    pattern: /countr(?:y|ies)|quốc gia|đất nước|nước(?!\p{L})/iu,
    en: 'Vietnam, Japan, Thailand, France, Brazil, Kenya, Canada, India, Norway, Peru, Egypt, Italy, Morocco, Chile, Laos',
    vi: 'Việt Nam, Nhật Bản, Thái Lan, Pháp, Brazil, Kenya, Canada, Ấn Độ, Na Uy, Peru, Ai Cập, Ý, Lào, Cuba, Hàn Quốc',
  },
  {
    pattern: /rivers?\b|(?<!\p{L})sông/iu,
    en: 'Mekong, Red River, Perfume River, Amazon, Nile, Danube, Ganges, Yangtze, Rhine, Mississippi',
    vi: 'Sông Hồng, Sông Hương, Sông Cửu Long, Sông Hàn, Sông Đà, Sông Mã, Sông Lam, Sông Thu Bồn, Sông Đồng Nai, Sông Gianh',
  },
  {
    pattern: /food|dish|meal|món|đồ ăn/i,
    en: 'Phở, Bún chả, Bánh mì, Gỏi cuốn, Cơm tấm, Bún bò Huế, Cao lầu, Bánh xèo, Chả cá, Hủ tiếu, Mì Quảng, Xôi, Bánh cuốn, Bún riêu, Chè',
  },
  {
    pattern: /drinks?\b|beverage|đồ uống|thức uống/i,
    en: 'Green tea, Iced coffee, Sugarcane juice, Coconut water, Lemonade, Soy milk, Lotus tea, Ginger tea, Orange juice, Egg coffee',
    vi: 'Trà xanh, Cà phê sữa đá, Nước mía, Nước dừa, Nước chanh, Sữa đậu nành, Trà sen, Trà gừng, Nước cam, Cà phê trứng',
  },
  {
    pattern: /flower|loài hoa|(?<!\p{L})hoa(?!\p{L})/iu,
    en: 'Lotus, Orchid, Jasmine, Peach blossom, Rose, Sunflower, Lily, Tulip, Daisy, Hibiscus',
    vi: 'Sen, Lan, Nhài, Đào, Hồng, Hướng dương, Ly, Mai, Cúc, Dâm bụt',
  },
  {
    pattern: /instrument|nhạc cụ/i,
    en: 'Piano, Guitar, Violin, Flute, Drum, Cello, Đàn bầu, Đàn tranh, Trumpet, Harp',
  },
  {
    pattern: /sports?\b|môn thể thao/i,
    en: 'Football, Badminton, Swimming, Tennis, Basketball, Cycling, Running, Chess, Volleyball, Climbing',
    vi: 'Bóng đá, Cầu lông, Bơi lội, Quần vợt, Bóng rổ, Đạp xe, Chạy bộ, Cờ vua, Bóng chuyền, Leo núi',
  },
  {
    pattern: /months?\b|tháng/i,
    en: 'January, February, March, April, May, June, July, August, September, October, November, December',
    vi: 'Tháng một, Tháng hai, Tháng ba, Tháng tư, Tháng năm, Tháng sáu, Tháng bảy, Tháng tám, Tháng chín, Tháng mười, Tháng mười một, Tháng mười hai',
  },
  {
    pattern: /days?\b|(?<!\p{L})ngày(?!\p{L})/iu,
    en: 'Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday',
    vi: 'Thứ hai, Thứ ba, Thứ tư, Thứ năm, Thứ sáu, Thứ bảy, Chủ nhật',
  },
  {
    pattern: /\bnames?\b|tên (?:người|riêng)/i,
    en: 'An, Bình, Chi, Dũng, Hà, Khoa, Linh, Minh, Ngọc, Phúc, Quân, Sơn, Thảo, Uyên, Vy',
  },
  {
    pattern: /tips?\b|ideas?\b|mẹo|ý tưởng/i,
    en: 'Start small, Write it down, Ask one clear question, Try the simplest thing first, Measure before you change, Sleep on it, Show it to a friend, Remove one step, Set a time limit, Celebrate the finish',
    vi: 'Bắt đầu nhỏ, Viết ra giấy, Hỏi một câu thật rõ, Thử cách đơn giản nhất trước, Đo rồi hãy sửa, Nghỉ một đêm rồi xem lại, Cho một người bạn xem, Bỏ bớt một bước, Đặt giới hạn thời gian, Ăn mừng khi xong',
  },
]

const find = (topic: string): Topic | undefined => topics.find(({ pattern }) => pattern.test(topic))

const example: Readonly<Record<Language, string>> = { en: 'example', vi: 'ví dụ' }

/** How many things the model knows of a topic; 0 when it knows nothing of it. */
export const countKnown = (topic: string): number => find(topic)?.en.split(', ').length ?? 0

/** `count` things that fit a topic; beyond what it knows it numbers them, so that there are always as many as asked for. */
export function name(topic: string, count: number, language: Language = 'en'): readonly string[] {
  const found = find(topic)
  const known = ((language === 'vi' ? found?.vi : undefined) ?? found?.en ?? '').split(', ').filter(Boolean)
  const label = topic.charAt(0).toUpperCase() + topic.slice(1)
  return Array.from({ length: count }, (_, index) => known[index] ?? `${label}, ${example[language]} ${index + 1}`)
}

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
