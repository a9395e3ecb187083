import { createHash } from 'node:crypto'
import { fillNamespace } from '../platform/memory'
import type { Memory, MemoryEvent, MemoryRecord, MemoryState, Session, Strategy } from '../state/world'
import { createRandom as createIntegers } from '../text-model'
import { dayMs, hourMs, minuteMs } from '../timing'

/** Deterministic pseudo-random numbers per seed and purpose. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number
  /** Integer from `least` to `max`, both inclusive. */
  readonly int: (least: number, max: number) => number
  /** Picks an item of a nonempty list. */
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item
  readonly hex: (length: number) => string
}

/** Number of values of 32 bits. */
const wordRange = 2 ** 32

/** Independent random source per purpose, so that a change in one part keeps the others stable. */
export function createRandom(seed: string, purpose: string): Random {
  const random = createIntegers(createHash('sha256').update(`${seed}|${purpose}`).digest().readUInt32LE(0))
  const next = (): number => random(wordRange) / wordRange
  const int = (least: number, max: number): number => least + Math.floor(next() * (max - least + 1))
  return {
    next,
    int,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    hex(length) {
      const hexWords = Array.from({ length: Math.ceil(length / 8) }, () =>
        random(wordRange).toString(16).padStart(8, '0'),
      )
      return hexWords.join('').slice(0, length)
    },
  }
}

export const toIso = (ms: number): string => new Date(ms).toISOString()

/** Start of the hour. Seeded history ends there to stay separate from live usage. */
export const floorToHour = (ms: number): number => Math.floor(ms / hourMs) * hourMs

const people =
  `an.nguyen binh.le chi.pham dung.vo giang.do ha.tran hieu.bui khanh.ly lan.dang linh.ho mai.duong minh.phan nam.vu
  nga.truong oanh.lam phuc.cao quan.dinh son.mai tam.huynh vy.ngo`.split(/\s+/)

function createStrategies(name: string): readonly Strategy[] {
  const namespace = '/strategies/{strategyId}/actors/{actorId}'
  return [
    { id: `strategy-${name}-facts`, name: 'facts', type: 'SEMANTIC', namespace },
    { id: `strategy-${name}-preferences`, name: 'preferences', type: 'USER_PREFERENCE', namespace },
    {
      id: `strategy-${name}-summaries`,
      name: 'summaries',
      type: 'SUMMARY',
      namespace: `${namespace}/sessions/{sessionId}`,
    },
  ]
}

/** Generates a session in which the person sometimes mentions a fact. */
function generateSession(options: {
  theme: Theme
  strategies: readonly Strategy[]
  random: Random
  actorId: string
  fromMs: number
}): { readonly session: Session; readonly records: readonly MemoryRecord[] } {
  const { theme, strategies, random, actorId, fromMs } = options
  const sessionId = `session-${random.hex(8)}`
  const events: MemoryEvent[] = []
  const records: MemoryRecord[] = []
  let nowMs = fromMs
  const addEvent = (role: string, content: string) => {
    nowMs += random.int(4, 90) * 1000
    events.push({ id: `event-${random.hex(12)}`, role, content, createdAt: toIso(nowMs) })
  }
  const addRecord = (type: Strategy['type'], content: string) => {
    const strategy = strategies.find((candidate) => candidate.type === type)
    if (strategy === undefined) return
    const namespace = fillNamespace(strategy, { actorId, sessionId })
    const ids = { id: `record-${random.hex(12)}`, longTermMemoryStrategyId: strategy.id, actorId, sessionId }
    records.push({ ...ids, namespace, content, createdAt: toIso(nowMs + minuteMs) })
  }
  const questionTexts: string[] = []
  for (let remainingTurns = random.int(2, 9); remainingTurns > 0; remainingTurns -= 1) {
    const [question, answer] = random.pick(theme.turns)
    questionTexts.push(question)
    addEvent('user', question)
    if (random.next() < 0.3) {
      const { message, recordText, kind } = random.pick(theme.facts)
      addEvent('user', message)
      addRecord(kind, recordText)
    }
    addEvent('assistant', answer)
  }
  if (random.next() < 0.5) addRecord('SUMMARY', `${actorId} asked: ${questionTexts.slice(0, 3).join(' ')}`)
  return { session: { actorId, sessionId, events }, records }
}

function seededMemory(theme: Theme, random: Random, nowMs: number): Memory {
  const strategies = createStrategies(theme.name)
  const ageDays = Math.min(38, theme.eventExpiryDuration - 1)
  const generatedSessions = Array.from({ length: theme.actors }, (_, index) => {
    const actorId = people[index] ?? `guest-${String(index).padStart(3, '0')}`
    return Array.from({ length: random.int(1, 5) }, () => {
      const fromMs = floorToHour(nowMs) - random.int(0, ageDays * 24) * hourMs - hourMs
      return generateSession({ theme, strategies, random, actorId, fromMs })
    })
  }).flat()
  const { name, description, eventExpiryDuration } = theme
  return {
    id: `memory-${name}`,
    name,
    description,
    eventExpiryDuration,
    strategies,
    sessions: generatedSessions.map(({ session }) => session),
    records: generatedSessions.flatMap(({ records }) => records),
    ...createTimes(floorToHour(nowMs) - 39 * dayMs),
  }
}

function createTimes(createdMs: number) {
  const createdAt = toIso(createdMs)
  return { readyAt: createdAt, createdAt, updatedAt: createdAt }
}

/** About twelve memories with thousands of events. The last one is empty, to show the empty state. */
export function seededMemories(seed: string, nowMs: number): MemoryState {
  const emptyMemory: Memory = {
    id: 'memory-sandbox',
    name: 'first-steps',
    description: 'Empty: add an event to see it grow',
    eventExpiryDuration: 90,
    strategies: createStrategies('first-steps'),
    sessions: [],
    records: [],
    ...createTimes(floorToHour(nowMs) - 2 * hourMs),
  }
  const themeMemories = themes.map((theme) => seededMemory(theme, createRandom(seed, `memory|${theme.name}`), nowMs))
  return { memories: [...themeMemories, emptyMemory] }
}

type SeededTurn = readonly [question: string, answer: string]

/** Topic of an agent: its memory's name and conversations. */
interface Theme {
  readonly name: string
  readonly description: string
  readonly eventExpiryDuration: number
  readonly actors: number
  readonly turns: readonly [SeededTurn, ...SeededTurn[]]
  readonly facts: readonly [SeededFact, ...SeededFact[]]
}

const createSemanticFact = (message: string, recordText: string) => ({ message, recordText, kind: 'SEMANTIC' }) as const
const createPreference = (message: string, recordText: string) =>
  ({ message, recordText, kind: 'USER_PREFERENCE' }) as const

type SeededFact = ReturnType<typeof createSemanticFact | typeof createPreference>

/** The agents of the seeded world, in English and Vietnamese. */
const themes: readonly Theme[] = [
  {
    name: 'support-agent',
    description: 'Customer support of the online shop',
    eventExpiryDuration: 90,
    actors: 34,
    turns: [
      ['Where is my order?', 'It left the warehouse this morning and arrives tomorrow before noon.'],
      [
        'Can I still change the delivery address?',
        'Yes, until the parcel is with the driver. Which address shall I use?',
      ],
      ['The zip of the jacket is broken.', 'I am sorry. I have started a return; the label is in your mail.'],
      ['How long does a refund take?', 'Three to five working days after the parcel is back with us.'],
      ['Do you ship to Phú Quốc?', 'We do, it takes one day longer than to the mainland.'],
      ['I was charged twice.', 'I see both charges. The second one is cancelled and will disappear within a day.'],
    ],
    facts: [
      createPreference('Please write to me in Vietnamese.', 'Prefers answers in Vietnamese'),
      createPreference('I only want e-mail, no phone calls.', 'Prefers e-mail and does not want phone calls'),
      createSemanticFact('I live in Đà Nẵng now.', 'Lives in Đà Nẵng'),
      createSemanticFact('My shoe size is 41.', 'Wears shoe size 41'),
      createSemanticFact('I bought the blue tent in March.', 'Bought the blue tent in March'),
      createPreference('Never send parcels to the office, please.', 'Does not want parcels sent to the office'),
    ],
  },
  {
    name: 'travel-planner',
    description: 'Plans trips and remembers how people like to travel',
    eventExpiryDuration: 365,
    actors: 22,
    turns: [
      ['Find me a flight to Hà Nội on Friday evening.', 'There is one at 18:40 and one at 20:15. Which one suits you?'],
      ['Is there a quiet hotel near the old town?', 'Three fit. The smallest has twelve rooms and a garden.'],
      ['What is the weather like in Sa Pa in December?', 'Around ten degrees, often foggy. Take a warm jacket.'],
      ['How do I get from the airport to the centre?', 'Bus 86 takes forty minutes; a car takes thirty.'],
      ['Do I need a visa for Thailand?', 'Not for thirty days with a Vietnamese passport.'],
    ],
    facts: [
      createPreference('I always take a window seat.', 'Prefers a window seat'),
      createPreference('No flights before eight in the morning.', 'Does not take flights before 8:00'),
      createSemanticFact('I travel with my daughter, she is six.', 'Travels with a six-year-old daughter'),
      createPreference('I like small hotels better than big ones.', 'Prefers small hotels'),
      createSemanticFact('My passport ends in 2029.', 'Passport is valid until 2029'),
      createSemanticFact('I get sick on boats.', 'Gets seasick'),
    ],
  },
  {
    name: 'code-reviewer',
    description: 'Reviews merge requests and knows the habits of each team',
    eventExpiryDuration: 180,
    actors: 18,
    turns: [
      [
        'Can you look at the retry logic?',
        'The loop retries POST as well, which may book twice. Retry safe verbs only.',
      ],
      ['Why does the test fail on CI only?', 'It depends on the time zone. Set TZ in the test or compare in UTC.'],
      ['Is this index used?', 'No, the query filters on lower(email). Index the expression instead.'],
      ['What do you think of the naming?', '`data2` says nothing. `pendingInvoices` would.'],
      ['How can the build be faster?', 'Half of the time is type checking. Build the leaf projects in parallel.'],
    ],
    facts: [
      createPreference('We use tabs, not spaces.', 'Team uses tabs for indentation'),
      createSemanticFact(
        'Our service runs on Kubernetes with three replicas.',
        'Service runs on Kubernetes with three replicas',
      ),
      createPreference('Please keep your comments short.', 'Prefers short review comments'),
      createSemanticFact('We deploy on Tuesdays and Thursdays.', 'Deploys on Tuesdays and Thursdays'),
      createPreference('No new dependencies without a reason.', 'Wants a reason for every new dependency'),
      createSemanticFact('The payment code is owned by Minh.', 'Payment code is owned by Minh'),
    ],
  },
  {
    name: 'tro-ly-ban-hang',
    description: 'Trợ lý bán hàng cho cửa hàng cà phê',
    eventExpiryDuration: 60,
    actors: 26,
    turns: [
      ['Quán mở cửa lúc mấy giờ?', 'Quán mở từ 7 giờ sáng đến 10 giờ tối mỗi ngày.'],
      ['Có giao hàng đến quận 7 không?', 'Dạ có, khoảng 30 phút là tới ạ.'],
      ['Tháng này có khuyến mãi gì?', 'Mua hai tặng một cho cà phê hạt, đến hết chủ nhật.'],
      ['Loại nào ít chua nhất?', 'Robusta Đắk Lắk rang đậm là ít chua nhất.'],
      ['Cho mình hai ly bạc xỉu ít đá.', 'Dạ, hai bạc xỉu ít đá, 15 phút nữa tới nơi.'],
    ],
    facts: [
      createPreference('Mình thích uống ít đường.', 'Thích uống ít đường'),
      createPreference('Mình không uống được sữa bò.', 'Không uống được sữa bò'),
      createSemanticFact('Nhà mình ở đường Nguyễn Huệ.', 'Nhà ở đường Nguyễn Huệ'),
      createPreference('Mình hay uống cà phê muối.', 'Hay uống cà phê muối'),
      createSemanticFact('Sinh nhật mình vào tháng 5.', 'Sinh nhật vào tháng 5'),
    ],
  },
  {
    name: 'meeting-notes',
    description: 'Keeps what was decided in meetings',
    eventExpiryDuration: 120,
    actors: 15,
    turns: [
      ['What did we decide about the launch?', 'It moves to the second week of next month; Lan tells the press.'],
      ['Who takes care of the budget?', 'Đức, with a first draft by Wednesday.'],
      ['Please note: the review is every second Monday.', 'Noted, with an invitation to all seven of you.'],
      ['Which questions are open?', 'Two: the price of the small plan and who hosts the demo.'],
    ],
    facts: [
      createSemanticFact('I am out of office on Fridays.', 'Is out of office on Fridays'),
      createPreference('Send me the summary as bullet points.', 'Prefers summaries as bullet points'),
      createSemanticFact('I lead the data team.', 'Leads the data team'),
      createPreference('Meetings before ten do not work for me.', 'Prefers meetings after 10:00'),
    ],
  },
  {
    name: 'language-tutor',
    description: 'Practises Vietnamese and English with learners',
    eventExpiryDuration: 365,
    actors: 20,
    turns: [
      ['How do I say "see you tomorrow"?', '“Hẹn gặp lại ngày mai.” Try it in a sentence.'],
      [
        'What is the difference between "anh" and "em"?',
        'It depends on age and closeness: you call somebody a little older “anh”.',
      ],
      ['Please correct: I have went to market.', '“I have gone to the market.” The participle of go is gone.'],
      ['Give me three words for food.', 'Phở, bánh mì, chè.'],
    ],
    facts: [
      createSemanticFact('I have been learning for two months.', 'Has been learning for two months'),
      createPreference('I learn best with songs.', 'Learns best with songs'),
      createPreference('Explain grammar in English, please.', 'Wants grammar explained in English'),
      createSemanticFact('My exam is in June.', 'Has an exam in June'),
    ],
  },
  {
    name: 'health-coach',
    description: 'Sleep, food and movement',
    eventExpiryDuration: 30,
    actors: 16,
    turns: [
      ['I slept badly.', 'How many hours? A walk in the morning light helps many people.'],
      ['What can I cook tonight?', 'Steamed fish with ginger, rice and greens: thirty minutes.'],
      ['How far should I run?', 'Three kilometres, slowly. Add half a kilometre each week.'],
      ['My knee hurts after running.', 'Rest for two days and see a doctor if it stays.'],
    ],
    facts: [
      createSemanticFact('I am allergic to peanuts.', 'Is allergic to peanuts'),
      createPreference('I like spicy noodles.', 'Likes spicy noodles'),
      createPreference('I do not eat meat on weekdays.', 'Eats no meat on weekdays'),
      createSemanticFact('I run every Sunday.', 'Runs every Sunday'),
      createSemanticFact('I work night shifts.', 'Works night shifts'),
    ],
  },
  {
    name: 'finance-assistant',
    description: 'Invoices, budgets and reminders',
    eventExpiryDuration: 365,
    actors: 12,
    turns: [
      ['Which invoices are overdue?', 'Two: 1,240,000 ₫ since Monday and 380,000 ₫ since yesterday.'],
      ['How much did we spend on travel?', '18,400,000 ₫ this quarter, a fifth less than in the last one.'],
      ['Remind me of the VAT return.', 'I remind you three days before the 20th.'],
      ['Why is the bill higher this month?', 'One more licence and the yearly domain fee.'],
    ],
    facts: [
      createPreference('Show amounts in VND only.', 'Wants amounts in VND only'),
      createSemanticFact('Our fiscal year starts in April.', 'Fiscal year starts in April'),
      createPreference('Round to thousands, please.', 'Prefers amounts rounded to thousands'),
      createSemanticFact('Invoices go to accounting by the 5th.', 'Invoices go to accounting by the 5th'),
    ],
  },
  {
    name: 'home.devices',
    description: 'Lights, doors and heating of the test flat',
    eventExpiryDuration: 7,
    actors: 6,
    turns: [
      ['Turn the lights off.', 'All lights are off.'],
      ['Is the front door locked?', 'Yes, since 22:14.'],
      ['Make it warmer.', 'The living room goes to 23 degrees.'],
    ],
    facts: [
      createPreference('I like the bedroom at 19 degrees.', 'Likes the bedroom at 19 degrees'),
      createPreference('No music after ten in the evening.', 'Wants no music after 22:00'),
      createSemanticFact('The children sleep at eight.', 'Children sleep at 20:00'),
    ],
  },
  {
    name: 'hr-onboarding',
    description: 'Answers the questions of new colleagues',
    eventExpiryDuration: 90,
    actors: 14,
    turns: [
      ['How do I get a laptop?', 'IT hands it out on your first day, room 4.12.'],
      ['How many days of leave do I have?', 'Fourteen in the first year, one more each second year.'],
      ['Who is my buddy?', 'Hoà, she sits next to the window on the third floor.'],
      ['Where do I report my hours?', 'In the portal, every Friday until five.'],
    ],
    facts: [
      createSemanticFact('I start on the first of December.', 'Starts on the first of December'),
      createSemanticFact('I work from Huế.', 'Works from Huế'),
      createPreference('I prefer a standing desk.', 'Prefers a standing desk'),
      createSemanticFact('My manager is Thảo.', 'Manager is Thảo'),
    ],
  },
  {
    name: 'data-analyst',
    description: 'Writes queries and explains charts',
    eventExpiryDuration: 45,
    actors: 10,
    turns: [
      ['How many people signed up last week?', '1,284, which is 6 percent more than the week before.'],
      ['Draw revenue by region.', 'The south leads with 41 percent; the centre grows fastest.'],
      ['Why did the number drop on Tuesday?', 'Tracking was off for three hours after the deploy.'],
    ],
    facts: [
      createPreference('Use the warehouse, not the replica.', 'Wants queries run on the warehouse'),
      createPreference('I like line charts better than bars.', 'Prefers line charts over bars'),
      createSemanticFact('Weeks begin on Monday for us.', 'Weeks begin on Monday'),
    ],
  },
]
