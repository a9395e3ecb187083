const codeBlock = /```[\s\S]*?(?:```|$)/g
const listMark = /^(?:[-*•>#]+|\d{1,3}[.)])\s+/
const sentenceEnd =
  /(?<=[.!?…])(?<!(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|a\.m|p\.m|i\.e|TP|ThS|TS|BS|GS)\.)\s+|\n+/u
const longestSentence = 500

/** A text of at most so many characters, with a sign where something was left out. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`

/** The sentences and lines of a message, each of at most 500 characters, without code blocks and the marks of lists. */
export const sentencesOf = (content: string): readonly string[] =>
  content
    .normalize('NFC')
    .replace(codeBlock, '\n')
    .split(sentenceEnd)
    .map((sentence) => shortened(sentence.trim().replace(listMark, '').replace(/\s+/g, ' '), longestSentence))
    .filter((sentence) => /\p{L}/u.test(sentence))

/** A text as a sentence of its own: a capital first, and one full stop unless it ends in another sign. */
export function asSentence(text: string): string {
  const bare = text.replace(/[\s.,;:]+$/u, '')
  const [first = ''] = bare
  return first.toUpperCase() + bare.slice(first.length) + (/[!?…”"']$/u.test(bare) ? '' : '.')
}
