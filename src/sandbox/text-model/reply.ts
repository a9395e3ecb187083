import { calculate } from './arithmetic'
import { hash } from './embed'
import { sizedRules, toldRules } from './long-request'
import {
  detectLanguage,
  type Language,
  numberPattern,
  type Question,
  type ReadQuestion,
  type Rule,
  readNumber,
} from './question'
import { noteRules, recallRules, summarise, summariseTalk } from './recall'
import { codeBlock, readFields, sample } from './snippets'
import { countKnown, name, translate } from './topics'

const several = new RegExp(`(?<![\\p{L}\\d])(${numberPattern})\\s+(?!fields?|keys?|columns?|trường|cột)\\p{L}`, 'iu')
const usualElements = 3

/** JSON with the fields that a request names, an array of objects when it asks for several; always parsable, without a fence. */
function jsonAnswer(request: string): string {
  const fields = readFields(request)
  const names = fields.length > 0 ? fields : ['id', 'name', 'status']
  const row = (index: number) => Object.fromEntries(names.map((field) => [field, sample(field, index)]))
  const count = several.exec(request)?.[1]
  const isList = /\b(?:array|list)\b|(?<!\p{L})(?:mảng|danh sách)(?!\p{L})/iu.test(request)
  if (count === undefined && !isList) return JSON.stringify(row(0), null, 2)
  const rows = count === undefined ? usualElements : atMost(readNumber(count))
  return JSON.stringify(
    Array.from({ length: rows }, (_, index) => row(index)),
    null,
    2,
  )
}

const usualRows = 3
const rowCount = new RegExp(`(?<![\\p{L}\\d])(${numberPattern})(?:[ -]?rows?\\b|\\s+(?:hàng|dòng)(?!\\p{L}))`, 'iu')
const thingCount = new RegExp(
  `(?:\\btable (?:of|with)|(?<!\\p{L})bảng)\\s+(${numberPattern})\\s+(?!columns?|cột)\\p{L}`,
  'iu',
)
const english = /\b(?:of|about|with|for)\s+(?:\d+\s+)?(?:rows?\s+(?:of|about|for)\s+)?([\p{L} ]{2,40})/iu
const vietnamese = /(?:về|bảng(?: \d+ (?:hàng|dòng))?(?: các| những)?)\s+([\p{L} ]{2,40})/iu

const heads: Readonly<Record<Language, readonly string[]>> = {
  en: ['#', 'Name', 'Letters'],
  vi: ['#', 'Tên', 'Số chữ'],
}

const noTopic: Readonly<Record<Language, string>> = { en: 'item', vi: 'mục' }

const line = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`

function markdown(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A Markdown table: the columns that a request names, or the names of a topic's things. */
function table(request: string, language: Language): string {
  const count = atMost(readNumber((rowCount.exec(request) ?? thingCount.exec(request))?.[1] ?? String(usualRows)))
  const columns = /\bcolumns?\b|(?<!\p{L})cột(?!\p{L})/iu.test(request) ? readFields(request) : []
  if (columns.length > 0) {
    return markdown(
      columns,
      Array.from({ length: count }, (_, index) => columns.map((column) => sample(column, index))),
    )
  }
  const pattern = language === 'vi' ? vietnamese : english
  const topic = (pattern.exec(request)?.[1] ?? noTopic[language]).replace(/\s+(?:với|with)(?!\p{L}).*$/u, '').trim()
  const things = name(topic, count, language)
  return markdown(
    heads[language],
    things.map((thing, index) => [index + 1, thing, thing.length]),
  )
}

type Choice = Readonly<Record<Language, readonly string[]>>

const haikus: Choice = {
  en: [
    'Morning on the lake\na heron lifts one thin leg\nthe whole sky ripples',
    'Rain on the tin roof\nall the unanswered letters\nsoften in their pile',
    'Green tea growing cold\nbetween two lines of the code\nspring has come and gone',
    'Lanterns, one by one\nthe old town learns how to glow\nthe river keeps still',
    'Last train of the night\nin the window someone else\nwearing my tired face',
  ],
  vi: [
    'Sáng trên mặt hồ\ncon cò nhấc một chân gầy\ncả trời gợn sóng',
    'Mưa trên mái tôn\nchồng thư chưa kịp hồi âm\nmềm dần trong gió',
    'Chén trà đã nguội\ngiữa hai dòng mã còn dang\nxuân vừa đi mất',
    'Đèn lồng phố cổ\nlần lượt thắp lên từng ngọn\nsông nằm im nghe',
  ],
}

const jokes: Choice = {
  en: [
    'Why did the token leave the party early? It had reached its limit.',
    'I would tell you a joke about UDP, but you might not get it.',
    'There are ten kinds of people: those who read binary and those who do not.',
    'Why do programmers mix up Halloween and Christmas? Because Oct 31 equals Dec 25.',
    'A SQL query walks up to two tables and asks: may I join you?',
  ],
  vi: [
    'Vì sao token rời bữa tiệc sớm? Vì nó đã hết hạn mức.',
    'Lập trình viên đi chợ: “Mua một quả dưa, nếu có trứng thì mua mười.” Anh ta mang về mười quả dưa.',
    'Máy tính đi khám bệnh, bác sĩ bảo: chỉ là virus thôi, khởi động lại nhé.',
    'Một câu SQL đến gần hai cái bảng và hỏi: tôi join được không?',
  ],
}

/** One that has a word of the request in it, or else any. */
function choose(choice: Choice, language: Language, request: string): string {
  const list = choice[language]
  const words = request.toLowerCase().match(/\p{L}{3,}/gu) ?? []
  const fitting = list.find((text) => words.some((word) => ` ${text.toLowerCase()}`.includes(` ${word} `)))
  return fitting ?? list[hash(request) % list.length] ?? ''
}

/** A haiku; the same request gives the same one. */
const haiku = (language: Language, request: string): string => choose(haikus, language, request)

/** A joke; the same request gives the same one. */
const joke = (language: Language, request: string): string => choose(jokes, language, request)

function inOtherLanguage(text: string, language: string): string | undefined {
  const to = /viet|việt/i.test(language) ? 'vi' : 'en'
  return (
    translate(text, to) ??
    (to === 'vi'
      ? `The phrase book of the sandbox has no Vietnamese for “${gist(text)}”. Try “good morning” or “thank you”.`
      : `Sổ từ của sandbox chưa có tiếng Anh cho “${gist(text)}”. Hãy thử “chào buổi sáng” hoặc “cảm ơn”.`)
  )
}

/** Translations, summaries, haikus and jokes. */
const wordRules: readonly Rule[] = [
  {
    pattern:
      /\btranslate:?\s+(?:the (?:word|phrase|sentence)s? )?["“'‘]?([^\n]{1,300}?)["”'’]? (?:in)?to (english|vietnamese)\b|(?<!\p{L})dịch(?: câu| từ)?:?\s+["“'‘]?([^\n]{1,300}?)["”'’]? (?:sang|ra) (tiếng (?:anh|việt))/iu,
    answer: ([, text, to, text2, to2]) => inOtherLanguage(text ?? text2 ?? '', to ?? to2 ?? ''),
  },
  {
    pattern:
      /\btranslate (?:this |the following )?(?:in)?to (english|vietnamese)\s*[:\n]\s*([^\n]{1,300})|(?<!\p{L})dịch (?:câu sau )?(?:sang|ra) (tiếng (?:anh|việt))\s*[:\n]\s*([^\n]{1,300})/iu,
    answer: ([, to, text, to2, text2]) => inOtherLanguage(text ?? text2 ?? '', to ?? to2 ?? ''),
  },
  {
    pattern:
      /^\s*(?:please |can you |hãy )*(?:summari[sz]e|tl;?dr|(?:give (?:me )?|write )?a summary|tóm tắt)(?!\p{L})/iu,
    answer: (_, { prompt, history, language }) => {
      const text = /[:\n]\s*(\S[\s\S]*)$/.exec(prompt)?.[1]
      return text === undefined ? summariseTalk(history, language) : summarise(text)
    },
  },
  {
    pattern: /\b(?:haiku|poem)\b|(?:bài|câu) thơ|làm thơ/i,
    answer: (_, { prompt, language }) => haiku(language, prompt),
  },
  {
    pattern: /\b(?:tell|know|give|make)\b[^\n]{0,20}\bjoke\b|chuyện cười|truyện cười/i,
    answer: (_, { prompt, language }) => joke(language, prompt),
  },
]

const abilities: Readonly<Record<Language, string>> = {
  en: `I am {model}, a model of the sandbox. Try one of these:
- list 5 fruits, count to 10, a table with columns name, city and price
- write 500 words about rivers, a haiku, a joke
- answer as JSON with name and age
- what is 17 * 23?, translate “good morning” to Vietnamese
- fibonacci in Python
- my name is An, and later: what is my name?`,
  vi: `Tôi là {model}, một mô hình của sandbox. Hãy thử:
- liệt kê 5 loại trái cây, đếm đến 10, bảng các thành phố
- viết 500 từ về sông, một bài thơ, một chuyện cười
- trả về JSON với tên và tuổi
- 17 nhân 23 bằng bao nhiêu?, dịch “cảm ơn” sang tiếng Anh
- viết hàm fibonacci bằng Python
- tên tôi là An, rồi sau đó: tên tôi là gì?`,
}

/** Who the model is. */
const identityRules: readonly Rule[] = [
  {
    pattern:
      /\b(?:what|which) (?:\p{L}+ )?model (?:are you|is this|am i)|\bwho are you\b|\bwhat are you\b|\bwhat(?:'s|’s| is) your name\b|(?:bạn là (?:ai|mô hình)|mô hình nào|tên bạn là gì|bạn tên (?:là )?gì)/iu,
    answer: (_, { modelCode, language }) =>
      language === 'vi'
        ? `Tôi là ${modelCode}, một mô hình của sandbox.`
        : `I am ${modelCode}, a model of the sandbox.`,
  },
]

/** Greetings, thanks, and what can be asked for. */
const politeRules: readonly Rule[] = [
  {
    pattern: /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^\n]{0,30}$/i,
    answer: (_, { modelCode }) => `Hello! I am ${modelCode}, a model of the sandbox. What shall we try?`,
  },
  {
    pattern: /^\s*(?:xin )?chào(?![\p{L}])[^\n]{0,30}$/iu,
    answer: (_, { modelCode }) => `Xin chào! Tôi là ${modelCode}, một mô hình của sandbox. Chúng ta thử gì nào?`,
  },
  {
    pattern: /^\s*(?:thanks|thank you|cảm ơn)(?!\p{L})[^\n]{0,30}$/iu,
    answer: (_, { language }) =>
      language === 'vi' ? 'Không có gì! Ta thử gì tiếp nhé?' : 'You are welcome! What shall we try next?',
  },
  {
    pattern: /\bwhat can you do\b|^\s*help[\s!?.]*$|bạn (?:có thể )?làm được (?:những )?gì/iu,
    answer: (_, { modelCode, language }) => abilities[language].replace('{model}', modelCode),
  },
]

const usualItems = 5

function countUp(from: number, to: number): string {
  const step = to < from ? -1 : 1
  const numbers = Array.from({ length: atMost(Math.abs(to - from) + 1) }, (_, index) => from + index * step)
  return numbers.join(', ')
}

function list(count: number, label: string, { prompt, language }: ReadQuestion): string {
  const items = name(label.trim(), atMost(count), language)
  const isBulleted = /\bbullet|gạch đầu dòng/i.test(prompt)
  return items.map((item, index) => `${isBulleted ? '-' : `${index + 1}.`} ${item}`).join('\n')
}

/** A list of a number that was not said: only of what the model knows. */
function knownList(label: string, question: ReadQuestion): string | undefined {
  const known = countKnown(label)
  return known === 0 ? undefined : list(Math.min(known, usualItems), label, question)
}

const namedCount = new RegExp(
  `(?:\\b(?:list|name|suggest|write|give|show|tell|create|make|find)\\s+(?:me\\s+|of\\s+)?|^\\s*(?:the )?(?=top ))(?:an? (?:\\p{L}+ )?list (?:of|with)\\s+)?(?:the\\s+)?(?:(?:top|best|first)\\s+)?(${numberPattern})\\s+(\\p{L}[\\p{L} '-]{0,60})`,
  'iu',
)
const vietnameseCount = new RegExp(
  `(?<!\\p{L})(?:liệt kê|kể tên|kể|nêu|gợi ý|viết|đưa ra|cho|danh sách)\\s+(?:tôi\\s+|ra\\s+|danh sách\\s+|tên\\s+)*(?:gồm\\s+)?(${numberPattern})\\s+(?:loại\\s+|cái\\s+)?(\\p{L}[\\p{L} '-]{0,60})`,
  'iu',
)

/** Counting. */
const countRules: readonly Rule[] = [
  {
    pattern:
      /\bcount\s+(?:from\s+(\d{1,9})\s+)?(?:up\s+|down\s+)?to\s+(\d{1,9}|\w+)|(?<!\p{L})đếm\s+(?:từ\s+(\d{1,9})\s+)?(?:xuống\s+|lên\s+)?(?:đến|tới)\s+(\d{1,9}|\p{L}+)/iu,
    answer: ([, from, to, from2, to2]) => countUp(Number(from ?? from2 ?? 1), readNumber(to ?? to2 ?? '') || 10),
  },
]

/** Lists, of a number that is said or of what is known. */
const listRules: readonly Rule[] = [
  { pattern: namedCount, answer: ([, count = '', label = ''], question) => list(readNumber(count), label, question) },
  {
    pattern: vietnameseCount,
    answer: ([, count = '', label = ''], question) => list(readNumber(count), label, question),
  },
  {
    pattern:
      /\b(?:list|name)\s+(?:(?:me|of|some|the|all|a few|different)\s+)*(\p{L}[\p{L} '-]{0,60})|(?<!\p{L})(?:liệt kê|kể tên|danh sách|gợi ý)\s+(?:(?:một số|một vài|vài|các|những|tên)\s+)*(\p{L}[\p{L} '-]{0,60})/iu,
    answer: ([, label, label2], question) => knownList(label ?? label2 ?? '', question),
  },
]

/** A number of items that an answer can hold. */
const atMost = (count: number): number => Math.min(Math.max(count, 0), mostItems)

const mostItems = 1000

export type { Question, Turn } from './question'

const longestInstruction = 2000

function otherwise({ modelCode, prompt, language }: ReadQuestion): string {
  if (prompt.trim() === '') return `I found no text to answer. I am ${modelCode}, a model of the sandbox.`
  if (language === 'vi') {
    return (
      `Bạn hỏi: “${gist(prompt)}”. Tôi là mô hình ${modelCode} của sandbox nên đây là câu trả lời luyện tập: ` +
      'hãy thử “liệt kê 5 loại trái cây”, “đếm đến 10”, “bảng các thành phố” hoặc “viết 200 từ về sông”.'
    )
  }
  return (
    `You asked: “${gist(prompt)}”. I am the sandbox model ${modelCode}, so this is a practice answer: ` +
    'try “list 5 fruits”, “count to 10”, “a table of cities” or “say hello”.'
  )
}

function sum(expression: string, { prompt, language }: ReadQuestion): string | undefined {
  const worked = calculate(expression)
  if (worked === undefined) return undefined
  const impossible = language === 'vi' ? 'Không thể chia cho số không.' : 'A division by zero has no result.'
  if (worked.result === undefined) return impossible
  return /\b(?:only|just) (?:the |a )?(?:number|result|answer)|(?:chỉ|mỗi) (?:số|kết quả)/i.test(prompt)
    ? worked.result
    : `${worked.sum} = ${worked.result}`
}

const arithmetic: Rule = {
  pattern:
    /(?:\b(?:what(?:'s|’s| is)|how much is|calculate|compute|evaluate|solve)|^|(?<!\p{L})tính)[^\S\n]{0,5}:?[^\S\n]{0,5}([-(\d][^=?\n]{2,200}?)\s*(?:=\s*\??|(?:bằng|là) (?:bao nhiêu|mấy)|[?!]|\.(?!\d)|$)/imu,
  answer: ([, expression = ''], question) => sum(expression, question),
}

const json: Rule = {
  pattern:
    /\b(?:as|in|to|return|output|produce|generate|create|write|make|give me|show me|(?:reply|respond|answer)(?: only| just)?(?: with| in)?)\s+(?:an?\s+)?(?:(?:valid|only|raw|pretty|small|sample|example)\s+)*json\b(?! (?:parser|file|schema))|(?:^|\n)[^\S\n]*(?:an? )?json\b|(?<!\p{L})(?:bằng|dạng|định dạng|trả về|kiểu|tạo|viết|cho)(?: một| tôi)*\s+(?:đối tượng\s+|mảng\s+)?json(?!\p{L})/iu,
  answer: (_, { prompt }) => (/\b(?:function|code|script|parse)\b/i.test(prompt) ? undefined : jsonAnswer(prompt)),
}

const tables: Rule = {
  pattern: /\btable\b|(?<!\p{L})bảng(?!\p{L})(?! (?:màu|chữ cái))/iu,
  answer: (_, { prompt, language }) => table(prompt, language),
}

const vietnameseCode: Rule = {
  pattern: /(?<!\p{L})(?:(?:đoạn|viết) (?:mã|code)|mã nguồn|(?:viết|một) (?:một )?hàm)(?!\p{L})/iu,
  answer: (_, { prompt }) => codeBlock(prompt),
}

const code: Rule = {
  pattern:
    /\b(?:code|function|snippet|script)\b|^\s*group an? array\b|\b(?:hello,? world|fibonacci)\b[^\n]{0,40}\bin \p{L}+|\bprogram in\b/iu,
  answer: (_, { prompt }) => codeBlock(prompt),
}

/** The first that fits answers, so what is said precisely stands before what is said in passing. */
const rules: readonly Rule[] = [
  ...recallRules,
  ...identityRules,
  arithmetic,
  ...wordRules,
  ...sizedRules,
  ...countRules,
  json,
  tables,
  vietnameseCode,
  ...listRules,
  code,
  ...toldRules,
  ...noteRules,
  ...politeRules,
]

/** An instruction stands at the beginning or at the end of a long prompt; between them are texts that instruct nobody. */
function instruction(prompt: string): string {
  return prompt.length <= longestInstruction
    ? prompt
    : `${prompt.slice(0, longestInstruction / 2)}\n${prompt.slice(-longestInstruction / 2)}`
}

function answerBy(tried: readonly Rule[], text: string, question: ReadQuestion): string | undefined {
  for (const { pattern, answer } of tried) {
    const found = pattern.exec(text)
    const answered = found ? answer(found, question) : undefined
    if (answered) return answered
  }
  return undefined
}

/** The answer of the text model: the first rule that fits, always the same for the same question and history. */
export function reply({ modelCode, prompt, history = [] }: Question): string {
  const raw = unwrap(prompt)
  const question = { modelCode, prompt: raw.normalize('NFC'), history, language: detectLanguage(raw) }
  return (
    answerBy(exactRules, raw, question) ??
    answerBy(rules, instruction(question.prompt), question) ??
    otherwise(question)
  )
}

/** The beginning of what was asked, on one line. */
function gist(prompt: string): string {
  const line = prompt.trim().slice(0, 2000).replace(/\s+/g, ' ')
  const characters = [...line]
  return characters.length > 80 ? `${characters.slice(0, 79).join('').trimEnd()}…` : line
}

/** What may follow `answer with` when it asks for a kind of answer rather than for these words. */
const noWords =
  '(?!(?:only |just )?the (?:number|result|answer|sum|total)[\\s.!]*(?:\\n|$)|an? (?:\\S+ )?(?:list|table|code|function|greeting|sentence|word|number|json|essay|story|haiku|poem|joke|paragraph|summary|answer|reply|response|object)\\b|(?:valid |only |raw )*json\\b|\\d+[- ](?:words?|sentences?|paragraphs?)\\b|(?:something|anything) about\\b|(?:một )?(?:danh sách|bảng|đoạn|câu chuyện|bài)(?!\\p{L}))'

/** The words to say: what stands in quotes, or all of it without the politeness around it. */
function exactWords(request: string): string {
  const quoted = /^[^"“'‘`]*["“'‘`](.+)["”'’`]/.exec(request)?.[1]
  if (quoted !== undefined) return quoted
  const bare = request
    .replace(
      /^(?:(?:exactly|only|just|the (?:single |one )?(?:words?|text|phrase|following|string))\b(?: is)?[:\s]*)+/i,
      '',
    )
    .replace(/^(?:(?:đúng|chính xác|chỉ|(?:một )?(?:từ|câu|chữ)(?: sau)?)(?!\p{L})[:\s]*)+/iu, '')
    .replace(/(?<![,\s])[,\s]+(?:and nothing else|only|exactly|please|in one word|thôi|nhé)[.!]*$/i, '')
  return bare.replace(/\.$/, '')
}

function inLanguage(words: string): string | undefined {
  const [, text, language] = /^["“'‘]?(.{1,200}?)["”'’]? in (english|vietnamese)[.!]?$/i.exec(words) ?? []
  return text && translate(text, language?.toLowerCase() === 'vietnamese' ? 'vi' : 'en')
}

const say = (request: string): string => inLanguage(request) ?? exactWords(request)

/** Requests for exact words, which coding tools check a model with. */
const exactRules: readonly Rule[] = [
  {
    pattern: new RegExp(
      `(?:^|[.!?\\n])[^\\S\\n]*(?:please |kindly |just |only |now )*(?:say|repeat|echo|(?:reply|respond|answer)(?: only| exactly| just)? with)\\b:?\\s+${noWords}([^\\n]+)`,
      'iu',
    ),
    answer: ([, request = '']) => say(request),
  },
  {
    pattern: new RegExp(
      `(?:^|[.!?\\n])[^\\S\\n]*(?:hãy |vui lòng |xin |làm ơn |chỉ |bạn )*(?:nói|lặp lại|nhắc lại|trả lời(?= ?:| đúng| chính xác| chỉ|[^\\n]{0,12}["“'\`]))(?!\\p{L})(?! về| cho| tôi)[:\\s]+${noWords}([^\\n]+)`,
      'iu',
    ),
    answer: ([, request = '']) => exactWords(request),
  },
]

/** Coding tools pass a prompt from the command line on in quotes. */
function unwrap(prompt: string): string {
  return /^\s*"([^"\\]*(?:\\.[^"\\]*)*)"\s*$/s.exec(prompt)?.[1]?.replaceAll('\\"', '"') ?? prompt
}
