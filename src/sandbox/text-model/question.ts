/** A turn of a conversation; of the roles, `user` is what the model remembers facts from. */
export interface Turn {
  readonly role: string
  readonly text: string
}

/** What the text model is asked: by whom it is called, the user's last words, and the turns before them, oldest first. */
export interface Question {
  readonly modelCode: string
  readonly prompt: string
  readonly history?: readonly Turn[]
}

/** A question as the rules see it. */
export interface ReadQuestion extends Required<Question> {
  readonly language: Language
}

/** One thing the text model can do; where it has no answer after all, the next rule is tried. */
export interface Rule {
  readonly pattern: RegExp
  readonly answer: (found: RegExpExecArray, question: ReadQuestion) => string | undefined
}

/** A language that the text model answers in. */
export type Language = 'en' | 'vi'

const longestLook = 1000
const english = new Set(
  `the a an to of is are what which who in into on about me my you and with for by say count list name write tell give show make
  translate how please answer explain describe create as it that this`.split(/\s+/),
)

/** The language that a request asks for, or else the one it is written in. */
export function detectLanguage(prompt: string): Language {
  const start = prompt.slice(0, longestLook).toLowerCase()
  if (/\bin vietnamese\b|bằng tiếng việt/.test(start)) return 'vi'
  if (/\bin english\b|bằng tiếng anh/.test(start)) return 'en'
  const words = start.match(/\p{L}+/gu) ?? []
  const vietnameseCount = words.filter((word) => /[ăâđêôơưàáãèéìíòóõùúýĩũạ-ỹ]/.test(word)).length
  return vietnameseCount > words.filter((word) => english.has(word)).length ? 'vi' : 'en'
}

const words: readonly (readonly string[])[] = [
  ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'],
  ['không', 'một', 'hai', 'ba', 'bốn', 'năm', 'sáu', 'bảy', 'tám', 'chín', 'mười'],
]

/** The source of a pattern for a whole number from one, in digits (`1,000` too) or as a word up to ten. */
export const numberPattern = `\\d{1,3}(?:[.,]\\d{3}){1,2}|\\d{1,9}|${words.flatMap((list) => list.slice(1)).join('|')}`

/** Reads what `numberPattern` finds; `NaN` for anything else. */
export function readNumber(word: string): number {
  const spelled = words.map((list) => list.indexOf(word.toLowerCase())).find((index) => index >= 0)
  return spelled ?? Number(word.replace(/[.,](?=\d{3})/g, ''))
}

/** Lower case without marks: `Phở` and `pho` are one word. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('đ', 'd')
