/** A language that the text model answers in. */
export type Language = 'en' | 'vi'

const longestLook = 1000
const english = new Set(
  `the a an to of is are what which who in into on about me my you and with for by say count list name write tell give show make
  translate how please answer explain describe create as it that this`.split(/\s+/),
)

/** The language that a request asks for, or else the one it is written in. */
export function languageOf(prompt: string): Language {
  const start = prompt.slice(0, longestLook).toLowerCase()
  if (/\bin vietnamese\b|bằng tiếng việt/.test(start)) return 'vi'
  if (/\bin english\b|bằng tiếng anh/.test(start)) return 'en'
  const words = start.match(/\p{L}+/gu) ?? []
  const vietnameseCount = words.filter((word) => /[ăâđêôơưàáãèéìíòóõùúýĩũạ-ỹ]/.test(word)).length
  return vietnameseCount > words.filter((word) => english.has(word)).length ? 'vi' : 'en'
}
