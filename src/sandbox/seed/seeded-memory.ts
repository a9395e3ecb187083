import { createHash } from 'node:crypto'
import { defaultNamespaces, fillNamespace } from '../platform/memory'
import type { Memory, MemoryEvent, MemoryRecord, Session, Strategy, World } from '../state/world'
import { createRandom as createIntegers } from '../text-model'
import { dayMs, hourMs, minuteMs } from '../timing'

export type Random = ReturnType<typeof createRandom>

/** Number of values of 32 bits. */
const wordRange = 2 ** 32

/** Deterministic random numbers per seed and purpose, so that a change in one part keeps the others stable. */
export function createRandom(seed: string, purpose: string) {
  const random = createIntegers(createHash('sha256').update(`${seed}|${purpose}`).digest().readUInt32LE(0))
  const next = (): number => random(wordRange) / wordRange
  const int = (least: number, max: number): number => least + Math.floor(next() * (max - least + 1))
  return {
    /** Returns a number from 0 (inclusive) to 1 (exclusive). */
    next,
    /** Integer from `least` to `max`, both inclusive. */
    int,
    pick: <Item>(items: readonly [Item, ...Item[]]): Item => items[int(0, items.length - 1)] ?? items[0],
    hex(length: number): string {
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

const strategyTypes = { facts: 'SEMANTIC', preferences: 'USER_PREFERENCE', summaries: 'SUMMARY' } as const

const createStrategies = (memoryName: string): Strategy[] =>
  Object.entries(strategyTypes).map(([name, type]) => ({
    id: `strategy-${memoryName}-${name}`,
    name,
    type,
    namespace: defaultNamespaces[type],
  }))

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
      const [type, message, recordText] = random.pick(theme.facts)
      addEvent('user', message)
      addRecord(type, recordText)
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

/** Six memories with thousands of events. The last one is empty, to show the empty state. */
export function seededMemories(seed: string, nowMs: number): World['memory'] {
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
type SeededFact = readonly [type: Strategy['type'], message: string, recordText: string]

/** Topic of an agent: its memory's name and conversations. */
interface Theme {
  readonly name: string
  readonly description: string
  readonly eventExpiryDuration: number
  readonly actors: number
  readonly turns: readonly [SeededTurn, ...SeededTurn[]]
  readonly facts: readonly [SeededFact, ...SeededFact[]]
}

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
      ['USER_PREFERENCE', 'Please write to me in Vietnamese.', 'Prefers answers in Vietnamese'],
      ['USER_PREFERENCE', 'I only want e-mail, no phone calls.', 'Prefers e-mail and does not want phone calls'],
      ['SEMANTIC', 'I live in Đà Nẵng now.', 'Lives in Đà Nẵng'],
      ['SEMANTIC', 'My shoe size is 41.', 'Wears shoe size 41'],
      ['SEMANTIC', 'I bought the blue tent in March.', 'Bought the blue tent in March'],
      ['USER_PREFERENCE', 'Never send parcels to the office, please.', 'Does not want parcels sent to the office'],
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
      ['USER_PREFERENCE', 'I always take a window seat.', 'Prefers a window seat'],
      ['USER_PREFERENCE', 'No flights before eight in the morning.', 'Does not take flights before 8:00'],
      ['SEMANTIC', 'I travel with my daughter, she is six.', 'Travels with a six-year-old daughter'],
      ['USER_PREFERENCE', 'I like small hotels better than big ones.', 'Prefers small hotels'],
      ['SEMANTIC', 'My passport ends in 2029.', 'Passport is valid until 2029'],
      ['SEMANTIC', 'I get sick on boats.', 'Gets seasick'],
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
      ['USER_PREFERENCE', 'We use tabs, not spaces.', 'Team uses tabs for indentation'],
      [
        'SEMANTIC',
        'Our service runs on Kubernetes with three replicas.',
        'Service runs on Kubernetes with three replicas',
      ],
      ['USER_PREFERENCE', 'Please keep your comments short.', 'Prefers short review comments'],
      ['SEMANTIC', 'We deploy on Tuesdays and Thursdays.', 'Deploys on Tuesdays and Thursdays'],
      ['USER_PREFERENCE', 'No new dependencies without a reason.', 'Wants a reason for every new dependency'],
      ['SEMANTIC', 'The payment code is owned by Minh.', 'Payment code is owned by Minh'],
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
      ['USER_PREFERENCE', 'Mình thích uống ít đường.', 'Thích uống ít đường'],
      ['USER_PREFERENCE', 'Mình không uống được sữa bò.', 'Không uống được sữa bò'],
      ['SEMANTIC', 'Nhà mình ở đường Nguyễn Huệ.', 'Nhà ở đường Nguyễn Huệ'],
      ['USER_PREFERENCE', 'Mình hay uống cà phê muối.', 'Hay uống cà phê muối'],
      ['SEMANTIC', 'Sinh nhật mình vào tháng 5.', 'Sinh nhật vào tháng 5'],
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
      ['USER_PREFERENCE', 'I like the bedroom at 19 degrees.', 'Likes the bedroom at 19 degrees'],
      ['USER_PREFERENCE', 'No music after ten in the evening.', 'Wants no music after 22:00'],
      ['SEMANTIC', 'The children sleep at eight.', 'Children sleep at 20:00'],
    ],
  },
]
