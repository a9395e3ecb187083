import { hash, numbersFrom } from './embed'
import { type Prose, vietnamese } from './prose'
import { type Language, numberPattern, type ReadQuestion, type Rule, readNumber } from './question'

const longestLook = 2000
const usualWords = { long: 600, veryLong: 2000, piece: 300, short: 80, told: 120, more: 200 }

const units: readonly (readonly [RegExp, Length['unit']])[] = [
  [/^(?:word|từ|chữ)/i, 'words'],
  [/^(?:sentence|câu)/i, 'sentences'],
  [/^(?:paragraph|đoạn)/i, 'paragraphs'],
]

/** What may follow a topic without being a part of it. */
const afterTopic =
  /\s+(?:in|with|using|of|for)\s+(?:about |around )?(?:\d|a few|one|two|three|english|vietnamese|simple|plain).*$|\s+(?:please|khoảng|bằng tiếng|dài|trong \d|thật).*$|["“”'‘’`*]/giu

const topicPatterns: readonly RegExp[] = [
  /(?:\b(?:about|regarding)|(?<!\p{L})(?:về|nói đến))\s+([^\n.,!?;:]{2,80})/iu,
  /\b(?:words?|essay|story|article|post|summary|paragraphs?|sentences?|answer|text)\s+(?:on|of)\s+([^\n.,!?;:]{2,80})/iu,
  /^\s*(?:please |can you |hãy )*(?:explain|describe|giải thích|mô tả|giới thiệu|tả)\s+(?:to me |cho tôi )?(?:what |how |why )?([^\n.,!?;:]{2,80})/iu,
]

/** What a request is about. */
function topicIn(prompt: string): string | undefined {
  const look = prompt.slice(0, longestLook)
  const found = topicPatterns.map((pattern) => pattern.exec(look)?.[1]).find((topic) => topic !== undefined)
  const topic = found?.replace(afterTopic, '').trim()
  return topic === undefined || /^(?:it|this|that|nó|điều đó|)$/i.test(topic) ? undefined : topic
}

function write(question: ReadQuestion, length: Length): string {
  const { prompt, history, language } = question
  const earlier = history.filter(({ role }) => role === 'user').map(({ text }) => text)
  const topic = [prompt, ...earlier.reverse()].map(topicIn).find((found) => found !== undefined)
  return longText({ language, topic, length, seed: `${history.length} ${prompt}` })
}

const words = (count: number): Length => ({ unit: 'words', count })

/** Whether a number of words is what to write rather than a bound, or something that is worked on. */
const isToBeWritten = (prompt: string): boolean =>
  !/\b(?:or (?:fewer|less)|at most|no more than|refactor|fix|title)\b|tối đa|không quá|tiêu đề/i.test(prompt) &&
  (topicIn(prompt) !== undefined || /\b(?:write|essay|text|story|article|long)\b|viết|bài|truyện/i.test(prompt))

/** Requests that say how long the text shall be. */
export const sizedRules: readonly Rule[] = [
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\d.,-])(${numberPattern})(?:-|\\s+)(words?|sentences?|paragraphs?|từ|chữ|câu|đoạn)(?!\\p{L})(?! mã| code)`,
      'iu',
    ),
    answer: ([, count = '', unit = ''], question) => {
      if (!isToBeWritten(question.prompt.slice(0, longestLook))) return undefined
      const known = units.find(([pattern]) => pattern.test(unit))?.[1] ?? 'words'
      return write(question, { unit: known, count: readNumber(count) })
    },
  },
  {
    pattern:
      /\b(very |really |extremely )?(?:long|lengthy|in-depth) (?:\p{L}+ )?(?:answer|reply|response|text|essay|story|article|explanation|post)\b|\b(?:answer|reply|respond|explain|write) (?:at length|a lot)\b|(?<!\p{L})(?:viết|trả lời|kể|bài|bài viết|bài văn|câu trả lời|câu chuyện|đoạn văn|giải thích) (?:một bài |một câu chuyện )?(?:thật |rất )?dài(?!\p{L})/iu,
    answer: ([found], question) =>
      write(question, words(/very|really|extremely|thật|rất/i.test(found) ? usualWords.veryLong : usualWords.long)),
  },
  {
    pattern:
      /\b(?:write|tell|compose|draft|give|make|need|want)(?: me| us)? (?:an? |the )(?:(short|brief) )?(?:\p{L}+ )?(?:essay|story|article|blog post|paragraph|introduction|speech)\b|(?<!\p{L})(?:viết|kể|soạn)(?: cho tôi)?(?: một| 1)? (?:bài văn|bài viết|bài luận|câu chuyện|đoạn văn|truyện)( ngắn)?(?!\p{L})/iu,
    answer: ([found, short, shortToo], question) => {
      const isShort = (short ?? shortToo) !== undefined || /paragraph|đoạn/i.test(found)
      return write(question, words(isShort ? usualWords.short : usualWords.piece))
    },
  },
]

/** Requests to tell about something, of no said length. */
export const toldRules: readonly Rule[] = [
  {
    pattern:
      /^\s*(?:please |can you |could you |hãy |vui lòng )*(?:explain|describe|(?:tell me|talk|write|say something|say anything)(?: more| something| a bit)? about|what do you (?:know|think) (?:of|about)|giải thích|mô tả|giới thiệu|(?:kể|nói|viết|cho tôi biết)(?: cho tôi)?(?: nghe)?(?: thêm)? về)(?!\p{L})/iu,
    answer: (_, question) =>
      topicIn(question.prompt) === undefined ? undefined : write(question, words(usualWords.told)),
  },
  {
    pattern:
      /^\s*(?:please )?(?:continue|go on|more|tell me more|longer|make it longer|tiếp tục|viết tiếp|kể tiếp|dài hơn)[\s.!]*$/iu,
    answer: (_, question) => (question.history.length === 0 ? undefined : write(question, words(usualWords.more))),
  },
]

/** English sentences; see `Prose`. */
const english: Prose = {
  usualTopic: 'the sea',
  openings: [
    'Ask ten people about {topic} and you will hear ten different stories.',
    'There is more to {topic} than most of us notice on an ordinary day.',
    'Few subjects reward patience as much as {topic}.',
    'A good way to begin with {topic} is to look slowly and to ask simple questions.',
  ],
  leads: [
    'Consider first {aspect}.',
    'Another way to look at {topic} is through {aspect}.',
    'It also helps to think about {aspect}.',
    'Then there is the matter of {aspect}.',
    'Much of what we say about {topic} comes back to {aspect}.',
    '{person} would probably begin with {aspect}.',
    'A different picture appears when we turn to {aspect}.',
    'No account of {topic} is complete without {aspect}.',
  ],
  sentences: [
    '{person} in {place} once said that {topic} taught them to be {quality}.',
    'What looks {quality} from far away often turns out to be {quality} when seen up close.',
    'In {place}, people speak of {topic} {time}, usually over a cup of tea.',
    'The small details matter here, because they decide whether the whole feels {quality}.',
    'It would be easy to call this {quality}, yet that word leaves out half of the story.',
    '{time}, {person} may notice something that every expert has missed.',
    'Old letters from {place} mention {topic} with a {quality} kind of affection.',
    'The lesson is {quality}: begin with what you can see, and only then explain it.',
    'Some changes are slow enough that only {person} keeping a diary would record them.',
    'When {person} explains {topic} to a child, the {quality} parts come first.',
    'There are numbers to support this, but a walk through {place} says it better.',
    'Nobody planned it this way; it grew {time}, one {quality} step after another.',
    'This is why {person} and {person} can look at {topic} and disagree without either being wrong.',
    'If you have only one hour, spend it in {place} and let {topic} come to you.',
    'The {quality} answer is rarely the first one that comes to mind.',
    'People return to {topic} {time}, even when they believe they have finished with it.',
    'A photograph taken in {place} shows more of this than a long report could.',
    'What remains is a {quality} question, and it is worth keeping open.',
    'Many of the best ideas about {topic} came from {person} who was not looking for them.',
    'Care costs little, and around {topic} it tends to pay back {time}.',
    'Compare a {quality} morning in {place} with a {quality} evening there, and the difference is plain.',
    'Mistakes are part of it too, and {person} will happily tell you about theirs.',
    'It takes {person} years to learn this and a minute to pass it on.',
    'The words we choose for {topic} shape how {quality} it seems to us.',
    '{time}, the ordinary work around {topic} goes on without anyone writing about it.',
    'Those who live near {place} know this already, although they seldom put it into words.',
    'A {quality} habit, kept up for a season, does more here than a grand plan.',
    'Ask {person}, and the talk soon moves from {topic} to what makes a good life.',
    'There is a {quality} balance to keep, and it shifts a little {time}.',
    'Seen from {place}, the same facts tell a rather {quality} story.',
    'Curiosity is the best guide, and a {quality} notebook is a close second.',
    'What we borrow from {topic} we should be ready to give back {time}.',
    'In the end {person} measures success by how {quality} the next day feels.',
    'That is a {quality} thought, and it deserves more than a passing glance.',
    'Even {person} who has seen it a hundred times will stop for a moment in {place}.',
    'Stories travel, and by the time they reach {place} they have become {quality}.',
  ],
  closings: [
    'Perhaps that is the best reason to stay curious about {topic}: there is always a little more to find.',
    'So the next time {topic} comes up, take a moment, look again, and ask one more question.',
    'Whatever else changes, {topic} will keep giving us something to think about.',
  ],
  aspects: [
    'the early history',
    'everyday life',
    'the people who work with it',
    'the way it is taught',
    'its place in songs and stories',
    'the cost of getting it wrong',
    'the role of weather and season',
    'what children see in it',
    'the tools and skills it asks for',
    'its quiet influence on cities',
    'the rules that grew around it',
    'what may come next',
    'the view from abroad',
    'the beauty of it',
    'the questions that are still open',
    'the habits it creates',
  ],
  words: {
    person: [
      'a teacher',
      'a fisherman',
      'a young engineer',
      'a grandmother',
      'a careful reader',
      'a traveller',
      'a nurse on the night shift',
      'a market seller',
      'a musician',
      'a patient gardener',
      'a student',
      'a ferry captain',
      'a carpenter',
      'an old neighbour',
    ],
    place: [
      'Hội An',
      'a village near Huế',
      'the old quarter of Hà Nội',
      'a harbour town',
      'the hills around Đà Lạt',
      'a small museum',
      'the delta',
      'a busy kitchen',
      'the last row of a classroom',
      'a quiet library',
      'Đà Nẵng',
      'a train station at dawn',
    ],
    time: [
      'every spring',
      'late in the evening',
      'after the rain',
      'from year to year',
      'on market days',
      'before sunrise',
      'little by little',
      'once in a while',
      'during the holidays',
      'in the dry season',
      'now and then',
      'at the end of a long week',
    ],
    quality: [
      'simple',
      'generous',
      'patient',
      'surprising',
      'quiet',
      'stubborn',
      'practical',
      'gentle',
      'curious',
      'bright',
      'complicated',
      'careful',
      'playful',
      'modest',
    ],
  },
}

/** How long a text shall be. */
interface Length {
  readonly unit: 'words' | 'sentences' | 'paragraphs'
  readonly count: number
}

/** What a text shall be about; the same seed gives the same text. */
interface TextOrder {
  readonly language: Language
  readonly topic: string | undefined
  readonly length: Length
  readonly seed: string
}

const prose: Readonly<Record<Language, Prose>> = { en: english, vi: vietnamese }

const mostWords = 5000
const mostSentences = 300
const mostParagraphs = 60
const wordsWithHeadings = 800
const paragraphsPerHeading = 4
const wordsWithClosing = 80
const wordsOfSentence = 12
const tries = 8

/** A piece of the text: a sentence, or the heading of a part. */
interface Piece {
  readonly kind: 'heading' | 'first' | 'next'
  readonly text: string
}

const countWords = (text: string): number => text.split(' ').length
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Gives the items in a shuffled order, again and again, each as often as the others. */
function inTurns(items: readonly string[], next: (end: number) => number): () => string {
  let left: string[] = []
  return () => {
    if (left.length === 0) left = [...items]
    return left.splice(next(left.length), 1)[0] ?? ''
  }
}

/** Draws sentences of a prose and fills them in, each only once. */
function writer(words: Prose['words'], topic: string, next: (end: number) => number) {
  const draws = Object.fromEntries(Object.entries(words).map(([name, list]) => [name, inTurns(list, next)]))
  const told = new Set<string>()
  const fill = (template: string, aspect: string) =>
    capital(
      template.replace(/\{(\w+)\}/g, (_, name: string) =>
        name === 'topic' ? topic : name === 'aspect' ? aspect : (draws[name]?.() ?? ''),
      ),
    )
  return (template: () => string, aspect = ''): string => {
    let text = fill(template(), aspect)
    for (let tried = 0; told.has(text) && tried < tries; tried += 1) text = fill(template(), aspect)
    told.add(text)
    return text
  }
}

/** The text without an end: an opening, then paragraphs, each about one aspect. */
function* tell({ language, topic, seed }: TextOrder, withHeadings: boolean): Generator<Piece, never> {
  const { usualTopic, openings, leads, sentences, aspects, words } = prose[language]
  const next = numbersFrom(hash(seed))
  const write = writer(words, topic ?? usualTopic, next)
  const [lead, sentence, aspect] = [inTurns(leads, next), inTurns(sentences, next), inTurns(aspects, next)]
  yield { kind: 'first', text: write(inTurns(openings, next)) }
  for (let paragraph = 0; ; paragraph += 1) {
    const about = aspect()
    if (withHeadings && paragraph > 0 && paragraph % paragraphsPerHeading === 0) {
      yield { kind: 'heading', text: `## ${capital(about)}` }
    }
    if (paragraph > 0) yield { kind: 'first', text: write(lead, about) }
    const size = 3 + next(3)
    for (let index = 0; index < size; index += 1) yield { kind: 'next', text: write(sentence) }
  }
}

/** So few words that they make no sentence: what the topic may be called. */
function fewWords({ language, topic, seed }: TextOrder, words: number): string {
  const { usualTopic, words: lists } = prose[language]
  const [head, quality] = [capital(topic ?? usualTopic), inTurns(lists.quality ?? [], numbersFrom(hash(seed)))]
  const said: string[] = []
  for (let left = words - countWords(head); left > 0; left -= countWords(said.at(-1) ?? '')) said.push(quality())
  return said.length === 0 ? `${head}.` : `${head}: ${said.join(', ')}.`
}

/** As many pieces as come nearest to the number of words, and at least one. */
function takeWords(pieces: Iterable<Piece>, words: number): readonly Piece[] {
  const taken: Piece[] = []
  let left = words
  for (const piece of pieces) {
    const size = countWords(piece.text)
    if (taken.length > 0 && size > left * 2) break
    taken.push(piece)
    left -= size
  }
  while (taken.length > 1 && taken.at(-1)?.kind !== 'next') taken.pop()
  return taken
}

function takeSentences(pieces: Iterable<Piece>, count: number): readonly Piece[] {
  const taken: Piece[] = []
  for (const piece of pieces) {
    if (taken.length === count) break
    taken.push(piece)
  }
  return taken
}

function takeParagraphs(pieces: Iterable<Piece>, count: number): readonly Piece[] {
  const taken: Piece[] = []
  let begun = 0
  for (const piece of pieces) {
    if (piece.kind === 'first') begun += 1
    if (begun > count) break
    taken.push(piece)
  }
  return taken
}

const join = (pieces: readonly Piece[]): string =>
  pieces.map(({ kind, text }, index) => (index === 0 ? text : `${kind === 'next' ? ' ' : '\n\n'}${text}`)).join('')

/** A readable text about a topic, of about the length asked for (5,000 words at most); it says nothing that could be wrong. */
function longText(order: TextOrder): string {
  const { length, language, topic, seed } = order
  const count = Math.max(length.count, 1)
  if (length.unit === 'sentences') return join(takeSentences(tell(order, false), Math.min(count, mostSentences)))
  if (length.unit === 'paragraphs') return join(takeParagraphs(tell(order, false), Math.min(count, mostParagraphs)))
  const words = Math.min(count, mostWords)
  const pieces = tell(order, words >= wordsWithHeadings)
  if (words < wordsOfSentence) return fewWords(order, words)
  if (words < wordsWithClosing) return join(takeWords(pieces, words))
  const { closings, usualTopic } = prose[language]
  const closing = (closings[hash(seed) % closings.length] ?? '').replace('{topic}', topic ?? usualTopic)
  return join([...takeWords(pieces, words - countWords(closing)), { kind: 'first', text: closing }])
}
