interface ToolDefinition {
  readonly name: string
  /** JSON schema of the arguments. */
  readonly parameters: unknown
}

export interface ReplyRequest {
  readonly modelCode: string
  /** The user's last message, without reminders by coding tools. */
  readonly prompt: string
  readonly tools?: readonly ToolDefinition[]
  /** JSON schema that the response must match. */
  readonly schema?: unknown
  readonly isToolResult?: boolean
  readonly isReasoning?: boolean
  /** Whether the prompt describes a completion tool as XML, as Cline does for models without tool calls. */
  readonly wantsCompletionTag?: boolean
}

export interface Reply {
  readonly text: string
  readonly reasoning?: string
  readonly toolCall?: { readonly name: string; readonly arguments: unknown }
}

const maxItems = 1000
const maxWords = 5000
/** Maximum characters of a prompt that are searched for instructions. Long prompts have them at the start or the end. */
const maxInstructionCharacters = 2000
const maxSchemaDepth = 6

/** Deterministic answer. Ends agent loops: calls a tool that reports completion, or responds with a final text. */
export function reply(question: ReplyRequest): Reply {
  const prompt = readInstruction(question.prompt)
  const tools = question.tools ?? []
  const reasoning = question.isReasoning
    ? { reasoning: `The user wrote “${truncateExcerpt(prompt)}”. A short answer is enough.` }
    : {}
  const completion = tools.find(({ name }) =>
    /complet|finish|final_?answer|^done$|^submit(?:_|$)|submitand/i.test(name),
  )
  const namedTool = question.isToolResult
    ? undefined
    : tools.find(({ name }) =>
        new RegExp(`\\b(?:call|use)\\b[^.!?\\n]{0,100}\\b${escapeRegExp(name)}\\b`, 'i').test(prompt),
      )
  const tool = namedTool ?? completion
  const text =
    question.schema === undefined
      ? answer(prompt, question.modelCode)
      : JSON.stringify(sample(question.schema, 'text'), null, 2)
  if (tool === undefined && question.wantsCompletionTag)
    return { text: `<attempt_completion>\n<result>${text}</result>\n</attempt_completion>`, ...reasoning }
  if (tool === undefined) return { text, ...reasoning }
  return { text: '', ...reasoning, toolCall: { name: tool.name, arguments: sample(tool.parameters, text) } }
}

/** Shortens a prompt, without the quotes that coding tools add around a prompt from the command line. */
function readInstruction(quotedPrompt: string): string {
  const unquoted = /^\s*"([^"\\]*(?:\\.[^"\\]*)*)"\s*$/s.exec(quotedPrompt)?.[1]?.replaceAll('\\"', '"')
  const prompt = (unquoted ?? quotedPrompt).normalize('NFC')
  if (prompt.length <= maxInstructionCharacters) return prompt
  return `${prompt.slice(0, maxInstructionCharacters / 2)}\n${prompt.slice(-maxInstructionCharacters / 2)}`
}

/** Rules by kind of request. The first match answers. `number`: first number of the prompt. */
const rules: readonly (readonly [RegExp, (match: RegExpExecArray, prompt: string) => string])[] = [
  [/\bcount (?:from (\d{1,9}) )?(?:up |down )?to (\d{1,9})|đếm (?:từ (\d{1,9}) )?đến (\d{1,9})/i, countNumbers],
  [
    /(?:^|[.!?\n])[^\S\n]*(?:(?:please|now|only|just|hãy) )*(?:say|repeat|echo|nói|(?:reply|respond|answer)(?: only| exactly| just)? with|(?:chỉ )?trả lời(?: đúng)?:)(?! (?:a |an |valid |only )*(?:list|table|json)\b):?\s+([^\n]+)/iu,
    ([, text = '']) => extractQuotedText(text),
  ],
  [/\bjson\b/i, (_, prompt) => jsonAnswer(prompt)],
  [
    /\btable\b|(?<!\p{L})bảng(?!\p{L})/iu,
    (_, prompt) =>
      ['| # | Name | Value |', '| --- | --- | --- |']
        .concat(listItems(findNumber(prompt) ?? 3, (n) => `| ${n} | Item ${n} | ${n * 10} |`))
        .join('\n'),
  ],
  [/\b(?:code|function|script|fibonacci|hello,? world)\b|viết (?:mã|hàm)/i, (_, prompt) => codeBlock(prompt)],
  [
    /(\d{1,3}(?:,\d{3})+|\d+)[ -]?(?:words?\b|từ(?!\p{L}))/iu,
    ([, count = '']) => generateProse(Number(count.replaceAll(',', ''))),
  ],
  [/\b(?:long|essay|story|explain|describe)\b|(?<!\p{L})(?:dài|giải thích|kể)(?!\p{L})/iu, () => generateProse(300)],
  [
    /\blist\b|\bname \d|(?<!\p{L})liệt kê(?!\p{L})/iu,
    (_, prompt) => listItems(findNumber(prompt) ?? 5, (n) => `${n}. Item ${n}`).join('\n'),
  ],
]

function answer(prompt: string, modelCode: string): string {
  for (const [pattern, write] of rules) {
    const match = pattern.exec(prompt)
    if (match) return write(match, prompt)
  }
  if (prompt.trim() === '') return `The message has no text. I am ${modelCode}, a model of the sandbox.`
  return (
    `You asked: “${truncateExcerpt(prompt)}”. I am ${modelCode}, a model of the sandbox, and my answers are canned. ` +
    'Try “say hello”, “count to 10”, “list 5 items”, “a table”, “JSON with name and age”, “a function” or “write 200 words”.'
  )
}

function countNumbers([, from, to, from2, to2]: RegExpExecArray): string {
  const [firstNumber, lastNumber] = [Number(from ?? from2 ?? 1), Number(to ?? to2)]
  const step = lastNumber < firstNumber ? -1 : 1
  const count = Math.min(Math.abs(lastNumber - firstNumber) + 1, maxItems)
  return Array.from({ length: count }, (_, index) => firstNumber + index * step).join(', ')
}

/** Words that the user wants repeated: the quoted ones, or else the instruction without phrases around them. */
function extractQuotedText(text: string): string {
  const quotedText = /["“'‘`](.+)["”'’`]/.exec(text)?.[1]
  if (quotedText !== undefined) return quotedText
  return text
    .replace(/^(?:(?:exactly|only|just|the (?:single |one )?(?:words?|text|phrase|string))(?=[:\s])[:\s]*)+/i, '')
    .replace(/[,\s]+(?:and nothing else|please|only)[.!]*$/i, '')
    .replace(/\.$/, '')
}

function findNumber(prompt: string): number | undefined {
  const digits = /\d{1,9}/.exec(prompt)?.[0]
  return digits === undefined ? undefined : Math.min(Number(digits), maxItems)
}

const listItems = (count: number, write: (n: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => write(index + 1))

function codeBlock(prompt: string): string {
  if (/\bpython\b/i.test(prompt)) return '```python\ndef add(a: int, b: int) -> int:\n    return a + b\n```'
  if (/\bsql\b/i.test(prompt)) return '```sql\nSELECT name, COUNT(*) AS orders FROM orders GROUP BY name;\n```'
  return '```ts\nfunction add(a: number, b: number): number {\n  return a + b\n}\n```'
}

/** An object with the fields that the prompt names, or an array for a list. */
function jsonAnswer(prompt: string): string {
  const fieldText =
    /\bjson\b[^\n]*?(?:\bwith\b|\bof\b|:)(?: (?:a|the|fields?|keys?|single))*\s*([^\n.!?]+)/i.exec(prompt)?.[1] ?? ''
  const fields =
    fieldText.match(/[\p{L}_][\p{L}\d_]*/gu)?.filter((word) => !/^(?:and|only|fields?|keys?)$/i.test(word)) ?? []
  const names = fields.length > 0 && fields.length <= 12 ? fields : ['id', 'name', 'status']
  const isList = /\b(?:array|list)\b/i.test(prompt)
  const rows = Array.from({ length: isList ? (findNumber(prompt) ?? 3) : 1 }, (_, index) =>
    Object.fromEntries(names.map((name) => [name, fieldValue(name, index + 1)])),
  )
  return JSON.stringify(isList ? rows : rows[0], null, 2)
}

function fieldValue(name: string, n: number): string | number | boolean {
  if (/^id$|count|age|price|total|number/i.test(name)) return n
  return /^(?:is|has)|active|valid/i.test(name) ? true : `${name} ${n}`
}

const sentences = [
  'A small example shows the idea better than a long definition.',
  'First, look at the input and at what has to come out.',
  'Then split the work into steps that can be checked one by one.',
  'Each step has a clear result, so a mistake is found early.',
  'Numbers help here, because they can be compared.',
  'It is worth writing down what was decided, and why.',
  'In the end the simplest version that works is usually the best one.',
]

/** About `count` words in paragraphs of about 80 words. */
function generateProse(count: number): string {
  const wordCount = Math.min(count, maxWords)
  const paragraphs: string[][] = [[]]
  for (let writtenCount = 0, index = 0; writtenCount < wordCount; index += 1) {
    const sentence = `${index + 1}. ${sentences[index % sentences.length]}`
      .split(' ')
      .slice(0, wordCount - writtenCount)
    if ((paragraphs.at(-1)?.join(' ').split(' ').length ?? 0) > 80) paragraphs.push([])
    paragraphs.at(-1)?.push(sentence.join(' '))
    writtenCount += sentence.length
  }
  return paragraphs.map((paragraph) => paragraph.join(' ')).join('\n\n')
}

/** A value that matches the common parts of a JSON schema. Strings contain `text`. */
function sample(schema: unknown, text: string, depth = 0): unknown {
  const { type, properties, items, enum: choices, const: constant, minimum, anyOf, oneOf } = Object(schema)
  if (constant !== undefined) return constant
  if (Array.isArray(choices)) return choices[0]
  if (depth > maxSchemaDepth) return null
  const sampleChild = (child: unknown) => sample(child, text, depth + 1)
  const branches = anyOf ?? oneOf
  if (Array.isArray(branches)) return sampleChild(branches[0])
  const kind = [type].flat()[0] ?? (properties === undefined ? 'string' : 'object')
  switch (kind) {
    case 'number':
    case 'integer':
      return minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return [sampleChild(items)]
    case 'object':
      return Object.fromEntries(
        Object.entries(Object(properties)).map(([name, property]) => [name, sampleChild(property)]),
      )
    default:
      return text
  }
}

/** Start of a text on one line, at most 80 characters. */
function truncateExcerpt(text: string): string {
  const characters = [...text.trim().slice(0, maxInstructionCharacters).replace(/\s+/g, ' ')]
  return characters.length > 80 ? `${characters.slice(0, 79).join('').trimEnd()}…` : characters.join('')
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

export type Tokenizer = Awaited<ReturnType<typeof readTokenizer>>

export interface LimitedText {
  readonly text: string
  readonly tokens: number
  readonly isCut: boolean
}

const sliceCharacters = 256
const longRunPattern = /\S{2048}|\s{2048}/

/** Special tokens in a text are counted as ordinary text. */
const tokenizerOptions = { disallowedSpecial: new Set<string>() }

/** Tokenizing is quadratic in the length of a word, so encoded files and other long words are counted in slices. */
function slices(text: string): readonly string[] {
  if (!longRunPattern.test(text)) return [text]
  return Array.from({ length: Math.ceil(text.length / sliceCharacters) }, (_, index) =>
    text.slice(index * sliceCharacters, (index + 1) * sliceCharacters),
  )
}

/** Longest prefix of whole characters that fits. The library's decoder may buffer partial characters. */
function fitPrefix(text: string, fits: (prefix: string) => boolean): string {
  const characters = [...text]
  let [low, high] = [0, characters.length]
  while (low < high) {
    const middleCount = Math.ceil((low + high) / 2)
    if (fits(characters.slice(0, middleCount).join(''))) low = middleCount
    else high = middleCount - 1
  }
  return characters.slice(0, low).join('')
}

async function readTokenizer() {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const count = (text: string): number =>
    slices(text).reduce((sum, slice) => sum + countTokens(slice, tokenizerOptions), 0)
  /** Truncates a text to `maxTokens` and returns its token count. */
  const limit = (text: string, maxTokens = Number.POSITIVE_INFINITY): LimitedText => {
    const tokens = count(text)
    if (tokens <= maxTokens) return { text, tokens, isCut: false }
    const prefix = fitPrefix(text, (candidate) => count(candidate) <= maxTokens)
    return { text: prefix, tokens: count(prefix), isCut: true }
  }
  return { count, limit }
}

let tokenizerPromise: Promise<Tokenizer> | undefined

/** Loads the tokenizer on first use, because its table takes longer to load than the rest of the sandbox. */
export function loadTokenizer(): Promise<Tokenizer> {
  tokenizerPromise ??= readTokenizer()
  return tokenizerPromise
}

const dimensions = 256
const maxWordCharacters = 64

/** Stop words, which say nothing about the topic. */
const stopWords = new Set(
  `a an the and or but of to in on at by for with from is are was were be am i me my you your it its this that what when where
  which who does do did the user la va cua toi ban cho khi nao gi thi duoc da bi voi`.split(/\s+/),
)

/**
 * Hashed bag of words and trigrams: a unit vector of 256, or zeros for blank text. Related spellings such as `deploys`
 * and `deployment` are near. Ignores meaning.
 */
export function createEmbedding(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  const add = (feature: string, weight: number) => {
    const value = hashText(feature)
    const index = (value >>> 1) % dimensions
    vector[index] = (vector[index] ?? 0) + (value & 1 ? weight : -weight)
  }
  // Ignore case and diacritics, so that `Phở` and `pho` match.
  const plainText = text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('đ', 'd')
  for (const word of plainText.match(/[\p{L}\p{N}]+|\S/gu) ?? []) {
    const wordWeight = stopWords.has(word) || !/[\p{L}\p{N}]/u.test(word) ? 0.1 : 1
    const paddedWord = `_${word.slice(0, maxWordCharacters)}_`
    add(word, wordWeight)
    for (let start = 0; start + 3 <= paddedWord.length; start += 1)
      add(paddedWord.slice(start, start + 3), wordWeight / Math.sqrt(paddedWord.length))
  }
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((value) => value / length) : vector
}

/** Cosine similarity of two embeddings, clamped to 0 to 1. */
export function similarity(a: Float32Array, b: Float32Array): number {
  let product = 0
  for (let index = 0; index < a.length; index += 1) product += (a[index] ?? 0) * (b[index] ?? 0)
  return Math.min(Math.max(Math.round(product * 1e6) / 1e6, 0), 1)
}

/** 32-bit FNV-1a hash of a text. */
export function hashText(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return (value ^ (value >>> 15)) >>> 0
}

/** Deterministic pseudo-random integers from 0 to `end`, exclusive. */
export function createRandom(seed: number): (end: number) => number {
  let state = seed >>> 0
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) % end
  }
}
