/** How much of an answer a cell of many draws. */
const mostShown = 2400
const longEnoughToFade = 420
const linesToFade = 8

/** The beginning of an answer, cut at the end of a line where there is one near. */
export function beginningOf(text: string): string {
  if (text.length <= mostShown) return text
  const cut = text.slice(0, mostShown)
  const line = cut.lastIndexOf('\n')
  return line > mostShown / 2 ? cut.slice(0, line) : cut
}

/** The end of an answer that is still coming. */
export const endOf = (text: string): string => (text.length <= mostShown ? text : text.slice(-mostShown))

/** Whether an answer is too long for a cell of many, so that its end fades out. */
export const isLong = (text: string): boolean =>
  text.length > longEnoughToFade || text.split('\n', linesToFade + 1).length > linesToFade

/** By how much the beginning of what is drawn of a growing answer moves at once: what is left is read anew then. */
const stepLength = 3_000

/**
 * Where the recent part of a growing answer begins: so that between one and two steps of it are drawn, however long it gets. At a
 * paragraph's beginning that is not within code.
 */
export function recentFrom(text: string): number {
  const least = (Math.floor(text.length / stepLength) - 1) * stepLength
  if (least <= 0) return 0
  for (let at = text.indexOf('\n\n', least); at >= 0 && at < least + stepLength; at = text.indexOf('\n\n', at + 2)) {
    const fences = text.slice(0, at).match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0
    if (fences % 2 === 0) return at + 2
  }
  return 0
}

/** Changes whenever `recentFrom` may. */
export const stepOf = (text: string): number => Math.floor(text.length / stepLength)
