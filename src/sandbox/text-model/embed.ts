import { fold } from './question'

const dimension = 256

/** Each concept has a dimension of its own; words and their pieces share the rest. */
const firstShared = 64

const conceptGain = 1.9
const stopWordWeight = 0.1
const signWeight = 0.05
const dimensionsPerWord = 3
const trigramWeight = 0.45
const longestEnding = 5
const longestWord = 64
const mostWordsKept = 5_000

type Weights = readonly (readonly [index: number, weight: number])[]

/** What one word of a text adds to its embedding. */
interface Word {
  readonly plain: string
  readonly shared: Weights
  readonly concepts: readonly number[]
  readonly beginsPhrase: boolean
}

interface Lexicon {
  readonly weights: readonly number[]
  readonly hints: ReadonlyMap<string, readonly number[]>
  readonly prefixes: readonly (readonly [string, number])[]
  readonly phraseBeginnings: ReadonlySet<string>
  readonly stopWords: ReadonlySet<string>
  readonly words: Map<string, Word>
}

/** A hint as it is written, and without its marks where that leaves enough to recognise it. */
function spellings(hint: string): readonly string[] {
  const plain = fold(hint)
  if (hint.includes(' ')) return [plain]
  return plain.length > 3 ? [...new Set([hint, plain])] : [hint]
}

function readHints(concepts: readonly Concept[]): ReadonlyMap<string, readonly number[]> {
  const hints = new Map<string, number[]>()
  for (const [index, concept] of concepts.entries()) {
    for (const key of new Set(concept.hints.filter((hint) => !hint.endsWith('*')).flatMap(spellings))) {
      hints.set(key, [...(hints.get(key) ?? []), index])
    }
  }
  return hints
}

let knownWords: Lexicon | undefined

function readLexicon(): Lexicon {
  const concepts = readConcepts()
  const hints = readHints(concepts)
  return {
    weights: concepts.map(({ weight }) => weight),
    hints,
    prefixes: concepts.flatMap((concept, index) =>
      concept.hints.filter((hint) => hint.endsWith('*')).map((hint) => [hint.slice(0, -1), index] as const),
    ),
    phraseBeginnings: new Set([...hints.keys()].flatMap((key) => (key.includes(' ') ? key.split(' ', 1) : []))),
    stopWords: new Set(stopWords.flatMap((word) => [word, fold(word)])),
    words: new Map(),
  }
}

function place(feature: string, seed: number, weight: number): readonly [number, number] {
  const value = hash(feature, seed)
  return [firstShared + ((value >>> 1) % (dimension - firstShared)), value & 1 ? weight : -weight]
}

/** The word itself on a few dimensions, and its trigrams, which bring near spellings together. */
function sharedWeights(key: string, weight: number): Weights {
  const padded = `_${key.slice(0, longestWord)}_`
  const trigrams =
    padded.length > 3 ? Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)) : []
  const whole = Array.from({ length: dimensionsPerWord }, (_, seed) =>
    place(key, seed + 1, weight / Math.sqrt(dimensionsPerWord)),
  )
  const each = (weight * trigramWeight) / Math.sqrt(Math.max(trigrams.length, 1))
  return [...whole, ...trigrams.map((trigram) => place(trigram, 0, each))]
}

function conceptsOf({ hints, prefixes }: Lexicon, lower: string, plain: string): readonly number[] {
  const exact = hints.get(lower) ?? (plain.length > 3 ? hints.get(plain) : undefined) ?? []
  const begun = prefixes.filter(([prefix]) => plain.startsWith(prefix) && plain.length <= prefix.length + longestEnding)
  return [...new Set([...exact, ...begun.map(([, index]) => index)])]
}

function weightOf({ stopWords: stops }: Lexicon, lower: string): number {
  if (!/[\p{L}\p{N}]/u.test(lower)) return signWeight
  return stops.has(lower) ? stopWordWeight : 1
}

function readWord(known: Lexicon, written: string): Word {
  const lower = written.toLowerCase().normalize('NFC')
  const plain = fold(written)
  return {
    plain,
    shared: sharedWeights(stem(written) || lower, weightOf(known, lower)),
    concepts: conceptsOf(known, lower, plain),
    beginsPhrase: known.phraseBeginnings.has(plain),
  }
}

function wordOf(known: Lexicon, written: string): Word {
  const kept = known.words.get(written)
  if (kept) return kept
  const word = readWord(known, written)
  if (written.length > longestWord) return word
  if (known.words.size >= mostWordsKept) known.words.clear()
  known.words.set(written, word)
  return word
}

/** How often each concept is hinted at, by words and by phrases of two words. */
function countConcepts(known: Lexicon, words: readonly Word[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  const add = (index: number) => counts.set(index, (counts.get(index) ?? 0) + 1)
  for (const [at, word] of words.entries()) {
    word.concepts.forEach(add)
    if (!word.beginsPhrase) continue
    const pair = `${word.plain} ${words[at + 1]?.plain ?? ''}`
    known.hints.get(pair)?.forEach(add)
    known.hints.get(`${pair} ${words[at + 2]?.plain ?? ''}`)?.forEach(add)
  }
  return counts
}

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((value) => value / length) : vector
}

/**
 * A small embedding of a text: 256 numbers of unit length, all zero for a text without a visible character. It knows the words, their
 * spelling (so `deployment` is near `deploys`, and `dị ứng` is `di ung`) and what they hint at (so `eat` is near `noodles`).
 */
export function embed(text: string): Float32Array {
  knownWords ??= readLexicon()
  const known = knownWords
  const words = (text.match(/[\p{L}\p{N}\p{M}]+|\S/gu) ?? []).map((written) => wordOf(known, written))
  const vector = new Float32Array(dimension)
  for (const { shared } of words) for (const [index, weight] of shared) vector[index] = (vector[index] ?? 0) + weight
  for (const [index, count] of countConcepts(known, words)) {
    vector[index] = conceptGain * (known.weights[index] ?? 0) * count ** 0.65
  }
  return toUnitLength(vector)
}

/** How near two embeddings are, from 0 (nothing in common) to 1 (the same). */
export function similarity(a: Float32Array, b: Float32Array): number {
  let product = 0
  for (let index = 0; index < a.length; index += 1) product += (a[index] ?? 0) * (b[index] ?? 0)
  return Math.min(Math.max(Math.round(product * 1e6) / 1e6, 0), 1)
}

/** What a text can be about, and the words that hint at it. */
interface Concept {
  readonly name: string
  /** What goes with almost everything (times, likes) weighs less than what says what a text is about. */
  readonly weight: number
  /** Words and phrases in lower case; `*` ends the beginning of a word. */
  readonly hints: readonly string[]
}

const lexicon = `
food 1: eat, eats, ate, eating, food*, foodie, dinner*, lunch*, breakfast*, meal*, snack*, dish*, cuisine,
  restaurant*, cook*, recipe*, hungry, taste*, tasty, delicious, spicy, sweet, sour, salty, noodle*, rice, pizza*,
  pasta, sushi, burger*, bread, soup, salad*, vegetable*, vegetarian*, vegan*, meat*, beef, pork, chicken, fish,
  shrimp, seafood, tofu, egg*, cheese, peanut*, nut, nuts, fruit*, mango*, dessert*, cake*, chocolate, kitchen,
  diet*, phở, bún, bánh, cơm, ăn, món, nấu, quán, ngọt, thịt, cá, tôm, rau, chay, cay, nhà hàng, món ăn, đồ ăn, ăn
  tối, ăn trưa, ăn sáng, bữa tối, bữa trưa, bữa sáng, trái cây, hoa quả, hải sản, đậu phộng, bánh mì, mì ý, nước mắm
drink 1: drink*, coffee*, tea, teas, beer*, wine*, juice*, milk, water, latte, espresso, cocktail*, uống, trà, sữa,
  bia, rượu, cà phê, nước ép, trà sữa
preference 0.6: prefer*, like, likes, liked, love, loves, loved, enjoy*, favourite*, favorite*, fan, fond, want,
  wants, wish*, rather, choose*, chose, choice*, taste, interested, thích, muốn, yêu, mê, ưu tiên, yêu thích, ưa
  thích, sở thích, lựa chọn
aversion 0.8: dislike*, hate*, avoid*, never, annoyed, annoying, refuse*, tránh, ghét, không thích, không muốn,
  không bao giờ
allergy 1: allerg*, intoleran*, peanut*, gluten, lactose, pollen, reaction*, anaphyla*, dị ứng, đậu phộng, phấn hoa
health 1: health*, doctor*, hospital*, clinic*, medicine*, medication*, medical, pill, pills, sick, ill, illness*,
  disease*, pain, pains, painful, headache*, fever, sleep*, insomnia, allerg*, diabet*, dentist*, therap*, blood,
  symptom*, diet*, injur*, vaccine*, khám, thuốc, ốm, bệnh, sốt, đau, sức khỏe, sức khoẻ, bác sĩ, bệnh viện, dị ứng,
  mất ngủ, đau   đầu, tiểu đường
fitness 1: gym, run, runs, running, jog*, marathon*, yoga, workout*, exercise*, swim*, cycling, bike*, bicycle*,
  hike*, hiking, football, soccer, tennis, badminton, basketball, sport*, chạy bộ, thể thao, bóng đá, bơi lội, đạp
  xe, thể dục, cầu lông
travel 1.2: travel*, trip*, flight*, fly, flies, flew, airport*, airline*, plane, planes, ticket*, visa*, passport*,
  vacation*, holiday*, tour*, tourist*, journey*, itinerar*, luggage, suitcase, boarding, train, trains, cruise,
  destination*, abroad, beach*, hotel*, hostel*, resort*, bay, vé, du lịch, chuyến bay, máy bay, sân bay, chuyến đi,
  khách sạn, hộ chiếu, thị thực, nghỉ mát, đặt vé, đặt phòng, bãi biển
seating 1: seat*, aisle, window, cabin, economy, ghế, cửa sổ, lối đi
lodging 1: hotel*, hostel*, room*, resort*, accommodation*, stay, stays, airbnb, checkin, checkout, suite*,
  homestay*, khách sạn, nhà nghỉ, đặt phòng, phòng đôi
vehicle 1: car, cars, drive*, driving, bus, buses, motorbike*, scooter*, taxi*, parking, commute*, traffic, metro,
  subway, xe, lái xe, xe máy, xe buýt, giao thông, kẹt xe, ô tô
work 0.7: work*, job*, office*, colleague*, coworker*, boss, manager*, employee*, employer*, company, companies,
  career*, profession*, hire*, hiring, team*, project*, task*, position, engineer*, occupation, việc, sếp, làm việc,
  công việc, công ty, văn phòng, đồng nghiệp, dự án, nghề nghiệp, kỹ sư, nhân viên, quản lý
meeting 1: meeting*, meet, meets, call, calls, standup*, sync, agenda, appointment*, conference*, workshop*,
  interview*, invite*, minutes, zoom, họp, cuộc họp, cuộc gọi, lịch hẹn, phỏng vấn, hội nghị
deadline 1: deadline*, due, overdue, late, urgent*, asap, deliver by, milestone*, postpone*, delay*, hạn, gấp, trễ,
  hạn chót, thời hạn, đúng hạn, khẩn cấp
schedule 0.7: schedul*, calendar*, reschedul*, plan, plans, planned, appointment*, book, booked, booking*, reserve*,
  reservation*, remind*, routine*, availab*, slot*, meeting*, lịch, lịch trình, đặt lịch, kế hoạch, nhắc nhở, thời
  gian biểu, thời khóa biểu
time 0.4: time, times, timezone*, hour*, minute*, today, tomorrow, yesterday, week, weeks, weekly, weekend*, month*,
  year*, daily, day, days, date*, monday*, tuesday*, wednesday*, thursday*, friday*, saturday*, sunday*, when,
  early, soon, giờ, phút, ngày, tuần, tháng, năm, khi nào, bao giờ, hôm nay, ngày mai, hôm qua, cuối tuần, thứ hai,
  thứ ba, thứ tư, thứ năm, thứ sáu, thứ bảy, chủ nhật, múi giờ
daypart 0.6: morning*, afternoon*, evening*, night*, noon, midnight, early, dawn, sáng, trưa, chiều, tối, đêm, buổi
  sáng, buổi chiều, buổi tối, ban đêm
code 1: code*, coding, coder*, program*, developer*, software, typescript, javascript, python, java, rust, golang,
  react, function*, class, variable*, compil*, refactor*, repo, repos, repository, repositories, git, github,
  commit*, branch*, merge*, pull request, library, framework*, api, apis, sdk, backend, frontend, script*, stack,
  ide, linter, lập trình, mã nguồn, phần mềm, lập trình viên
bug 1: bug*, error*, crash*, exception*, fail*, failure*, broken, broke, fix, fixes, fixed, issue*, debug*,
  traceback, incident*, outage*, fault*, defect*, regression*, problem*, complain*, lỗi, hỏng, sửa lỗi, sự cố
deploy 1: deploy*, release*, rollout*, rollback*, ship, ships, shipped, kubernetes, k8s, cluster*, docker*,
  container*, pod, pods, helm, terraform, pipeline*, ci, cd, staging, production, prod, infrastructure, server*,
  cloud, devops, hosting, namespace*, triển khai, phát hành, máy chủ, hạ tầng
database 1: database*, sql, postgres*, mysql, mongodb, redis, query, queries, table*, schema*, index*, migration*,
  backup*, replica*, cơ sở dữ liệu, dữ liệu, sao lưu, truy vấn
testing 1: test, tests, tested, testing, tester*, unit test, coverage, qa, e2e, assertion*, fixture*, kiểm thử, kiểm
  tra
agent 0.9: agent*, ai, llm*, model*, prompt*, chatbot*, assistant*, token*, embedding*, inference, memory, memories,
  context window, trí tuệ nhân tạo, mô hình, trợ lý, bộ nhớ
quota 1: quota*, allowance*, limit*, usage, consum*, token*, throttl*, exhausted, rate limit, hạn mức, giới hạn, sử
  dụng, gói cước
security 1: security, secure*, password*, secret*, key, keys, credential*, login*, auth*, permission*, encrypt*,
  privacy, private, leak*, phishing, firewall, mật khẩu, bảo mật, quyền truy cập, khóa, đăng nhập, riêng tư
language 1: language*, speak*, spoken, translat*, vietnamese, english, french, japanese, korean, chinese, german,
  spanish, bilingual, accent, grammar, vocabulary, ngôn ngữ, tiếng việt, tiếng anh, tiếng nhật, tiếng pháp, tiếng
  hàn, tiếng trung, dịch, phiên dịch
vietnamese 0.9: vietnam*, viet, việt, việt nam, tiếng việt
tone 1: tone*, formal*, informal*, casual*, concise*, brief*, short, shorter, verbose, polite*, friendly, style*,
  wording, bullet*, emoji*, detailed, humor*, humour*, succinct, terse, direct, straightforward, answer, answers,
  reply, replies, response*, respond*, ngắn gọn, trang trọng, lịch sự, thân thiện, giọng văn, văn phong, xưng hô,
  trả lời, chi tiết
message 0.8: email*, mail, mails, message*, chat, chats, slack, zalo, whatsapp, telegram, sms, notif*, phone*, call,
  calls, contact*, reach, inbox, newsletter*, thư, nhắn tin, tin nhắn, điện thoại, gọi điện, liên hệ, liên lạc,
  thông báo
money 1: money, cash, pay, pays, paid, paying, payment*, budget*, cost, costs, costly, price*, pricing, expensive,
  cheap*, afford*, salary, salaries, income, tax, taxes, vat, vnd, dollar*, euro*, credit*, debit, bank*, loan*,
  debt*, discount*, refund*, fee, fees, how much, tiền, giá, lương, thuế, rẻ, đắt, đồng, ngân sách, chi phí, thanh
  toán, giá cả, ngân hàng, tín dụng, hoàn tiền, giảm giá, bao nhiêu tiền
invoice 1: invoice*, bill, bills, billing, billed, receipt*, accounting, accountant*, reimburse*, expense*,
  overcharge*, charged, hóa đơn, hoá đơn, biên lai, kế toán, công nợ
shopping 1: buy, buys, bought, buying, purchase*, shop*, order, orders, ordered, store*, cart, product*, brand*,
  sale, sales, gift*, return, returns, mua, bán, mua sắm, đơn hàng, đặt hàng, cửa hàng, sản phẩm, khuyến mãi, quà
  tặng
delivery 1: deliver*, shipping, shipment*, parcel*, package*, courier*, tracking, address*, warehouse*, giao hàng,
  vận chuyển, bưu kiện, địa chỉ, kho hàng
subscription 1: subscri*, renew*, plan, plans, upgrade*, downgrade*, cancel*, membership*, expire*, expiry, trial,
  gia hạn, đăng ký, nâng cấp, hủy gói, hết hạn
customer 0.9: customer*, client*, support, ticket*, complain*, complaint*, feedback, satisf*, helpdesk, escalat*,
  khách, khách hàng, hỗ trợ, khiếu nại, phản hồi, chăm sóc khách
family 1: family, families, wife, husband, spouse, mother, mom, mum, father, dad, parent*, son, sons, daughter*,
  child, children, kid, kids, brother*, sister*, sibling*, grand*, baby, married, wedding*, cousin*, uncle*, aunt*,
  vợ, chồng, mẹ, bố, ba mẹ, con, cháu, gia đình, con gái, con trai, anh trai, chị gái, em gái, em trai, đám cưới,
  kết hôn
friend 0.8: friend*, buddy, neighbour*, neighbor*, girlfriend*, boyfriend*, partner*, social, party, parties, bạn
  bè, hàng xóm, bạn gái, bạn trai, người yêu
birthday 1: birthday*, born, birth, anniversar*, age, aged, old, sinh nhật, ngày sinh, kỷ niệm, bao nhiêu tuổi, tuổi
identity 0.7: name, names, named, called, nickname*, surname*, introduce*, profile*, who, tên, họ tên, tên là, biệt
  danh
pet 1: pet, pets, dog*, cat, cats, puppy, puppies, kitten*, hamster*, rabbit*, parrot*, animal*, vet, mèo, chó, thú
  cưng, thú y, động vật
music 1: music*, song*, sing, sings, singing, singer*, band, bands, album*, concert*, guitar*, piano*, violin*,
  jazz, rock, classical, playlist*, melody, spotify, nhạc, hát, đàn, bài hát, ca sĩ, âm nhạc, ban nhạc
film 1: movie*, film*, cinema*, series, netflix, actor*, actress*, tv, episode*, director*, anime, phim, rạp, diễn
  viên, xem phim, truyền hình
reading 1: book, books, read, reads, reading, novel*, author*, story, stories, poem*, poetry, library, literature,
  magazine*, sách, đọc, truyện, đọc sách, tiểu thuyết, thư viện, tác giả
game 1: game*, gaming, gamer*, chess, puzzle*, playstation, xbox, nintendo, esports, trò chơi, cờ vua
art 1: art, arts, paint*, draw*, photo*, camera*, gallery, museum*, design*, sketch*, pottery, craft*, vẽ, tranh,
  ảnh, chụp ảnh, nghệ thuật, bảo tàng, thiết kế
colour 1: color*, colour*, red, blue, green, yellow, teal, purple, violet, orange, pink, black, white, brown, grey,
  gray, theme*, palette*, màu, đỏ, xanh, vàng, tím, hồng, đen, trắng, nâu, xám, màu sắc
clothing 1: cloth*, wear, wears, wearing, shirt*, dress*, shoe*, jacket*, size, sizes, fashion, jeans, áo, quần,
  giày, váy, quần áo, thời trang, áo dài
home 0.9: home*, house*, apartment*, flat, rent*, landlord*, furniture, garden*, move, moved, moving, live, lives,
  living, neighbourhood, kitchen, bedroom*, nhà, thuê, vườn, căn hộ, chung cư, thuê nhà, nội thất, chuyển nhà, sống
  ở
place 0.6: where, place*, city, cities, town*, country, countries, location*, located, based, live, lives, address*,
  street*, district*, province*, map, maps, hanoi, saigon, danang, hue, tokyo, paris, london, singapore, ở đâu, nơi,
  thành phố, quận, tỉnh, đường, quê, hà nội, sài gòn, đà nẵng, đà lạt, sống ở, địa điểm, quê quán
weather 1: weather, rain*, sunny, sun, snow*, storm*, typhoon*, hot, cold, warm, cool, temperature*, humid*,
  forecast*, wind, winds, windy, climate, mưa, nắng, bão, nóng, lạnh, thời tiết, nhiệt độ
nature 1: nature, mountain*, forest*, river*, sea, ocean*, lake*, tree*, flower*, plant*, beach*, island*, wildlife,
  núi, rừng, sông, biển, hồ, cây, hoa, thiên nhiên
education 1: school*, university, universities, college*, student*, teacher*, teach*, learn*, study, studies,
  studying, studied, course*, exam*, degree*, class, classes, lesson*, homework, tutor*, professor*, học, thi,
  trường, lớp, sinh viên, học sinh, giáo viên, đại học, bài tập, khóa học
document 0.9: document*, report*, file, files, pdf, spreadsheet*, excel, slide*, presentation*, contract*, form,
  forms, draft*, template*, wiki, readme, summary, summaries, notes, tài liệu, báo cáo, hợp đồng, tệp, bảng tính,
  bản nháp, thuyết trình
law 1: law, laws, lawyer*, legal*, contract*, court*, complian*, regulation*, gdpr, policy, policies, license*,
  luật, luật sư, pháp lý, hợp đồng, quy định, giấy phép, chính sách
analytics 0.9: chart*, graph*, dashboard*, metric*, analytic*, statistic*, kpi*, trend*, monitor*, latency,
  throughput, cpu, ram, log, logs, biểu đồ, thống kê, số liệu, giám sát, phân tích
device 0.9: laptop*, computer*, macbook*, phone*, iphone*, android, tablet*, keyboard*, screen*, monitor*, printer*,
  headphone*, linux, windows, macos, ubuntu, wifi, máy tính, điện thoại, bàn phím, màn hình, tai nghe
emotion 0.9: happy, happiness, sad, sadness, angry, anger, anxious, anxiety, stress*, worry, worries, worried,
  afraid, fear*, excited, lonely, bored, tired, mood*, feel*, vui, buồn, giận, lo lắng, căng thẳng, mệt mỏi, hạnh
  phúc, cảm xúc, sợ
celebration 1: celebrat*, festival*, tet, tết, christmas, party, parties, holiday*, gift*, anniversar*, new year,
  lễ, lễ hội, giáng sinh, năm mới, trung thu, tiệc
goal 0.7: goal*, target*, aim*, objective*, ambition*, dream*, strategy, strategies, roadmap*, mục tiêu, ước mơ,
  chiến lược, lộ trình
news 0.8: news*, politic*, election*, government*, headline*, journalis*, tin tức, báo chí, chính trị, chính phủ,
  bầu cử
`

/** The concepts that matter to people who talk with agents, in English and Vietnamese. */
const readConcepts = (): readonly Concept[] =>
  [...lexicon.matchAll(/^(\w+) ([\d.]+): ([^:]+)(?=\n\w+ [\d.]+:|\n$)/gm)].map(([, name = '', weight, hints = '']) => ({
    name,
    weight: Number(weight),
    hints: hints.replace(/\s+/g, ' ').trim().split(', '),
  }))

/** Words that say little about what a text means, in English and Vietnamese. */
export const stopWords: readonly string[] =
  `a an the and or but if then so than that this these those there here of to in on at by for with from as into over under about up
  down out off again is am are was were be been being do does did done doing have has had having will would shall should can could may
  might must i me my mine we us our you your yours he him his she her hers it its they them their what which who whom whose when where
  why how all any both each few more most other some such no nor not only own same too very just also now please s t re ve ll d m user don doesn didn isn aren wasn weren won wouldn couldn
  là của và những các một cho tôi bạn anh chị em ấy cô được đã đang sẽ thì mà ở với không có này đó kia rất về trong khi như gì nào ai
  hãy nhé ạ vâng dạ cũng nên vì nếu hay hoặc từ đến ra vào lên xuống bị do tại cái chiếc người mình họ nó sao thế vậy rồi còn chỉ`
    .split(/\s+/)
    .filter((word) => word !== '')

/** A 32-bit FNV-1a hash of a text; each seed gives another one. */
export function hash(text: string, seed = 0): number {
  let value = 0x811c9dc5 ^ seed
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return (value ^ (value >>> 15)) >>> 0
}

/** Whole numbers from 0 up to, not including, `end`; the same seed gives the same numbers. */
export function numbersFrom(seed: number): (end: number) => number {
  let state = seed >>> 0
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) % end
  }
}

const shortestStem = 3
const endings: readonly (readonly [RegExp, string])[] = [
  [/(?:ies|ied)$/, 'y'],
  [/(?:sses|shes|ches|xes)$/, ''],
  [/(?:ation|ations|ments?|ness|fully|ingly)$/, ''],
  [/(?:ings?|edly|ed|ers?|ly)$/, ''],
  [/es$/, ''],
  [/(?<!s)s$/, ''],
]

/** The folded word without a common English ending, so that `deploys`, `deployed` and `deployment` are one word. */
function stem(word: string): string {
  const plain = fold(word)
  if (!/^[a-z]+$/.test(plain)) return plain
  const ending = endings.find(([pattern]) => pattern.test(plain))
  const rest = ending ? plain.replace(...ending) : plain
  const bare =
    rest.length > shortestStem ? rest.replace(/([b-df-hj-km-np-rtvwxz])\1$/, '$1').replace(/[ey]$/, '') : rest
  return bare.length >= shortestStem ? bare : plain
}
