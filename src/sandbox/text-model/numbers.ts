const mostItems = 1000

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

/** A number of items that an answer can hold. */
export const atMost = (count: number): number => Math.min(Math.max(count, 0), mostItems)
