import type { Language } from './question'

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
